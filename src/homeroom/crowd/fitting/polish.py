"""The last digits of a map: a few steps of Newton's method, each by conjugate gradients.

L-BFGS stops when the loss is the same to its last digits, and the map then is so to half as many.
A live map must not tremble, and the same answers in another order must give the same map.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse.linalg import LinearOperator, cg

from homeroom._arrays import Floats
from homeroom.crowd.fitting.point import Point
from homeroom.crowd.fitting.posterior import Posterior, certainty, inverses
from homeroom.crowd.fitting.probit import probit

STEPS = 6
INNER = 200
EXACT = 1e-9
"""The gradient's largest entry at which a map is finished."""


def polish(posterior: Posterior, point: Point, tick: Callable[[], None] = lambda: None) -> Point:
    """Return the map with its last digits right, or as it was where no step helps."""
    gradient = posterior.loss(point)[1]
    for _ in range(STEPS):
        size = np.abs(gradient).max()
        if size < EXACT:
            break
        step = _newton(posterior, point, gradient, tick)
        trial = point.like(point.flat() + step)
        new = posterior.loss(trial)[1]
        if not np.abs(new).max() < size:
            break
        point, gradient = trial, new
    return point


def _newton(
    posterior: Posterior, point: Point, gradient: Floats, tick: Callable[[], None]
) -> Floats:
    size = len(gradient)
    bend = LinearOperator((size, size), matvec=Bend(posterior, point), dtype=np.float64)
    near = LinearOperator((size, size), matvec=_Blocks(posterior, point), dtype=np.float64)
    step, _ = cg(bend, -gradient, rtol=1e-5, maxiter=INNER, M=near, callback=lambda _: tick())
    return np.asarray(step, dtype=np.float64)


class Bend:
    """The loss's second derivatives at a map, multiplied with a direction. O(answers * d)."""

    def __init__(self, posterior: Posterior, point: Point) -> None:
        self.posterior, self.point = posterior, point
        self.said = []
        for part in posterior.table.parts:
            said = probit(part.signs * certainty(part, point))
            self.said.append((said.curvature, part.signs * said.slope))

    def __call__(self, flat: Floats) -> Floats:
        point, move = self.point, self.point.like(flat)
        out = self.posterior.prior.penalty(move)
        for part, (bend, slope) in zip(self.posterior.table.parts, self.said, strict=True):
            people, moved = point.people[part.rows], move.people[part.rows]
            change = part.products(people, move.items) + part.products(moved, point.items)
            change -= move.thresholds[part.rows].take(part.person)
            bends, slopes = part.sums(bend * change), part.sums(slope)
            out.items[...] += bends.of_items(people) - slopes.of_items(moved)
            out.people[part.rows] += bends.of_people(point.items) - slopes.of_people(move.items)
            out.thresholds[part.rows] -= bends.totals()
        return out.flat()


class _Blocks:
    """The inverse of the second derivatives within each item and each person."""

    def __init__(self, posterior: Posterior, point: Point) -> None:
        of_items, of_people = posterior.blocks(point)
        self.point = point
        self.items, self.people = inverses(of_items), inverses(of_people)

    def __call__(self, flat: Floats) -> Floats:
        move = self.point.like(flat)
        lines = (self.people @ move.lines[:, :, None])[:, :, 0]
        items = (self.items @ move.items[:, :, None])[:, :, 0]
        return Point(items, lines[:, :-1], lines[:, -1]).flat()
