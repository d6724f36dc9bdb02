"""Estimates for display, each with its uncertainty."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import gammaincinv, ndtri  # scipy.stats would take a second to import

from homeroom._arrays import Floats, Ints
from homeroom.observers.quizzing.answer_step import AnswerModel
from homeroom.observers.quizzing.beliefs import Belief, BeliefBank

KNOWN = 0.5
"""A rate is known if the standard deviation of its logarithm is at most this."""

SLOW, FAST = 0.12, 0.35
"""Rates below are slow, rates above are fast."""


class ClassError(NamedTuple):
    """The class's expected mean squared distance to the target.

    ``known`` is the squared distance of the mean states, ``unsure`` their variance. Stop a lesson
    on the total: the known part also falls if no questions are asked.
    """

    known: float
    unsure: float

    @property
    def total(self) -> float:
        """Both together: the expected error."""
        return self.known + self.unsure


class Distances(NamedTuple):
    """Each student's squared distance to the target, with the parts of :class:`ClassError`.

    Both have shape ``(students,)``.
    """

    known: Floats
    unsure: Floats

    @property
    def total(self) -> Floats:
        """Both together: the expected squared distance."""
        return self.known + self.unsure


def squared_distances(belief: Belief, target: Floats) -> Distances:
    """Return each student's expected squared distance to the target, in two parts."""
    gaps = belief.means - target
    return Distances(np.vecdot(gaps, gaps), np.trace(belief.covariances, axis1=1, axis2=2))


def class_error(belief: Belief, honesty: Floats, target: Floats) -> ClassError:
    """Return the class's expected error; students who guess have less weight."""
    share, apart = honesty / honesty.sum(), squared_distances(belief, target)
    return ClassError(float(share @ apart.known), float(share @ apart.unsure))


class Band(NamedTuple):
    """A probability for each student and item, with its credible interval."""

    middle: Floats
    low: Floats
    high: Floats


def chances(
    belief: Belief,
    xs: Floats,
    model: AnswerModel,
    *,
    level: float = 0.9,
    extra: float | Floats = 0.0,
) -> Band:
    """Return the probability of a yes (or a right answer), shapes ``(students, items)``.

    ``extra`` is a part of each score that is known.
    """
    means, variances = belief.scores(xs)
    means = means + extra
    reach = ndtri(0.5 + 0.5 * level) * np.sqrt(variances)
    seen = means * model.sigma / np.sqrt(model.sigma**2 + variances)
    return Band(model.yes(seen), model.yes(means - reach), model.yes(means + reach))


def inside(belief: Belief, states: Floats, *, level: float = 0.9) -> npt.NDArray[np.bool_]:
    """Return whether each student's true state is in their credible region, ``(students,)``."""
    apart = states - belief.means
    solved = np.linalg.solve(belief.covariances, apart[..., None])[..., 0]
    within: npt.NDArray[np.bool_] = np.vecdot(apart, solved) <= _chi2(level, states.shape[1])
    return within


def ellipse(
    belief: Belief, student: int, axes: Ints, *, level: float = 0.9, points: int = 64
) -> Floats:
    """Return the boundary of a student's credible region in two axes, ``(points, 2)``."""
    plane = belief.covariances[student][np.ix_(axes, axes)]
    angles = np.linspace(0.0, 2.0 * math.pi, points)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    values, vectors = np.linalg.eigh(plane)
    halves = vectors * np.sqrt(np.maximum(values, 0.0) * _chi2(level, 2))
    outline: Floats = belief.means[student][axes] + circle @ halves.T
    return outline


def rates_in_words(bank: BeliefBank) -> list[str]:
    """Return each student's learning rate in words, where it is known.

    A student who probably does not learn at all "stands still".
    """
    learning = bank.rates > 0
    logs, weights = np.log(bank.rates[learning]), bank.weights[:, learning]
    moving = weights.sum(axis=1)
    mean = weights @ logs / moving
    spread = np.sqrt(np.maximum(weights @ logs**2 / moving - mean**2, 0.0))
    words = np.select([mean < math.log(SLOW), mean > math.log(FAST)], ["slow", "fast"], "middling")
    words = np.where(spread <= KNOWN, words, "not known yet")
    return [str(word) for word in np.where(moving < 0.5, "stands still", words)]


def _chi2(level: float, dimensions: int) -> float:
    """Return the ``level`` quantile of the chi-squared distribution."""
    return float(2.0 * gammaincinv(dimensions / 2, level))
