"""Any example at all: the teacher makes it up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from homeroom._arrays import Floats, top_eigenvector
from homeroom.pools.base import AbstractPool, Candidates, Pick, SeesMoments


@dataclass(frozen=True)
class Ball(AbstractPool):
    """Every vector in the ball of the class's example radius: synthesis, as in section 3."""

    @property
    def rescalable(self) -> bool:
        return True

    @property
    def labels(self) -> None:
        return None

    def best(self, moments: SeesMoments, g: float) -> Pick:
        value, direction = top_eigenvector(moments.weigh(g))
        return Pick(direction, g, None, value)

    def candidates(self, radius: float) -> None:
        return None

    def draw(self, count: int, dimensions: int, rng: np.random.Generator) -> Candidates:
        xs = rng.standard_normal((count, dimensions))
        xs /= np.sqrt((xs * xs).sum(axis=1, keepdims=True))
        return Candidates(xs, np.full(count, -1, dtype=np.int64), None)

    def fit(self, dimensions: int, radius: float) -> Ball:
        return self

    def untaught(self, dimensions: int) -> Floats:
        return np.empty((dimensions, 0))
