"""The way down a smooth function, for every room that looks for a minimum."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

import numpy as np

from homeroom._arrays import Floats

LIMITED = Lock()
"""Held by who has set the limit on threads, and will lift it."""


def descend(
    function: Callable[[Floats], tuple[float, Floats]],
    start: Floats,
    *,
    bounds: Sequence[tuple[float | None, float | None]] | None = None,
    tick: Callable[[], None] = lambda: None,
    **options: float,
) -> Floats:
    """Return where L-BFGS-B comes to rest.

    Parameters
    ----------
    function
        Gives the value at a place, and the slope there.
    start
        Where to begin.
    bounds
        The lowest and the highest of each number; ``None`` where there is no limit.
    tick
        Called once a step; may end the way with ``StopIteration``.
    options
        SciPy's: ``maxiter``, ``maxcor``, ``ftol``, ...

    Examples
    --------
    >>> descend(lambda x: (float(x @ x), 2 * x), np.array([3.0, -4.0])).round(6) + 0.0
    array([0., 0.])
    """
    from scipy.optimize import minimize  # here, because it takes long to import

    wishes: Any = options
    with one_thread():
        found = minimize(
            function,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            callback=lambda _: tick(),
            options=wishes,
        )
    return np.asarray(found.x, dtype=np.float64)


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold linear algebra to one thread.

    Every step of L-BFGS-B solves a few systems of a dozen equations, for which OpenBLAS wakes all
    its threads. Idle cores gain nothing by that, and on busy ones they wait for each other: plans
    and maps then take several times as long. The limit is the whole process's: whoever comes second
    finds it set, and leaves it to the first to lift it.
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
    """Return the libraries of linear algebra that are loaded; to look for them takes long."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
