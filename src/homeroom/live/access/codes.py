"""Codes to join a class with: short enough to be read out, too many to be tried."""

from __future__ import annotations

import secrets

ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Without 0, 1, I and O, which look alike."""

LENGTH = 6

SEAT_LENGTH = 8
"""A code for somebody's seat is longer, so that everybody can tell it from a class's."""


def new_code(length: int = LENGTH) -> str:
    """Return a code; of six letters there are a billion, of eight a thousand times as many."""
    return "".join(secrets.choice(ALPHABET) for _ in range(length))


def tidy(text: str) -> str:
    """Return a code as it is stored, however it was typed.

    >>> tidy(" abc-234 ")
    'ABC234'
    """
    return "".join(letter for letter in text.upper() if letter in ALPHABET)
