"""The range of the rates of a class, and the bins in which one pass over the students sums them.

In each bin the pass computes a few *local moments*: sums over its students of ``t^k`` times other
numbers, with ``t`` the place of a rate in its bin, between -1 and 1. The *nodes* of a sketch get
shares of them, given by the Lagrange functions ``l_i`` of the nodes.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats
from homeroom.moments.sketch import lagrange

MOST_DIFFERENT = 513
"""Different rates are listed if there are at most this many."""

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
        All different rates, ascending, if there are at most ``MOST_DIFFERENT``; else ``None``.
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
    """Return the different rates, ascending, or ``None`` if there are more than ``MOST_DIFFERENT``.

    Usually the first rates already show that there are more.
    """
    if len(np.unique(rates[: 8 * MOST_DIFFERENT])) > MOST_DIFFERENT:
        return None
    different: Floats = np.unique(rates).astype(np.float64)
    return different if len(different) <= MOST_DIFFERENT else None


def _together(some: Floats | None, others: Floats | None) -> Floats | None:
    """Return the different rates of two sets, or ``None`` if they are too many or not known."""
    if some is None or others is None:
        return None
    different = np.union1d(some, others)
    return different if len(different) <= MOST_DIFFERENT else None


Numbers: TypeAlias = npt.NDArray[np.integer[Any]]
"""The bin of each rate, as a number: 16 bits where that is enough, as they are sorted faster."""

FEW_NODES = 33
BINS_FOR_FEW_NODES, BINS_FOR_MANY_NODES = (16, 6), (8, 8)
"""Bins per node, and moments per bin: for up to ``FEW_NODES`` nodes, and for more.

Either restores every Lagrange function to within 1e-12.

Fewer moments make the pass faster; fewer bins save work that is done once per bin.
"""


class AbstractBins(ABC):
    """Bins of rates, into which students are sorted."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """How many bins there are, and how many local moments each needs."""

    @abstractmethod
    def place(self, rates: Floats) -> tuple[Numbers, Floats]:
        """Return the bin of each rate, and where in it the rate lies, between -1 and 1."""


@dataclass(frozen=True)
class RateBins(AbstractBins):
    """Bins of equal width in the Chebyshev angle, in which polynomials of the rate vary evenly.

    Parameters
    ----------
    slowest, fastest
        The range of the rates.
    bins
        How many bins.
    moments
        How many local moments each of them needs.
    """

    slowest: float
    fastest: float
    bins: int
    moments: int

    @classmethod
    def for_nodes(cls, slowest: float, fastest: float, nodes: int) -> RateBins:
        """Return bins that are fine enough for so many nodes."""
        bins_per_node, moments = BINS_FOR_FEW_NODES if nodes <= FEW_NODES else BINS_FOR_MANY_NODES
        return cls(slowest, fastest, bins_per_node * (nodes - 1), moments)

    @property
    def shape(self) -> tuple[int, int]:
        return self.bins, self.moments

    def place(self, rates: Floats) -> tuple[Numbers, Floats]:
        middle, half = 0.5 * (self.fastest + self.slowest), 0.5 * (self.fastest - self.slowest)
        cosines = np.clip((rates - middle) / half, -1.0, 1.0)
        angles = np.arccos(cosines) * (self.bins / np.pi)
        kind = np.dtype(np.int16 if self.bins <= 1 << 15 else np.int64)
        bin_of: Numbers = np.minimum(angles, self.bins - 1).astype(kind)
        return bin_of, 2.0 * (angles - bin_of) - 1.0

    def rate(self, bin_of: Numbers, t: Floats) -> Floats:
        """Return the rate at the place ``t`` of a bin, the inverse of ``place``."""
        middle, half = 0.5 * (self.fastest + self.slowest), 0.5 * (self.fastest - self.slowest)
        angles = (bin_of + 0.5 * (t + 1.0)) * (np.pi / self.bins)
        rates: Floats = middle + half * np.cos(angles)
        return rates

    def shares(self, nodes: Floats) -> Floats:
        """Return how much of each local moment goes to each node, ``(nodes, bins, moments)``.

        ``l_i(rate(b, t)) = sum_k shares[i, b, k] t^k``, interpolated at Chebyshev points of a bin.
        """
        points = -np.cos(np.pi * (np.arange(self.moments) + 0.5) / self.moments)
        places = self.rate(np.arange(self.bins)[:, None], points[None, :])
        values = lagrange(nodes, places.reshape(-1)).reshape(self.bins, self.moments, -1)
        powers = points[:, None] ** np.arange(self.moments)
        return np.asarray(np.linalg.solve(powers, values), dtype=np.float64).transpose(2, 0, 1)


@dataclass(frozen=True, eq=False)
class SingleRates(AbstractBins):
    """One bin per rate, where only a few rates are different."""

    rates: Floats

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rates), 1

    def place(self, rates: Floats) -> tuple[Numbers, Floats]:
        bin_of = np.searchsorted(self.rates, rates)
        return bin_of, np.zeros_like(rates)
