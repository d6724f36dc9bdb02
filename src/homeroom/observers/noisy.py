"""A teacher who sees the class through noise."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from homeroom import _arrays
from homeroom._checks import InputError, not_negative
from homeroom.classroom import Classroom
from homeroom.moments import Observation
from homeroom.observers.base import AbstractObserver, ObservationNoise, Outcome


@dataclass(frozen=True)
class NoisyStates(AbstractObserver):
    """Each state is seen with an error of length ``delta`` in a random direction (section 4.1).

    The errors are new in every round and independent between students; rates are seen as they are.

    Parameters
    ----------
    delta
        The length of the error.
    law
        ``"sphere"``: every error has just that length, as the theorem asks; ``"normal"``: normal
        coordinates, with that length as root mean square.
    """

    delta: float
    law: str = "sphere"

    def __post_init__(self) -> None:
        not_negative(self.delta, "delta", example="0.5")
        if self.law not in ("sphere", "normal"):
            raise InputError(f"`law` must be 'sphere' or 'normal', but is {self.law!r}.")

    @property
    def provides(self) -> frozenset[str]:
        return frozenset({"states"})

    @property
    def error_bounds(self) -> ObservationNoise:
        # A normal error has no greatest length.
        return ObservationNoise(states=self.delta if self.law == "sphere" else math.inf)

    def begin(self, room: Classroom) -> None:
        return None

    def observe(self, truth: Observation, memory: None, rng: np.random.Generator) -> Observation:
        noise = rng.standard_normal(truth.gaps.shape)
        if self.law == "sphere":
            noise *= self.delta / np.sqrt((noise * noise).sum(axis=1, keepdims=True))
        else:
            noise *= self.delta / np.sqrt(noise.shape[1])
        return truth.seen_with(gaps=truth.gaps + _arrays.like(noise, truth.gaps))

    def remember(self, memory: None, outcome: Outcome) -> None:
        return None


@dataclass(frozen=True)
class NoisyMoments(AbstractObserver):
    """The matrix ``W`` is seen with a symmetric error of operator norm ``delta`` (appendix A.1).

    The error is a random symmetric matrix (normal entries), scaled; new in every round. What is
    seen need not be positive semidefinite.

    Parameters
    ----------
    delta
        The operator norm of the error.
    """

    delta: float

    def __post_init__(self) -> None:
        not_negative(self.delta, "delta", example="0.1")

    @property
    def provides(self) -> frozenset[str]:
        return frozenset({"moments"})

    @property
    def error_bounds(self) -> ObservationNoise:
        return ObservationNoise(moments=self.delta)

    def begin(self, room: Classroom) -> None:
        return None

    def observe(self, truth: Observation, memory: None, rng: np.random.Generator) -> Observation:
        dimensions = truth.width
        noise = rng.standard_normal((dimensions, dimensions))
        noise = noise + noise.T
        return truth.seen_with(noise=noise * (self.delta / np.abs(np.linalg.eigvalsh(noise)).max()))

    def remember(self, memory: None, outcome: Outcome) -> None:
        return None
