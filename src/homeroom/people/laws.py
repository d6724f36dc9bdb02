"""Learner laws: the chance that a student answers an item correctly, from what was shown.

A *law* has a small grid of hypotheses about a student, the same for all students. Each student has
weights over the grid; the class has a prior over it, estimated from all students. Arrays have shape
``(students, hypotheses)``, or ``(1, hypotheses)`` where all students are alike.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from itertools import product
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit

from homeroom._arrays import Floats, Ints

Bools = npt.NDArray[np.bool_]

CLASS_PRIOR = 8.0
"""Pseudo-students behind the prior of the grid, when the prior of the class is estimated."""

TRUST = 0.6
"""Power of a student's likelihood, because no law is quite true."""

MOST, LEAST = 0.985, 0.015
"""The limits of a chance of a right answer in laws with features."""


class ClassAnswers(NamedTuple):
    """What the students answered to one item, each of shape ``(students,)``.

    Parameters
    ----------
    given
        The answers; for a student who gave none, any number.
    heard
        Which students gave one.
    right
        Which answers are right; for numbers on a scale, none.
    off
        The differences to the right answer.
    """

    given: Floats
    heard: Bools
    right: Bools
    off: Floats

    @property
    def codes(self) -> Ints:
        """0 for no answer, 1 for a right one, 2 for a wrong one."""
        return np.asarray(np.where(self.right, 1, 2) * self.heard, dtype=np.int64)


class Moments(NamedTuple):
    """What a law expects of each student over the whole list.

    Parameters
    ----------
    mean, variance
        Of the share of right answers (for numbers: of the mean squared difference), shape
        ``(students,)``.
    class_mean
        The mean of a student of this class, also if it has no students.
    shared
        The part of the variance that all students have in common.
    """

    mean: Floats
    variance: Floats
    class_mean: float
    shared: float


