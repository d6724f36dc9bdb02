"""A class as plain JSON values: the data of its report, and everything that is known about it."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from scipy.special import stdtrit

from homeroom.live.activities.base import WRITING
from homeroom.live.classbook.board import (
    answers_of,
    class_knows,
    group_name,
    list_errors,
    list_groups,
    list_students,
    show_item,
    shown_items,
)
from homeroom.live.classbook.choosing import sentence
from homeroom.live.classbook.experiment import Experiment, arms_of
from homeroom.live.classbook.rounds import Round
from homeroom.live.classbook.state import State
from homeroom.live.classbook.view import progress
from homeroom.live.events import Enrolled, Joined, Wrote
from homeroom.live.exports.history import PARTS, count_right
from homeroom.live.exports.table import answers, clock, experiment_lesson
from homeroom.live.messages import views
from homeroom.live.store.store import Stored, lessons_in, plain
from homeroom.studies.arm_comparison import compare_arms

Z90 = 1.6448536269514722
"""The normal quantile of a 90 % interval."""

KNOWN = 0.8
"""The share of right answers at the end below which an item should be repeated."""

MOST_TO_REPEAT, MOST_CONFUSED = 6, 3
"""The most items, and the most mix-ups, that the report lists for the class; the most mix-ups for a
student."""

FEWEST_STUDENTS = 2
"""The smallest number of students from which an interval of the class's change is computed."""


def report_of(state: State, stored: Sequence[Stored]) -> views.Report:
    """Return the data of the report on the present lesson: what the class did and learned.

    The page puts it into words.
    """
    opened = state.opened
    assert opened is not None
    taught = (done for done in state.rounds if done.phase == "teach")
    shown = [row for done in taught for row in _list_shown(state, done)]
    tests = LessonAnswers.of(state)
    items = dict.fromkeys([*(row.item for row in shown), *tests.by_item])
    return views.Report(
        name=opened.name,
        activity=state.activity.id,
        activity_name=state.activity.name,
        kind=state.activity.kind,
        lesson=state.lesson,
        began=clock(lessons_in(stored)[-1][0].at),
        last=clock(stored[-1].at),
        retention_days=opened.retention_days,
        goal=opened.goal,
        counts=views.ReportCounts(
            students=len(state.joined),
            examples=sum(bool(done.shown) for done in state.rounds),
            letters=len(state.wrote),
        ),
        knows=class_knows(state, state.joined),
        before=_test_share(tests.given, "before"),
        after=_test_share(tests.given, "after"),
        change=_class_change(tests),
        repeat=_repeat(state, tests),
        errors=list_errors(state),
        students=[_student(state, one, tests) for one in list_students(state) if one.joined],
        tested=[
            views.TestedItem(item=item, **count_parts(given))
            for item, given in tests.by_item.items()
        ],
        shown=shown,
        items=[show_item(state, state.activity.item_of[item]) for item in items],
        writing=_writing(state),
        experiment=_experiment(state, stored),
    )


def _experiment(state: State, stored: Sequence[Stored]) -> views.ReportExperiment | None:
    """Return the arms of an experiment, and how the first one compares with each other one.

    ``None`` if the lesson is not an experiment.
    """
    if Experiment.of(state.opened) is None:
        return None
    lesson, about = experiment_lesson(state, stored)
    shares = {
        (arm, phase): [one.right for one in lesson.answers if (one.arm, one.phase) == (arm, phase)]
        for arm in lesson.arms
        for phase in ("pretest", "posttest")
    }
    arms = [
        views.ReportArm(
            arm=arm,
            group=group_name(number),
            students=lesson.students[arm],
            tested=len(lesson.gains[arm]),
            before=_right_share(shares[arm, "pretest"]),
            after=_right_share(shares[arm, "posttest"]),
            gain=sum(lesson.gains[arm]) / len(lesson.gains[arm]) if lesson.gains[arm] else None,
        )
        for number, arm in enumerate(lesson.arms)
    ]
    found = [compare_arms([lesson], lesson.arms[0], other) for other in lesson.arms[1:]]
    return views.ReportExperiment(
        explore=lesson.explore,
        split=bool(arms_of(state)),
        not_taking_part=about["not_taking_part"],
        arms=arms,
        differences=[
            views.ArmDifference(
                arm=one.arm,
                other=one.other,
                difference=one.difference,
                low=None if math.isnan(one.low) else one.low,
                high=None if math.isnan(one.high) else one.high,
                needed=one.needed(),
            )
            for one in found
            if one is not None
        ],
    )


def _right_share(right: Iterable[bool | None]) -> float | None:
    """Return the fraction of right answers; ``None`` without answers to labelled items."""
    known = [one for one in right if one is not None]
    return sum(known) / len(known) if known else None


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


def count_parts(given: Sequence[Given]) -> dict[str, views.RightOf | None]:
    """Return the numbers of answers and of right ones before, during and after the lesson."""
    return {
        part: count_right([one.right for one in given if one.part == part])
        for part in PARTS.values()
    }


