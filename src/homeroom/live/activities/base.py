"""An activity: items with a question, the right answers, and places on a map.

On a map, similar items are near each other, and a rule separates those with different answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.live.activities.space import AnswerList, Space

QUIZ: Final = "quiz"
WRITING: Final = "writing"
MOST_OPTIONS: Final = 8
"""The largest number of answers to choose from."""

WHICH: Final = "Which one is it?"
"""The question about more than two answers, if there is no other."""

YES_OR_NO: Final = "Yes or no?"
"""The question about two answers, if there is no other."""


def values_of(options: int) -> tuple[int, ...]:
    """Return the number that stands for each answer: 1 and -1 for yes and no, else 1, 2, 3, ...

    >>> values_of(2), values_of(4)
    ((1, -1), (1, 2, 3, 4))
    """
    return (1, -1) if options == 2 else tuple(range(1, options + 1))


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
        The number of the right answer, as in :func:`values_of`; ``None`` if it is unknown.
    text
        The text that students read, if any.
    picture
        Whether it has a picture.
    explanation
        Why the right answer is right.
    question
        Its own question, in place of the activity's.
    options
        The words for its own two to eight answers, in place of the activity's.
    species
        A code for what it shows, which pages name in their own language: an insect's species, or a
        leaf's tree. Only built-in items have one.
    """

    id: str
    label: int | None
    text: str | None = None
    picture: bool = False
    explanation: str | None = None
    question: str | None = None
    options: tuple[str, ...] = ()
    species: str | None = None


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
        The question about every item that has none of its own.
    yes, no
        The words for the two answers, if there are two.
    kind
        ``"quiz"``, or ``"writing"`` for an activity in which a letter is written.
    places
        The place of each item on the map; without it the map is estimated from the answers.
    target
        The rule on that map, ``(w, -tau)``: yes where ``<w, place> > tau``.
    built_in
        Whether it is part of homeroom.
    letter
        The letter to be written.
    options
        The words for the answers, if there are more than two.
    facts
        Whether each item is learned separately, as in times tables: no rule gives the answer.

    Examples
    --------
    >>> items = (Item("oak-1", 3), Item("elm", 2, options=("tree", "bush"), question="Or a bush?"))
    >>> leaves = Activity("leaves", "Leaves", items, options=("beech", "elm", "oak"))
    >>> leaves.word(3), leaves.options_of("oak-1"), leaves.options_of("elm")
    ('oak', ('beech', 'elm', 'oak'), ('tree', 'bush'))
    """

    id: str
    name: str
    items: tuple[Item, ...] = ()
    question: str = YES_OR_NO
    yes: str = "yes"
    no: str = "no"
    kind: Literal["quiz", "writing"] = QUIZ
    places: Mapping[str, tuple[float, ...]] | None = None
    target: tuple[float, ...] | None = None
    built_in: bool = False
    letter: str | None = None
    options: tuple[str, ...] = ()
    facts: bool = False

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words for the answers to every item that has none of its own."""
        return self.options or (self.yes, self.no)

    @cached_property
    def has_rule(self) -> bool:
        """Whether all items have the same two answers, and one rule decides between them."""
        return not self.facts and len(self.words) == 2 and not any(i.options for i in self.items)

    @cached_property
    def space(self) -> Space | None:
        """The items and the target, if the map is known before the first answer."""
        if self.places is None or self.target is None or not self.has_rule:
            return None
        return Space.of(self.places, self.target, self.labels)

    @cached_property
    def plane(self) -> AnswerMap | None:
        """The map of an activity with more than two answers.

        ``None`` if items have no places, if they are facts, or if fewer than two answers are right
        for some item with a place. Items with their own options get a place, but do not shape the
        map.
        """
        if self.places is None or self.facts or len(self.words) < 3:
            return None
        shared = {
            item: label for item, label in self.labels.items() if not self.item_of[item].options
        }
        return answer_map(self.places, shared)

    @cached_property
    def answer_list(self) -> AnswerList | None:
        """The labelled items of an activity without a rule for two answers.

        ``None`` for other activities, for writing, and if no item has a label.
        """
        if self.has_rule or self.kind == WRITING or not self.labels:
            return None
        ids = tuple(self.labels)
        values = [self.values(item) for item in ids]
        keys = [one.index(self.labels[item]) + 1 for item, one in zip(ids, values, strict=True)]
        options = np.array([len(one) for one in values], dtype=np.int64)
        # Items with options of their own have no answers in common: each is learned separately.
        alike = not self.facts and not any(self.item_of[item].options for item in ids)
        places = None
        if alike and self.places is not None and self.places.keys() >= set(ids):
            places = np.array([self.places[item] for item in ids], dtype=np.float64)
        return AnswerList(ids, np.array(keys, dtype=np.int64), options, not alike, places)

    def question_of(self, item: str) -> str | None:
        """Return the question about an item.

        ``None`` if it is the default, which pages word in their own language: "Which one is it?",
        or the two answers.
        """
        own = self.item_of[item].question
        default = [one.casefold() for one in (WHICH, YES_OR_NO, f"{self.yes} or {self.no}?")]
        return own or (None if self.question.casefold() in default else self.question)

    @cached_property
    def labels(self) -> dict[str, int]:
        """The right answer to each item that has one."""
        return {item.id: item.label for item in self.items if item.label is not None}

    @cached_property
    def item_of(self) -> dict[str, Item]:
        """The items by their ids."""
        return {item.id: item for item in self.items}

    def options_of(self, item: str) -> tuple[str, ...]:
        """Return the words for the answers to an item."""
        return self.item_of[item].options or self.words

    def values(self, item: str) -> tuple[int, ...]:
        """Return the numbers of the answers to an item, in the order of their words."""
        return values_of(len(self.options_of(item)))

    def word(self, answer: int, item: str | None = None) -> str:
        """Return the word for an answer; ``item`` matters if it has its own options."""
        words = self.words if item is None else self.options_of(item)
        return words[values_of(len(words)).index(answer)]

    def right_word(self, item: str) -> str:
        """Return the word for the right answer to an item; empty if it is unknown."""
        label = self.item_of[item].label
        return "" if label is None else self.word(label, item)

    def to_json(self) -> dict[str, Any]:
        """Return everything but the pictures as plain JSON values.

        Fields that version 0.1 did not have are left out if they have their defaults.
        """
        plain = _without_unused(asdict(self), Activity)
        return {**plain, "items": [_without_unused(item, Item) for item in plain["items"]]}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Activity:
        """Return an activity from :meth:`to_json`'s values."""
        places, target = values.get("places"), values.get("target")
        items = ({**item, "options": tuple(item.get("options", ()))} for item in values["items"])
        return cls(
            **{
                **values,
                "items": tuple(Item(**item) for item in items),
                "places": None if places is None else {k: tuple(v) for k, v in places.items()},
                "target": None if target is None else tuple(target),
                "options": tuple(values.get("options", ())),
            }
        )


