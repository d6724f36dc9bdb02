"""Observers with errors: noisy states, noisy moments, and rates known only from their past."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array
from homeroom._checks import InputError, not_negative
from homeroom.classroom import Classroom
from homeroom.moments import Observation
from homeroom.observers.base import AbstractObserver, ObservationNoise, Outcome


@dataclass(frozen=True)
class NoisyStates(AbstractObserver):
    """Each state is seen with an error of length ``delta`` in a random direction (section 4.1).

    The errors are new in every round and independent between students; rates are exact.

    Parameters
    ----------
    delta
        The length of the error.
    law
        ``"sphere"``: every error has exactly that length, as the theorem requires; ``"normal"``:
        normal coordinates, with that length as root mean square.
    """

    delta: float
    law: str = "sphere"

    def __post_init__(self) -> None:
        not_negative(self.delta, "delta", example="0.5")
        if self.law not in ("sphere", "normal"):
            raise InputError(f"`law` must be 'sphere' or 'normal', but is {self.law!r}.")

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

    needs_students = False

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


@dataclass(frozen=True, eq=False)
class Draws:
    """The rates drawn so far: each student's sum, ``(students,)``, and the number of rounds."""

    total: Array
    rounds: int = 0


@dataclass(frozen=True)
class RateHistory(AbstractObserver):
    """The teacher sees the rates that students drew in the past (section 4.2).

    Let ``m`` be the mean of the ``n`` past draws of a student, ``eta`` their mean rate, and ``g``
    the magnitude (squared length) of the example. The student's weight in the moment matrix is
    ``2 g m - g^2 ((n-1)/n sigma^2 + m^2)`` (Eq. 13), whose expectation is the true weight. In the
    first round nothing has been drawn, and the known mean rates are used.

    Parameters
    ----------
    sigma
        The standard deviation of the draws, which the teacher knows.
    weights
        ``"history"`` as in the paper, or ``"known"``: the true weight
        ``2 g eta - g^2 (sigma^2 + eta^2)`` from the mean rates, which the paper's teacher also
        knows. It needs no history, is never negative, and is the one for which a guarantee holds.

    Notes
    -----
    Magnitudes are limited by the known mean rates, ``g <= min_j 2 eta_j / (sigma^2 + eta_j^2)``;
    the static magnitude is half of that, where the most sensitive student learns best. A student
    whose estimated weight at that magnitude is negative counts with weight zero in that round, or,
    if that is so for all students, with the known weight. The record states how often this
    happened, and how many draws were negative.
    """

    sigma: float
    weights: str = "history"

    def __post_init__(self) -> None:
        not_negative(self.sigma, "sigma", example="0.05")
        if self.weights not in ("history", "known"):
            raise InputError(f"`weights` must be 'history' or 'known', but is {self.weights!r}.")

    @property
    def error_bounds(self) -> ObservationNoise | None:
        known = self.weights == "known"
        return ObservationNoise(rate_deviation=self.sigma) if known else None

    def begin(self, room: Classroom) -> Draws:
        return Draws(total=0.0 * room.rates)

    def observe(self, truth: Observation, memory: Draws, rng: np.random.Generator) -> Observation:
        xp = _arrays.namespace(truth.rates)
        known = self.sigma**2 + truth.rates * truth.rates
        gentle = float(xp.min(truth.rates / known))
        if self.weights == "known" or memory.rounds == 0:
            return truth.seen_with(squared_rates=known, gentle=gentle)
        past = memory.rounds
        mean = memory.total * (1.0 / past)
        squares = (past - 1) / past * self.sigma**2 + mean * mean
        g = min(gentle, truth.example_radius**2)
        heard = xp.astype(2.0 * mean - g * squares >= 0.0, mean.dtype)
        silenced = round(mean.shape[0] - float(xp.sum(heard)))
        notes = {"negative weights taken as zero": silenced}
        if silenced == mean.shape[0]:  # no student would be left to teach
            return truth.seen_with(squared_rates=known, gentle=gentle, notes=notes)
        return truth.seen_with(
            rates=mean * heard, squared_rates=squares * heard, gentle=gentle, notes=notes
        )

    def remember(self, memory: Draws, outcome: Outcome) -> Draws:
        return Draws(memory.total + outcome.rates, memory.rounds + 1)
