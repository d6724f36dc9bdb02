"""The error after a whole lesson, its gradient in every example, and minimising it (polishing).

A row is a student or a representative, with a rate ``r`` and a gap ``e`` (state minus target). An
example moves it by ``e <- e - r <e, x> x``. Examples are processed in batches ``X`` of B rows. With
``q_s = r <e_s, x_s>``, the row's answers within a batch, and ``L`` the part of ``X X'`` below its
diagonal, the answers of all rows are

    (I + r L) q = r X e            e after the batch = e - X' q

As ``L^B = 0``, the inverse is ``(I - r L)(I + r^2 L^2)(I + r^4 L^4)`` for B = 8: matrix products,
whatever the rates. The gradient is computed from the last batch to the first: if ``a`` is the
gradient in ``e`` after a batch, ``(I + r L') k = r X a``, and ``a - X' k`` is the one before it. In
the examples, the gradient is

    -(K' e + Q' a) + M X,    M_st = sum over rows of k_s q_t for t < s, and the other way round

If something also depends on the squared distances during the lesson, the same backward pass gives
its gradient: within a batch ``|e_t|^2 = |e_0|^2 + sum over s <= t of q_s^2 (|x_s|^2 - 2 / r)``.

Cost: O(rows * rounds * dimensions), in a dozen calls for each eight examples.

To *polish* a lesson is to move all its examples together: L-BFGS-B minimises the logarithm of the
remaining error over the logarithms of the lengths, which are bounded, and over vectors whose
lengths do not matter, for the directions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Floats
from homeroom._descent import descend
from homeroom.moments.representatives import Representatives
from homeroom.teachers.planning.objective import Objective
from homeroom.teachers.planning.transients import Watched

BATCH = 8
"""The number of examples in a batch, ``B``."""

BELOW = np.tri(BATCH, k=-1)
"""Ones below the diagonal, and zeros elsewhere."""

NEAR = 0.9
"""A row is near its limit above this fraction of it (squared distances)."""

OVERHEAD = 9e4
"""The overhead of an example, in multiplications: function calls for its batch."""

MEMORY = 20
"""Steps that L-BFGS remembers."""

LENGTH_SCALE = 0.5
"""How far a length moves relative to a direction: measured, and not critical."""

SHORTEST = 1e-3
"""No example gets shorter than this fraction of the greatest length."""

STRICT = 10.0
"""The weight of the excess over limits, relative to the logarithm of the remaining error."""

NEGLIGIBLE = 1e-4
"""A smaller excess does not matter, as lessons are changed to keep the limits in the end."""

NOTHING = 1e-14
"""An error below this fraction of the initial error is rounding."""


class Sweep:
    """Rows for which a lesson is computed forward, and its gradient backward.

    Parameters
    ----------
    gaps
        Shape ``(rows, outputs * dimensions)``.
    rates
        Shape ``(rows,)``.
    dimensions
        How many numbers an example has, if a row consists of several vectors. These are treated as
        separate rows, and the row's squared distance is the sum of theirs.
    """

    def __init__(self, gaps: Floats, rates: Floats, dimensions: int | None = None) -> None:
        dimensions = dimensions or gaps.shape[1]
        self._outputs = gaps.shape[1] // dimensions
        self._start: Floats = np.ascontiguousarray(_arrays.split_rows(gaps, dimensions).T)
        rates = _arrays.for_each_vector(rates, self._outputs)
        self._rates = rates
        self._powers = (-rates, rates**2, rates**4)

    @property
    def rows(self) -> int:
        """How many vectors there are, which is more than the rows given if they have several."""
        return len(self._rates)

    def cost(self, rounds: int) -> float:
        """Return the cost of a lesson and its gradient, in multiplications."""
        return rounds * (8.0 * self.rows * (len(self._start) + 4 * BATCH) + OVERHEAD)

    def gaps_after(self, xs: Floats) -> Floats:
        """Return every row's gap at the end, shape ``(rows, outputs * dimensions)``."""
        gaps: Floats = self._forward(xs)[-1][-1].T
        return gaps.reshape(len(gaps) // self._outputs, -1)

    def _summed(self, squared: Floats) -> Floats:
        """Sum over each row's vectors, which are on the last axis."""
        if self._outputs == 1:
            return squared
        summed: Floats = squared.reshape(*squared.shape[:-1], -1, self._outputs).sum(axis=-1)
        return summed

    def _for_vectors(self, slopes: Floats) -> Floats:
        """Repeat each row's slope for each of its vectors, on the last axis."""
        return slopes if self._outputs == 1 else np.repeat(slopes, self._outputs, axis=-1)

    def _forward(self, xs: Floats) -> list[tuple[Floats, ...]]:
        """Return a tuple for each batch: ``X``, ``L``, its answers, and the gaps before it.

        The last tuple has only the gaps at the end. Gaps have one column per row of the class.
        """
        gaps, batches = self._start, []
        for first in range(0, len(xs), BATCH):
            x = xs[first : first + BATCH]
            below = (x @ x.T) * BELOW[: len(x), : len(x)]
            answers = self._solve(below, x @ gaps)
            batches.append((x, below, answers, gaps))
            gaps = gaps - x.T @ answers
        return [*batches, (gaps,)]

    def _backward(
        self, batches: list[tuple[Floats, ...]], adjoint: Floats, pulls: Floats | None = None
    ) -> Floats:
        """Return the gradient in each example.

        ``adjoint`` is the gradient in the gaps at the end; ``pulls``, if given, are the derivatives
        by the squared distances after each example, shape ``(rounds, rows)``.
        """
        last = sum(len(batch[0]) for batch in batches)
        slopes = np.empty((last, len(self._start)))
        for x, below, answers, gaps in reversed(batches):
            rows, wanted = slice(last - len(x), last), x @ adjoint
            if pulls is not None:
                later = np.cumsum(pulls[rows][::-1], axis=0)[::-1]
                wanted -= 2.0 * answers * (np.vecdot(x, x)[:, None] - 2.0 / self._rates) * later
            echoes = self._solve(below.T, wanted)
            both = (echoes @ answers.T) * BELOW[: len(x), : len(x)]
            both += both.T
            slopes[rows] = both @ x - echoes @ gaps.T - answers @ adjoint.T
            adjoint = adjoint - x.T @ echoes
            if pulls is not None:
                slopes[rows] += 2.0 * np.vecdot(answers * answers, later)[:, None] * x
                adjoint += 2.0 * later[0] * gaps
            last -= len(x)
        return slopes

    def _solve(self, below: Floats, answers: Floats) -> Floats:
        """Return ``(I + r L)^-1 r y`` for all rows at once; ``answers`` is overwritten."""
        answers *= self._rates
        square = below @ below
        for matrix, power in zip((square @ square, square, below), self._powers[::-1], strict=True):
            change = matrix @ answers
            change *= power
            answers += change
        return answers


class Simulation(Sweep):
    """A class, for which whole lessons are simulated.

    Parameters
    ----------
    representatives
        The class, shape of its gaps ``(rows, dimensions)``.
    objective
        The score at the end, as a function of the squared distances.
    """

    def __init__(self, representatives: Representatives, objective: Objective) -> None:
        super().__init__(representatives.gaps, representatives.rates, representatives.dimensions)
        self.representatives, self.objective = representatives, objective
        squared = self._summed(_squared(self._start))
        self.at_start = objective.smooth(squared)[0]
        """The smooth score before the lesson."""

    def squared_after(self, xs: Floats) -> Floats:
        """Return every row's squared distance at the end, computed example by example."""
        *_, last = self.squared_along(xs)
        return last

    def squared_along(self, xs: Floats) -> Iterator[Floats]:
        """Yield every row's squared distance at the start and after each example."""
        gaps = self.representatives.gaps
        yield np.vecdot(gaps, gaps)
        for x in xs:
            gaps = _arrays.move_gaps(gaps, self.representatives.rates, x)
            yield np.vecdot(gaps, gaps)

    def score(self, xs: Floats) -> float:
        """Return the error after the lesson, as the number that the goal limits."""
        return self.objective.score(self._summed(_squared(self._forward(xs)[-1][-1])))

    def value_and_slope(self, xs: Floats) -> tuple[float, Floats]:
        """Return the smooth score after the lesson, and its gradient in each example."""
        batches = self._forward(xs)
        end = batches.pop()[-1]
        value, pulls = self.objective.smooth(self._summed(_squared(end)))
        return value, self._backward(batches, (2.0 * self._for_vectors(pulls)) * end)


class Excess(Sweep):
    """How far a lesson takes some rows past their limits: ``sum log(|e|^2 / limit)^2``.

    The sum is over all rounds and rows, and counts from a little below the limit.

    Parameters
    ----------
    watched
        The rows and their limits.
    dimensions
        As in :class:`Sweep`.
    """

    def __init__(self, watched: Watched, dimensions: int | None = None) -> None:
        super().__init__(watched.gaps, watched.rates, dimensions)
        # Rows that begin near their limit, or at it, may stay there.
        start = self._summed(_squared(self._start))
        self._limits = np.maximum(NEAR * watched.limits, (1 + 1e-9) * start)

    def value_and_slope(self, xs: Floats) -> tuple[float, Floats]:
        """Return the excess, and its gradient in each example."""
        batches = self._forward(xs)
        end = batches.pop()[-1]
        squared = np.concatenate(
            [
                _squared(gaps)
                + np.cumsum(answers**2 * (np.vecdot(x, x)[:, None] - 2.0 / self._rates), axis=0)
                for x, _, answers, gaps in batches
            ]
        )
        squared = np.maximum(self._summed(squared), self._limits)
        over = np.log(squared / self._limits)
        pulls = self._for_vectors(2.0 * over / squared)
        slopes = self._backward(batches, np.zeros_like(end), pulls)
        return float(np.vdot(over, over)), slopes


def _squared(gaps: Floats) -> Floats:
    """Return the squared length of each column."""
    squared: Floats = np.einsum("ij,ij->j", gaps, gaps)
    return squared


class Polished(NamedTuple):
    """A lesson, its smooth score, and how many lessons were tried."""

    xs: Floats
    value: float
    tried: int


def polish(
    simulation: Simulation,
    xs: Floats,
    longest: float,
    *,
    steps: int,
    enough: float = 0.0,
    watched: Watched | None = None,
) -> Polished:
    """Return the polished lesson, never worse than before.

    Parameters
    ----------
    simulation
        The class.
    xs
        The lesson, shape ``(rounds, dimensions)``.
    longest
        No example is longer than this.
    steps
        The most steps of L-BFGS.
    enough
        Stop once the score is below this and no watched row is near its limit.
    watched
        Rows to keep within limits during the lesson.
    """
    lengths = np.clip(np.linalg.norm(xs, axis=1), SHORTEST * longest, longest)
    units = xs / np.maximum(np.linalg.norm(xs, axis=1), 1e-300)[:, None]
    search = _Search(simulation, lengths[:, None] * units, watched)
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
    """The function that L-BFGS minimises; it remembers the best lesson it saw.

    Its argument has the logarithm of each example's length, divided by ``LENGTH_SCALE``, and then a
    vector of any length for each direction.
    """

    def __init__(self, simulation: Simulation, xs: Floats, watched: Watched | None) -> None:
        self.best, self.tried = Polished(xs, np.inf, 0), 0
        self._simulation, self._rounds = simulation, len(xs)
        ways = () if watched is None else ((watched.only(way), way) for way in (0.0, 1.0))
        self._excess = [(Excess(rows, xs.shape[1]), way) for rows, way in ways if len(rows.rates)]
        self._nothing = NOTHING * simulation.at_start
        self._lowest, self._best_excess = np.inf, 0.0

    def __call__(self, place: Floats) -> tuple[float, Floats]:
        lengths = np.exp(LENGTH_SCALE * place[: self._rounds])
        free = place[self._rounds :].reshape(self._rounds, -1)
        sizes = np.linalg.norm(free, axis=1)[:, None]
        units = free / sizes
        xs = lengths[:, None] * units
        self.tried += 1
        with np.errstate(over="ignore", invalid="ignore"):  # examples far too long
            total, slopes = self._total(xs)
        if not (total < np.inf and np.isfinite(slopes).all()):
            return np.inf, np.zeros_like(place)
        along = np.vecdot(slopes, units)
        around = (lengths[:, None] / sizes) * (slopes - along[:, None] * units)
        slope = np.concatenate([LENGTH_SCALE * lengths * along, around.reshape(-1)])
        return total, slope

    def _total(self, xs: Floats) -> tuple[float, Floats]:
        """Return the logarithm of the score plus the weighted excess, and its gradient."""
        value, slopes = self._simulation.value_and_slope(xs)
        if not value >= -self._nothing:  # some representatives have negative weights
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
        """Stop the search once the score is below this and all rows are within their limits."""
        if self.best.value < enough and not self._best_excess > NEGLIGIBLE:
            raise StopIteration
