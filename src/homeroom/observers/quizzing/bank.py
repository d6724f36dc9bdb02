"""What is believed of every student, at each of a few rates she may have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from homeroom._arrays import Floats
from homeroom.observers.quizzing.answer_step import AnswerModel, after_answer
from homeroom.observers.quizzing.teach_step import after_example

RATES: Floats = np.concatenate([[0.0], np.geomspace(0.05, 0.9, 8)])
"""The rates of the bank: one for those who do not learn, the others evenly spaced in logarithm."""

BLUR = 0.3
"""A rate of the bank stands for all within this part of it, a little more than half a step.

Without it beliefs get too sure of themselves: six rounds into a lesson, regions of 90 % held 86 %
of the students instead of 92 % (five dimensions, five answers a round, twelve classes).
"""

PIECE = 2**16
"""How many numbers of the bank are worked on at a time."""

UNIFORM: Floats = np.full(len(RATES), -np.log(len(RATES)))


class Belief(NamedTuple):
    """One Gaussian for each student: means ``(students, dimensions)``, and covariances."""

    means: Floats
    covariances: Floats

    def scores(self, xs: Floats) -> tuple[Floats, Floats]:
        """Return mean and variance of each score ``<w, x>``, shapes ``(students, items)``."""
        variances: Floats = ((self.covariances @ xs.T) * xs.T).sum(axis=1)
        return self.means @ xs.T, variances


@dataclass(frozen=True, eq=False)
class Bank:
    """A Gaussian for each student and each rate of the bank, and how well it told the answers.

    Parameters
    ----------
    means
        Shape ``(students, rates, dimensions)``.
    covariances
        Shape ``(students, rates, dimensions, dimensions)``.
    evidence
        The log-probability of all answers so far, shape ``(students, rates)``.
    usual
        The logarithm of how usual each rate is in this class, shape ``(rates,)``.
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
    ) -> Bank:
        """Return the bank of students whose rates have not shown yet."""
        count = len(rates)
        return cls(
            np.repeat(belief.means[:, None], count, axis=1),
            np.repeat(belief.covariances[:, None], count, axis=1),
            np.repeat(evidence[:, None], count, axis=1),
            usual,
            rates,
        )

    def heard(self, x: Floats, answers: Floats, model: AnswerModel) -> Bank:
        """Return the bank after answers (+1, -1, or 0 for none) to an item.

        Parameters
        ----------
        x
            The item for everybody, or one for each student, shape ``(students, dimensions)``.
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

    def shown(self, x: Floats, y: float | Floats, *, attention: float, drift: float) -> Bank:
        """Return the bank after an example for everybody, or one for each student."""

        def piece(rows: slice) -> tuple[Floats, ...]:
            return after_example(
                self.means[rows],
                self.covariances[rows],
                self.rates,
                _own(x, rows),
                y if np.ndim(y) == 0 else np.asarray(y)[rows, None],
                attention=attention,
                drift=drift,
                blur=BLUR,
            )

        means, covariances = self._in_pieces(piece)
        return replace(self, means=means, covariances=covariances)

    def _in_pieces(self, work: Callable[[slice], tuple[Floats, ...]]) -> tuple[Floats, ...]:
        """Return work done for some students after the others, so that it stays in the cache.

        What is needed on the way is then ``PIECE`` numbers, not several times the bank.
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

    @cached_property
    def weights(self) -> Floats:
        """How likely each rate is for each student by now, shape ``(students, rates)``."""
        joint = self.usual + self.evidence
        weights: Floats = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
        return weights

    @property
    def total_evidence(self) -> Floats:
        """The log-probability of each student's answers, whatever her rate."""
        total: Floats = logsumexp(self.usual + self.evidence, axis=1)
        return total

    @cached_property
    def belief(self) -> Belief:
        """What is believed of each student, whatever her rate: the same mean and covariance."""
        means = (self.weights[:, None, :] @ self.means)[:, 0]
        apart = self.means - means[:, None]
        between = np.swapaxes(self.weights[..., None] * apart, 1, 2) @ apart
        return Belief(means, between + self.mixed(self.weights))

    def mixed(self, weights: Floats) -> Floats:
        """Return each student's covariances, added up with weights for the rates."""
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

    def with_usual_rates(self, honesty: Floats) -> Bank:
        """Return the bank with the class's usual rates found anew from everybody (EM).

        ``honesty`` is how much each student counts.
        """
        bank = self
        for _ in range(RATE_PASSES):
            counts = honesty @ bank.weights + 1.0
            bank = replace(bank, usual=np.log(counts / counts.sum()))
        return bank


RATE_PASSES = 5


def _own(x: Floats, rows: slice) -> Floats:
    """Return the item for everybody, or some students' own, for each rate."""
    return x if x.ndim == 1 else x[rows, None, :]
