"""Teaching a simulated class from beginning to end."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from homeroom import _arrays
from homeroom.classroom import Classroom, LargeClass
from homeroom.engines import (
    MAY_MOVE_AWAY,
    TOLERANCE,
    can_be_straight,
    straight_lessons,
    tutored_lessons,
)
from homeroom.goals import AbstractGoal, AverageGoal
from homeroom.groups import AbstractGrouping, AbstractInformed, WholeClass
from homeroom.learners import AbstractLearner, GradientLearner
from homeroom.lessons import arguments
from homeroom.lessons.choose_engine import sketch_pays
from homeroom.lessons.lesson import Lesson, quiet_overflow
from homeroom.lessons.record import Record, mean_over_students
from homeroom.lessons.transcript import CODES, StoppedBecause, StraightTranscript, Transcript
from homeroom.lessons.verify import verified
from homeroom.observers import AbstractObserver, ExactObserver, NoisyMoments, QuizObserver
from homeroom.teachers import AbstractPlanner, AbstractTeacher, AbstractTutor, ClassroomTeacher

SEARCH = 0.8
"""The share of a lesson's progress that the search for groups takes, where there is one."""

PLANNING = 0.9
"""The share of a group's progress that its plan takes, where there is one."""


class Progress(NamedTuple):
    """How far a lesson has come.

    ``group`` of ``groups`` is being taught, has seen ``rounds`` examples, and is at ``error``;
    ``done`` is an estimate between 0 and 1 of the whole. While a planner plans, ``planned`` is the
    number of rounds of the current plan; else it is 0.
    """

    group: int
    groups: int
    rounds: int
    error: float
    done: float
    planned: int = 0


def teach(
    room: Classroom | LargeClass,
    *,
    teacher: AbstractTeacher | str = ClassroomTeacher(),
    goal: AbstractGoal | str = AverageGoal(0.1),
    groups: AbstractGrouping | str = WholeClass(),
    observer: AbstractObserver | str = ExactObserver(),
    learner: AbstractLearner | str = GradientLearner(),
    max_rounds: int = 100_000,
    engine: str = "auto",
    verify: bool = False,
    watch: Sequence[int] = (),
    seed: int | np.random.Generator = 0,
    progress: Callable[[Progress], None] | None = None,
) -> Record:
    """Teach a simulated class until its goal is reached, and return the record.

    Parameters
    ----------
    room
        The class; it is not changed. A :class:`LargeClass` is taught by its sketch.
    teacher
        Chooses the examples: a teacher, or a text such as ``"classroom:magnitude=joint"``.
    goal
        When a group is done.
    groups
        How the class is split: a grouping, or a text such as ``"by-knowledge:k=4"``.
    observer
        What the teacher observes.
    learner
        How students change.
    max_rounds
        The limit for each group.
    engine
        How rounds are computed: ``"exact"``, every student; ``"sketch"``, whose rounds cost the
        same for any number of students; or ``"auto"``, the sketch where it gives the same lesson
        and is faster, else exact. The record states which it was.
    verify
        Show the whole lesson to every student in a second pass at the end, with more digits where
        rounding errors may have grown: ``record.verified`` has the exact error and the distance of
        the farthest student.
    watch
        Students (counted from 0) whose own errors the record keeps; only with one group.
    seed
        A seed or a generator: the same seed gives the same record.
    progress
        Called from time to time with a :class:`Progress`.

    Returns
    -------
    Record
        Every example and error. Not reaching the goal is a result: see ``stopped_because``.

    Examples
    --------
    >>> room = Classroom.sample()
    >>> for groups in ("whole", "by-rate", "individuals"):
    ...     record = teach(room, groups=groups)
    ...     print(f"T = {record.rounds}, S = {record.workload:.1f}")
    T = 154, S = 154.0
    T = 340, S = 99.9
    T = 1237, S = 4.1
    """
    report = progress or (lambda _: None)
    lesson = Lesson(
        room,
        teacher=teacher,
        goal=goal,
        groups=groups,
        observer=observer,
        learner=learner,
        max_rounds=max_rounds,
        engine=engine,
        watch=watch,
        seed=seed,
        progress=_between(report, 0.0, SEARCH),
    )
    arguments.simulated_answers(lesson.observer)
    if isinstance(lesson.groups, AbstractInformed):
        report = _between(report, SEARCH, 1.0)
    if engine == "auto" and sketch_pays(lesson):
        lesson.engine = "sketch"
    if verify:
        arguments.can_be_verified(lesson.learner)
    record = _taught(lesson, report)
    return verified(record, lesson) if verify else record


def _between(
    report: Callable[[Progress], None], start: float, end: float
) -> Callable[[Progress], None]:
    """Return a callback for work that is a part of the whole."""
    return lambda now: report(now._replace(done=start + (end - start) * now.done))


def _one_each(group_of: _arrays.Ints) -> bool:
    one_group = group_of.strides == (0,)  # one number for all students
    return not one_group and int(group_of.max()) == len(group_of) - 1


def _taught(lesson: Lesson, report: Callable[[Progress], None]) -> Record:
    students = 1 if isinstance(lesson.room, LargeClass) else lesson.room.students
    all_alone = students > 1 and _one_each(lesson.group_of)
    if all_alone and can_be_straight(lesson.teacher, lesson.learner, lesson.observer):
        return _straight(lesson)
    with quiet_overflow():
        if all_alone and _can_be_tutored(lesson):
            return _tutored(lesson, report)
        return _in_groups(lesson, report)


