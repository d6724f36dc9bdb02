"""Why an item was chosen, in one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

TEACHER: dict[str, Any] = {"by": "teacher"}
"""The reason for an item that the teacher chose."""

REVIEW: dict[str, Any] = {"by": "review"}
"""The reason for an item of a group that has finished."""


def reason_of(*, wrong: float, of: int, off: float | None = None) -> dict[str, Any]:
    """Return the numbers behind a choice.

    Parameters
    ----------
    wrong
        The expected number of wrong answers.
    of
        The number of students.
    off
        By which fraction of the error the item is expected to reduce it, if there is a map.
    """
    reason = {"by": "lesson", "wrong": round(wrong, 1), "of": of}
    return reason if off is None else {**reason, "off": round(off, 4)}


def sentence(reason: Mapping[str, Any] | None) -> str:
    """Return why an item was chosen.

    >>> sentence({**reason_of(wrong=17.6, of=30, off=0.091), "unseen": True})
    'About 18 of 30 would get it wrong. No student has seen it yet.'
    """
    if reason is None:
        return ""
    if reason.get("by") == "teacher":
        return "The teacher chose it."
    if reason.get("by") == "review":
        return "The group has reached its goal: this is what it knows least surely."
    wrong = round(reason["wrong"])
    students = f"About {wrong} of {reason['of']}" if wrong else "Almost no student"
    new = " No student has seen it yet." if reason.get("unseen") else ""
    return f"{students} would get it wrong.{new}"
