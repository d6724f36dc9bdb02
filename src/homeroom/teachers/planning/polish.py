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
from homeroom.teachers.planning.rehearsal import Excess, Rehearsal
from homeroom.teachers.planning.transients import Watched

MEMORY = 20
"""Steps that L-BFGS remembers."""

LENGTH_SCALE = 0.5
"""How much a length moves for one of a direction: measured, and not critical."""

SHORTEST = 1e-3
"""No example gets shorter than this part of its limit."""

STRICT = 10.0
"""What a row past its limit counts, compared with the logarithm of what the lesson leaves."""

NEGLIGIBLE = 1e-4
"""An excess that does not matter, as a lesson is cut to its limits in the end."""

NOTHING = 1e-14
"""Less than this part of what was there at the start is rounding."""


class Polished(NamedTuple):
    """A lesson, what it leaves, smoothly (see :meth:`Aim.smooth`), and how many were tried."""

    xs: Floats
    value: float
    tried: int


def polish(
    rehearsal: Rehearsal,
    xs: Floats,
    longest: float,
    *,
    steps: int,
    enough: float = 0.0,
    watched: Watched | None = None,
) -> Polished:
    """Return the lesson polished, never worse than it was.

    Parameters
    ----------
    rehearsal
        The class.
    xs
        The lesson, shape ``(rounds, dimensions)``.
    longest
        No example is longer than this.
    steps
        How many steps of L-BFGS at most.
    enough
        Stop as soon as less than this is left, and no watched row is near its limit.
    watched
        Rows to keep within limits on the way.
    """
    lengths = np.clip(np.linalg.norm(xs, axis=1), SHORTEST * longest, longest)
    units = xs / np.maximum(np.linalg.norm(xs, axis=1), 1e-300)[:, None]
    search = _Search(rehearsal, lengths[:, None] * units, watched)
    start = np.concatenate([np.log(lengths) / LENGTH_SCALE, units.reshape(-1)])
    search(start)
    if steps > 0 and search.best.value > enough:
        free = [(None, None)] * xs.size
        limits = np.log([SHORTEST * longest, longest]) / LENGTH_SCALE
        descend(
            search,
            start,
            bounds=[*[tuple(limits)] * len(xs), *free],
            tick=lambda: search.stop_at(enough),
            maxiter=steps,
            maxfun=2 * steps,
            maxcor=MEMORY,
            ftol=1e-10,
        )
    return search.best._replace(tried=search.tried)


class _Search:
    """The function that L-BFGS minimises; it remembers the best lesson it saw."""

    def __init__(self, rehearsal: Rehearsal, xs: Floats, watched: Watched | None) -> None:
        self.best, self.tried = Polished(xs, np.inf, 0), 0
        self._rehearsal, self._rounds = rehearsal, len(xs)
        ways = () if watched is None else ((watched.only(way), way) for way in (0.0, 1.0))
        self._excess = [(Excess(rows), way) for rows, way in ways if len(rows.rates)]
        self._nothing = NOTHING * rehearsal.at_start
        self._lowest, self._best_excess = np.inf, 0.0

    def __call__(self, place: Floats) -> tuple[float, Floats]:
        lengths = np.exp(LENGTH_SCALE * place[: self._rounds])
        free = place[self._rounds :].reshape(self._rounds, -1)
        sizes = np.linalg.norm(free, axis=1)[:, None]
        units = free / sizes
        xs = lengths[:, None] * units
        self.tried += 1
        with np.errstate(over="ignore", invalid="ignore"):  # far from any lesson of use
            total, slopes = self._total(xs)
        if not (total < np.inf and np.isfinite(slopes).all()):
            return np.inf, np.zeros_like(place)
        along = np.vecdot(slopes, units)
        around = (lengths[:, None] / sizes) * (slopes - along[:, None] * units)
        slope = np.concatenate([LENGTH_SCALE * lengths * along, around.reshape(-1)])
        return total, slope

    def _total(self, xs: Floats) -> tuple[float, Floats]:
        """Return the logarithm of what the lesson leaves, with its excess, and the slope."""
        value, slopes = self._rehearsal.value_and_slope(xs)
        if not value >= -self._nothing:  # of stand-ins with negative weights: look elsewhere
            return np.inf, slopes
        slopes = slopes / value if value > self._nothing else np.zeros_like(xs)
        excess = 0.0
        for rows, backward in self._excess:
            over, more = rows.value_and_slope(xs[::-1] if backward else xs)
            excess += over
            slopes += STRICT * (more[::-1] if backward else more)
        total = float(np.log(max(value, self._nothing))) + STRICT * excess
        if total < self._lowest or (total == self._lowest and value < self.best.value):
            self._lowest, self._best_excess = total, excess
            self.best = Polished(xs, max(value, 0.0), self.tried)
        return total, slopes

    def stop_at(self, enough: float) -> None:
        """End the search once less than this is left and all rows are within their limits."""
        if self.best.value < enough and not self._best_excess > NEGLIGIBLE:
            raise StopIteration
