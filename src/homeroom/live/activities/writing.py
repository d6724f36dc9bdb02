"""Activities in which a letter is written."""

from __future__ import annotations

from string import ascii_lowercase

from homeroom.live.activities.base import WRITING, Activity

PREFIX = "letter-"

LETTERS = tuple(ascii_lowercase)
"""The letters that can be written: those whose models ship with homeroom."""


def activity(letter: str) -> Activity | None:
    """Return the activity of a letter that ships with homeroom.

    >>> activity("f").name
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
