"""A class as JSON: answers, examples and why they were chosen, estimates, and the log."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from homeroom.live.classbook import ClassBook
from homeroom.live.classbook.choosing import sentence
from homeroom.live.classbook.view import progress
from homeroom.live.events import Enrolled, Joined, Wrote
from homeroom.live.exports.table import answers, clock
from homeroom.live.store.store import Stored, plain

FORMAT = "homeroom class, version 1"


def json_of(book: ClassBook, stored: Sequence[Stored]) -> str:
    """Return all data of a class; the ``log`` alone is enough to rebuild the rest.

    The log has all lessons; the other entries describe the present one.
    The name and the handwriting of a student who was removed are not in it.
    """
    state, opened = book.state, book.state.opened
    assert opened is not None
    board = book.board()
    values = {
        "format": FORMAT,
        "name": opened.name,
        "activity": {"id": state.activity.id, "name": state.activity.name},
        "goal": opened.goal,
        "lesson": state.lesson,
        "students": [_student(book, one) for one in board["students"]],
        "rounds": [
            {
                "round": done.number,
                "phase": done.phase,
                "items": done.items,
                "why": [sentence(reason) for reason in done.reasons],
            }
            for done in state.rounds
        ],
        "answers": [
            {**one._asdict(), "right": one.right, "at": clock(one.at)}
            for one in answers(book, stored)
        ],
        "errors": board["errors"],
        "groups": board["groups"],
        "log": [plain(_without_removed(one, state.removed)) for one in stored],
    }
    return json.dumps(values, ensure_ascii=False, indent=1)


def _without_removed(stored: Stored, removed: frozenset[str]) -> Stored:
    """Return an event without what identifies a student who was removed."""
    match stored.event:
        case Enrolled(student=student) | Joined(student=student) if student in removed:
            return stored._replace(event=replace(stored.event, name=""))
        case Wrote(student=student) if student in removed:
            return stored._replace(event=replace(stored.event, strokes=()))
        case _:
            return stored


def _student(book: ClassBook, one: dict[str, Any]) -> dict[str, Any]:
    kept = ("id", "name", "joined", "p_right", "state", "group", "rate_words", "honest")
    return {**{name: one[name] for name in kept}, "progress": progress(book.state, one["id"])}
