"""Teaching a simulated class from beginning to end."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from homeroom import _arrays
from homeroom.classroom import Classroom
from homeroom.engines import MAY_MOVE_AWAY, can_be_straight, straight_lessons, tutored_lessons
from homeroom.goals import AbstractGoal, AverageGoal
from homeroom.groups import AbstractGrouping, WholeClass
from homeroom.learners import AbstractLearner, GradientLearner
from homeroom.lessons.lesson import Lesson, quiet_overflow
from homeroom.lessons.record import Record
from homeroom.lessons.transcript import CODES, StoppedBecause, StraightTranscript, Transcript
from homeroom.observers import AbstractObserver, ExactObserver, NoisyMoments
from homeroom.teachers import AbstractTeacher, AbstractTutor, ClassroomTeacher

NODES_TRIED = (33, 65, 129, 257, 513)
"""How many nodes a sketch is tried with, until its estimate is small enough."""

TOLERANCE = 1e-9
"""How far a sketch's error may be off, by its own estimate, for one of the error itself."""


class Progress(NamedTuple):
    """How far a lesson has come.

    ``group`` of ``groups`` is being taught, has seen ``rounds`` examples, and is at ``error``;
    ``done`` is an estimate between 0 and 1 of the whole.
    """

    group: int
    groups: int
    rounds: int
    error: float
    done: float


def teach(
    room: Classroom,
    *,
    teacher: AbstractTeacher | str = ClassroomTeacher(),
    goal: AbstractGoal | str = AverageGoal(0.1),
    groups: AbstractGrouping | str = WholeClass(),
    observer: AbstractObserver | str = ExactObserver(),
    learner: AbstractLearner | str = GradientLearner(),
    max_rounds: int = 100_000,
    engine: str = "auto",
    watch: Sequence[int] = (),
    seed: int | np.random.Generator = 0,
    progress: Callable[[Progress], None] | None = None,
) -> Record:
    """Teach a simulated class until its goal is reached, and return the record.

    Parameters
    ----------
    room
        The class; it stays as it is.
    teacher
        Who chooses the examples: a teacher, or a text such as ``"classroom:magnitude=joint"``.
    goal
        When a group is done.
    groups
        How the class is split: a grouping, or a text such as ``"by-knowledge:k=4"``.
    observer
        What the teacher sees.
    learner
        How students change.
    max_rounds
        The limit for each group.
    engine
        How rounds are computed: ``"exact"`` (or ``"auto"``), every student; or ``"sketch"``, whose
        rounds cost the same however many students there are.
    watch
        Students (counted from 0) whose own errors the record keeps; only with one group.
    seed
        A seed or a generator: the same seed gives the same record.
    progress
        Called now and then with a :class:`Progress`.

    Returns
    -------
    Record
        Everything that happened. Not reaching the goal is a result: see ``stopped_because``.

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
    settings: dict[str, Any] = {
        "teacher": teacher,
        "goal": goal,
        "groups": groups,
        "observer": observer,
        "learner": learner,
        "max_rounds": max_rounds,
        "watch": watch,
        "seed": seed,
    }
    report = progress or (lambda _: None)
    lesson = Lesson(room, engine=engine, **settings)
    everybody_alone = room.students > 1 and int(lesson.group_of.max()) == room.students - 1
    if everybody_alone and can_be_straight(lesson.teacher, lesson.learner, lesson.observer):
        return _straight(lesson)
    with quiet_overflow():
        if everybody_alone and _can_be_tutored(lesson):
            return _tutored(lesson, report)
        if lesson.engine == "sketch":
            return _sketched(room, settings, report)
        return _in_groups(lesson, report)


def _sketched(
    room: Classroom, settings: dict[str, Any], report: Callable[[Progress], None]
) -> Record:
    """Teach a sketch, with more nodes until they matter no more; else the students themselves."""
    for nodes in NODES_TRIED:
        lesson = Lesson(room, engine="sketch", nodes=nodes, **settings)
        record = _in_groups(lesson, report)
        if record.error_estimate <= TOLERANCE * record.errors[-1]:
            return record
    exact = _in_groups(Lesson(room, engine="exact", **settings), report)
    why = f"{NODES_TRIED[-1]} nodes leave an error of up to {record.error_estimate:.3g}"
    return replace(exact, settings={**exact.settings, "handed_over": [f"before round 1: {why}"]})


def _in_groups(lesson: Lesson, report: Callable[[Progress], None]) -> Record:
    for group, part in enumerate(lesson.parts):
        while part.ask() is not None:
            part.tell()
            if len(part.shown) % 64 == 0:
                done = _done(part.errors, lesson.goal.alone)
                report(
                    Progress(
                        group,
                        len(lesson.parts),
                        len(part.shown),
                        part.errors[-1],
                        (group + done) / len(lesson.parts),
                    )
                )
    return lesson.record()


def _can_be_tutored(lesson: Lesson) -> bool:
    # A noisy matrix for each student would be students * dimensions^2 numbers: taught one by one.
    return isinstance(lesson.teacher, AbstractTutor) and not isinstance(
        lesson.observer, NoisyMoments
    )


def _done(errors: Sequence[float], goal: float) -> float:
    """Return how much of the way is done, on the logarithmic scale on which errors fall evenly."""
    start, now = errors[0], errors[-1]
    if not 0 < goal < start or not math.isfinite(now) or now <= 0:
        return 0.0
    return min(1.0, max(0.0, math.log(start / now) / math.log(start / goal)))


def _straight(lesson: Lesson) -> Record:
    room = lesson.room
    alone = straight_lessons(room, lesson.goal.alone, lesson.max_rounds)
    left = alone.shrink**alone.rounds
    reached = alone.distances * left**2 <= lesson.goal.alone
    gaps = room.gaps
    final = room.target + gaps * _arrays.beside(left, room.rates)[:, None]
    # In the order of the groups, which need not be the order of the students.
    order = np.argsort(lesson.group_of)
    transcript = StraightTranscript(
        rounds=alone.rounds[order],
        stops=_codes(reached)[order],
        gaps=_arrays.small(gaps)[order],
        target=_arrays.small(room.target),
        g=alone.g[order],
        shrink=alone.shrink[order],
    )
    return Record(transcript, lesson.group_of, final, lesson.settings)


def _tutored(lesson: Lesson, report: Callable[[Progress], None]) -> Record:
    room = lesson.room
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
    stops = _codes(last <= lesson.goal.alone)
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
    return Record(transcript, lesson.group_of, final, lesson.settings, alone.counts)


def _codes(reached: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> _arrays.Ints:
    goal, rounds = CODES.index(StoppedBecause.GOAL), CODES.index(StoppedBecause.ROUNDS)
    return np.where(reached, goal, rounds).astype(np.int64)
