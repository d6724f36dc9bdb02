"""Words that go with numbers."""

from __future__ import annotations

import math


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number of things in words.

    >>> counted(1, "round"), counted(3, "round"), counted(2, "class", "classes")
    ('1 round', '3 rounds', '2 classes')
    """
    return f"{number} {one}" if number == 1 else f"{number} {many or one + 's'}"


def cost(number: float) -> str:
    """Return a cost as text: whole from 100 on, below that with three digits.

    >>> cost(4.5), cost(7.0), cost(1234.5)
    ('4.5', '7', '1234')
    """
    return f"{number:.0f}" if number >= 100 else f"{number:.3g}"


def percent(share: float) -> str:
    """Return a share in words; a dash if there is none.

    >>> percent(0.561), percent(float("nan"))
    ('56 %', '-')
    """
    return "-" if math.isnan(share) else f"{100 * share:.0f} %"
