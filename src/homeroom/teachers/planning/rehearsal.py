"""What a whole lesson leaves of a class, and how that depends on every example.

An example moves a row by ``e <- e - r <e, x> x``. Examples are worked through B at a time. With
``q_s = r <e_s, x_s>``, the row's answers within a batch, and ``L`` the part of ``X X'`` below its
diagonal, all rows answer at once:

    (I + r L) q = r X e            e after the batch = e - X' q

As ``L^B = 0``, the inverse is ``(I - r L)(I + r^2 L^2)(I + r^4 L^4)`` for B = 8: matrix products,
whatever the rates. The slope comes back the same way, from the last batch to the first: if ``a`` is
the slope in ``e`` after a batch, ``(I + r L') k = r X a`` and ``a`` before it is ``a - X' k``; the
slope in the examples is

    -(K' e + Q' a) + M X,    M_st = sum over rows of k_s q_t for t < s, and the other way round

If something also depends on the squared distance on the way, the same sweep brings its slope back:
within a batch ``|e_t|^2 = |e_0|^2 + sum over s <= t of q_s^2 (|x_s|^2 - 2 / r)``.

Cost: O(rows * rounds * dimensions), in a dozen calls for each eight examples.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from homeroom._arrays import Floats
from homeroom.moments.representatives import StandIns
from homeroom.teachers.planning.aim import Aim
from homeroom.teachers.planning.transients import Watched

BATCH = 8

BELOW = np.tri(BATCH, k=-1)

NEAR = 0.9
"""The part of a limit on a squared distance from which on a row counts as near to it."""

OVERHEAD = 9e4
"""What an example costs besides, in multiplications: the calls for its batch."""


class Sweep:
    """Rows that a lesson is swept over, forward and back.

    Parameters
    ----------
    gaps
        Shape ``(rows, dimensions)``.
    rates
        Shape ``(rows,)``.
    """

    def __init__(self, gaps: Floats, rates: Floats) -> None:
        self._start: Floats = np.ascontiguousarray(gaps.T)
        self._rates = rates
        self._powers = (-rates, rates**2, rates**4)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self._rates)

    def cost(self, rounds: int) -> float:
        """Return about how many multiplications a lesson and its slope take time for."""
        return rounds * (8.0 * self.rows * (len(self._start) + 4 * BATCH) + OVERHEAD)

    def gaps_after(self, xs: Floats) -> Floats:
        """Return every row's gap at the end, shape ``(rows, dimensions)``."""
        gaps: Floats = self._forward(xs)[-1][-1].T
        return gaps

    def _forward(self, xs: Floats) -> list[tuple[Floats, ...]]:
        """Return each batch with its answers and the gaps before it; at the end, the gaps after."""
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
        """Return the slope in each example.

        ``adjoint`` is the slope in the gaps at the end; ``pulls``, if there are any, the slopes in
        the squared distances after each example, shape ``(rounds, rows)``.
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


class Rehearsal(Sweep):
    """A class on which whole lessons are tried out.

    Parameters
    ----------
    stand_ins
        The class, shape of its gaps ``(rows, dimensions)``.
    aim
        What counts at the end.
    """

    def __init__(self, stand_ins: StandIns, aim: Aim) -> None:
        super().__init__(stand_ins.gaps, stand_ins.rates)
        self.stand_ins, self.aim = stand_ins, aim
        self.at_start = aim.smooth(_squared(self._start))[0]
        """What there is before the lesson, smoothly."""

    def squared_after(self, xs: Floats) -> Floats:
        """Return every row's squared distance at the end, one example after the other."""
        *_, last = self.squared_along(xs)
        return last

    def squared_along(self, xs: Floats) -> Iterator[Floats]:
        """Yield every row's squared distance at the start and after each example."""
        gaps = self.stand_ins.gaps
        yield np.vecdot(gaps, gaps)
        for x in xs:
            gaps = gaps - (self._rates * (gaps @ x))[:, None] * x
            yield np.vecdot(gaps, gaps)

    def score(self, xs: Floats) -> float:
        """Return what the lesson leaves, as the number that the goal is on."""
        return self.aim.score(_squared(self._forward(xs)[-1][-1]))

    def value_and_slope(self, xs: Floats) -> tuple[float, Floats]:
        """Return what the lesson leaves, smoothly, and its slope in each example."""
        batches = self._forward(xs)
        end = batches.pop()[-1]
        value, pulls = self.aim.smooth(_squared(end))
        return value, self._backward(batches, (2.0 * pulls) * end)


class Excess(Sweep):
    """How far a lesson takes some rows past their limits: ``sum log(|e|^2 / limit)^2``.

    Counted from a little below the limit, over all rounds.

    Parameters
    ----------
    watched
        The rows and their limits.
    """

    def __init__(self, watched: Watched) -> None:
        super().__init__(watched.gaps, watched.rates)
        # Rows that begin near their limit, or at it, may stay there.
        self._limits = np.maximum(NEAR * watched.limits, (1 + 1e-9) * _squared(self._start))

    def value_and_slope(self, xs: Floats) -> tuple[float, Floats]:
        """Return the excess, and its slope in each example."""
        batches = self._forward(xs)
        end = batches.pop()[-1]
        squared = np.concatenate(
            [
                _squared(gaps)
                + np.cumsum(answers**2 * (np.vecdot(x, x)[:, None] - 2.0 / self._rates), axis=0)
                for x, _, answers, gaps in batches
            ]
        )
        squared = np.maximum(squared, self._limits)
        over = np.log(squared / self._limits)
        slopes = self._backward(batches, np.zeros_like(end), 2.0 * over / squared)
        return float(np.vdot(over, over)), slopes


def _squared(gaps: Floats) -> Floats:
    squared: Floats = np.einsum("ij,ij->j", gaps, gaps)
    return squared
