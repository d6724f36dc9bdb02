"""A class as plain JSON values: the data of its report, and everything that is known about it."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from scipy.special import stdtrit

from homeroom.experiments import compare_arms
from homeroom.live.activities.base import WRITING
from homeroom.live.classbook import ClassBook
from homeroom.live.classbook.board import class_knows, group_name, item_of, results
from homeroom.live.classbook.choosing import sentence
from homeroom.live.classbook.experiment import Experiment, arms_of
from homeroom.live.classbook.rounds import Round
from homeroom.live.classbook.state import State
from homeroom.live.classbook.view import progress
from homeroom.live.events import Enrolled, Joined, Wrote
from homeroom.live.exports.history import PARTS
from homeroom.live.exports.table import answers, clock, experiment_lesson
from homeroom.live.store.store import Stored, lessons_in, plain

Z90 = 1.6448536269514722
"""The normal quantile of a 90 % interval."""

KNOWN = 0.8
"""The share of right answers at the end below which an item should be repeated."""

MOST_TO_REPEAT, MOST_CONFUSED = 6, 3
"""The most items, and the most mix-ups, that the report lists for the class; the most mix-ups for a
student."""

FEWEST_STUDENTS = 2
"""The smallest number of students from which an interval of the class's change is computed."""


def report_of(book: ClassBook, stored: Sequence[Stored]) -> dict[str, Any]:
    """Return the data of the report on the present lesson: what the class did and learned.

    The page puts it into words.
    """
    state, opened = book.state, book.state.opened
    assert opened is not None
    shown = [row for done in state.rounds if done.phase == "teach" for row in _shown(book, done)]
    tests = LessonAnswers.of(state)
    items = dict.fromkeys([*(row["item"] for row in shown), *tests.by_item])
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
        "knows": class_knows(state, state.joined),
        "before": _test_share(tests.given, "before"),
        "after": _test_share(tests.given, "after"),
        "change": _class_change(tests),
        "repeat": _repeat(state, tests),
        "errors": [point._asdict() for point in state.errors],
        "students": _students(book, tests),
        "tested": _tested(tests),
        "shown": shown,
        "items": [item_of(state, state.activity.item_of[item]) for item in items],
        "writing": _writing(book),
        "experiment": _experiment(book, stored),
    }


def _experiment(book: ClassBook, stored: Sequence[Stored]) -> dict[str, Any] | None:
    """Return the arms of an experiment, and how the first one compares with each other one.

    ``None`` if the lesson is not an experiment.
    """
    state = book.state
    if Experiment.of(state.opened) is None:
        return None
    lesson, about = experiment_lesson(book, stored)
    shares = {
        (arm, phase): [one.right for one in lesson.answers if (one.arm, one.phase) == (arm, phase)]
        for arm in lesson.arms
        for phase in ("pretest", "posttest")
    }
    arms = [
        {
            "arm": arm,
            "group": group_name(number),
            "students": lesson.students[arm],
            "tested": len(lesson.gains[arm]),
            "before": _right_share(shares[arm, "pretest"]),
            "after": _right_share(shares[arm, "posttest"]),
            "gain": sum(lesson.gains[arm]) / len(lesson.gains[arm]) if lesson.gains[arm] else None,
        }
        for number, arm in enumerate(lesson.arms)
    ]
    found = [compare_arms([lesson], lesson.arms[0], other) for other in lesson.arms[1:]]
    return {
        "explore": lesson.explore,
        "split": bool(arms_of(state)),
        "not_taking_part": about["not_taking_part"],
        "arms": arms,
        "differences": [
            {
                "arm": one.arm,
                "other": one.other,
                "difference": one.difference,
                "low": None if math.isnan(one.low) else one.low,
                "high": None if math.isnan(one.high) else one.high,
                "needed": one.needed(),
            }
            for one in found
            if one is not None
        ],
    }