SINCE_0_2 = {Item: ("question", "options", "species"), Activity: ("options", "facts")}
"""The fields of items and of activities that version 0.1 did not have."""


def _without_unused(values: dict[str, Any], kind: type[Item | Activity]) -> dict[str, Any]:
    """Return the fields of an item or activity without new ones that have their defaults."""
    new = [one for one in fields(kind) if one.name in SINCE_0_2[kind]]
    unused = {one.name for one in new if values[one.name] == one.default}
    return {name: value for name, value in values.items() if name not in unused}


RIDGE = 0.05
"""Added to the spread within classes, relative to the spread of all items: few items, or equal
ones, must not decide the directions alone. A class is all items with the same right answer."""


ON_A_LINE = 1e-6
"""Means of classes are on a line if they differ less than this across it, relative to along it."""


class Region(NamedTuple):
    """Where on the plane an answer is right: its score ``<normal, place> - offset`` is the largest.

    ``label`` is the number of the answer.
    """

    label: int
    normal: tuple[float, float]
    offset: float


class AnswerMap(NamedTuple):
    """The place of each item on a plane, and the region of each answer."""

    places: Mapping[str, tuple[float, float]]
    regions: tuple[Region, ...]


def answer_map(
    places: Mapping[str, Sequence[float]], labels: Mapping[str, int]
) -> AnswerMap | None:
    """Return the map on which the classes differ most; ``None`` with fewer than two classes.

    A class is all items with the same right answer. Places with two coordinates stay as they are;
    one coordinate gets a second one of 0. With more, the map has the two directions in which the
    means of the classes are farthest apart, relative to the spread within the classes (linear
    discriminant analysis). If the means are on a line, as those of two classes are, the second is
    the direction of largest remaining variance. The regions are those of the rule of the analysis.
    Cost: O(items * dimensions^2 + dimensions^3).

    Parameters
    ----------
    places
        The place of each item.
    labels
        The number of the right answer to each item for which it is known.

    Examples
    --------
    >>> places = {"a": (0.0, 0.0), "b": (1.0, 0.0), "c": (0.0, 1.0)}
    >>> found = answer_map(places, {"a": 1, "b": 2, "c": 3})
    >>> found.places["b"], [region.label for region in found.regions]
    ((1.0, 0.0), [1, 2, 3])
    """
    known = [item for item in places if item in labels]
    classes = sorted({labels[item] for item in known})
    if len(classes) < 2:
        return None
    xs = np.array([places[item] for item in places], dtype=np.float64)
    if xs.shape[1] < 2:
        xs = np.column_stack([xs, np.zeros(len(xs))])
    seen = xs[[item in labels for item in places]]
    of = np.array([classes.index(labels[item]) for item in known])
    if xs.shape[1] > 2:
        directions = _directions(seen, of)
        middle = seen.mean(axis=0)
        xs, seen = (xs - middle) @ directions, (seen - middle) @ directions
    means, within = _spread(seen, of)
    normals = np.linalg.solve(within, means.T).T
    offsets = (normals * means).sum(axis=1) / 2.0
    return AnswerMap(
        {item: (float(x), float(y)) for item, (x, y) in zip(places, xs, strict=True)},
        tuple(
            Region(label, (float(normal[0]), float(normal[1])), float(offset))
            for label, normal, offset in zip(classes, normals, offsets, strict=True)
        ),
    )


