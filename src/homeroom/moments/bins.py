"""Bins of rates: how a pass over the students separates fast learners from slow ones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats
from homeroom.moments.nodes import lagrange

Numbers: TypeAlias = npt.NDArray[np.integer[Any]]
"""Numbers of bins: 16 bits where that is enough, so that they are sorted digit by digit."""

FEW_NODES = 33
FEW, MANY = (16, 6), (8, 8)
"""Bins per node, and moments per bin: either restores every Lagrange function to within 1e-12.

Fewer moments make the pass faster; fewer bins save work that is done once per bin.
"""


class AbstractBins(ABC):
    """The bin of a student's rate."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """How many bins there are, and how many local moments each needs."""

    @abstractmethod
    def place(self, rates: Floats) -> tuple[Numbers, Floats]:
        """Return the bin of each rate, and where in it the rate lies, between -1 and 1."""


@dataclass(frozen=True)
class RateBins(AbstractBins):
    """Bins that are even in the Chebyshev angle, in which polynomials of the rate vary evenly.

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
        bins_a_node, moments = FEW if nodes <= FEW_NODES else MANY
        return cls(slowest, fastest, bins_a_node * (nodes - 1), moments)

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
        """Return the rate at a place of a bin."""
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
