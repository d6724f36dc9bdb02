"""All activities: the built-in ones, and those that teachers have added."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from string import ascii_lowercase

from homeroom.live.activities import insects, leaves
from homeroom.live.activities.base import WRITING, Activity, Item, Picture
from homeroom.live.store.store import EventStore

PREFIX = "letter-"
"""How the ids of writing activities begin."""

LETTERS = tuple(ascii_lowercase)
"""The letters that can be written: those with a model in homeroom."""


TIMES_TABLES = "times-tables"
FACTORS = range(3, 10)
"""The factors of the times tables: 2 and 10 are known early."""


@cache
def times_tables() -> Activity:
    """Return the times tables: one fact per item, and four answers to choose from.

    The wrong answers are those that people give most: the neighbours in one of the two tables,
    and ten more or less. The right one is in each place equally often.

    >>> fact = times_tables().item_of["7x8"]
    >>> fact.question, fact.options, fact.explanation
    ('7 × 8 = ?', ('46', '48', '49', '56'), '7 × 8 = 7 × 7 + 7 = 49 + 7 = 56')
    """
    pairs = [(a, b) for a in FACTORS for b in FACTORS if a <= b]
    return Activity(
        TIMES_TABLES,
        "Times tables",
        tuple(_fact(a, b, number % 4) for number, (a, b) in enumerate(pairs)),
        built_in=True,
        facts=True,
    )


def _fact(a: int, b: int, below: int) -> Item:
    """Return the fact a x b; ``below`` of its three wrong answers are less than the right one."""
    right = a * b
    near = (a * (b - 1), a * (b + 1), (a - 1) * b, (a + 1) * b, right - 10, right + 10,
            a * (b - 2), a * (b + 2))  # fmt: skip
    wrong = [one for one in dict.fromkeys(near) if one > 0 and one != right]
    low = sorted([one for one in wrong if one < right][:below])
    high = sorted([one for one in wrong if one > right][: 3 - below])
    options = tuple(str(one) for one in (*low, right, *high))
    why = f"{a} × {b} = {a} × {b - 1} + {a} = {right - a} + {a} = {right}"  # in any language
    return Item(f"{a}x{b}", 1 + below, question=f"{a} × {b} = ?", options=options, explanation=why)


BUILT_IN: Mapping[str, Callable[[], Activity]] = {
    insects.ID: insects.activity,
    leaves.ID: leaves.activity,
    TIMES_TABLES: times_tables,
    insects.EIGHT: insects.eight_species,
}
"""The built-in quizzes."""

NOT_OFFERED = (insects.EIGHT,)
"""Quizzes that only classes of earlier versions have."""

PICTURES: Mapping[str, Callable[[str], Picture | None]] = {
    insects.ID: insects.picture,
    insects.EIGHT: insects.picture_of_eight,
    leaves.ID: leaves.picture,
    TIMES_TABLES: lambda _item: None,
}
"""For each built-in quiz, a function that returns the picture of an item."""


def built_in() -> list[Activity]:
    """Return the built-in activities that are offered: quizzes, and one per letter."""
    letters = [letter_activity(letter) for letter in LETTERS]
    quizzes = [make() for name, make in BUILT_IN.items() if name not in NOT_OFFERED]
    return [*quizzes, *(one for one in letters if one is not None)]


def letter_activity(letter: str) -> Activity | None:
    """Return the activity in which a letter is written, if homeroom has a model of it.

    >>> letter_activity("f").name
    'The letter f'
    """
    if letter not in LETTERS:
        return None
    return Activity(
        f"{PREFIX}{letter}",
        f"The letter {letter}",
        kind=WRITING,
        question=f"Write the letter {letter}.",
        built_in=True,
        letter=letter,
    )


def find(store: EventStore, activity_id: str) -> Activity | None:
    """Return an activity by its id."""
    if activity_id in BUILT_IN:
        return BUILT_IN[activity_id]()
    if activity_id.startswith(PREFIX):
        return letter_activity(activity_id.removeprefix(PREFIX))
    return store.activity(activity_id)


def listed(store: EventStore) -> list[Activity]:
    """Return all activities: first the built-in ones, then those that teachers have added."""
    return [*built_in(), *store.activities()]


def picture(store: EventStore, activity_id: str, item: str) -> Picture | None:
    """Return the picture of an item; ``None`` if there is no such item, or if it has no picture."""
    drawn = PICTURES.get(activity_id)
    if drawn is None:
        return store.picture(activity_id, item)
    # Drawings are kept. Unknown items must not be, as there is no end to them.
    return drawn(item) if item in BUILT_IN[activity_id]().item_of else None
