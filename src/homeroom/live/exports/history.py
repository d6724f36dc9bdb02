"""The lessons of a class: how many answers were right, by lesson, student and item."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from homeroom.live.activities.base import Activity, Item
from homeroom.live.classbook import ClassBook
from homeroom.live.classbook.board import picture_of
from homeroom.live.classbook.book import Find
from homeroom.live.classbook.state import State
from homeroom.live.events import MapDrawn
from homeroom.live.exports.table import clock
from homeroom.live.store.store import Stored, lessons_in

PARTS = {"pretest": "before", "teach": "during", "posttest": "after"}
"""The part of a lesson that each phase is."""


class PastAnswer(NamedTuple):
    """An answer that counts; ``part`` is before, during or after the lesson."""

    lesson: int
    part: str
    student: str
    item: str
    right: bool | None


def history_of(book: ClassBook, stored: Sequence[Stored], find: Find) -> dict[str, Any]:
    """Return all lessons of a class, and the part of each student and item in them.

    Parameters
    ----------
    book
        The class as it is now: students who were removed are left out.
    stored
        Its whole log.
    find
        Returns the activities.

    Notes
    -----
    Answers are collected without the beliefs about students, so the cost is one pass over the log.
    """
    lessons = lessons_in(stored[: book.version])
    states = list(_states(lessons, find))
    known = book.state.people
    given = [one for state in states for one in _given(state) if one.student in known]
    by_lesson, by_student, by_item = _tables(given, states)
    return {
        "lessons": [
            {
                **_lesson(state, events),
                "letters": sum(one.student in known for one in state.wrote),
                "students": len({one.student for one in given if one.lesson == state.lesson}),
                **_shares(by_lesson[state.lesson]),
            }
            for state, events in zip(states, lessons, strict=True)
        ],
        "students": [
            {
                "id": one.id,
                "name": one.name,
                "lessons": [
                    {"lesson": lesson, **_shares(parts)}
                    for lesson, parts in by_student[one.id].items()
                ],
            }
            for one in known.values()
        ],
        "items": [
            {
                **_item(activity, activity.item_of[item]),
                "lessons": [
                    {"lesson": lesson, **_shares(parts)} for lesson, parts in found.items()
                ],
            }
            for (activity, item), found in _asked(by_item, states)
        ],
    }


def _states(lessons: Sequence[Sequence[Stored]], find: Find) -> Iterator[State]:
    """Yield the state at the end of each lesson: without a map there are no beliefs to compute."""

    @cache
    def bare(activity: str) -> Activity:
        found = find(activity) or Activity(activity, activity)
        return replace(found, places=None, target=None)

    book = ClassBook.begin(bare(getattr(lessons[0][0].event, "activity", "")), find=bare)
    for events in lessons:
        for one in events:
            if not isinstance(one.event, MapDrawn):
                book = book.after(one.event)
        yield book.state


def _given(state: State) -> Iterator[PastAnswer]:
    """Yield the answers of a lesson; ``right`` is ``None`` for an item without a label."""
    labels = state.activity.labels
    for done in state.rounds:
        for (student, item), answer in done.answers.items():
            right = answer == labels[item] if item in labels else None
            yield PastAnswer(state.lesson, PARTS[done.phase], student, item, right)


Parts = dict[str, list[bool]]
"""Whether each answer was right, by part of the lesson."""


def _parts() -> Parts:
    return {part: [] for part in PARTS.values()}


def _tables(
    given: Sequence[PastAnswer], states: Sequence[State]
) -> tuple[dict[int, Parts], dict[str, dict[int, Parts]], dict[tuple[str, str], dict[int, Parts]]]:
    """Return the answers that can be right or wrong, by lesson, student, and activity and item."""
    activity_of = {state.lesson: state.activity.id for state in states}
    by_lesson: dict[int, Parts] = defaultdict(_parts)
    by_student: dict[str, dict[int, Parts]] = defaultdict(lambda: defaultdict(_parts))
    by_item: dict[tuple[str, str], dict[int, Parts]] = defaultdict(lambda: defaultdict(_parts))
    for one in given:
        if one.right is not None:
            item = (activity_of[one.lesson], one.item)
            for table in (by_lesson, by_student[one.student], by_item[item]):
                table[one.lesson][one.part].append(one.right)
    return by_lesson, by_student, by_item


def _shares(parts: Parts) -> dict[str, Any]:
    """Return for each part how many answers there are, and how many were right."""
    return {
        part: {"answers": len(right), "right": sum(right)} if right else None
        for part, right in parts.items()
    }


def _asked(
    by_item: dict[tuple[str, str], dict[int, Parts]], states: Sequence[State]
) -> Iterator[tuple[tuple[Activity, str], dict[int, Parts]]]:
    """Yield the answers to each item, with its activity in place of the activity's id."""
    activities = {state.activity.id: state.activity for state in states}
    for (activity, item), found in by_item.items():
        yield (activities[activity], item), found


def _lesson(state: State, events: Sequence[Stored]) -> dict[str, Any]:
    """Return what the history states about a lesson, without its answers and letters."""
    return {
        "lesson": state.lesson,
        "activity": state.activity.id,
        "activity_name": state.activity.name,
        "kind": state.activity.kind,
        "began": clock(events[0].at),
        "last": clock(events[-1].at),
    }


def _item(activity: Activity, item: Item) -> dict[str, Any]:
    """Return what the history states about an item, without its answers."""
    return {
        "activity": activity.id,
        "item": item.id,
        "label": activity.right_word(item.id),
        "picture": picture_of(activity, item),
        "text": item.text or item.question,
    }
