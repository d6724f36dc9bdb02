"""Why an item was chosen, in one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

TEACHER: dict[str, Any] = {"by": "teacher"}
"""The reason for an item that the teacher chose."""

REVIEW: dict[str, Any] = {"by": "review"}
"""The reason for an item shown to a group that has reached its goal."""


def reason_of(
    *, wrong: float, of: int, off: float | None = None, said: tuple[int, float] | None = None
) -> dict[str, Any]:
    """Return the numbers behind a choice.

    Parameters
    ----------
    wrong
        The expected number of wrong answers.
    of
        The number of students.
    off
        The expected reduction of the error, as a fraction of it, if items have features. It is
        stored, but is not part of the sentence.
    said
        With more than two answers, the number of the most frequent wrong one, and how many students
        would give it.
    """
    reason: dict[str, Any] = {"by": "lesson", "wrong": round(wrong, 1), "of": of}
    if said is not None:
        reason |= {"answer": said[0], "said": round(said[1], 1)}
    return reason if off is None else {**reason, "off": round(off, 4)}


def sentence(reason: Mapping[str, Any] | None) -> str:
    """Return why an item was chosen; empty without a reason.

    The caller adds ``"unseen": True`` if no student has seen the item.

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
