"""How a whole lesson is computed, and which way is chosen: the only place that decides.

A lesson has an *engine*, which computes its rounds for each group: ``exact`` or ``sketch``. Where
every student is taught alone, there are two shorter ways. A closed form applies where each student
moves straight to the target. Otherwise all students may be taught in step, round by round.

``goal.alone`` is the squared distance at which a student who is taught alone is done.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats, Ints
from homeroom._checks import InputError
from homeroom.classroom import Classroom, LargeClass
from homeroom.engines import (
    ENGINES,
    MAY_MOVE_AWAY,
    TOLERANCE,
    Straight,
    has_closed_form,
    straight_lessons,
    tutored_lessons,
    why_not_sketched,
)
from homeroom.lessons.record import Record, mean_over_students
from homeroom.lessons.transcript import (
    CODES,
    AxesTranscript,
    StoppedBecause,
    StraightTranscript,
    Transcript,
)
from homeroom.observers import AbstractExaminer
from homeroom.teachers import AbstractPlanner, AbstractTutor

if TYPE_CHECKING:
    from homeroom.lessons.lesson import Lesson

FEWEST = 30_000
STUDENTS_PER_DIMENSION = 300
"""From how many students per group, and per dimension, the sketch is faster."""

PLANNING = 0.9
"""The share of a group's progress bar that making its plan takes, where there is one."""


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


Report = Callable[[Progress], None]
"""Is called with the progress of a lesson from time to time."""


def engine_for(lesson: Lesson, wanted: str) -> str:
    """Return the engine of a lesson, ``"exact"`` or ``"sketch"``.

    ``"auto"`` is the sketch where it gives the same lesson in less time. The exact engine is used
    for students who learn at random (a sketch has only their average), for goals that depend on
    single students, and for small groups.
    """
    if wanted not in ENGINES:
        raise InputError(f"`engine` must be one of {', '.join(ENGINES)}, but is {wanted!r}.")
    large = isinstance(lesson.room, LargeClass)
    if wanted == "exact" and large:
        raise InputError(
            "The exact engine needs the class in memory, but this one is read piece by piece: "
            "leave engine out, or load the class with Classroom.load(...)."
        )
    if wanted == "sketch" or large:
        if (why := _why_not_sketched(lesson)) is not None:
            raise InputError(f"A sketch cannot hold this lesson: {why}. Use engine='exact'.")
        return "sketch"
    if wanted == "exact" or is_small(lesson.room, lesson.smallest_group):
        return "exact"
    plain = lesson.goal.mean_is_enough and lesson.learner.shrinks_gaps
    return "sketch" if plain and _why_not_sketched(lesson) is None else "exact"


def is_small(room: Classroom | LargeClass, group: int | None = None) -> bool:
    """Return whether a class, or its smallest group, is too small for a sketch to be faster."""
    if not isinstance(room, Classroom):
        return False
    enough = max(FEWEST, STUDENTS_PER_DIMENSION * room.dimensions)
    return (room.students if group is None else group) < enough


def _why_not_sketched(lesson: Lesson) -> str | None:
    """Return why a lesson cannot be given to a sketch, or ``None`` if it can."""
    if len(lesson.watch):
        return "it does not watch single students"
    return why_not_sketched(
        lesson.room, lesson.teacher, lesson.observer, lesson.learner, lesson.goal
    )


class AbstractStrategy(ABC):
    """One way to compute a whole lesson."""

    @abstractmethod
    def fits(self, lesson: Lesson) -> bool:
        """Return whether the lesson can be computed in this way."""

    @abstractmethod
    def run(self, lesson: Lesson, progress: Report) -> Record:
        """Return the record of the lesson."""


def strategy_for(lesson: Lesson) -> AbstractStrategy:
    """Return the shortest way to compute a lesson."""
    return next(strategy for strategy in STRATEGIES if strategy.fits(lesson))


def _one_each(lesson: Lesson) -> bool:
    """Return whether every student is taught alone, with a goal on the distance."""
    if isinstance(lesson.room, LargeClass) or lesson.room.students == 1:
        return False
    group_of = lesson.group_of
    one_group = group_of.strides == (0,)  # one number for all students
    alone = not one_group and int(group_of.max()) == len(group_of) - 1
    return alone and lesson.goal.alone > 0.0


def _in_memory(lesson: Lesson) -> Classroom:
    """Return the class, which is in memory."""
    assert isinstance(lesson.room, Classroom)  # students of other classes are not taught alone
    return lesson.room


class ClosedForm(AbstractStrategy):
    """Individual lessons in one formula: each student moves straight to the target."""

    def fits(self, lesson: Lesson) -> bool:
        return _one_each(lesson) and has_closed_form(
            lesson.teacher, lesson.learner, lesson.observer, _in_memory(lesson)
        )

    def run(self, lesson: Lesson, progress: Report) -> Record:
        room = lesson.room
        assert isinstance(room, Classroom)
        alone = straight_lessons(room, lesson.goal.alone, lesson.max_rounds)
        stops = _codes(alone.left, alone.estimates, lesson.goal.alone)
        gaps, axes = room.gaps, alone.axes
        # In the order of the groups. If that is the order of the students, gaps are not copied.
        sorted_by_group = np.argsort(lesson.group_of)
        same = np.array_equal(sorted_by_group, np.arange(room.students))
        order = slice(None) if same else sorted_by_group
        transcript: StraightTranscript | AxesTranscript
        if axes is None:
            transcript = StraightTranscript(
                rounds=alone.rounds[order],
                stops=stops[order],
                gaps=_arrays.to_host(gaps)[order],
                target=_arrays.to_host(room.target),
                g=alone.g[order],
                shrink=alone.shrink[order],
            )
        else:
            transcript = AxesTranscript(
                rounds=alone.rounds[order],
                stops=stops[order],
                squares=axes.squares[order],
                directions=axes.directions[order],
                counts=axes.counts[order],
                target=_arrays.to_host(room.target),
                g=alone.g[order],
                shrink=alone.shrink[order],
            )
        return Record(
            transcript,
            lesson.group_of,
            partial(_straight_states, alone, gaps, room.target, lesson.shaped(gaps).shape),
            lesson.settings,
            error_estimate=float(alone.estimates.mean()),
            group_estimates=alone.estimates[order],
        )


