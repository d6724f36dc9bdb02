"""Words that go with numbers."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """Return a number of things in words.

    >>> counted(1, "round"), counted(3, "round")
    ('1 round', '3 rounds')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
