"""The beliefs about all students: one Gaussian per student and learning rate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from homeroom._arrays import Floats, Ints
from homeroom.observers.quizzing.answer_step import AnswerModel, after_answer
from homeroom.observers.quizzing.teach_step import after_example

RATES: Floats = np.concatenate([[0.0], np.geomspace(0.05, 0.9, 8)])
"""The rates of the bank: zero for students who do not learn, the others log-spaced."""

RATE_ERROR = 0.3
"""The relative error of a rate of the bank, a little more than half the distance to the next one.

Without it beliefs become too narrow: after six rounds, regions of 90 % contained 86 % of the
students instead of 92 % (five dimensions, five answers per round, twelve classes).
"""

PIECE = 2**16
"""The number of floats of the bank that are computed at a time."""

UNIFORM: Floats = np.full(len(RATES), -np.log(len(RATES)))


class Belief(NamedTuple):
    """One Gaussian per student: means ``(students, dimensions)``, and covariances."""

    means: Floats
    covariances: Floats

    def scores(self, xs: Floats) -> tuple[Floats, Floats]:
        """Return mean and variance of each score ``<w, x>``, shapes ``(students, items)``."""
        variances: Floats = ((self.covariances @ xs.T) * xs.T).sum(axis=1)
        return self.means @ xs.T, variances


@dataclass(frozen=True, eq=False)
class BeliefBank:
    """A Gaussian for each student and each rate, and how well it predicted the answers.

    Parameters
    ----------
    means
        Shape ``(students, rates, dimensions)``.
    covariances
        Shape ``(students, rates, dimensions, dimensions)``.
    evidence
        The log-probability of all answers so far, shape ``(students, rates)``.
    usual
        The logarithm of each rate's prior probability in this class, shape ``(rates,)``.
    rates
        The rates.
    """

    means: Floats
    covariances: Floats
    evidence: Floats
    usual: Floats
    rates: Floats = field(default_factory=lambda: RATES)

    @classmethod
    def of(
        cls, belief: Belief, evidence: Floats, usual: Floats = UNIFORM, rates: Floats = RATES
    ) -> BeliefBank:
        """Return the bank of students about whose rates nothing is known."""
        count = len(rates)
        return cls(
            np.repeat(belief.means[:, None], count, axis=1),
            np.repeat(belief.covariances[:, None], count, axis=1),
            np.repeat(evidence[:, None], count, axis=1),
            usual,
            rates,
        )

    def heard(self, x: Floats, answers: Floats, model: AnswerModel) -> BeliefBank:
        """Return the bank after answers (+1, -1, or 0 for none) to an item.

        Parameters
        ----------
        x
            One item for all students, or one each, shape ``(students, dimensions)``.
        answers
            Shape ``(students,)``.
        model
            How states become answers.
        """

        def piece(rows: slice) -> tuple[Floats, ...]:
            means, covariances = self.means[rows], self.covariances[rows]
            return after_answer(means, covariances, _own(x, rows), answers[rows, None], model)

        means, covariances, evidence = self._in_pieces(piece)
        return replace(
            self, means=means, covariances=covariances, evidence=self.evidence + evidence
        )

    def shown(self, x: Floats, y: float | Floats, *, attention: float, drift: float) -> BeliefBank:
        """Return the bank after one example for all students, or one each."""

        def piece(rows: slice) -> tuple[Floats, ...]:
            return after_example(
                self.means[rows],
                self.covariances[rows],
                self.rates,
                _own(x, rows),
                y if np.ndim(y) == 0 else np.asarray(y)[rows, None],
                attention=attention,
                drift=drift,
                rate_error=RATE_ERROR,
            )

        means, covariances = self._in_pieces(piece)
        return replace(self, means=means, covariances=covariances)

    def _in_pieces(self, work: Callable[[slice], tuple[Floats, ...]]) -> tuple[Floats, ...]:
        """Return results computed for a few students at a time, so that they fit into the cache.

        Temporary arrays then have ``PIECE`` floats, not several times those of the bank.
        """
        size = max(1, PIECE * len(self.means) // self.covariances.size)
        pieces = [slice(at, at + size) for at in range(0, len(self.means), size)]
        if len(pieces) == 1:
            return work(pieces[0])
        done = tuple(np.empty((len(self.means), *part.shape[1:])) for part in work(slice(1)))
        for rows in pieces:
            for whole, part in zip(done, work(rows), strict=True):
                whole[rows] = part
        return done

    def of_students(self, rows: Ints) -> BeliefBank:
        """Return the beliefs about some of the students."""
        return replace(
            self,
            means=self.means[rows],
            covariances=self.covariances[rows],
            evidence=self.evidence[rows],
        )

    def with_newcomers(self, belief: Belief) -> BeliefBank:
        """Return the beliefs with rows for new students, who have not answered anything."""
        new = BeliefBank.of(belief, np.zeros(len(belief.means)), self.usual, self.rates)
        return replace(
            self,
            means=np.concatenate([self.means, new.means]),
            covariances=np.concatenate([self.covariances, new.covariances]),
            evidence=np.concatenate([self.evidence, new.evidence]),
        )

    @cached_property
    def weights(self) -> Floats:
        """The posterior probability of each student's rates, shape ``(students, rates)``."""
        joint = self.usual + self.evidence
        weights: Floats = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
        return weights

    @property
    def total_evidence(self) -> Floats:
        """The log-probability of each student's answers, with the rate integrated out."""
        total: Floats = logsumexp(self.usual + self.evidence, axis=1)
        return total

    @cached_property
    def belief(self) -> Belief:
        """The belief about each student with the rate integrated out (mean and covariance)."""
        means = (self.weights[:, None, :] @ self.means)[:, 0]
        apart = self.means - means[:, None]
        between = np.swapaxes(self.weights[..., None] * apart, 1, 2) @ apart
        return Belief(means, between + self.mixed(self.weights))

    def mixed(self, weights: Floats) -> Floats:
        """Return each student's covariances, summed with weights for the rates."""
        students, dimensions = len(self.means), self.means.shape[-1]
        flat = self.covariances.reshape(students, len(self.rates), -1)
        return (weights[:, None, :] @ flat).reshape(students, dimensions, dimensions)

    def second_moment(self, target: Floats, weights: Floats) -> Floats:
        """Return ``sum over students and rates of weight (ee' + V)``, ``e`` the gap to the target.

        Cost: O(students * rates * dimensions^2).
        """
        dimensions = len(target)
        gaps = (self.means - target).reshape(-1, dimensions)
        flat = weights.reshape(-1)
        spread = flat @ self.covariances.reshape(len(flat), -1)
        matrix: Floats = (flat[:, None] * gaps).T @ gaps + spread.reshape(dimensions, dimensions)
        return 0.5 * (matrix + matrix.T)

    def with_usual_rates(self, honesty: Floats) -> BeliefBank:
        """Return the bank with the prior of the rates estimated from the class again (EM).

        ``honesty`` is the weight of each student.
        """
        bank = self
        for _ in range(RATE_PASSES):
            counts = honesty @ bank.weights + 1.0
            bank = replace(bank, usual=np.log(counts / counts.sum()))
        return bank


RATE_PASSES = 5


def _own(x: Floats, rows: slice) -> Floats:
    """Return the item of all students, or those of some students, for each rate."""
    return x if x.ndim == 1 else x[rows, None, :]
