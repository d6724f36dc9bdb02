"""Plans over a pool, whose items can be exchanged but not moved.

In a lesson, let ``M_i`` be what the examples before one have left on node ``z_i`` of the class's
sketch, and ``K_i = S_i' S_i`` what those after it will do. With ``x`` in between, the class ends at

    sum_i tr(K_i M_i) - 2 x' (sum_i z_i K_i M_i) x + sum_i z_i^2 (x' M_i x) (x' K_i x)

so *all* items of a pool are weighed for that place at once, each with its own best length where
lengths are free. Going through the places, first to last and back, each gets the item that is best
with all the others where they are, until none changes. Leaving a place empty is weighed as well,
which tells what is missed least. Cost of a pass: O(rounds * nodes * items * dimensions^2).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.moments import Sketch

PASSES = 20
"""Passes over a lesson at most; a short lesson comes to rest after a few."""

OVERHEAD = 2e5
"""What a node costs at a place besides, in multiplications: its calls."""

SETTLED = 1e-5
"""A pass that gains less than this part has come to rest."""

ROUNDING = 1e-12
"""An item that gains less than this part is no better."""


@dataclass(frozen=True, eq=False)
class Shelf:
    """What can be shown.

    Parameters
    ----------
    xs
        The items, shape ``(items, dimensions)``; unit directions where lengths are free.
    numbers
        What the pool calls them.
    free
        Whether lengths are free.
    ceiling
        No squared length is above this.
    """

    xs: Floats
    numbers: Ints
    free: bool
    ceiling: float


@dataclass(frozen=True, eq=False)
class Picks:
    """A lesson of items: a row of the shelf and a scale for each round, ``x = scale * item``."""

    rows: Ints
    scales: Floats

    def xs(self, shelf: Shelf) -> Floats:
        """Return the examples."""
        examples: Floats = self.scales[:, None] * shelf.xs[self.rows]
        return examples

    def without(self, place: int) -> Picks:
        """Return the lesson without one round."""
        return Picks(np.delete(self.rows, place), np.delete(self.scales, place))


class Improved(NamedTuple):
    """A lesson at rest, what it would leave without each round, and how many passes it took."""

    picks: Picks
    without: Floats
    passes: int


class Exchange:
    """A class and a shelf, between which lessons are improved.

    Parameters
    ----------
    sketch
        The class.
    shelf
        What can be shown.
    """

    def __init__(self, sketch: Sketch, shelf: Shelf) -> None:
        self.sketch, self.shelf = sketch, shelf
        self._rates = sketch.nodes[:, None, None]

    def cost(self, rounds: int) -> float:
        """Return about how many multiplications a pass takes."""
        nodes, dimensions, _ = self.sketch.matrices.shape
        each = 2 * dimensions**2 * (len(self.shelf.xs) + 2 * dimensions) + OVERHEAD
        return float(rounds * nodes * each)

    def improved(self, picks: Picks) -> Improved:
        """Return the lesson at rest."""
        before, passes = np.inf, 0
        without = np.zeros(len(picks.rows))
        while passes < PASSES:
            picks, without, left = self._there_and_back(picks)
            passes += 1
            if not left < before * (1 - SETTLED):
                break
            before = left
        return Improved(picks, without, passes)

    def left_by(self, picks: Picks) -> float:
        """Return the class's mean squared distance after a lesson."""
        sketch = self.sketch
        for x in picks.xs(self.shelf):
            sketch = sketch.after(x)
        return sketch.error

    def _there_and_back(self, picks: Picks) -> tuple[Picks, Floats, float]:
        """Return the lesson after a pass over its places, what is missed least, and what is left.

        What comes after a place does not change while the places before it are gone through, so it
        is worked out once, from the last to the first.
        """
        dimensions = self.sketch.matrices.shape[1]
        eye = np.broadcast_to(np.eye(dimensions), self.sketch.matrices.shape)
        later = [eye]
        for x in picks.xs(self.shelf)[:0:-1]:
            later.append(self._past(later[-1], x))
        rows, scales = picks.rows.copy(), picks.scales.copy()
        without, so_far, left = np.zeros(len(rows)), self.sketch.matrices, np.inf
        for place in range(len(rows)):
            ahead = later.pop()
            rows[place], scales[place], left, without[place] = self._best(
                so_far, ahead, int(rows[place]), float(scales[place])
            )
            so_far = self._past(so_far, scales[place] * self.shelf.xs[rows[place]])
        return Picks(rows, scales), without, left

    def _past(self, matrices: Floats, x: Floats) -> Floats:
        """Return ``(I - z x x') M (I - z x x')`` for every node."""
        turned = self._rates[:, :, 0] * (matrices @ x)
        along = 0.5 * self._rates[:, 0] * (turned @ x)[:, None]
        change = (turned - along * x)[:, :, None] * x
        past: Floats = matrices - change - change.transpose(0, 2, 1)
        return past

    def _best(
        self, so_far: Floats, ahead: Floats, row: int, scale: float
    ) -> tuple[int, float, float, float]:
        """Return the best item for a place and its scale, what is left with it and without any.

        What is there now stays if nothing is better.
        """
        xs, rates = self.shelf.xs, self.sketch.nodes
        empty = float(np.vdot(ahead, so_far))
        linear = np.vecdot(xs @ np.tensordot(rates, ahead @ so_far, axes=1), xs)
        quadratic = np.zeros(len(xs))
        for rate, before, after in zip(rates, so_far, ahead, strict=True):
            quadratic += rate**2 * np.vecdot(xs @ before, xs) * np.vecdot(xs @ after, xs)
        g = self._lengths(linear, quadratic)
        left = empty - 2.0 * g * linear + g * g * quadratic
        now = empty - 2.0 * scale**2 * linear[row] + scale**4 * quadratic[row]
        best = int(left.argmin())
        if not left[best] < now - ROUNDING * abs(now):
            return row, scale, float(now), empty
        return best, float(np.sqrt(g[best])), float(left[best]), empty

    def _lengths(self, linear: Floats, quadratic: Floats) -> Floats:
        """Return each item's best squared scale: its own length, unless lengths are free."""
        if not self.shelf.free:
            return np.ones(len(linear))
        known = quadratic > 0.0
        best = np.where(known, linear / np.where(known, quadratic, 1.0), self.shelf.ceiling)
        return np.clip(best, 1e-12 * self.shelf.ceiling, self.shelf.ceiling)


def shaken(picks: Picks, shelf: Shelf, rng: np.random.Generator) -> Picks:
    """Return the lesson in another order, or with two, half or all of its places drawn anew."""
    rows, rounds = picks.rows, len(picks.rows)
    how = int(rng.integers(4))
    if how == 0:
        return replace(picks, rows=rng.permutation(rows))
    drawn = rng.integers(len(shelf.xs), size=rounds)
    number = (2, (rounds + 1) // 2, rounds)[how - 1]
    anew = rng.permutation(rounds) < number
    return replace(picks, rows=np.where(anew, drawn, rows))
