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

Cost: O(rows * rounds * dimensions), in a dozen calls for each eight examples.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from homeroom._arrays import Floats
from homeroom.moments.representatives import StandIns
from homeroom.teachers.planning.aim import Aim

BATCH = 8

BELOW = np.tri(BATCH, k=-1)

OVERHEAD = 9e4
"""What an example costs besides, in multiplications: the calls for its batch."""


class Rehearsal:
    """A class on which whole lessons are tried out.

    Parameters
    ----------
    stand_ins
        The class, shape of its gaps ``(rows, dimensions)``.
    aim
        What counts at the end.
    """

    def __init__(self, stand_ins: StandIns, aim: Aim) -> None:
        self.stand_ins, self.aim = stand_ins, aim
        self._start: Floats = np.ascontiguousarray(stand_ins.gaps.T)
        self._rates = stand_ins.rates
        self._powers = (-self._rates, self._rates**2, self._rates**4)
        self.at_start = aim.smooth(self._squared(self._start))[0]
        """What there is before the lesson, smoothly."""

    @property
    def rows(self) -> int:
        """How many rows the class has."""
        return len(self._rates)

    def cost(self, rounds: int) -> float:
        """Return about how many multiplications a lesson and its slope take time for."""
        return rounds * (8.0 * self.rows * (len(self._start) + 4 * BATCH) + OVERHEAD)

    def squared_after(self, xs: Floats) -> Floats:
        """Return every row's squared distance at the end, one example after the other."""
        *_, last = self.squared_along(xs)
        return last

    def gaps_after(self, xs: Floats) -> Floats:
        """Return every row's gap at the end, shape ``(rows, dimensions)``."""
        gaps: Floats = self._forward(xs)[-1][-1].T
        return gaps

    def squared_along(self, xs: Floats) -> Iterator[Floats]:
        """Yield every row's squared distance at the start and after each example."""
        gaps = self.stand_ins.gaps
        yield np.vecdot(gaps, gaps)
        for x in xs:
            gaps = gaps - (self._rates * (gaps @ x))[:, None] * x
            yield np.vecdot(gaps, gaps)

    def score(self, xs: Floats) -> float:
        """Return what the lesson leaves, as the number that the goal is on."""
        return self.aim.score(self._squared(self._forward(xs)[-1][-1]))

    def value_and_slope(self, xs: Floats) -> tuple[float, Floats]:
        """Return what the lesson leaves, smoothly, and its slope in each example."""
        batches = self._forward(xs)
        end = batches.pop()[-1]
        value, pulls = self.aim.smooth(self._squared(end))
        slopes, adjoint = np.empty_like(xs), (2.0 * pulls) * end
        last = len(xs)
        for x, below, answers, gaps in reversed(batches):
            echoes = self._solve(below.T, x @ adjoint)
            both = (echoes @ answers.T) * BELOW[: len(x), : len(x)]
            both += both.T
            slopes[last - len(x) : last] = both @ x - echoes @ gaps.T - answers @ adjoint.T
            adjoint = adjoint - x.T @ echoes
            last -= len(x)
        return value, slopes

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

    def _solve(self, below: Floats, answers: Floats) -> Floats:
        """Return ``(I + r L)^-1 r y`` for all rows at once; ``answers`` is overwritten."""
        answers *= self._rates
        square = below @ below
        for matrix, power in zip((square @ square, square, below), self._powers[::-1], strict=True):
            change = matrix @ answers
            change *= power
            answers += change
        return answers

    @staticmethod
    def _squared(gaps: Floats) -> Floats:
        squared: Floats = np.einsum("ij,ij->j", gaps, gaps)
        return squared