def _straight_states(alone: Straight, gaps: Array, target: Array, shape: tuple[int, ...]) -> Array:
    """Return the states at the end of lessons in closed form, given the gaps at the start.

    ``shape`` is the shape of the result. The states are computed when they are asked for:
    O(students * dimensions), with two arrays of that size.
    """
    if alone.axes is None:
        left = gaps * _arrays.like(alone.shrink**alone.rounds, gaps)[:, None]
    else:
        left = _arrays.like(alone.axes.gaps_after(_arrays.to_host(gaps), alone.shrink), gaps)
    return _arrays.namespace(left).reshape(target + left, shape)


class InStep(AbstractStrategy):
    """Individual lessons of all students at once, round by round."""

    def fits(self, lesson: Lesson) -> bool:
        # One matrix per student would be students * dimensions^2 numbers: where the teacher
        # observes only moments, students are taught one by one.
        return (
            isinstance(lesson.teacher, AbstractTutor)
            and "shown" not in lesson.teacher.needs  # each student has been shown other items
            and lesson.learner.independent
            and "states" in lesson.observer.provides
            and not isinstance(lesson.observer, AbstractExaminer)  # judges each group by itself
            and _one_each(lesson)
        )

    def run(self, lesson: Lesson, progress: Report) -> Record:
        room, teacher = lesson.room, lesson.teacher
        assert isinstance(room, Classroom)
        assert isinstance(teacher, AbstractTutor)
        order = np.argsort(lesson.group_of)
        students = room.students
        for_teacher, for_observer, for_learner = lesson.rng.spawn(3)
        with quiet_overflow():
            alone = tutored_lessons(
                room.subset(order),
                teacher=teacher,
                learner=lesson.learner,
                observer=lesson.observer,
                enough=lesson.goal.alone,
                max_rounds=lesson.max_rounds,
                rngs=(for_teacher, for_observer, for_learner),
                progress=lambda number, share: progress(
                    Progress(round(share * students), students, number, math.nan, share)
                ),
            )
        if MAY_MOVE_AWAY in alone.counts:
            lengths = (alone.xs * alone.xs).sum(axis=1)
            rates = _arrays.to_host(room.rates)[order]
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
        final = lesson.shaped(_arrays.take_rows(alone.states, np.argsort(order)))
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


class RoundByRound(AbstractStrategy):
    """Ask and tell until every group is done, with the exact or the sketch engine."""

    def fits(self, lesson: Lesson) -> bool:
        return True

    def run(self, lesson: Lesson, progress: Report) -> Record:
        planned = PLANNING if isinstance(lesson.teacher, AbstractPlanner) else 0.0
        with quiet_overflow():
            for group, part in enumerate(lesson.parts):
                now = partial(_now, progress, lesson, group)
                lesson.thinking = partial(_thinking, now)
                while part.ask() is not None:
                    part.tell()
                    if len(part.shown) % 64 == 0:
                        now(planned + (1.0 - planned) * _done(part.errors, lesson.goal.alone))
            return lesson.record()


STRATEGIES: tuple[AbstractStrategy, ...] = (ClosedForm(), InStep(), RoundByRound())
"""The shortest first; the last fits every lesson."""


def quiet_overflow() -> np.errstate:
    """Return a context in which a class may diverge; the record reports it."""
    return np.errstate(over="ignore", invalid="ignore")


def _thinking(now: Callable[[float, int], None], share: float, rounds: int) -> None:
    """Report the progress of a group's plan."""
    now(PLANNING * share, rounds)


def _now(report: Report, lesson: Lesson, group: int, done: float, planned: int = 0) -> None:
    """Report the progress of the lesson; ``done`` (0 to 1) is the share of this group's part."""
    groups, part = len(lesson.parts), lesson.parts[group]
    share = (group + done) / groups
    report(Progress(group, groups, len(part.shown), part.errors[-1], share, planned))


def _done(errors: Sequence[float], goal: float) -> float:
    """Return the share of the way to the goal that is done, on a logarithmic scale.

    The scale is logarithmic because errors fall geometrically.
    """
    start, now = errors[0], errors[-1]
    if not 0 < goal < start or not math.isfinite(now) or now <= 0:
        return 0.0
    return min(1.0, max(0.0, math.log(start / now) / math.log(start / goal)))


def _codes(distances: Floats, off: Floats, enough: float) -> Ints:
    """Return why each student stopped, as an index into ``CODES``.

    ``distances`` are squared distances at the end, ``off`` bounds on their rounding errors, and
    ``enough`` is the squared distance at which a student is done. As for groups, rounding within
    ``TOLERANCE`` of the squared distance is ignored.
    """
    goal, rounds, rounding = (
        CODES.index(reason)
        for reason in (StoppedBecause.GOAL, StoppedBecause.ROUNDS, StoppedBecause.ROUNDING)
    )
    sure = (distances + off <= enough) | (off <= TOLERANCE * distances)
    return np.where(distances > enough, rounds, np.where(sure, goal, rounding)).astype(np.int64)