def change_of_share(before: views.RightOf, after: views.RightOf) -> views.ChanceBand:
    """Return by how much a share of right answers has changed, with a 90 % interval.

    Newcombe's interval for the difference of two proportions, from Wilson's for each: it is valid
    for the few questions of a test. It treats the two tests as independent. Both ask the same
    questions, so the interval is somewhat too wide.

    >>> five, nine = (views.RightOf(answers=10, right=right) for right in (5, 9))
    >>> {name: round(value, 2) for name, value in change_of_share(five, nine)}
    {'middle': 0.4, 'low': 0.06, 'high': 0.64}
    """
    p, below, above = _wilson(before)
    q, low, high = _wilson(after)
    return views.ChanceBand(
        middle=q - p,
        low=q - p - math.hypot(q - low, above - p),
        high=q - p + math.hypot(high - q, p - below),
    )


def _wilson(given: views.RightOf) -> tuple[float, float, float]:
    """Return a share of right answers, and Wilson's 90 % interval for it."""
    n, p = given.answers, given.right / given.answers
    middle = (p + Z90**2 / (2 * n)) / (1 + Z90**2 / n)
    half = Z90 * math.sqrt(p * (1 - p) / n + Z90**2 / (4 * n * n)) / (1 + Z90**2 / n)
    return p, middle - half, middle + half


def _class_change(tests: LessonAnswers) -> views.ChanceBand | None:
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
    return views.ChanceBand(middle=mean, low=max(mean - half, -1.0), high=min(mean + half, 1.0))


def _latest(given: Sequence[Given]) -> list[Given]:
    """Return the answers that show what is known at the end.

    For each item, those in the post-test if there are any, or else the last one of each student.
    """
    tested = {one.item for one in given if one.part == "after"}
    kept = [one for one in given if one.part == "after" or one.item not in tested]
    return list({(one.student, one.item): one for one in kept}.values())


def _list_mix_ups(state: State, given: Sequence[Given], most: int) -> list[views.MixUp]:
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
        views.MixUp(right=right, given=answer, item=item, count=count)
        for (right, answer, item), count in pairs.most_common(most)
    ]


def _repeat(state: State, tests: LessonAnswers) -> views.ReportRepeat:
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
    return views.ReportRepeat(
        items=[item for _, _, item in sorted(found)[:MOST_TO_REPEAT]],
        confusions=_list_mix_ups(state, tests.given, MOST_TO_REPEAT),
    )


def _student(state: State, one: views.BoardStudent, tests: LessonAnswers) -> views.ReportStudent:
    """Return what the report states about a student; ``one`` is from the board."""
    given = tests.by_student.get(one.id, ())
    parts = count_parts(given)
    before, after = parts["before"], parts["after"]
    return views.ReportStudent(
        id=one.id,
        name=one.name,
        p_right=one.p_right,
        rate_words=one.rate_words,
        honest=one.honest,
        same_button=one.same_button,
        hasty=one.hasty,
        **dict(progress(state, one.id)),
        before=before,
        after=after,
        change=change_of_share(before, after) if before and after else None,
        confuses=_list_mix_ups(state, given, MOST_CONFUSED),
    )


def _list_shown(state: State, done: Round) -> Iterator[views.ReportRow]:
    """Yield the item of each group in a round, why it was chosen, and how many were right."""
    for group, item, reason in shown_items(done):
        answers = answers_of(done, group)
        yield views.ReportRow(
            round=done.number,
            group=group_name(group) if len(done.items) > 1 else None,
            item=item,
            answers=len(answers),
            right=sum(answer == state.activity.labels.get(item) for answer in answers),
            skipped=done.ended == "skipped",
            cut_short=done.ended == "cut short",
            reason=None if reason is None else views.ChoiceReason(**reason),
        )


def _writing(state: State) -> views.ReportWriting | None:
    """Return the model, and each student's first and last letter, in a class that writes."""
    if state.activity.kind != WRITING:
        return None
    from homeroom.live.classbook.writing import show_letters  # here: it takes long to import

    letters = show_letters(state)
    students = [
        views.FirstAndLastLetter(
            id=one.id,
            name=one.name,
            form=one.form,
            letters=len(one.tries),
            first=one.tries[0] if one.tries else None,
            last=one.tries[-1] if len(one.tries) > 1 else None,
        )
        for one in letters.students
    ]
    return views.ReportWriting(**{**dict(letters), "students": students})


FORMAT = "homeroom class, version 1"


def json_of(state: State, stored: Sequence[Stored]) -> str:
    """Return a class as JSON: its state in the present lesson, and the log of all lessons.

    To rebuild the state, homeroom needs the log and the activity. The names and the handwriting of
    removed students are left out.
    """
    opened = state.opened
    assert opened is not None
    values = {
        "format": FORMAT,
        "name": opened.name,
        "activity": {"id": state.activity.id, "name": state.activity.name},
        "goal": opened.goal,
        "lesson": state.lesson,
        "students": [_plain_student(state, one) for one in list_students(state)],
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
            for one in answers(state, stored)
        ],
        "errors": [point._asdict() for point in state.errors],
        "groups": [one.model_dump(exclude_unset=True) for one in list_groups(state)],
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


def _plain_student(state: State, one: views.BoardStudent) -> dict[str, Any]:
    """Return what the JSON export states about a student; ``one`` is from the board."""
    kept = {"id", "name", "joined", "p_right", "state", "group", "rate_words", "honest"}
    progress_so_far = progress(state, one.id).model_dump()
    return {**one.model_dump(include=kept), "progress": progress_so_far}
