"""Groups of students who learn about equally fast."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Ints
from homeroom.classroom import Classroom
from homeroom.groups.base import AbstractGrouping, numbered


@dataclass(frozen=True)
class ByRate(AbstractGrouping):
    """The paper's natural groups: in each, the fastest is less than twice as fast as the slowest.

    Doubling bins ``[2^i min, 2^(i+1) min)``, section 3 of the paper; empty ones are left out.

    >>> room = Classroom(np.zeros((4, 1)), rates=[0.1, 0.19, 0.2, 0.8], target=[1.0])
    >>> ByRate().split(room, np.random.default_rng(0))
    array([0, 0, 1, 2])
    """

    def split(self, room: Classroom, rng: np.random.Generator) -> Ints:
        rates = _arrays.to_numpy(room.rates)
        slowest, fastest = float(rates.min()), float(rates.max())
        # Doubling is exact in floating point, so the edges are; a rate worked out as a multiple
        # (0.7 * 0.8 against 0.07) may still miss its edge by rounding: hence a few units of slack.
        doublings = int(np.ceil(np.log2(fastest) - np.log2(slowest))) + 2
        slack = 1 + 8 * float(np.finfo(rates.dtype).eps)
        with np.errstate(over="ignore"):  # an edge beyond all numbers is infinite, and no rate's
            edges = np.ldexp(slowest, np.arange(doublings)) / slack
        return numbered(np.searchsorted(edges, rates, side="right"))
