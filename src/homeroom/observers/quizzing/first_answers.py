"""How much of a list of facts students know before it is taught: what their first answers show.

Facts share no rule, so an answer to one says nothing about another, except by way of the student: a
student who knows most of the facts that were asked knows most of the others too. Student ``j`` is
right with the chance ``p_j`` about a fact that they have not met. In a class, ``p_j`` has a beta
distribution, which is fitted to the first answers (empirical Bayes).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import betaln, ndtri

from homeroom._arrays import Floats, Ints
from homeroom.observers.quizzing.answer_step import AnswerModel
from homeroom.observers.quizzing.choice_step import SHARP

WEIGHTS = 2.0 ** np.arange(8)
"""How alike students may be: the weight of the class in ``p_j``, as a number of answers."""

GUESSED = 2.0
"""The weight of guessing in the mean of the class, as a number of answers."""

LEAST_VARIANCE = 0.05
"""Added to the prior variance of the difference between two scores; all that is left if all facts
are known, or none."""

HIGHEST = 0.99
"""The largest chance of a right answer to a fact that a student has not met, apart from lapses."""

FARTHEST, STEPS = 6.0, 31
"""The largest difference of scores that is tried, in units of its noise, and how many are."""

POINTS = 256
"""The number of points over which a chance is averaged, and as many mirror images."""


class ClassShare(NamedTuple):
    """The distribution of ``p_j`` in a class: its mean, its ``weight``, and the mean's ``error``.

    The beta distribution has the parameters ``weight * mean`` and ``weight * (1 - mean)``.
    ``weight`` is how many answers the class counts for in the estimate of one student's ``p_j``:
    the larger, the more alike the students. ``error`` is the standard error of the mean, because
    only some of the facts were asked.
    """

    mean: float
    weight: float
    error: float


@dataclass(frozen=True, eq=False)
class FirstAnswers:
    """The first answers of students to facts that they had not met in the lesson.

    Parameters
    ----------
    model
        The probability of an answer given a score.
    variance_before
        The prior variance of the difference between two scores, before the first answer.
    facts
        The numbers of the facts that were asked.
    options
        The number of answers to each of them, shape ``(facts,)``.
    marks
        +1 for right, -1 for wrong, 0 for none, shape ``(students, facts)``.
    whole
        The distribution in the whole class, if these are only some of its students.
    """

    model: AnswerModel
    variance_before: float
    facts: Ints
    options: Ints
    marks: Floats
    whole: ClassShare | None = None

    @classmethod
    def none(cls, model: AnswerModel, variance_before: float, students: int) -> FirstAnswers:
        """Return the state before the first answer."""
        empty = np.zeros(0, dtype=np.int64)
        return cls(model, variance_before, empty, empty, np.zeros((students, 0)))

    def after(self, facts: Ints, marks: Floats, options: Ints) -> FirstAnswers:
        """Return these with more answers; only a student's first answer to a fact counts.

        ``facts`` are numbers, ``marks`` has the shape ``(students, facts)``, and ``options`` the
        number of answers to each. The class's distribution is fitted again. Without any answer,
        nothing changes.
        """
        if not marks.any():
            return self
        asked, known, count = self.facts.tolist(), self.options.tolist(), len(self.facts)
        new = [fact for fact in dict.fromkeys(facts.tolist()) if fact not in set(asked)]
        every = np.zeros((len(marks), count + len(new)))
        every[:, :count] = self.marks
        place = {fact: column for column, fact in enumerate([*asked, *new])}
        number = dict(zip(facts.tolist(), options.tolist(), strict=True))
        for fact, given in zip(facts.tolist(), marks.T, strict=True):
            column = every[:, place[fact]]
            column[column == 0.0] = given[column == 0.0]
        return replace(
            self,
            facts=np.array([*asked, *new], dtype=np.int64),
            options=np.array([*known, *(number[fact] for fact in new)], dtype=np.int64),
            marks=every,
            whole=None,
        )

    @cached_property
    def class_share(self) -> ClassShare | None:
        """The distribution of ``p_j`` in the class; ``None`` before the first answer.

        Its weight is the most likely one of ``WEIGHTS``.
        """
        if self.whole is not None or not self.marks.any():
            return self.whole
        answered = self.marks[:, self.marks.any(axis=0)]
        asked = np.abs(answered).sum(axis=0)
        share = (answered > 0).sum(axis=0) / asked
        guessed = GUESSED * self._chance
        mean = float((asked @ share + guessed) / (asked.sum() + GUESSED))
        right, wrong = self._counts
        first, second = np.multiply.outer([mean, 1.0 - mean], WEIGHTS)
        fits = betaln(first + right[:, None], second + wrong[:, None]) - betaln(first, second)
        weight = float(WEIGHTS[fits.sum(axis=0).argmax()])
        apart = float(((share - mean) ** 2).sum()) + mean * (1.0 - mean)
        return ClassShare(mean, weight, float(np.sqrt(apart)) / len(share))

    @property
    def _counts(self) -> tuple[Floats, Floats]:
        """The numbers of each student's right and wrong answers."""
        right, wrong = (self.marks > 0).sum(axis=1), (self.marks < 0).sum(axis=1)
        return right.astype(np.float64), wrong.astype(np.float64)

    @property
    def _chance(self) -> float:
        """The mean chance of a right guess."""
        return float((1.0 / self.options).mean())

    @cached_property
    def variance(self) -> float:
        """The prior variance of the difference between two scores.

        If a share ``a`` of the facts is known, the difference is 1 for these and 0 for the others,
        with variance ``a (1 - a)``; ``LEAST_VARIANCE`` is added. ``variance_before`` before the
        first answer.
        """
        if self.class_share is None:
            return self.variance_before
        knows = float(self._beyond_guessing(np.array(self.class_share.mean)))
        return round(knows * (1.0 - knows) + LEAST_VARIANCE, 2)  # few values: tables are kept

    @cached_property
    def shares(self) -> Floats:
        """The expected ``p_j`` of each student, shape ``(students,)``; only after an answer."""
        first, second = self._beta
        return np.asarray(first / (first + second))

    @property
    def _beta(self) -> tuple[Floats, Floats]:
        """The parameters of the posterior of each student's ``p_j``."""
        assert self.class_share is not None
        right, wrong = self._counts
        mean, weight, _ = self.class_share
        return weight * mean + right, weight * (1.0 - mean) + wrong

    def levels(self, options: int) -> Floats:
        """Return how far the score of the right answer is expected to be ahead of the others.

        For a fact with so many answers that a student has not met. Shape ``(students,)``, never
        negative. With this lead a student is right with the chance ``p_j``, corrected for the
        number of answers.
        """
        if options not in self._levels:
            self._levels[options] = self._levels_for(options)
        return self._levels[options]

    @cached_property
    def _levels(self) -> dict[int, Floats]:
        return {}

    def _levels_for(self, options: int) -> Floats:
        """Compute :meth:`levels`."""
        if self.class_share is None:
            return np.zeros(len(self.marks))
        least, lapse = 1.0 / options, self.model.guess + self.model.slip
        chance = least + (1.0 - least) * self._beyond_guessing(self.shares)
        clear = np.clip((chance - lapse * least) / (1.0 - lapse), least, HIGHEST)
        levels: Floats = np.interp(clear, *_chances(options, self.model.sigma, self.variance))
        return levels

    def _beyond_guessing(self, shares: Floats) -> Floats:
        """Return the share of facts that are known, given the chance of a right answer."""
        known: Floats = np.maximum((shares - self._chance) / (1.0 - self._chance), 0.0)
        return known

    def drawn(self, draws: int) -> Floats:
        """Return draws of the error in each student's expected ``p_j``.

        Shape ``(students, draws)``. Part of the error, that of the class mean, is the same for all
        students. The draws are the same at every call.
        """
        if self.class_share is None:
            return np.zeros((len(self.marks), draws))
        rng, (first, second) = np.random.default_rng(2), self._beta
        common = self.class_share.error * ndtri((rng.permutation(draws) + 0.5) / draws)
        own = rng.beta(first[:, None], second[:, None], (len(first), draws))
        drawn: Floats = own - self.shares[:, None] + common
        return drawn

    def change_per_share(self, options: Ints) -> Floats:
        """Return how much the chance of a right answer to facts changes per change of ``p_j``.

        ``options`` is the number of answers to each fact. The result is 1 for facts with as many
        answers as those that were asked, and larger for facts with more.
        """
        return np.asarray((1.0 - 1.0 / options) / (1.0 - self._chance))

    def of_students(self, rows: Ints) -> FirstAnswers:
        """Return the answers of some of the students.

        The distribution stays the whole class's, until :meth:`after` fits it to these students.
        """
        return replace(self, marks=self.marks[rows], whole=self.class_share)

    def with_newcomers(self, count: int) -> FirstAnswers:
        """Return these with rows for students who have not answered yet."""
        none = np.zeros((count, self.marks.shape[1]))
        return replace(self, marks=np.concatenate([self.marks, none]), whole=self.class_share)


@lru_cache(maxsize=64)
def _chances(options: int, sigma: float, variance: float) -> tuple[Floats, Floats]:
    """Return the chance of a right answer for a range of expected leads, and these leads.

    ``variance`` is that of the difference between two scores.
    """
    spread = math.sqrt(0.5 * variance)
    leads = np.linspace(0.0, FARTHEST, STEPS) * math.hypot(sigma, spread)
    points = even_points(options, POINTS)
    ahead = leads[:, None, None] + spread * (points[:, :1] - points[:, 1:])
    odds = np.exp(np.minimum(-SHARP / sigma * ahead, 80.0))
    return (1.0 / (1.0 + odds.sum(axis=2))).mean(axis=1), leads


@cache
def even_points(columns: int, count: int) -> Floats:
    """Return points of a standard normal, shape ``(2 * count, columns)``.

    They are a Latin hypercube and its mirror image, the same at every call.
    """
    rng, evenly = np.random.default_rng(4), ndtri((np.arange(count) + 0.5) / count)
    some = np.column_stack([rng.permutation(evenly) for _ in range(columns)])
    points: Floats = np.concatenate([some, -some])
    points.flags.writeable = False
    return points