class AbstractLaw(ABC):
    """The weights of the students over the hypotheses of one law.

    :attr:`kept` names what a snapshot keeps; what else is known follows from the answers.

    Students for whom a law expects the same share a *row*. Unless a law has more of them, there is
    one row per cohort: those who joined before the first solution, and later ones.
    """

    kept: ClassVar[tuple[str, ...]] = ("log_likelihood", "prior")

    def __init__(self, students: int, start_prior: Floats) -> None:
        self.start_prior = start_prior / start_prior.sum()
        self.prior = self.start_prior
        self.log_likelihood = np.zeros((students, len(start_prior)))
        self.weigh()
        self.cohorts: Ints = np.zeros(students, dtype=np.int64)
        self.cohort_count = 1

    @property
    def class_weights(self) -> Floats:
        """The mean weights of the students, shape ``(hypotheses,)``."""
        return np.asarray(self.weights.mean(axis=0) if len(self.weights) else self.prior)

    @abstractmethod
    def expect_rows(self, item: int) -> Floats:
        """Return what each hypothesis expects of the item: for classes, the chance to be right.

        Shape ``(rows, hypotheses)``.
        """

    def rows_of(self, item: int) -> Ints:
        """Return the row of each student, shape ``(students,)``."""
        return self.cohorts

    @abstractmethod
    def expect_all(self) -> Floats:
        """Return the mean of :meth:`expect` over the list, shape ``(students, hypotheses)``.

        If there are no students, it has one row: that of a student who may join.
        """

    @abstractmethod
    def show(self, item: int, rounds: float) -> None:
        """Show the solution of an item to all students, ``rounds`` after the one before."""

    @abstractmethod
    def gain(self, candidates: Ints) -> Floats:
        """Return what is expected of the whole list once each candidate is shown.

        Shape ``(candidates,)``, larger is better, up to a constant.
        """

    def expect(self, item: int) -> Floats:
        """Return what is expected of each student, shape ``(students,)``."""
        expected = self.expect_rows(item)
        return np.asarray((self.weights * expected[self.rows_of(item)]).sum(axis=1))

    def log_likelihoods(self, item: int, answers: ClassAnswers) -> Floats:
        """Return how likely the students' answers are, shape ``(students, hypotheses)``."""
        chance = self.expect_rows(item)
        logs = np.stack([np.zeros_like(chance), np.log(chance), np.log1p(-chance)])
        return np.asarray(logs[answers.codes, self.rows_of(item)])

    def evidence(self, item: int, answers: ClassAnswers) -> float:
        """Return the log likelihood of the answers, as foreseen by the law before it heard them.

        Only whether an answer is right counts, so that laws can be compared.
        """
        chance = self.expect(item)
        likely = np.where(answers.right, chance, 1.0 - chance)[answers.heard]
        return float(np.log(likely).sum())

    def hear(self, item: int, answers: ClassAnswers) -> None:
        """Update all students by their answers to one item. O(students * hypotheses)."""
        self.log_likelihood += TRUST * self.log_likelihoods(item, answers)
        self.weigh()  # empirical Bayes: the prior of a student is what the class looks like
        own = CLASS_PRIOR * self.start_prior + self.weights.sum(axis=0)
        self.prior = own / (CLASS_PRIOR + len(self.weights))
        self.weigh()
        self.follow(item, answers)

    def follow(self, item: int, answers: ClassAnswers) -> None:  # noqa: B027 - most have nothing
        """Update what a law knows about single students beside :attr:`kept`."""

    def prepare(self, kept: Mapping[str, Floats]) -> None:  # noqa: B027 - most have nothing
        """Prepare to follow answers again that were heard before a snapshot."""

    def load(self, kept: Mapping[str, Floats]) -> None:
        """Load a snapshot, after the answers before it were followed."""
        shapes = {name: getattr(self, name).shape for name in self.kept}
        if shapes != {name: kept[name].shape for name in self.kept}:
            raise ValueError(f"the beliefs have other shapes than {shapes}")
        for name in self.kept:
            setattr(self, name, kept[name].astype(np.float64))
        self.weigh()

    def weigh(self) -> None:
        """Compute the weights from the prior and the likelihoods."""
        logs = np.log(self.prior) + self.log_likelihood
        logs -= logs.max(axis=1, keepdims=True)
        weights = np.exp(logs, out=logs)
        self.weights = weights / weights.sum(axis=1, keepdims=True)

    def moments(self) -> Moments:
        """Return what the law expects of each student over the whole list."""
        each = self.expect_all()
        mean = np.einsum("jg,jg->j", self.weights, each[: len(self.weights)])
        square = np.einsum("jg,jg,jg->j", self.weights, each[: len(mean)], each[: len(mean)])
        class_mean = float(mean.mean()) if len(mean) else float(self.prior @ each[0])
        variance = np.maximum(square - mean**2, 0.0)
        return Moments(mean, variance, class_mean, self.shared_variance)

    @property
    def shared_variance(self) -> float:
        """The variance that all students have in common."""
        return 0.0

    def add_cohort(self) -> None:
        """Begin a cohort, to whom nothing was shown yet."""
        self.cohort_count += 1

    def add_student(self) -> None:
        """Add a student of the last cohort at the end, about whom nothing is known."""
        self.log_likelihood = np.vstack([self.log_likelihood, np.zeros(len(self.prior))])
        self.weigh()
        self.cohorts = np.append(self.cohorts, self.cohort_count - 1)

    def keep_students(self, rows: Ints) -> None:
        """Keep some of the students, in this order."""
        self.log_likelihood = self.log_likelihood[rows]
        self.weights, self.cohorts = self.weights[rows], self.cohorts[rows]


class TrendLaw(AbstractLaw):
    """No law: every item is right with chance ``theta``, which may grow with the rounds.

    ``logit p = logit theta + slope * items shown``, at most .98. The order does not matter.
    """

    def __init__(self, students: int, chance: float) -> None:
        above = np.array([-0.3, 0.0, 0.2, 0.4, 0.55, 0.7, 0.8, 0.88, 0.94, 0.98])
        start = np.clip(chance + (1.0 - chance) * above, 0.02, 0.98)
        grid = np.array(list(product(start, (0.0, 0.03, 0.1))))
        super().__init__(students, np.ones(len(grid)))
        self.start, self.slope, self.shown = logit(grid[:, 0]), grid[:, 1], np.zeros(1)

    def expect_rows(self, item: int) -> Floats:
        return np.minimum(expit(self.start + self.slope * self.shown[:, None]), 0.98)

    def expect_all(self) -> Floats:
        return self.expect_rows(0)[self.cohorts] if len(self.cohorts) else self.expect_rows(0)[-1:]

    def show(self, item: int, rounds: float) -> None:
        self.shown = self.shown + 1

    def gain(self, candidates: Ints) -> Floats:
        return np.zeros(len(candidates))

    def add_cohort(self) -> None:
        super().add_cohort()
        self.shown = np.append(self.shown, 0)
