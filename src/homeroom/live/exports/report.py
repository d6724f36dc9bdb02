"""The data of a class's report, as plain JSON values; the page puts them into words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from homeroom.live.activities.base import WRITING
from homeroom.live.classbook import ClassBook
from homeroom.live.classbook.board import item_of, results
from homeroom.live.classbook.rounds import Round
from homeroom.live.classbook.view import progress
from homeroom.live.exports.table import clock
from homeroom.live.store.store import Stored, lessons_in


def report_of(book: ClassBook, stored: Sequence[Stored]) -> dict[str, Any]:
    """Return what a class did and learned, for a page to be printed."""
    state, opened = book.state, book.state.opened
    assert opened is not None
    shown = [row for done in state.rounds if done.phase == "teach" for row in _shown(book, done)]
    items = dict.fromkeys(row["item"] for row in shown)
    return {
        "name": opened.name,
        "activity": state.activity.id,
        "activity_name": state.activity.name,
        "kind": state.activity.kind,
        "lesson": state.lesson,
        "began": clock(lessons_in(stored)[-1][0].at),
        "last": clock(stored[-1].at),
        "retention_days": opened.retention_days,
        "goal": opened.goal,
        "counts": _counts(book),
        "before": _share(book, "pretest"),
        "after": _share(book, "posttest"),
        "errors": [point._asdict() for point in state.errors],
        "students": _students(book),
        "shown": shown,
        "items": [item_of(state, state.activity.item_of[item]) for item in items],
        "writing": _writing(book),
    }


def _counts(book: ClassBook) -> dict[str, int]:
    state = book.state
    return {
        "students": len(state.joined),
        "examples": sum(bool(done.shown) for done in state.rounds),
        "letters": len(state.wrote),
    }


def _share(book: ClassBook, phase: str) -> float | None:
    """Return the fraction of right answers in a test."""
    labels = book.state.activity.labels
    right = [
        answer == labels[item]
        for done in book.state.rounds
        if done.phase == phase
        for (_, item), answer in done.answers.items()
        if item in labels
    ]
    return sum(right) / len(right) if right else None


def _students(book: ClassBook) -> list[dict[str, Any]]:
    kept = ("id", "name", "p_right", "rate_words", "honest")
    return [
        {**{name: one[name] for name in kept}, **progress(book.state, one["id"])}
        for one in book.board()["students"]
        if one["joined"]
    ]


def _shown(book: ClassBook, done: Round) -> list[dict[str, Any]]:
    """Return the item of each group in a round, why it was chosen, and how many were right."""
    return [
        {
            **row,
            "round": done.number,
            "skipped": done.ended == "skipped",
            "cut_short": done.ended == "cut short",
        }
        for row in results(book.state, done)
    ]


def _writing(book: ClassBook) -> dict[str, Any] | None:
    """Return the model, and each student's first and last letter, in a class that writes."""
    if book.state.activity.kind != WRITING:
        return None
    letters = book.letters()
    children = [
        {
            "id": one["id"],
            "name": one["name"],
            "letters": len(one["tries"]),
            "first": one["tries"][0] if one["tries"] else None,
            "last": one["tries"][-1] if len(one["tries"]) > 1 else None,
        }
        for one in letters["students"]
    ]
    return {**letters, "students": children}
