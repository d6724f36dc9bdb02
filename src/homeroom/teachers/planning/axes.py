"""The first draft of a plan: steps along principal directions, with Gauss nodes as lengths.

**Lengths along one direction.** A class is given as rows: students or weighted representatives,
each with a rate ``r_j``, a gap ``e_j`` (state minus target) and a weight ``s_j``. ``m`` examples of
squared lengths ``g_1..g_m`` along one direction leave the part ``prod_s (1 - r_j g_s)`` of the
component ``c_j`` of a row's gap. So the best ones minimise ``sum_j c_j^2 p(r_j)^2`` over the
polynomials of degree m with ``p(0) = 1`` and real roots ``1/g_s``. At the minimum ``p`` is
orthogonal, with weights ``r_j c_j^2``, to all polynomials of lower degree: its roots are the Gauss
nodes of that measure. Where ``g <= ceiling`` binds, k of the lengths are at the ceiling, and the
others are the Gauss nodes of the measure that these k leave. The smallest k that fits is the best,
as fewer lengths are forced.

**Many directions.** Steps along orthogonal directions commute. So along the principal directions of
``mean e e'`` a plan splits into one small problem per direction. The next step goes to the
direction whose error it lowers most.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Floats, Ints, fix_sign
from homeroom.moments.representatives import Representatives
from homeroom.teachers.planning.transients import AbstractWalk

RESOLVED = 1e-13
"""A measure has no more nodes if less than this fraction of it remains."""

NOTHING = 1e-14
"""A direction with less than this fraction of the largest direction's error is rounding."""


class Steps(NamedTuple):
    """Squared lengths along one direction, shortest first, and the error that remains along it.

    ``capped`` of them are at the ceiling, the greatest squared length allowed.
    """

    g: Floats
    left: float
    capped: int = 0


def best_lengths(
    rates: Floats, energies: Floats, count: int, ceiling: float, *, capped: int = 0
) -> Steps:
    """Return the best ``count`` squared lengths along a direction, none above the ceiling.

    Parameters
    ----------
    rates
        How fast each row learns, shape ``(rows,)``.
    energies
        ``s_j <v, e_j>^2``: each row's part of the error along the direction. Some may be negative
        if rows are representatives.
    count
        How many examples.
    ceiling
        No squared length is above this.
    capped
        How many are known to be at the ceiling: at least as many as with one example fewer, as the
        lowest node of a higher degree is lower.

    Examples
    --------
    Two students, two lengths: each student reaches the target by one of them.

    >>> best_lengths(np.array([0.25, 0.5]), np.ones(2), 2, ceiling=9.0)
    Steps(g=array([2., 4.]), left=0.0, capped=0)
    """
    at_ceiling = 1.0 - rates * ceiling
    largest = float(np.abs(at_ceiling).max())
    for number in range(capped, count):
        measure = rates * energies
        if (
            number
        ):  # only the shape of a measure counts: relative to the largest, no power overflows
            measure = measure * (at_ceiling / max(largest, 1e-300)) ** (2 * number)
        nodes = gauss_nodes(rates, measure, count - number)
        if len(nodes) and nodes[0] * ceiling >= 1.0:
            free = 1.0 / nodes[::-1]
            g = np.append(free, np.full(number, ceiling))
            return Steps(g, _left(rates, energies, g), number)
    g = np.full(count, ceiling)
    return Steps(g, _left(rates, energies, g), count)


