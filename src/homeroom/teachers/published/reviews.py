"""Spaced repetition: which items were reviewed when, and Leitner's boxes.

S. Leitner, *So lernt man lernen*, 1972: an item moves up one box when it is answered rightly and
back to the first when not. An item of box ``b`` is due again after ``2^b`` rounds with other items.
An item that is shown for the first time stays in box 0. An item counts as answered rightly if a
given share of the class would do so.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from homeroom import _checks
from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError
from homeroom.classroom import Example
from homeroom.moments import Observation
from homeroom.teachers.candidates import measure_chances
from homeroom.teachers.published.pool_items import AbstractItemTeacher, list_items

LAST_BOX = 20
"""The number of the last box."""


class Reviews(NamedTuple):
    """What happened to each item: the round of its last review (-1: never), and its box.

    ``rounds`` is the number of rounds so far. ``last`` and ``boxes`` have shape ``(items,)``.
    """

    rounds: int
    last: Ints
    boxes: Ints

    @classmethod
    def none(cls, items: int) -> Reviews:
        """Return the reviews before the first round."""
        return cls(0, np.full(items, -1), np.zeros(items, dtype=np.int64))

    @property
    def ages(self) -> Ints:
        """The rounds since each item was shown; without meaning for items that are new."""
        return self.rounds - self.last

    @property
    def new(self) -> np.ndarray:
        """Which items were not shown yet."""
        return np.asarray(self.last < 0)

    def after(self, row: int, *, right: bool, back: bool) -> Reviews:
        """Return the reviews after an item was shown, and answered rightly or not.

        An item moves up a box if it was shown before and is answered rightly. With ``back``, it
        returns to box 0 after a mistake.
        """
        last, boxes = self.last.copy(), self.boxes.copy()
        if right and last[row] >= 0:
            boxes[row] = min(boxes[row] + 1, LAST_BOX)
        elif back and not right:
            boxes[row] = 0
        last[row] = self.rounds
        return Reviews(self.rounds + 1, last, boxes)

    def most_urgent(self, urgency: Floats, due: np.ndarray) -> int:
        """Return the most urgent item that is due, else the first new one, else the most urgent.

        ``urgency`` and ``due``, which is boolean, have shape ``(items,)``.
        """
        if due.any():
            return int(np.where(due, urgency, -np.inf).argmax())
        return int((self.new if self.new.any() else urgency).argmax())


@dataclass(frozen=True, eq=False)
class AbstractReviewer(AbstractItemTeacher):
    """A teacher that chooses by the reviews so far.

    An item counts as answered rightly if at least ``share`` of the class is right. ``back`` states
    whether an item returns to box 0 after a mistake.
    """

    share: float = 0.5
    back: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_share(self.share, "share")

    @abstractmethod
    def choose_item(self, reviews: Reviews) -> int:
        """Return the item to show next."""

    def next(
        self, seen: Observation, memory: Reviews | None, rng: np.random.Generator
    ) -> tuple[Example, Reviews]:
        """Return the next example and the reviews after it.

        ``memory`` is the reviews so far; if it is ``None``, all items shown so far count as
        answered rightly. An item is right if enough students would answer it rightly now.
        """
        listed = list_items(self.pool, seen)
        reviews = Reviews.none(len(listed.items)) if memory is None else memory
        for shown in listed.rows_shown(seen).tolist() if memory is None else ():
            reviews = reviews.after(shown, right=True, back=False)
        row = self.choose_item(reviews)
        example = listed.example(seen, row)
        share = measure_chances(seen, listed.xs[[row]], listed.labels[[row]]).mean[0]
        return example, reviews.after(row, right=bool(share >= self.share), back=self.back)


def check_share(value: float, name: str) -> None:
    """Raise unless a share is above 0 and at most 1."""
    if _checks.positive(value, name, example="0.9") > 1.0:
        raise InputError(f"`{name}` must be at most 1, but is {value:g}. Try {name}=0.9.")


@dataclass(frozen=True)
class LeitnerTeacher(AbstractReviewer):
    """Shows items by Leitner's boxes: what the class knows comes back ever later.

    Parameters
    ----------
    pool
        The items.
    share
        The share of the class that must be right for an item to move up.
    """

    share: float = 0.9
    back: ClassVar[bool] = True

    def choose_item(self, reviews: Reviews) -> int:
        """Return the item that is most overdue, by ``age / 2^box``.

        If none is due: the first new item, or else the one closest to being due.
        """
        overdue = np.where(reviews.new, 0.0, reviews.ages / 2.0**reviews.boxes)
        # The item that was just shown has the age 1, and is not due in box 0 before another.
        return reviews.most_urgent(overdue, overdue > 1.0)

    def describe_plan(self, memory: Reviews | None) -> dict[str, Any] | None:
        return None if memory is None else {"boxes": memory.boxes.tolist()}
