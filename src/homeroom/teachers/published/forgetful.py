"""Greedy teaching of a student who forgets.

A. Hunziker, Y. Chen, O. Mac Aodha, M. Gomez Rodriguez, A. Krause, P. Perona, Y. Yue, A. Singla:
*Teaching Multiple Concepts to a Forgetful Learner*, NeurIPS 2019. The value of a lesson is the
recall of all items, summed over the rounds up to a horizon. The teacher shows the item with the
greatest expected gain: with the recall ``p`` now, age ``D``, strength ``S`` and
``V(S, D) = sum_{t=1..H} (1 + (D + t) / S)^-c``,

    gain = p V(2 S, 0) + (1 - p) V(S, 0) - V(S, D)         (V = 0 for an item never shown)

as a success doubles the strength. Check: brute force over all items, and over all sequences of a
short horizon.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from homeroom import _checks
from homeroom._arrays import Floats, Ints
from homeroom.classroom import Classroom, Example
from homeroom.learners import AbstractLoss
from homeroom.learners.forgetting import EXPONENT, STRENGTH, retention
from homeroom.moments import Observation
from homeroom.pools import AbstractPool
from homeroom.teachers.base import AbstractPlanner, AbstractTeacher, Task
from homeroom.teachers.published.listing import fitted_list, items_of
from homeroom.teachers.published.reviews import Reviews, check_share, replayed, reviewed


@dataclass(frozen=True)
class ForgetfulGreedyTeacher(AbstractTeacher, AbstractPlanner):
    """Shows the item whose review is expected to add most to the recall up to a horizon.

    Parameters
    ----------
    pool
        The items.
    horizon
        The number of rounds over which recall counts.
    strength, exponent
        The assumed memory, as for :class:`~homeroom.learners.ForgettingLearner`.
    share
        The share of the class that must be right for a review to count as a success.
    """

    pool: AbstractPool
    horizon: int = 50
    strength: float = STRENGTH
    exponent: float = EXPONENT
    share: float = 0.5

    def __post_init__(self) -> None:
        _checks.whole(self.horizon, "horizon", at_least=1)
        _checks.positive(self.strength, "strength", example="4")
        _checks.positive(self.exponent, "exponent", example="0.5")
        check_share(self.share, "share")

    @property
    def assumes(self) -> str:
        return "forgetting"

    @property
    def own_labels(self) -> bool:
        return self.pool.labels is not None

    def prepare(self, room: Classroom, loss: AbstractLoss) -> ForgetfulGreedyTeacher:
        return replace(self, pool=fitted_list(self.pool, room, loss, "ForgetfulGreedyTeacher"))

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example:
        listed = items_of(self.pool, seen)
        return listed.example(seen, int(self.gains(replayed(listed, seen)).argmax()))

    def follow(
        self, course: Reviews | None, seen: Observation, task: Task, rng: np.random.Generator
    ) -> tuple[Example, Reviews]:
        listed = items_of(self.pool, seen)
        reviews = Reviews.none(len(listed.items)) if course is None else course
        row = int(self.gains(reviews).argmax())
        return reviewed(reviews, row, listed, seen, share=self.share, back=False)

    def describe(self, course: Reviews) -> dict[str, Any]:
        return {"recall": course.recall(self.strength, self.exponent).round(4).tolist()}

    def gains(self, reviews: Reviews) -> Floats:
        """Return the expected gain of each item, O(items * horizon)."""
        recall = reviews.recall(self.strength, self.exponent)
        strengths = reviews.strengths(self.strength)
        without = np.where(reviews.new, 0.0, self._value(strengths, reviews.ages))
        success, failure = (self._value(s, 0 * reviews.ages) for s in (2.0 * strengths, strengths))
        gain: Floats = recall * success + (1.0 - recall) * failure - without
        return gain

    def _value(self, strengths: Floats, ages: Ints) -> Floats:
        """Return the recall of each item, summed over the horizon."""
        rounds = ages[:, None] + np.arange(1, self.horizon + 1)
        value: Floats = retention(rounds, strengths[:, None], self.exponent).sum(axis=1)
        return value
