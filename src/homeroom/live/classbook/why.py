"""Why an item is shown, in one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from homeroom._words import percent

TEACHER: dict[str, Any] = {"by": "teacher"}
"""The reason for what the teacher chose herself."""


def reason_of(*, wrong: float, of: int, off: float) -> dict[str, Any]:
    """Return the numbers behind a choice.

    Parameters
    ----------
    wrong
        How many would answer wrong, as is expected.
    of
        How many there are.
    off
        Which part of the error seeing the item takes off.
    """
    return {"by": "lesson", "wrong": round(wrong, 1), "of": of, "off": round(off, 4)}


def sentence(reason: Mapping[str, Any] | None) -> str:
    """Return why an item is shown.

    >>> sentence(reason_of(wrong=17.6, of=30, off=0.091))
    'About 18 of 30 would get it wrong; no other takes more off the error than its 9 %.'
    """
    if reason is None:
        return ""
    if reason.get("by") == "teacher":
        return "The teacher chose it."
    wrong = round(reason["wrong"])
    who = f"About {wrong} of {reason['of']}" if wrong else "Hardly anybody"
    return (
        f"{who} would get it wrong; no other takes more off the error than its "
        f"{percent(reason['off'])}."
    )
