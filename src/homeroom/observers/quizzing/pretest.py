"""The beliefs after answers before the first example, and the prior of the class.

No student has learned anything yet, so the order of the answers does not matter, and each can be
processed again given all others (expectation propagation, EP). One answer is a Gaussian factor
``exp(-precision f^2 / 2 + pull f)`` of the score ``f = <w, x>``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from homeroom._arrays import Floats
from homeroom.observers.quizzing.answer_step import (
    AnswerEffect,
    AnswerModel,
    answer_effect,
    scores,
    with_answer,
)
from homeroom.observers.quizzing.beliefs import Belief
from homeroom.observers.quizzing.guessing import honesty_of

PASSES = 12
"""The number of EM passes over all answers."""

WEIGHT = 8.0
"""The weight of the assumed covariance, as a number of students."""


@dataclass(frozen=True, eq=False)
class ClassPrior:
    """The distribution of the class's states before the lesson.

    Parameters
    ----------
    mean, covariance
        Shapes ``(dimensions,)`` and ``(dimensions, dimensions)``.
    radius
        An upper limit on the root of ``E|w|^2``. Answers alone determine directions much better
        than lengths: without this limit the scale diverges.
    assumed
        The covariance to which that of the class is shrunk.
    """

    mean: Floats
    covariance: Floats
    radius: float
    assumed: Floats

    @classmethod
    def round(cls, dimensions: int, radius: float) -> ClassPrior:
        """Return the prior of a class about which only the radius is known."""
        covariance = radius**2 / dimensions * np.eye(dimensions)
        return cls(np.zeros(dimensions), covariance, radius, covariance)

    def belief(self, students: int) -> Belief:
        """Return the beliefs about students who have not answered yet."""
        shape = (students, *self.covariance.shape)
        return Belief(
            np.tile(self.mean, (students, 1)), np.broadcast_to(self.covariance, shape).copy()
        )

    def refitted(self, belief: Belief, honesty: Floats) -> ClassPrior:
        """Return the prior that fits the beliefs about all students (the M-step of EM).

        The mean is shrunk to zero with the weight of one student, the covariance to the one
        assumed at first with the weight of eight: with less it collapses.
        """
        heard = float(honesty.sum())
        mean = honesty @ belief.means / (heard + 1.0)
        apart = belief.means - mean
        assumed = WEIGHT * self.assumed
        unsure = (honesty @ belief.covariances.reshape(len(honesty), -1)).reshape(assumed.shape)
        covariance = (assumed + unsure + (honesty[:, None] * apart).T @ apart) / (WEIGHT + heard)
        size = float(covariance.trace() + mean @ mean)
        if size > self.radius**2:
            covariance *= self.radius**2 / size
            mean *= self.radius / np.sqrt(size)
        return ClassPrior(mean, covariance, self.radius, self.assumed)


@dataclass(frozen=True, eq=False)
class Pretest:
    """Items that all students were asked before the lesson, and the answers.

    Parameters
    ----------
    xs
        The items, shape ``(items, dimensions)``.
    answers
        +1, -1, or 0 for none, shape ``(students, items)``.
    signs
        Multiplied by these, an answer is yes or no, shape ``(items,)``.
    extra
        A part of each score that is known, shape ``(students, items)``; ``None`` for none.
    """

    xs: Floats
    answers: Floats
    signs: Floats
    extra: Floats | None = None

    @property
    def known(self) -> Floats:
        """The part of each score that is known, shape ``(students, items)``."""
        return np.zeros(self.answers.shape) if self.extra is None else self.extra

    def posterior(self, model: AnswerModel, prior: ClassPrior, *, guard: bool) -> Pretested:
        """Return the belief about each student, the evidence, and the class's prior.

        With ``guard``, students who answer without reading count less in the prior.

        Cost: O(items * students * dimensions^2) for each of ``PASSES`` passes.
        """
        factors = Factors.none(self.answers.shape)
        honesty = np.ones(len(self.answers))
        for number in range(PASSES):
            belief, factors = self._pass(factors.belief(prior, self.xs), factors, model)
            if guard and number == PASSES // 2:
                honesty = honesty_of(self.evidence(model, prior), self.answers * self.signs)
            if number < PASSES - 1:
                prior = prior.refitted(belief, honesty)
        evidence, effects = self.evidence(model, prior), self.effects(belief, factors, model)
        return Pretested(belief, evidence, prior, effects)

    def effects(self, belief: Belief, factors: Factors, model: AnswerModel) -> AnswerEffect:
        """Return the effect of each answer given all others, shape ``(students, items)``."""
        means, variances = belief.scores(self.xs)
        # Mean and variance of the score without the answer's own factor.
        left = 1.0 - factors.precisions * variances
        centres = (means - variances * factors.pulls) / left
        return answer_effect(centres + self.known, variances / left, self.answers, model)

    def _pass(self, belief: Belief, factors: Factors, model: AnswerModel) -> tuple[Belief, Factors]:
        """Return the belief and the factors after each answer was processed once."""
        precisions, pulls, known = factors.precisions.copy(), factors.pulls.copy(), self.known
        for item, x in enumerate(self.xs):
            mean, variance, across = scores(*belief, x)
            precision, pull = precisions[:, item], pulls[:, item]
            # Mean and variance of the score without the answer's own factor.
            left = 1.0 - precision * variance
            rest, centre = variance / left, (mean - variance * pull) / left
            said = answer_effect(centre + known[:, item], rest, self.answers[:, item], model)
            # With lapses an answer may increase the variance; such a factor is not stable.
            new = np.maximum(said.shrink / (1.0 - said.shrink * rest), 0.0)
            # The change of the factor, and then that of the belief (a rank-one update).
            more = new - precision
            drawn = said.pull + new * (centre + said.pull * rest) - pull
            precisions[:, item] += more
            pulls[:, item] += drawn
            step = 1.0 + more * variance
            moved = (drawn - more * mean) / step
            shrunk = ((more / step)[:, None] * across)[:, :, None] * across[:, None, :]
            belief = Belief(belief.means + moved[:, None] * across, belief.covariances - shrunk)
        return belief, Factors(precisions, pulls)

    def evidence(self, model: AnswerModel, prior: ClassPrior) -> Floats:
        """Return the log-probability of each student's answers, shape ``(students,)``."""
        return self.one_by_one(model, prior.belief(len(self.answers)))[1]

    def one_by_one(self, model: AnswerModel, belief: Belief) -> tuple[Belief, Floats]:
        """Return the beliefs after the answers in order (without EP), and the log-probability."""
        total = np.zeros(len(self.answers))
        for x, answers, extra in zip(self.xs, self.answers.T, self.known.T, strict=True):
            means, covariances, said = with_answer(*belief, x, answers, model, more=(extra, 0.0))
            belief, total = Belief(means, covariances), total + said.evidence
        return belief, total


