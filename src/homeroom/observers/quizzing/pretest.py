"""What answers before the first example say: nobody has learnt yet, so their order does not matter.

Then each answer can be looked at again in the light of the others (expectation propagation): it is
taken out of the belief, and put back as what it says given all the rest. One answer is kept as a
Gaussian factor ``exp(-precision f^2 / 2 + pull f)`` of the score ``f = <w, x>``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from homeroom._arrays import Floats
from homeroom.observers.quizzing.answer_step import AnswerModel, after_answer, hint, scores
from homeroom.observers.quizzing.bank import Belief
from homeroom.observers.quizzing.class_prior import ClassPrior
from homeroom.observers.quizzing.honesty import honesty_of

PASSES = 12
"""Rounds of EM for the class's prior; each looks at all answers once."""


@dataclass(frozen=True, eq=False)
class Pretest:
    """Items that everybody was asked before the lesson, and the answers.

    Parameters
    ----------
    xs
        The items, shape ``(items, dimensions)``.
    answers
        +1, -1, or 0 for none, shape ``(students, items)``.
    signs
        What turns an answer into yes or no, shape ``(items,)``.
    """

    xs: Floats
    answers: Floats
    signs: Floats

    def learnt(
        self, model: AnswerModel, prior: ClassPrior, *, guard: bool
    ) -> tuple[Belief, Floats, ClassPrior]:
        """Return what is believed of each student, the evidence, and the class's prior.

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
        return belief, self.evidence(model, prior), prior

    def _pass(self, belief: Belief, factors: Factors, model: AnswerModel) -> tuple[Belief, Factors]:
        """Look at every answer once in the light of the others."""
        precisions, pulls = factors.precisions.copy(), factors.pulls.copy()
        for item, x in enumerate(self.xs):
            mean, variance, across = scores(*belief, x)
            precision, pull = precisions[:, item], pulls[:, item]
            left = 1.0 - precision * variance
            rest, centre = variance / left, (mean - variance * pull) / left
            said = hint(centre, rest, self.answers[:, item], model)
            # A lapse can make somebody less sure; a factor that says so would not be stable.
            new = np.maximum(said.shrink / (1.0 - said.shrink * rest), 0.0)
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
        """Return the log-probability of each student's answers, one after the other."""
        belief, total = prior.belief(len(self.answers)), np.zeros(len(self.answers))
        for x, answers in zip(self.xs, self.answers.T, strict=True):
            means, covariances, evidence = after_answer(*belief, x, answers, model)
            belief, total = Belief(means, covariances), total + evidence
        return total


@dataclass(frozen=True, eq=False)
class Factors:
    """What each answer says, as a Gaussian factor; both have shape ``(students, items)``."""

    precisions: Floats
    pulls: Floats

    @classmethod
    def none(cls, shape: tuple[int, ...]) -> Factors:
        """Return factors that say nothing yet."""
        return cls(np.zeros(shape), np.zeros(shape))

    def belief(self, prior: ClassPrior, xs: Floats) -> Belief:
        """Return the prior times all factors."""
        known = np.linalg.inv(prior.covariance)
        outer = (xs[:, :, None] * xs[:, None, :]).reshape(len(xs), -1)
        precision = known + (self.precisions @ outer).reshape(-1, *known.shape)
        covariances = np.asarray(np.linalg.inv(precision), dtype=np.float64)
        pulls = known @ prior.mean + self.pulls @ xs
        return Belief((covariances @ pulls[..., None])[..., 0], covariances)
