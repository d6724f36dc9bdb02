"""An activity: items with a question, the right answers, and places on a map."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple

from homeroom.live.activities.space import Space

QUIZ: Final = "quiz"
WRITING: Final = "writing"


class Picture(NamedTuple):
    """A picture: its media type and its bytes."""

    media: str
    data: bytes


@dataclass(frozen=True)
class Item:
    """One thing to ask about, and the right answer.

    Parameters
    ----------
    id
        Its name within the activity.
    label
        1 for yes, -1 for no, ``None`` if the right answer is unknown.
    text
        The text that students read, if any.
    picture
        Whether it has a picture.
    explanation
        Why the right answer is right.
    """

    id: str
    label: int | None
    text: str | None = None
    picture: bool = False
    explanation: str | None = None


@dataclass(frozen=True)
class Activity:
    """A pool of items to ask about and to teach with.

    Parameters
    ----------
    id
        Its name within the store.
    name
        Its title.
    items
        The items.
    question
        The question, the same for every item.
    yes, no
        The words for the two answers.
    kind
        ``"quiz"``, or ``"writing"`` for an activity in which a letter is written.
    places
        The place of each item on the map; without it the map is estimated from the answers.
    target
        The rule on that map, ``(w, -tau)``.
    built_in
        Whether it is part of homeroom.
    letter
        The letter to be written.
    """

    id: str
    name: str
    items: tuple[Item, ...] = ()
    question: str = "Yes or no?"
    yes: str = "yes"
    no: str = "no"
    kind: Literal["quiz", "writing"] = QUIZ
    places: Mapping[str, tuple[float, ...]] | None = None
    target: tuple[float, ...] | None = None
    built_in: bool = False
    letter: str | None = None

    @cached_property
    def space(self) -> Space | None:
        """The items and the target, if the map is known before the first answer."""
        if self.places is None or self.target is None:
            return None
        return Space.of(self.places, self.target, self.labels)

    @property
    def own_question(self) -> str | None:
        """The question, unless it only names the two answers: pages translate that one."""
        plain = f"{self.yes} or {self.no}?"
        return None if self.question.casefold() == plain.casefold() else self.question

    @cached_property
    def labels(self) -> dict[str, int]:
        """The right answer to each item that has one."""
        return {item.id: item.label for item in self.items if item.label is not None}

    @cached_property
    def item_of(self) -> dict[str, Item]:
        """The items by their ids."""
        return {item.id: item for item in self.items}

    def word(self, answer: int) -> str:
        """Return the word for an answer, 1 or -1."""
        return self.yes if answer > 0 else self.no

    def to_json(self) -> dict[str, Any]:
        """Return everything but the pictures as plain JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Activity:
        """Return an activity from :meth:`to_json`'s values."""
        places, target = values.get("places"), values.get("target")
        return cls(
            **{
                **values,
                "items": tuple(Item(**item) for item in values["items"]),
                "places": None if places is None else {k: tuple(v) for k, v in places.items()},
                "target": None if target is None else tuple(target),
            }
        )
