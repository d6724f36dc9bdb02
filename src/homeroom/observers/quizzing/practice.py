"""Item difficulty and practice: the parts of a score that are not in a student's state.

A student answers item ``i`` of skill ``k`` with the score

    s = <w, x_i> + easy_i + a log(1 + right_k) + b log(1 + wrong_k)

``easy_i`` is how much easier the item is than its features say, with a normal prior of mean zero.
``right_k`` and ``wrong_k`` count the student's earlier answers to items of the skill. The weights
``a`` and ``b`` are the same for all students, so these parts are known and add no dimension: they
are passed to :func:`~homeroom.observers.quizzing.answer_step.with_answer` as ``more``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from homeroom._arrays import Floats, Ints


class Difficulty(NamedTuple):
    """How much easier items are than expected.

    ``easy`` has one number per item, shape ``(items,)``. ``others`` has one per answer: the same,
    estimated without that answer, so that parameters fitted with it do not trust it too much.
    """

    easy: Floats
    others: Floats


def item_difficulty(
    slopes: Floats, bends: Floats, item: Ints, spread: float, easy: Floats
) -> Difficulty:
    """Return how much easier items are than expected, after one Newton step from ``easy``.

    From zeros, one step is enough where items differ little (by half a ``sigma``). Three steps
    reach the maximum of the posterior otherwise.

    Parameters
    ----------
    slopes, bends
        The first derivative, and the negative of the expected second one, of the log-probability of
        each answer with respect to its score, any shape; zero where there is no answer.
    item
        The item of each answer, of the same shape.
    spread
        The prior standard deviation of item difficulty.
    easy
        The values at which the derivatives were computed, shape ``(items,)``.

    >>> item = np.array([0, 0, 0, 1])
    >>> found = item_difficulty(
    ...     np.array([0.4, 0.4, 0.4, -0.4]), np.full(4, 0.6), item, 1.0, np.zeros(2)
    ... )
    >>> found.easy.round(3), found.others.round(3)
    (array([ 0.429, -0.25 ]), array([0.364, 0.364, 0.364, 0.   ]))
    """
    prior = 1.0 / spread**2
    slope = np.bincount(item.ravel(), slopes.ravel(), len(easy)) - prior * easy
    bend = np.bincount(item.ravel(), bends.ravel(), len(easy)) + prior
    others = easy[item] + (slope[item] - slopes) / (bend[item] - bends)
    return Difficulty(easy + slope / bend, others)


@dataclass(frozen=True, eq=False)
class Practice:
    """How often each student was right and wrong on each skill, ``(students, skills)``."""

    right: Floats
    wrong: Floats

    @classmethod
    def none(cls, students: int, skills: int) -> Practice:
        """Return the counts of students who have not answered yet.

        >>> practice = Practice.none(2, 3).after(np.array([1, 1]), np.array([1.0, -1.0]))
        >>> practice.score(np.array([1, 1]), 0.5, -0.2).round(3)
        array([ 0.347, -0.139])
        """
        return cls(*np.zeros((2, students, skills)))

    def counts(self, skill: int | Ints) -> tuple[Floats, Floats]:
        """Return ``log(1 + right)`` and ``log(1 + wrong)`` for one skill, or one per student."""
        rows = np.arange(len(self.right))
        return np.log1p(self.right[rows, skill]), np.log1p(self.wrong[rows, skill])

    def score(self, skill: int | Ints, right: float, wrong: float) -> Floats:
        """Return the part of each student's score that comes from practice, ``(students,)``.

        ``right`` and ``wrong`` are the weights ``a`` and ``b``.
        """
        won, lost = self.counts(skill)
        return right * won + wrong * lost

    def scores(self, skills: Ints, right: float, wrong: float) -> Floats:
        """Return the same for items of some skills, shape ``(students, items)``."""
        return right * np.log1p(self.right[:, skills]) + wrong * np.log1p(self.wrong[:, skills])

    def of_students(self, rows: Ints) -> Practice:
        """Return the counts of some of the students."""
        return Practice(self.right[rows], self.wrong[rows])

    def with_newcomers(self, count: int) -> Practice:
        """Return the counts with rows for students who have not answered yet."""
        new = np.zeros((count, self.right.shape[1]))
        return Practice(np.concatenate([self.right, new]), np.concatenate([self.wrong, new]))

    def after(self, skill: int | Ints, marks: Floats) -> Practice:
        """Return the counts after answers: +1 for right, -1 for wrong, 0 for none."""
        rows = np.arange(len(self.right))
        right, wrong = self.right.copy(), self.wrong.copy()
        right[rows, skill] += marks > 0
        wrong[rows, skill] += marks < 0
        return Practice(right, wrong)
