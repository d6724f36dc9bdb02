"""The update of a Gaussian belief about a student by one answer.

A student with state ``w`` says yes to item ``x`` with probability ``guess + (1 - guess - slip)
Phi(<w, x> / sigma)``. The belief about ``w`` has the mean ``m`` and the covariance ``V``. The
posterior is not Gaussian; it is replaced by the Gaussian with the same mean and covariance, which
has a closed form. For an answer ``y`` of 1 or -1, and ``floor`` the
probability of that answer from a student who knows better (``guess`` for a yes, ``slip`` for a no):

    s = x'Vx,  c = sqrt(sigma^2 + s),  z = y m'x / c,  l = phi(z) / Phi(z)
    Z = floor + (1 - guess - slip) Phi(z),  rho = 1 - floor / Z
    m <- m + (rho l y / c) Vx
    V <- V - [rho l (l + z) - rho (1 - rho) l^2] / c^2  (Vx)(Vx)'
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import log_ndtr, ndtr

from homeroom._arrays import Floats

_LOG_ROOT_2PI = 0.5 * math.log(2.0 * math.pi)


@dataclass(frozen=True)
class AnswerModel:
    """How a state becomes an answer.

    Parameters
    ----------
    sigma
        The noise of answers near the boundary between yes and no.
    guess
        The probability of a yes from a student who knows that it is no.
    slip
        The probability of a no from a student who knows that it is yes.
    """

    sigma: float
    guess: float = 0.0
    slip: float = 0.0

    @classmethod
    def with_lapses(cls, sigma: float, lapse: float) -> AnswerModel:
        """Return the model of students who flip a coin in a share ``lapse`` of their answers."""
        return cls(sigma, 0.5 * lapse, 0.5 * lapse)

    @property
    def has_lapses(self) -> bool:
        """Whether guess or slip is positive."""
        return self.guess + self.slip > 0.0

    def widened(self, variance: float) -> AnswerModel:
        """Return the model with independent noise of this variance added to every score."""
        return replace(self, sigma=math.sqrt(self.sigma**2 + variance)) if variance else self

    def yes(self, scores: Floats) -> Floats:
        """Return the probability of a yes for scores ``<w, x>``."""
        chance: Floats = self.guess + (1.0 - self.guess - self.slip) * ndtr(scores / self.sigma)
        return chance

    def drawn(self, scores: Floats, rng: np.random.Generator) -> Floats:
        """Return answers, +1 or -1, drawn for scores ``<w, x>``."""
        return np.where(rng.random(scores.shape) < self.yes(scores), 1.0, -1.0)


class AnswerEffect(NamedTuple):
    """The effect of an answer on the belief about a state ``w``, by way of the score ``<w, x>``.

    The mean changes by ``pull`` times ``Vx``, the covariance by ``-shrink`` times ``Vx`` times its
    transpose; the answer had the log-probability ``evidence``. All zero without an answer.
    """

    pull: Floats
    shrink: Floats
    evidence: Floats


def answer_effect(
    means: Floats, variances: Floats, answers: npt.ArrayLike, model: AnswerModel
) -> AnswerEffect:
    """Return how answers change beliefs.

    Parameters
    ----------
    means, variances
        The mean and variance of the score ``<w, x>`` under each belief, any shape.
    answers
        +1 for yes, -1 for no, 0 for none; of a shape that broadcasts.
    model
        How states become answers.
    """
    y = np.asarray(answers, dtype=np.float64)
    spread = np.sqrt(model.sigma**2 + variances)
    z = y * means / spread
    log_chance = log_ndtr(z)
    ratio = np.exp(-0.5 * z * z - _LOG_ROOT_2PI - log_chance)
    share: float | Floats = 1.0
    evidence = log_chance
    if model.has_lapses:
        clear, floor = 1.0 - model.guess - model.slip, np.where(y > 0, model.guess, model.slip)
        knowing = clear * np.exp(log_chance)
        chance = floor + knowing
        if (sure := floor == 0.0).any():  # never a lapse: its chance may be too small for a float
            chance = np.where(sure, 1.0, chance)
            evidence = np.where(sure, np.log(clear) + log_chance, np.log(chance))
            share = np.where(sure, 1.0, knowing / chance)
        else:
            evidence, share = np.log(chance), knowing / chance
    heard = y * y
    pull = share * ratio * y / spread
    shrink = heard * share * ratio * (ratio + z - (1.0 - share) * ratio) / (spread * spread)
    return AnswerEffect(pull, shrink, heard * evidence)


def scores(means: Floats, covariances: Floats, x: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the mean and variance of the score ``<w, x>``, and ``Vx``, its covariance with ``w``.

    Parameters
    ----------
    means, covariances
        Beliefs, shapes ``(..., dimensions)`` and ``(..., dimensions, dimensions)``.
    x
        An item for all students, shape ``(dimensions,)``; or a shape that broadcasts to ``means``.
    """
    if x.ndim == 1:
        across = covariances @ x
        return means @ x, across @ x, across
    if x.shape[-1] == 1:  # the same numbers; products of many small matrices are slow
        across = covariances[..., 0] * x
        return (means * x)[..., 0], (across * x)[..., 0], across
    across = (covariances @ x[..., None])[..., 0]
    return np.vecdot(means, x), np.vecdot(across, x), across


def after_answer(
    means: Floats, covariances: Floats, x: Floats, answers: npt.ArrayLike, model: AnswerModel
) -> tuple[Floats, Floats, Floats]:
    """Return beliefs after answers to an item, and each answer's log-probability.

    Cost: O(dimensions^2) for each belief.

    >>> m, V, evidence = after_answer(
    ...     np.zeros(2), np.eye(2), np.array([1.0, 0.0]), 1.0, AnswerModel(0.25)
    ... )
    >>> m.round(6), V[0, 0].round(6)
    (array([0.774062, 0.      ]), np.float64(0.400828))
    """
    means, covariances, said = with_answer(means, covariances, x, answers, model)
    return means, covariances, said.evidence


def with_answer(
    means: Floats,
    covariances: Floats,
    x: Floats,
    answers: npt.ArrayLike,
    model: AnswerModel,
    *,
    more: tuple[float | Floats, float | Floats] = (0.0, 0.0),
) -> tuple[Floats, Floats, AnswerEffect]:
    """Return beliefs after answers to an item, and the :class:`AnswerEffect`.

    ``more`` is the mean and variance of a part of the score that does not depend on ``w``, such as
    what a student remembers about the item itself. The belief about that part is not updated here.
    """
    mean, variance, across = scores(means, covariances, x)
    said = answer_effect(mean + more[0], variance + more[1], answers, model)
    shrunk = (said.shrink[..., None] * across)[..., None] * across[..., None, :]
    return means + said.pull[..., None] * across, covariances - shrunk, said
