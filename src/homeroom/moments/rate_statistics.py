"""Statistics of a class's rates, needed before a pass over its students can begin."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from homeroom._arrays import Floats

MOST = 513
"""How many different rates are listed; more are not."""

LEAST_WIDTH = 1e-9
"""The smallest width of a range of nodes, relative to the fastest rate: nodes stay distinct."""


@dataclass(frozen=True, eq=False)
class RateStatistics:
    """The rates of some students.

    Parameters
    ----------
    students
        How many students there are.
    slowest, fastest
        The range of their rates.
    different
        All different rates, ascending, if they are few.
    """

    students: int
    slowest: float
    fastest: float
    different: Floats | None

    @classmethod
    def of(cls, rates: Floats) -> RateStatistics:
        """Return the statistics of these rates."""
        return cls(len(rates), float(rates.min()), float(rates.max()), _different(rates))

    @property
    def span(self) -> tuple[float, float]:
        """The range in which nodes are put; a little wider where the rates are almost the same."""
        return min(self.slowest, (1.0 - LEAST_WIDTH) * self.fastest), self.fastest

    def __add__(self, other: RateStatistics) -> RateStatistics:
        return RateStatistics(
            self.students + other.students,
            min(self.slowest, other.slowest),
            max(self.fastest, other.fastest),
            _together(self.different, other.different),
        )


NO_STUDENTS = RateStatistics(0, math.inf, -math.inf, np.zeros(0))
"""The statistics of an empty piece."""


def _different(rates: Floats) -> Floats | None:
    """Return the different rates, if they are few; the first rates usually decide it."""
    if len(np.unique(rates[: 8 * MOST])) > MOST:
        return None
    different: Floats = np.unique(rates).astype(np.float64)
    return different if len(different) <= MOST else None


def _together(some: Floats | None, others: Floats | None) -> Floats | None:
    if some is None or others is None:
        return None
    different = np.union1d(some, others)
    return different if len(different) <= MOST else None
