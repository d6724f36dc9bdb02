"""A teacher who sees everything."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from homeroom.classroom import Classroom
from homeroom.moments import Observation
from homeroom.observers.base import NOISELESS, AbstractObserver, ObservationNoise, Outcome


@dataclass(frozen=True)
class ExactObserver(AbstractObserver):
    """The teacher sees every state and every rate as they are (section 3)."""

    @property
    def provides(self) -> frozenset[str]:
        return frozenset({"moments", "states"})

    @property
    def error_bounds(self) -> ObservationNoise:
        return NOISELESS

    def begin(self, room: Classroom) -> None:
        return None

    def observe(self, truth: Observation, memory: None, rng: np.random.Generator) -> Observation:
        return truth

    def remember(self, memory: None, outcome: Outcome) -> None:
        return None