def _right_share(right: Iterable[bool | None]) -> float | None:
    """Return the fraction of right answers; ``None`` without answers to labelled items."""
    known = [one for one in right if one is not None]
    return sum(known) / len(known) if known else None


def _counts(book: ClassBook) -> dict[str, int]:
    """Return the numbers of students, of rounds in which an example was shown, and of letters."""
    state = book.state
    return {
        "students": len(state.joined),
        "examples": sum(bool(done.shown) for done in state.rounds),
        "letters": len(state.wrote),
    }


class Given(NamedTuple):
    """An answer to a labelled item; ``part`` is before, during or after the lesson."""

    part: str
    student: str
    item: str
    answer: int
    right: bool


@dataclass(frozen=True)
class LessonAnswers:
    """The answers of a lesson to labelled items, by student and by item."""

    by_student: Mapping[str, Sequence[Given]]
    by_item: Mapping[str, Sequence[Given]]

    @classmethod
    def of(cls, state: State) -> LessonAnswers:
        """Return the answers of a class in its present lesson, in order of rounds."""
        labels = state.activity.labels
        by_student: dict[str, list[Given]] = defaultdict(list)
        by_item: dict[str, list[Given]] = defaultdict(list)
        for done in state.rounds:
            for (student, item), answer in done.answers.items():
                if item in labels:
                    one = Given(PARTS[done.phase], student, item, answer, answer == labels[item])
                    by_student[student].append(one)
                    by_item[item].append(one)
        return cls(by_student, by_item)

    @property
    def given(self) -> list[Given]:
        """All answers, one student after the other."""
        return [one for given in self.by_student.values() for one in given]


def _test_share(given: Iterable[Given], part: str) -> float | None:
    """Return the fraction of right answers in a part of the lesson; ``None`` without answers."""
    return _right_share(one.right for one in given if one.part == part)


def count_right(given: Iterable[Given], part: str) -> dict[str, int] | None:
    """Return the numbers of answers and of right ones in a part of the lesson.

    ``None`` without answers.
    """
    right = [one.right for one in given if one.part == part]
    return {"answers": len(right), "right": sum(right)} if right else None


def change_of_share(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, float]:
    """Return by how much a share of right answers has changed, with a 90 % interval.

    Newcombe's interval for the difference of two proportions, from Wilson's for each: it is valid
    for the few questions of a test. It treats the two tests as independent. Both ask the same
    questions, so the interval is somewhat too wide.

    >>> {
    ...     name: round(value, 2)
    ...     for name, value in change_of_share(
    ...         {"answers": 10, "right": 5}, {"answers": 10, "right": 9}
    ...     ).items()
    ... }
    {'middle': 0.4, 'low': 0.06, 'high': 0.64}
    """
    p, below, above = _wilson(before)
    q, low, high = _wilson(after)
    return {
        "middle": q - p,
        "low": q - p - math.hypot(q - low, above - p),
        "high": q - p + math.hypot(high - q, p - below),
    }


def _wilson(given: Mapping[str, int]) -> tuple[float, float, float]:
    """Return a share of right answers, and Wilson's 90 % interval for it."""
    n, p = given["answers"], given["right"] / given["answers"]
    middle = (p + Z90**2 / (2 * n)) / (1 + Z90**2 / n)
    half = Z90 * math.sqrt(p * (1 - p) / n + Z90**2 / (4 * n * n)) / (1 + Z90**2 / n)
    return p, middle - half, middle + half


def _class_change(tests: LessonAnswers) -> dict[str, float] | None:
    """Return the mean change over the students who took both tests, with a 90 % interval."""
    changes = []
    for given in tests.by_student.values():
        before, after = _test_share(given, "before"), _test_share(given, "after")
        if before is not None and after is not None:
            changes.append(after - before)
    if len(changes) < FEWEST_STUDENTS:
        return None
    mean = sum(changes) / len(changes)
    spread = math.sqrt(sum((one - mean) ** 2 for one in changes) / (len(changes) - 1))
    half = float(stdtrit(len(changes) - 1, 0.95)) * spread / math.sqrt(len(changes))
    return {"middle": mean, "low": max(mean - half, -1.0), "high": min(mean + half, 1.0)}


