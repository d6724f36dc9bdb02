"""Building a sketch in one pass: local moments in bins of rates.

Weighing every student with the Lagrange functions of all nodes would cost one Gram matrix a node.
Over a narrow bin of rates such a function is almost constant, so a few local moments a bin are
enough to have it back to rounding: with ``t_j`` the place of a rate in its bin, between 0 and 1,

    B_bk = sum over the students of bin b of  t_j^k e_j e_j',     k = 0..p-1

Bins are even in the Chebyshev angle, in which polynomials of the rate vary evenly. Sums add up, so
the pass may go in blocks, in any order, on any number of machines.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats, Ints
from homeroom.moments.nodes import lagrange

BINS_A_NODE = 16
MOMENTS = 6
"""Six moments in sixteen bins for each node have every Lagrange function back to 1e-13."""

BLOCK = 1 << 19
"""Students that are sorted into bins at a time: with 25 dimensions, 100 MB."""


@dataclass(frozen=True)
class RateBins:
    """Bins of rates, even in the Chebyshev angle, and the places in them."""

    slowest: float
    fastest: float
    bins: int

    def place(self, rates: Floats) -> tuple[Ints, Floats]:
        """Return the bin of each rate, and where in it the rate lies, between 0 and 1."""
        middle, half = 0.5 * (self.fastest + self.slowest), 0.5 * (self.fastest - self.slowest)
        cosines = np.clip((rates - middle) / half, -1.0, 1.0)
        angles = np.arccos(cosines) * (self.bins / np.pi)
        # 16 bits, so that they are sorted digit by digit
        bin_of = np.minimum(angles.astype(np.int16), self.bins - 1)
        return bin_of, angles - bin_of

    def rate(self, bin_of: Ints, t: Floats) -> Floats:
        """Return the rate at a place of a bin."""
        middle, half = 0.5 * (self.fastest + self.slowest), 0.5 * (self.fastest - self.slowest)
        rates: Floats = middle + half * np.cos((bin_of + t) * (np.pi / self.bins))
        return rates

    def shares(self, nodes: Floats, moments: int) -> Floats:
        """Return how much of each local moment goes to each node, ``(nodes, bins, moments)``.

        ``l_i(rate(b, t)) = sum_k shares[i, b, k] t^k``, interpolated at Chebyshev points of a bin.
        """
        points = 0.5 - 0.5 * np.cos(np.pi * (np.arange(moments) + 0.5) / moments)
        places = self.rate(np.arange(self.bins)[:, None], points[None, :])
        values = lagrange(nodes, places.reshape(-1)).reshape(self.bins, moments, -1)
        powers = points[:, None] ** np.arange(moments)
        return np.asarray(np.linalg.solve(powers, values), dtype=np.float64).transpose(2, 0, 1)


def binned_moments(gaps: Array, rates: Array, bins: RateBins, moments: int = MOMENTS) -> Floats:
    """Return ``B_bk`` of these students, shape ``(bins, moments, dimensions, dimensions)``.

    Cost: ``moments`` Gram matrices of the students, sorted by bin in blocks.
    """
    students, dimensions = gaps.shape
    sums = np.zeros((bins.bins, moments, dimensions, dimensions))
    for first in range(0, students, BLOCK):
        rows = slice(first, min(students, first + BLOCK))
        _add(sums, _arrays.small(gaps[rows, :]), _arrays.small(rates[rows]), bins)
    return sums


def _add(sums: Floats, gaps: Floats, rates: Floats, bins: RateBins) -> None:
    bin_of, t = bins.place(rates)
    order = np.argsort(bin_of, kind="stable")
    ends = np.cumsum(np.bincount(bin_of, minlength=bins.bins))
    gaps, roots = gaps[order], np.sqrt(t[order])[:, None]
    first = 0
    for number, end in enumerate(ends):
        if end > first:
            weighed = gaps[first:end]
            sums[number, 0] += weighed.T @ weighed
            for k in range(1, sums.shape[1]):
                # sqrt(t)^k e: a matrix times its own transpose costs half of any other product
                weighed = weighed * roots[first:end]
                sums[number, k] += weighed.T @ weighed
        first = int(end)
