"""The lessons of a class: how many answers were right, by lesson, student and item."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from homeroom.live.activities.base import Activity
from homeroom.live.classbook.board import picture_of
from homeroom.live.classbook.state import Find, State
from homeroom.live.events import MapDrawn
from homeroom.live.exports.table import clock
from homeroom.live.messages import views
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


def history_of(state: State, stored: Sequence[Stored], find: Find) -> views.History:
    """Return all lessons of a class, and the part of each student and item in them.

    Parameters
    ----------
    state
        The class as it is now: students who were removed are left out.
    stored
        Its whole log.
    find
        Returns the activities.

    Notes
    -----
    Answers are collected without the beliefs about students, so the cost is one pass over the log.
    """
    lessons = lessons_in(stored[: state.version])
    states = list(_states(lessons, find))
    known = state.people
    given = [one for past in states for one in _list_answers(past) if one.student in known]
    by_lesson, by_student, by_item = _tables(given, states)
    activities = {past.activity.id: past.activity for past in states}
    return views.History(
        lessons=[
            views.LessonLine(
                lesson=past.lesson,
                activity=past.activity.id,
                activity_name=past.activity.name,
                kind=past.activity.kind,
                began=clock(events[0].at),
                last=clock(events[-1].at),
                letters=sum(one.student in known for one in past.wrote),
                students=len({one.student for one in given if one.lesson == past.lesson}),
                **_count_parts(by_lesson[past.lesson]),
            )
            for past, events in zip(states, lessons, strict=True)
        ],
        students=[
            views.StudentHistory(id=one.id, name=one.name, lessons=_parts_of(by_student[one.id]))
            for one in known.values()
        ],
        items=[
            _item(activities[activity], item, _parts_of(lessons_of))
            for (activity, item), lessons_of in by_item.items()
        ],
    )


def _states(lessons: Sequence[Sequence[Stored]], find: Find) -> Iterator[State]:
    """Yield the state at the end of each lesson: without a map there are no beliefs to compute."""

    @cache
    def bare(activity: str) -> Activity:
        found = find(activity) or Activity(activity, activity)
        return replace(found, places=None, target=None)

    state = State.begin(bare(getattr(lessons[0][0].event, "activity", "")), find=bare)
    for events in lessons:
        for one in events:
            if not isinstance(one.event, MapDrawn):
                state = state.after(one.event)
        yield state


def _list_answers(state: State) -> Iterator[PastAnswer]:
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


def count_right(right: Sequence[bool]) -> views.RightOf | None:
    """Return the numbers of answers and of right ones; ``None`` without answers."""
    return views.RightOf(answers=len(right), right=sum(right)) if right else None


def _count_parts(parts: Parts) -> dict[str, views.RightOf | None]:
    """Return for each part how many answers there are, and how many were right."""
    return {part: count_right(right) for part, right in parts.items()}


def _parts_of(lessons: Mapping[int, Parts]) -> list[views.LessonParts]:
    """Return the numbers of answers in each lesson."""
    return [
        views.LessonParts(lesson=lesson, **_count_parts(parts)) for lesson, parts in lessons.items()
    ]


def _item(activity: Activity, name: str, lessons: list[views.LessonParts]) -> views.ItemHistory:
    """Return what the history states about an item."""
    item = activity.item_of[name]
    return views.ItemHistory(
        activity=activity.id,
        item=name,
        label=activity.right_word(name),
        picture=picture_of(activity, item),
        text=item.text or item.question,
        lessons=lessons,
    )