class Pretested(NamedTuple):
    """The beliefs after a pre-test, and what else is computed with them.

    ``evidence`` is the log-probability of each student's answers, ``prior`` that of the class, and
    ``effects`` the effect of each answer, given all others, shape ``(students, items)``.
    """

    belief: Belief
    evidence: Floats
    prior: ClassPrior
    effects: AnswerEffect


@dataclass(frozen=True, eq=False)
class Factors:
    """Each answer as a Gaussian factor ``exp(-precision f^2 / 2 + pull f)`` of its score ``f``.

    Both have shape ``(students, items)``.
    """

    precisions: Floats
    pulls: Floats

    @classmethod
    def none(cls, shape: tuple[int, ...]) -> Factors:
        """Return factors without information."""
        return cls(np.zeros(shape), np.zeros(shape))

    def belief(self, prior: ClassPrior, xs: Floats) -> Belief:
        """Return the prior times all factors."""
        known = np.linalg.inv(prior.covariance)
        outer = (xs[:, :, None] * xs[:, None, :]).reshape(len(xs), -1)
        precision = known + (self.precisions @ outer).reshape(-1, *known.shape)
        covariances = np.asarray(np.linalg.inv(precision), dtype=np.float64)
        pulls = known @ prior.mean + self.pulls @ xs
        return Belief((covariances @ pulls[..., None])[..., 0], covariances)
