"""Minimisation of smooth functions by L-BFGS-B, on one thread of linear algebra."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any, cast

import numpy as np

from homeroom._arrays import Floats

LIMITED = Lock()
"""Held while the limit on threads is set, by the call that will lift it."""


def descend(
    function: Callable[[Floats], tuple[float, Floats]],
    start: Floats,
    *,
    bounds: Sequence[tuple[float | None, float | None]] | None = None,
    tick: Callable[[], None] = lambda: None,
    **options: float,
) -> Floats:
    """Return the point at which L-BFGS-B converges.

    Parameters
    ----------
    function
        Returns the value and the gradient at a point.
    start
        Where to begin.
    bounds
        The lower and the upper limit of each number; ``None`` where there is none.
    tick
        Called once per step; may end the search with ``StopIteration``.
    options
        Options of SciPy: ``maxiter``, ``maxcor``, ``ftol``, ...

    Examples
    --------
    >>> descend(lambda x: (float(x @ x), 2 * x), np.array([3.0, -4.0])).round(6) + 0.0
    array([0., 0.])
    """
    from scipy.optimize import minimize  # here, because it takes long to import

    with one_thread():
        found = minimize(
            function,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            callback=lambda _: tick(),
            options=cast(Any, options),
        )
    return np.asarray(found.x, dtype=np.float64)


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit linear algebra to one thread inside this block.

    Every step of L-BFGS-B solves a few systems of a dozen equations, for which OpenBLAS wakes all
    its threads. This gains nothing on idle cores, and on busy cores the threads wait for each
    other: plans and maps then take several times as long. The limit holds for the whole process. A
    second call finds it set, and leaves it to the first call to lift it.
    """
    if not LIMITED.acquire(blocking=False):
        yield
        return
    try:
        with _libraries().limit(limits=1, user_api="blas"):
            yield
    finally:
        LIMITED.release()


@cache
def _libraries() -> Any:
    """Return the loaded libraries of linear algebra. Finding them is slow, so they are cached."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
