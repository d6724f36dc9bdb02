"""Words that go with numbers."""

from __future__ import annotations


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number of things in words.

    >>> counted(1, "round"), counted(3, "round"), counted(2, "class", "classes")
    ('1 round', '3 rounds', '2 classes')
    """
    return f"{number} {one}" if number == 1 else f"{number} {many or one + 's'}"
