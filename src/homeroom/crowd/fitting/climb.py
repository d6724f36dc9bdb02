"""The way to the best map: a quick look from every start, then all the way from the best."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from homeroom._arrays import Floats
from homeroom._descent import descend
from homeroom.crowd.fitting.point import Point
from homeroom.crowd.fitting.polish import polish
from homeroom.crowd.fitting.posterior import Posterior

QUICK, FAR = 25, 1000
"""Iterations of L-BFGS: to see what a start is worth, and at most."""
REMEMBERED = 12


def climb(
    posterior: Posterior,
    begin: Iterable[Point],
    *,
    exactly: bool = True,
    tick: Callable[[], None] = lambda: None,
) -> Point:
    """Return the best map that can be reached from the starts.

    Parameters
    ----------
    posterior
        What is to be made most probable.
    begin
        Where to start.
    exactly
        Whether to go on until nothing changes in ten digits; else until the loss does not in
        eight, which is enough to compare dimensions.
    tick
        Called once an iteration.
    """
    points = list(begin)
    if len(points) > 1:
        points = [_descend(posterior, point, QUICK, 1e-8, tick) for point in points]
        points.sort(key=lambda point: posterior.loss(point)[0])
    best = _descend(posterior, points[0], FAR, 1e-10 if exactly else 1e-8, tick)
    return polish(posterior, best, tick) if exactly else best


def _descend(
    posterior: Posterior, point: Point, iterations: int, tolerance: float, tick: Callable[[], None]
) -> Point:
    """Follow the gradient by L-BFGS until the loss hardly changes."""

    def loss(flat: Floats) -> tuple[float, Floats]:
        return posterior.loss(point.like(flat))

    found = descend(
        loss,
        point.flat(),
        tick=tick,
        maxiter=iterations,
        maxcor=REMEMBERED,
        ftol=tolerance,
        gtol=1e-6,
    )
    return point.like(found)