def _spread(xs: Floats, of: Ints) -> tuple[Floats, Floats]:
    """Return the mean of each class, and the covariance within the classes, with a ridge.

    ``xs`` are places, shape ``(items, dimensions)``; ``of`` has the class of each, from 0.
    """
    means = np.array([xs[of == one].mean(axis=0) for one in range(int(of.max()) + 1)])
    apart = xs - means[of]
    every = xs - xs.mean(axis=0)
    size = float((every * every).sum(axis=1).mean()) / xs.shape[1]
    ridge = RIDGE * (size or 1.0) * np.eye(xs.shape[1])
    return means, apart.T @ apart / len(xs) + ridge


def _directions(xs: Floats, of: Ints) -> Floats:
    """Return the two directions of the map, shape ``(dimensions, 2)``; see :func:`answer_map`.

    The parameters are as for :func:`_spread`.
    """
    means, within = _spread(xs, of)
    values, vectors = np.linalg.eigh(within)
    whiten = vectors / np.sqrt(values)
    _, sizes, rows = np.linalg.svd((means - means.mean(axis=0)) @ whiten)
    found = whiten @ rows[:2].T
    if sizes[1] <= ON_A_LINE * sizes[0]:
        line = found[:, 0] / np.linalg.norm(found[:, 0])
        rest = xs - xs.mean(axis=0)
        rest -= np.outer(rest @ line, line)
        widest = np.linalg.svd(rest, full_matrices=False)[2][0]
        found[:, 1] = widest / np.sqrt(widest @ within @ widest)
    signs = np.sign(found[np.abs(found).argmax(axis=0), [0, 1]])  # the same on every machine
    directions: Floats = found * signs
    return directions
