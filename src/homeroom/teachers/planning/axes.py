"""The first draft of a plan: steps along the class's own directions.

Steps along orthogonal directions commute and do not meet. So along the principal directions of
``mean e e'`` a plan falls apart into one small problem each, solved by Gauss nodes; the next step
goes to the direction whose error it lowers most.
"""

from __future__ import annotations

from bisect import bisect_right

import numpy as np

from homeroom._arrays import Floats, Ints, fix_sign
from homeroom.moments.representatives import StandIns
from homeroom.teachers.planning.magnitudes import Steps, best_lengths
from homeroom.teachers.planning.transients import AbstractWalk

NOTHING = 1e-14
"""A direction with less than this part of the largest one's error is rounding."""


class Axes:
    """Steps along the principal directions of a class, as many as are asked for.

    Parameters
    ----------
    stand_ins
        The class.
    ceiling
        No squared length is above this.
    """

    def __init__(self, stand_ins: StandIns, ceiling: float) -> None:
        gaps, weights = stand_ins.gaps, stand_ins.weights
        values, vectors = np.linalg.eigh((weights[:, None] * gaps).T @ gaps)
        own = values > NOTHING * max(float(values[-1]), 0.0)
        rows = [fix_sign(vector) for vector in vectors.T[own][::-1]]
        self.directions: Floats = np.array(rows).reshape(len(rows), gaps.shape[1])
        """The principal directions, a row each, the one with most error first."""
        self._rates, self._ceiling = stand_ins.rates, ceiling
        self._energies = weights[:, None] * (gaps @ self.directions.T) ** 2
        left = np.maximum(self._energies.sum(axis=0), 0.0)
        self._known = [{0: Steps(np.zeros(0), float(error))} for error in left]
        self._counts = np.zeros(len(left), dtype=np.int64)
        self._left = left
        self._gains = np.array([self._gain(axis) for axis in range(len(left))])
        self.order: list[int] = []
        """Which direction each further step goes to."""
        self.errors: list[float] = [float(left.sum())]
        """What is left of the class's error after that many steps."""

    def draft(self, rounds: int) -> Floats:
        """Return the best lesson of that many steps along the directions, gentlest first.

        There are fewer if these leave nothing to be done.
        """
        steps = [(g, axis) for axis, lengths in enumerate(self._steps(rounds)) for g in lengths]
        steps.sort(key=lambda step: step[0])
        return self._as_examples(steps)

    def interleaved(self, rounds: int, walk: AbstractWalk) -> Floats:
        """Return the same steps in another order: always the longest that keeps the limits.

        Long steps of a wide range of rates amplify what is left of fast students, rounding
        included, more often than short ones before them can make up for. In between they can. This
        is the order of Chebyshev steps in a stable Richardson iteration.
        """
        left, steps = [list(lengths) for lengths in self._steps(rounds)], []
        while any(left):
            found: list[tuple[bool, float, int, int]] = []
            for axis, lengths in enumerate(left):
                if not lengths:
                    continue
                cap = walk.cap(self.directions[axis], lengths[-1])
                place = bisect_right(lengths, cap) - 1
                # The longest that fits comes first; if none does, the shortest of all.
                g = lengths[max(place, 0)]
                found.append((place >= 0, g if place >= 0 else -g, axis, max(place, 0)))
            *_, axis, place = max(found)
            g = left[axis].pop(place)
            walk.show(g**0.5 * self.directions[axis])
            steps.append((g, axis))
        return self._as_examples(steps)

    def _steps(self, rounds: int) -> list[Floats]:
        """Return the squared lengths along each direction, ascending."""
        self.grow(rounds)
        return [self._best(axis, count).g for axis, count in enumerate(self.counts(rounds))]

    def _as_examples(self, steps: list[tuple[float, int]]) -> Floats:
        lengths = np.sqrt(np.array([g for g, _ in steps]))
        xs: Floats = lengths[:, None] * self.directions[[axis for _, axis in steps]]
        return xs

    def grow(self, rounds: int) -> None:
        """See to it that so many steps are known, unless fewer leave nothing to be done."""
        while len(self.order) < rounds and self._gains.max(initial=0.0) > 0.0:
            self._add()

    def counts(self, rounds: int) -> Ints:
        """Return how many of the steps go to each direction."""
        return np.bincount(self.order[:rounds], minlength=len(self.directions))

    def scattered(self, rounds: int, rng: np.random.Generator) -> Floats:
        """Return a lesson with the same lengths in random directions.

        Each direction has the share of steps that :meth:`draft` gives it, but spread over all of
        them, so that it may be a fraction.
        """
        lengths = np.linalg.norm(self.draft(rounds), axis=1)
        drawn = rng.standard_normal((len(lengths), len(self.directions)))
        drawn *= np.sqrt(self.counts(rounds))
        drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
        xs: Floats = lengths[:, None] * (drawn @ self.directions)
        return xs

    def _add(self) -> None:
        axis = int(self._gains.argmax())
        self.order.append(axis)
        self._counts[axis] += 1
        self._left[axis] = self._best(axis, int(self._counts[axis])).left
        self._gains[axis] = self._gain(axis)
        self.errors.append(float(self._left.sum()))

    def _gain(self, axis: int) -> float:
        count = int(self._counts[axis])
        return self._best(axis, count).left - self._best(axis, count + 1).left

    def _best(self, axis: int, count: int) -> Steps:
        known = self._known[axis]
        if count not in known:
            known[count] = best_lengths(
                self._rates,
                self._energies[:, axis],
                count,
                self._ceiling,
                capped=known[count - 1].capped,
            )
        return known[count]