def _in_groups(lesson: Lesson, report: Callable[[Progress], None]) -> Record:
    for group, part in enumerate(lesson.parts):
        planned = PLANNING if isinstance(lesson.teacher, AbstractPlanner) else 0.0
        now = partial(_now, report, lesson, group)
        lesson.thinking = partial(_thinking, now)
        while part.ask() is not None:
            part.tell()
            if len(part.shown) % 64 == 0:
                now(planned + (1.0 - planned) * _done(part.errors, lesson.goal.alone))
    return lesson.record()


def _thinking(now: Callable[[float, int], None], share: float, rounds: int) -> None:
    """Report the progress of a group's plan."""
    now(PLANNING * share, rounds)


def _now(
    report: Callable[[Progress], None], lesson: Lesson, group: int, done: float, planned: int = 0
) -> None:
    """Report the progress of the lesson, with some part of a group's done."""
    groups, part = len(lesson.parts), lesson.parts[group]
    share = (group + done) / groups
    report(Progress(group, groups, len(part.shown), part.errors[-1], share, planned))


def _can_be_tutored(lesson: Lesson) -> bool:
    # One matrix per student would be students * dimensions^2 numbers: they are taught one by one.
    return isinstance(lesson.teacher, AbstractTutor) and not isinstance(
        lesson.observer, NoisyMoments | QuizObserver
    )


def _done(errors: Sequence[float], goal: float) -> float:
    """Return the share that is done, on a logarithmic scale, on which errors fall evenly."""
    start, now = errors[0], errors[-1]
    if not 0 < goal < start or not math.isfinite(now) or now <= 0:
        return 0.0
    return min(1.0, max(0.0, math.log(start / now) / math.log(start / goal)))


def _straight(lesson: Lesson) -> Record:
    room = lesson.room
    assert isinstance(room, Classroom)
    alone = straight_lessons(room, lesson.goal.alone, lesson.max_rounds)
    left = alone.shrink**alone.rounds
    stops = _codes(alone.distances * left**2, alone.estimates, lesson.goal.alone)
    gaps = room.gaps
    final = room.target + gaps * _arrays.beside(left, room.rates)[:, None]
    # In the order of the groups, which need not be the order of the students.
    order = np.argsort(lesson.group_of)
    transcript = StraightTranscript(
        rounds=alone.rounds[order],
        stops=stops[order],
        gaps=_arrays.small(gaps)[order],
        target=_arrays.small(room.target),
        g=alone.g[order],
        shrink=alone.shrink[order],
    )
    return Record(
        transcript,
        lesson.group_of,
        final,
        lesson.settings,
        error_estimate=float(alone.estimates.mean()),
        group_estimates=alone.estimates[order],
    )


def _tutored(lesson: Lesson, report: Callable[[Progress], None]) -> Record:
    room = lesson.room
    assert isinstance(room, Classroom)
    order = np.argsort(lesson.group_of)
    assert isinstance(lesson.teacher, AbstractTutor)
    for_teacher, for_observer, for_learner = lesson.rng.spawn(3)
    alone = tutored_lessons(
        room.subset(order),
        teacher=lesson.teacher,
        learner=lesson.learner,
        observer=lesson.observer,
        enough=lesson.goal.alone,
        max_rounds=lesson.max_rounds,
        rngs=(for_teacher, for_observer, for_learner),
        progress=lambda number, share: report(
            Progress(round(share * room.students), room.students, number, math.nan, share)
        ),
    )
    if MAY_MOVE_AWAY in alone.counts:
        lengths = (alone.xs * alone.xs).sum(axis=1)
        rates = _arrays.small(room.rates)[order]
        lesson.warn_of(float((np.repeat(rates, alone.rounds) * lengths).max()))
    last = alone.errors[np.cumsum(alone.rounds + 1) - 1]
    stops = _codes(last, alone.estimates, lesson.goal.alone)
    stops[alone.stuck] = CODES.index(StoppedBecause.STUCK)
    stops[~np.isfinite(last)] = CODES.index(StoppedBecause.DIVERGED)
    transcript = Transcript(
        alone.rounds,
        stops,
        alone.errors,
        np.sqrt(alone.errors),
        alone.xs,
        alone.ys,
        alone.items,
    )
    final = _arrays.take_rows(alone.states, np.argsort(order))
    # Nothing is known about a student who diverged.
    estimates = np.where(np.isnan(alone.estimates), np.inf, alone.estimates)
    return Record(
        transcript,
        lesson.group_of,
        final,
        lesson.settings,
        alone.counts,
        error_estimate=mean_over_students(estimates, lesson.group_of),
        group_estimates=estimates,
    )


def _codes(distances: _arrays.Floats, off: _arrays.Floats, enough: float) -> _arrays.Ints:
    """Return why each student stopped, given how far the squared distances may be off.

    As for groups, rounding within ``TOLERANCE`` of the squared distance counts as none.
    """
    goal, rounds, rounding = (
        CODES.index(reason)
        for reason in (StoppedBecause.GOAL, StoppedBecause.ROUNDS, StoppedBecause.ROUNDING)
    )
    sure = (distances + off <= enough) | (off <= TOLERANCE * distances)
    return np.where(distances > enough, rounds, np.where(sure, goal, rounding)).astype(np.int64)
