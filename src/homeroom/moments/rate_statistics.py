"""What must be known of a class's rates before a pass over its students can begin."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from homeroom._arrays import Floats

MOST = 513
"""Different rates that are counted; with more, they are just many."""

LEAST_WIDTH = 1e-9
"""The width of a range of rates, for one of the fastest, whose nodes can still be told apart."""


@dataclass(frozen=True, eq=False)
class Survey:
    """The rates of some students.

    Parameters
    ----------
    students
        How many they are.
    slowest, fastest
        The range of their rates.
    different
        All rates there are, ascending, if they are few.
    """

    students: int
    slowest: float
    fastest: float
    different: Floats | None

    @classmethod
    def of(cls, rates: Floats) -> Survey:
        """Return the survey of these rates."""
        return cls(len(rates), float(rates.min()), float(rates.max()), _different(rates))

    @property
    def span(self) -> tuple[float, float]:
        """The range in which nodes are put; a little wider where the rates are almost the same."""
        return min(self.slowest, (1.0 - LEAST_WIDTH) * self.fastest), self.fastest

    def __add__(self, other: Survey) -> Survey:
        return Survey(
            self.students + other.students,
            min(self.slowest, other.slowest),
            max(self.fastest, other.fastest),
            _together(self.different, other.different),
        )


NOBODY = Survey(0, math.inf, -math.inf, np.zeros(0))
"""The survey of a piece that is empty."""


def _different(rates: Floats) -> Floats | None:
    """Return the different rates, if they are few; a look at some tells it mostly at once."""
    if len(np.unique(rates[: 8 * MOST])) > MOST:
        return None
    different: Floats = np.unique(rates).astype(np.float64)
    return different if len(different) <= MOST else None


def _together(some: Floats | None, others: Floats | None) -> Floats | None:
    if some is None or others is None:
        return None
    different = np.union1d(some, others)
    return different if len(different) <= MOST else None
