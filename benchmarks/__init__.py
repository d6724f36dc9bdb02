"""The speed of homeroom, always as a ratio to something else measured in the same run.

``python -m benchmarks`` runs everything, ``python -m benchmarks pool`` only that. BLAS has one
thread unless ``OMP_NUM_THREADS`` says otherwise. The results are in ``RESULTS.md``.
"""
