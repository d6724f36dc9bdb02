"""Spaced repetition: Leitner's boxes, and reviews when the predicted recall falls to a threshold.

S. Leitner, *So lernt man lernen*, 1972: an item moves up one box when it is answered rightly and
back to the first when not; box ``b`` is due after ``2^b`` rounds. Public schedulers (SuperMemo,
FSRS) review an item when its predicted recall ``(1 + D / S)^-c`` has fallen to a threshold, with a
strength ``S`` that grows with each success; here it doubles. An item counts as answered rightly if
a given share of the class would do so. Check: with students who forget as is assumed, recall at
each review is at the threshold.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from homeroom import _checks
from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError
from homeroom.classroom import Classroom, Example
from homeroom.learners import AbstractLoss
from homeroom.learners.forgetting import EXPONENT, STRENGTH, retention
from homeroom.moments import Observation
from homeroom.pools import AbstractPool
from homeroom.teachers.base import AbstractPlanner, AbstractTeacher, Task
from homeroom.teachers.published.listing import Listed, fitted_list, items_of, share_right

MOST_BOXES = 20


class Reviews(NamedTuple):
    """What happened to each item: the round of its last review (-1: never), and its box."""

    rounds: int
    last: Ints
    boxes: Ints

    @classmethod
    def none(cls, items: int) -> Reviews:
        """Return the start, where no item was shown."""
        return cls(0, np.full(items, -1), np.zeros(items, dtype=np.int64))

    @property
    def ages(self) -> Ints:
        """The rounds since each item was shown."""
        return self.rounds - self.last

    @property
    def new(self) -> np.ndarray:
        """Which items were not shown yet."""
        return np.asarray(self.last < 0)

    def after(self, row: int, *, right: bool, back: bool) -> Reviews:
        """Return the reviews once an item was shown; after a mistake it goes ``back`` to box 0."""
        last, boxes = self.last.copy(), self.boxes.copy()
        if right and last[row] >= 0:
            boxes[row] = min(boxes[row] + 1, MOST_BOXES)
        elif back and not right:
            boxes[row] = 0
        last[row] = self.rounds
        return Reviews(self.rounds + 1, last, boxes)

    def strengths(self, first: float) -> Floats:
        """Return the strength of each memory: that of a new one, doubled with each success."""
        return np.asarray(first * 2.0**self.boxes, dtype=np.float64)

    def recall(self, strength: float, exponent: float) -> Floats:
        """Return the predicted recall of each item: 0 if it was never shown."""
        left = retention(self.ages, self.strengths(strength), exponent)
        return np.where(self.new, 0.0, left)

    def first_of(self, urgency: Floats, due: np.ndarray) -> int:
        """Return the most urgent item that is due, else the first new one, else the most urgent."""
        if due.any():
            return int(np.where(due, urgency, -np.inf).argmax())
        return int((self.new if self.new.any() else urgency).argmax())


def reviewed(
    reviews: Reviews, row: int, listed: Listed, seen: Observation, *, share: float, back: bool
) -> tuple[Example, Reviews]:
    """Return the example of an item, and the reviews after it."""
    example = listed.example(seen, row)
    return example, reviews.after(row, right=share_right(seen, example) >= share, back=back)


def replayed(listed: Listed, seen: Observation) -> Reviews:
    """Return the reviews of the items shown so far, as if all were answered rightly."""
    reviews = Reviews.none(len(listed.items))
    for number in seen.shown:
        row = int(np.searchsorted(listed.items, number))
        reviews = reviews.after(row, right=True, back=False)
    return reviews


def check_share(value: float, name: str) -> None:
    """Refuse a share that is not above 0 and at most 1."""
    if _checks.positive(value, name, example="0.9") > 1.0:
        raise InputError(f"`{name}` must be at most 1, but is {value:g}. Try {name}=0.9.")


@dataclass(frozen=True)
class LeitnerTeacher(AbstractTeacher, AbstractPlanner):
    """Shows items by Leitner's boxes: what the class knows comes back ever later.

    Parameters
    ----------
    pool
        The items.
    share
        The share of the class that must be right for an item to move up.
    """

    pool: AbstractPool
    share: float = 0.9

    def __post_init__(self) -> None:
        check_share(self.share, "share")

    @property
    def assumes(self) -> str:
        return "forgetting"

    @property
    def own_labels(self) -> bool:
        return self.pool.labels is not None

    def prepare(self, room: Classroom, loss: AbstractLoss) -> LeitnerTeacher:
        return replace(self, pool=fitted_list(self.pool, room, loss, "LeitnerTeacher"))

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example:
        listed = items_of(self.pool, seen)
        return listed.example(seen, leitner_choice(replayed(listed, seen)))

    def follow(
        self, course: Reviews | None, seen: Observation, task: Task, rng: np.random.Generator
    ) -> tuple[Example, Reviews]:
        listed = items_of(self.pool, seen)
        reviews = Reviews.none(len(listed.items)) if course is None else course
        row = leitner_choice(reviews)
        return reviewed(reviews, row, listed, seen, share=self.share, back=True)

    def describe(self, course: Reviews) -> dict[str, Any]:
        return {"boxes": course.boxes.tolist()}


def leitner_choice(reviews: Reviews) -> int:
    """Return the item that is overdue most, ``age / 2^box``; a new one if none is due."""
    overdue = np.where(reviews.new, 0.0, reviews.ages / 2.0**reviews.boxes)
    # The item that was just shown has the age 1, and is not due in box 0 before another.
    return reviews.first_of(overdue, overdue > 1.0)


@dataclass(frozen=True)
class RecallTeacher(AbstractTeacher, AbstractPlanner):
    """Shows an item again when its predicted recall has fallen to a threshold.

    Parameters
    ----------
    pool
        The items.
    threshold
        The recall at which an item is due.
    strength, exponent
        The assumed memory, as for :class:`~homeroom.learners.ForgettingLearner`.
    share
        The share of the class that must be right for a review to count as a success.
    """

    pool: AbstractPool
    threshold: float = 0.8
    strength: float = STRENGTH
    exponent: float = EXPONENT
    share: float = 0.5

    def __post_init__(self) -> None:
        check_share(self.threshold, "threshold")
        check_share(self.share, "share")
        _checks.positive(self.strength, "strength", example="4")
        _checks.positive(self.exponent, "exponent", example="0.5")

    @property
    def assumes(self) -> str:
        return "forgetting"

    @property
    def own_labels(self) -> bool:
        return self.pool.labels is not None

    def prepare(self, room: Classroom, loss: AbstractLoss) -> RecallTeacher:
        return replace(self, pool=fitted_list(self.pool, room, loss, "RecallTeacher"))

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example:
        listed = items_of(self.pool, seen)
        return listed.example(seen, self._next(replayed(listed, seen)))

    def follow(
        self, course: Reviews | None, seen: Observation, task: Task, rng: np.random.Generator
    ) -> tuple[Example, Reviews]:
        listed = items_of(self.pool, seen)
        reviews = Reviews.none(len(listed.items)) if course is None else course
        row = self._next(reviews)
        return reviewed(reviews, row, listed, seen, share=self.share, back=False)

    def describe(self, course: Reviews) -> dict[str, Any]:
        return {"recall": course.recall(self.strength, self.exponent).round(4).tolist()}

    def _next(self, reviews: Reviews) -> int:
        recall = reviews.recall(self.strength, self.exponent)
        return reviews.first_of(1.0 - recall, ~reviews.new & (recall <= self.threshold))
