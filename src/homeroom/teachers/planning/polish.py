"""All examples of a lesson moved together until the class ends as close as it can.

An example is a length and a direction. The logarithm of what the lesson leaves is minimised by
L-BFGS-B over the logarithms of the lengths, which may come to rest on their limit, and over free
vectors whose directions count.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from homeroom._arrays import Floats
from homeroom._descent import descend
from homeroom.teachers.planning.rehearsal import Rehearsal

MEMORY = 20
"""Steps that L-BFGS remembers."""

LENGTH_SCALE = 0.5
"""How much a length moves for one of a direction: measured, and not critical."""

SHORTEST = 1e-3
"""No example gets shorter than this part of its limit."""

NOTHING = 1e-14
"""Less than this part of what was there at the start is rounding."""


class Polished(NamedTuple):
    """A lesson, what it leaves, smoothly (see :meth:`Aim.smooth`), and how many were tried."""

    xs: Floats
    value: float
    tried: int


def polish(
    rehearsal: Rehearsal, xs: Floats, longest: Floats, *, steps: int, enough: float = 0.0
) -> Polished:
    """Return the lesson polished, never worse than it was.

    Parameters
    ----------
    rehearsal
        The class.
    xs
        The lesson, shape ``(rounds, dimensions)``.
    longest
        How long each example may be, shape ``(rounds,)``.
    steps
        How many steps of L-BFGS at most.
    enough
        Stop as soon as less than this is left.
    """
    lengths = np.clip(np.linalg.norm(xs, axis=1), SHORTEST * longest, longest)
    units = xs / np.maximum(np.linalg.norm(xs, axis=1), 1e-300)[:, None]
    search = _Search(rehearsal, len(xs))
    start = np.concatenate([np.log(lengths) / LENGTH_SCALE, units.reshape(-1)])
    search(start)
    if steps > 0 and search.best.value > enough:
        free = [(None, None)] * xs.size
        lowest, highest = np.log(SHORTEST * longest), np.log(longest)
        limits = np.stack([lowest, highest], axis=1) / LENGTH_SCALE
        descend(
            search,
            start,
            bounds=[*map(tuple, limits), *free],
            tick=lambda: search.stop_at(enough),
            maxiter=steps,
            maxfun=2 * steps,
            maxcor=MEMORY,
            ftol=1e-10,
        )
    return search.best._replace(tried=search.tried)


class _Search:
    """The function that L-BFGS minimises; it remembers the best lesson it saw."""

    def __init__(self, rehearsal: Rehearsal, rounds: int) -> None:
        self.best, self.tried = Polished(np.zeros((rounds, 0)), np.inf, 0), 0
        self._rehearsal, self._rounds = rehearsal, rounds
        self._nothing = NOTHING * rehearsal.at_start

    def __call__(self, place: Floats) -> tuple[float, Floats]:
        lengths = np.exp(LENGTH_SCALE * place[: self._rounds])
        free = place[self._rounds :].reshape(self._rounds, -1)
        sizes = np.linalg.norm(free, axis=1)[:, None]
        units = free / sizes
        xs = lengths[:, None] * units
        value, slopes = self._rehearsal.value_and_slope(xs)
        self.tried += 1
        if value < -self._nothing:  # nonsense, of stand-ins with negative weights: look elsewhere
            return np.inf, np.zeros_like(place)
        if value < self.best.value:
            self.best = Polished(xs, max(value, 0.0), self.tried)
        if value <= self._nothing:
            return float(np.log(self._nothing)), np.zeros_like(place)
        along = np.vecdot(slopes, units)
        around = (lengths[:, None] / sizes) * (slopes - along[:, None] * units)
        slope = np.concatenate([LENGTH_SCALE * lengths * along, around.reshape(-1)])
        return float(np.log(value)), slope / value

    def stop_at(self, enough: float) -> None:
        """End the search once less than this is left."""
        if self.best.value < enough:
            raise StopIteration