def _latest(given: Sequence[Given]) -> list[Given]:
    """Return the answers that show what is known at the end.

    For each item, those in the post-test if there are any, or else the last one of each student.
    """
    tested = {one.item for one in given if one.part == "after"}
    kept = [one for one in given if one.part == "after" or one.item not in tested]
    return list({(one.student, one.item): one for one in kept}.values())


def _confused(state: State, given: Sequence[Given], most: int) -> list[dict[str, Any]]:
    """Return the ``most`` frequent mix-ups among the latest answers.

    Each has the right answer, the answer given, and how often. ``item`` is set only for an item
    with its own options.
    """
    activity = state.activity
    pairs = Counter(
        (
            activity.right_word(one.item),
            activity.word(one.answer, one.item),
            one.item if activity.item_of[one.item].options else None,
        )
        for one in _latest(given)
        if not one.right
    )
    return [
        {"right": right, "given": answer, "item": item, "count": count}
        for (right, answer, item), count in pairs.most_common(most)
    ]


def _tested(tests: LessonAnswers) -> list[dict[str, Any]]:
    """Return the numbers of answers and of right ones before, during and after the lesson.

    For each labelled item that was asked.
    """
    return [
        {"item": item, **{part: count_right(given, part) for part in PARTS.values()}}
        for item, given in tests.by_item.items()
    ]


def _repeat(state: State, tests: LessonAnswers) -> dict[str, Any]:
    """Return what to repeat.

    The items with fewer than 80 % right answers at the end, the worst first, and the most frequent
    mix-ups.
    """
    found = []
    for item, given in tests.by_item.items():
        last = _latest(given)
        share = sum(one.right for one in last) / len(last)
        if share < KNOWN:
            found.append((share, -len(last), item))
    return {
        "items": [item for _, _, item in sorted(found)[:MOST_TO_REPEAT]],
        "confusions": _confused(state, tests.given, MOST_TO_REPEAT),
    }


def _students(book: ClassBook, tests: LessonAnswers) -> list[dict[str, Any]]:
    """Return what the report states about each student who has joined."""
    kept = ("id", "name", "p_right", "rate_words", "honest", "same_button", "hasty")
    return [
        {
            **{name: one[name] for name in kept},
            **progress(book.state, one["id"]),
            **_before_and_after(book.state, tests.by_student.get(one["id"], ())),
        }
        for one in book.board()["students"]
        if one["joined"]
    ]


def _before_and_after(state: State, given: Sequence[Given]) -> dict[str, Any]:
    """Return a student's test results, their change, and their mix-ups."""
    before, after = count_right(given, "before"), count_right(given, "after")
    return {
        "before": before,
        "after": after,
        "change": change_of_share(before, after) if before and after else None,
        "confuses": _confused(state, given, MOST_CONFUSED),
    }


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
            "form": one["form"],
            "letters": len(one["tries"]),
            "first": one["tries"][0] if one["tries"] else None,
            "last": one["tries"][-1] if len(one["tries"]) > 1 else None,
        }
        for one in letters["students"]
    ]
    return {**letters, "students": children}


FORMAT = "homeroom class, version 1"


def json_of(book: ClassBook, stored: Sequence[Stored]) -> str:
    """Return a class as JSON: its state in the present lesson, and the log of all lessons.

    To rebuild the state, homeroom needs the log and the activity. The names and the handwriting of
    removed students are left out.
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
    """Return what the JSON export states about a student; ``one`` is from the board."""
    kept = ("id", "name", "joined", "p_right", "state", "group", "rate_words", "honest")
    return {**{name: one[name] for name in kept}, "progress": progress(book.state, one["id"])}