def _left(rates: Floats, energies: Floats, g: Floats) -> float:
    """Return the error that remains after these squared lengths; infinite if that overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        factors = np.prod(1.0 - g[:, None] * rates, axis=0)
        left = float(energies @ factors**2)
    return max(left, 0.0) if np.isfinite(left) else np.inf


def gauss_nodes(places: Floats, masses: Floats, count: int) -> Floats:
    """Return ``count`` Gauss nodes of a discrete measure, ascending; fewer if it has fewer.

    The measure has ``masses`` at ``places``. The nodes come from the three-term recurrence of its
    orthogonal polynomials (Stieltjes), whose coefficients are a symmetric tridiagonal matrix with
    the nodes as eigenvalues (Golub and Welsch).

    >>> gauss_nodes(np.array([1.0, 2.0, 3.0]), np.ones(3), 1)
    array([2.])
    """
    total = float(masses.sum())
    if not total > 0.0:
        return np.zeros(0)
    diagonal, beside = np.zeros(count), np.zeros(count)
    before, here = np.zeros_like(places), np.full_like(places, total**-0.5)
    found = count
    for k in range(count):
        weighed = masses * here
        diagonal[k] = float((weighed * here) @ places)
        after = (places - diagonal[k]) * here - (beside[k - 1] * before if k else 0.0)
        size = float((masses * after) @ after)
        if not size > RESOLVED * float(places.max()) ** 2:
            found = k + 1
            break
        beside[k] = size**0.5
        before, here = here, after / beside[k]
    jacobi = np.diag(diagonal[:found])
    row = np.arange(found - 1)
    jacobi[row, row + 1] = jacobi[row + 1, row] = beside[: found - 1]
    nodes: Floats = np.clip(np.linalg.eigvalsh(jacobi), places.min(), places.max())
    return nodes


class Axes:
    """Steps along the principal directions of a class.

    Parameters
    ----------
    representatives
        The class.
    ceiling
        No squared length is above this.
    """

    def __init__(self, representatives: Representatives, ceiling: float) -> None:
        gaps, outputs, weights = (
            representatives.vectors,
            representatives.outputs,
            representatives.weights,
        )
        weighed = _arrays.for_each_vector(weights, outputs)[:, None] * gaps
        values, vectors = np.linalg.eigh(weighed.T @ gaps)
        own = values > NOTHING * max(float(values[-1]), 0.0)
        rows = [fix_sign(vector) for vector in vectors.T[own][::-1]]
        self.directions: Floats = np.array(rows).reshape(len(rows), gaps.shape[1])
        """The principal directions, one per row, the one with most error first."""
        self._rates, self._ceiling = representatives.rates, ceiling
        along = (gaps @ self.directions.T) ** 2
        if outputs > 1:
            along = along.reshape(len(weights), outputs, -1).sum(axis=1)
        self._energies = weights[:, None] * along
        left = np.maximum(self._energies.sum(axis=0), 0.0)
        self._known = [{0: Steps(np.zeros(0), float(error))} for error in left]
        self._counts = np.zeros(len(left), dtype=np.int64)
        self._left = left
        self._gains = np.array([self._gain(axis) for axis in range(len(left))])
        self.order: list[int] = []
        """The direction of each step, in the order in which steps are added."""
        self.errors: list[float] = [float(left.sum())]
        """The class's error after each number of steps."""

    def draft(self, rounds: int) -> Floats:
        """Return the best lesson of that many steps along the directions, shortest first.

        There are fewer if fewer leave no error.
        """
        steps = [(g, axis) for axis, lengths in enumerate(self._steps(rounds)) for g in lengths]
        steps.sort(key=lambda step: step[0])
        return self._as_examples(steps)

    def interleaved(self, rounds: int, walk: AbstractWalk) -> Floats:
        """Return the same steps in another order: always the longest that keeps the limits.

        Where rates differ a lot, a plan has many long steps. Shown one after another, they amplify
        the remaining gaps of fast students, rounding included, beyond what earlier short steps can
        make up for. Alternated with short steps, they do not. Richardson iterations with Chebyshev
        steps are made stable in the same way.
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
        """Return examples for steps, given as a squared length and the number of a direction."""
        lengths = np.sqrt(np.array([g for g, _ in steps]))
        xs: Floats = lengths[:, None] * self.directions[[axis for _, axis in steps]]
        return xs

    def grow(self, rounds: int) -> None:
        """Add steps until there are that many, or no step lowers the error."""
        while len(self.order) < rounds and self._gains.max(initial=0.0) > 0.0:
            self._add()

    def counts(self, rounds: int) -> Ints:
        """Return how many of the first ``rounds`` steps go to each direction."""
        return np.bincount(self.order[:rounds], minlength=len(self.directions))

    def scattered(self, rounds: int, rng: np.random.Generator) -> Floats:
        """Return a lesson with the same lengths in random directions.

        Each direction keeps its share of the steps of :meth:`draft`, which may now be a fraction
        of a step.
        """
        lengths = np.linalg.norm(self.draft(rounds), axis=1)
        drawn = rng.standard_normal((len(lengths), len(self.directions)))
        drawn *= np.sqrt(self.counts(rounds))
        drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
        xs: Floats = lengths[:, None] * (drawn @ self.directions)
        return xs

    def _add(self) -> None:
        """Add one step, along the direction where it lowers the error most."""
        axis = int(self._gains.argmax())
        self.order.append(axis)
        self._counts[axis] += 1
        self._left[axis] = self._best(axis, int(self._counts[axis])).left
        self._gains[axis] = self._gain(axis)
        self.errors.append(float(self._left.sum()))

    def _gain(self, axis: int) -> float:
        """Return by how much one more step along a direction lowers the error."""
        count = int(self._counts[axis])
        left = self._best(axis, count + 1).left
        return self._best(axis, count).left - left if left < np.inf else 0.0

    def _best(self, axis: int, count: int) -> Steps:
        """Return the best ``count`` lengths along a direction, cached."""
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
