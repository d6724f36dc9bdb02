"""All activities: the built-in ones, and those that teachers have added."""

from __future__ import annotations

from string import ascii_lowercase

from homeroom.live.activities import insects
from homeroom.live.activities.base import WRITING, Activity, Picture
from homeroom.live.store.store import EventStore

PREFIX = "letter-"
"""How the ids of writing activities begin."""

LETTERS = tuple(ascii_lowercase)
"""The letters that can be written: those with a model in homeroom."""


def built_in() -> list[Activity]:
    """Return the built-in activities: the insects, and one per letter."""
    letters = [letter_activity(letter) for letter in LETTERS]
    return [insects.activity(), *(one for one in letters if one is not None)]


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
    if activity_id == insects.ID:
        return insects.activity()
    if activity_id.startswith(PREFIX):
        return letter_activity(activity_id.removeprefix(PREFIX))
    return store.activity(activity_id)


def listed(store: EventStore) -> list[Activity]:
    """Return all activities, those that teachers have added last."""
    return [*built_in(), *store.activities()]


def picture(store: EventStore, activity_id: str, item: str) -> Picture | None:
    """Return the picture of an item."""
    return insects.picture(item) if activity_id == insects.ID else store.picture(activity_id, item)
