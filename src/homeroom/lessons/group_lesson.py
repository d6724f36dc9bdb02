"""One group's part of a lesson, and the pure function that chooses its next example."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from homeroom import _arrays, _checks
from homeroom._arrays import Array, Floats, Ints
from homeroom._checks import InputError
from homeroom.classroom import Classroom, Example
from homeroom.engines import (
    CERTAIN,
    LONG,
    MAY_MOVE_AWAY,
    TOLERANCE,
    ExactClass,
    RoundingBounds,
    SketchClass,
)
from homeroom.goals import ClassProgress
from homeroom.learners import Squared
from homeroom.lessons.transcript import StoppedBecause
from homeroom.moments import Observation
from homeroom.observers import AbstractExaminer, AbstractObserver
from homeroom.observers.base import judge_progress, looked
from homeroom.teachers import AbstractTeacher
from homeroom.teachers.base import Report

if TYPE_CHECKING:
    from homeroom.lessons.lesson import Lesson


class NextExample(NamedTuple):
    """What to show next, and what the lesson keeps until then.

    ``example`` is ``None`` if no example helps. ``memory`` is what the observer remembers, ``plan``
    what the teacher remembers. ``notes`` are counts for the record.
    """

    example: Example | None
    memory: Any
    plan: Any
    notes: Mapping[str, int]


def next_example(
    teacher: AbstractTeacher,
    observer: AbstractObserver,
    memory: Any,
    plan: Any,
    *,
    truth: Observation,
    for_teacher: np.random.Generator | None = None,
    for_observer: np.random.Generator | None = None,
) -> NextExample:
    """Return the next example: the observer looks at the class, and the teacher chooses.

    Nothing is kept between calls: equal arguments, with generators in the same state, give the
    same example.

    Parameters
    ----------
    teacher, plan
        Chooses, prepared for the class; and its memory so far.
    observer, memory
        The observer, which returns what the teacher observes, and its memory so far.
    truth
        The true states and rates; :func:`observe_nothing` for real students.
    for_teacher, for_observer
        Random generators.
    """
    rng = np.random.default_rng(0) if for_observer is None else for_observer
    seen, memory = looked(observer, truth, memory, rng)
    rng = np.random.default_rng(0) if for_teacher is None else for_teacher
    example, plan = teacher.next(seen, plan, rng)
    if example is not None:
        truth.check_example(example, teacher)
    return NextExample(example, memory, plan, seen.notes)


def estimate_progress(
    observer: AbstractObserver, memory: Any, known: ClassProgress | None = None
) -> ClassProgress | None:
    """Return how far the class is: the estimate of an observer that examines, else what is known.

    Parameters
    ----------
    observer, memory
        The observer, and its memory so far.
    known
        How far the class really is; ``None`` if that is not known.
    """
    if not isinstance(observer, AbstractExaminer):
        return known
    progress = judge_progress(observer, memory) or known
    return None if progress is None else replace(progress, knows=lambda: observer.knows(memory))


def observe_nothing(target: Floats, *, example_radius: float) -> Observation:
    """Return an observation of students whose states and rates are not known.

    An observer with a memory (:class:`~homeroom.QuizObserver` with ``live=True``) puts its
    estimates in.
    """
    return Observation(
        target=target,
        example_radius=example_radius,
        state_radius=np.inf,
        loss=Squared(),
        gaps=np.zeros((0, len(target))),
        rates=np.zeros(0),
    )


NOTHING_ASKED = "No example is waiting for an outcome: call ask() first, then tell() once."


class GroupLesson:
    """One group's part of a lesson, taught like a class.

    Parameters
    ----------
    lesson
        The lesson: its teacher, goal, observer and learner, and its counts of notable events.
    students
        The group's students, in an engine.
    rngs
        The sources of randomness of the teacher and of the observer.
    rows
        The group's students, as rows of the class; ``None`` for all.
    report_plan
        Called while the teacher plans.
    """

    def __init__(
        self,
        lesson: Lesson,
        students: ExactClass | SketchClass,
        rngs: Sequence[np.random.Generator],
        rows: Ints | None,
        report_plan: Report,
    ) -> None:
        self.lesson = lesson
        self.rows = rows
        self._for_teacher, self._for_observer = rngs
        self.students = students
        self.memory: Any = lesson.observer.begin(cast(Classroom, students.room))
        """The observer's memory of the group."""
        self._plan: Any = lesson.teacher.begin(
            lesson.learner, lesson.goal, lesson.max_rounds, report_plan
        )
        self.asked: Example | None = None
        """The example whose outcome is not known yet, if there is one."""
        self.shown: list[Example] = []
        """The examples whose outcome is known."""
        self._items_shown: list[int] = []
        self.errors: list[float] = []
        """The mean squared distance at the start and after each round."""
        self.farthest: list[float] = []
        """The distance of the farthest student at the start and after each round."""
        self._watched: list[Floats] = []
        self.stopped_because = StoppedBecause.OPEN
        """Why the group stopped."""
        self._rounding_bounds = CERTAIN
        self._record_round()

    def reopen(self) -> None:
        """Continue to teach a group that has reached its goal, up to the limit of rounds."""
        is_done = self.stopped_because is StoppedBecause.GOAL
        if is_done and len(self.shown) < self.lesson.max_rounds:
            self.stopped_because = StoppedBecause.OPEN

    def own(self, rows: Array | None) -> Array | None:
        """Return the group's rows of an array with one row per student of the class."""
        return rows if rows is None or self.rows is None else _arrays.take_rows(rows, self.rows)

    def own_answers(self, answers: Any) -> Any:
        """Return the group's answers of a list with one answer per student of the class."""
        return answers if answers is None or self.rows is None else [answers[i] for i in self.rows]

    def ask(self) -> Example | None:
        """Return the group's next example, or ``None`` when it is done."""
        if self.asked is None and self.stopped_because is StoppedBecause.OPEN:
            lesson = self.lesson
            chosen = next_example(
                lesson.teacher,
                lesson.observer,
                self.memory,
                self._plan,
                truth=self.students.look(self._items_shown),
                for_teacher=self._for_teacher,
                for_observer=self._for_observer,
            )
            self.asked, self.memory, self._plan, notes = chosen
            for name, number in notes.items():
                lesson.counts[name] = lesson.counts.get(name, 0) + number
            if self.asked is None:
                there = lesson.goal.reached(self._progress())
                self.stopped_because = StoppedBecause.ROUNDING if there else StoppedBecause.STUCK
            else:
                reach = self.students.fastest * float(self.asked.x @ self.asked.x)
                if reach > LONG and lesson.learner.loss.is_quadratic:
                    self._count_long_example(reach)
        return self.asked

    def plan(self) -> dict[str, Any] | None:
        """Return the record's entry about the group's plan, if there is one."""
        return self.lesson.teacher.describe_plan(self._plan)

    def tell(
        self, states: Array | None = None, answers: Any = None, rates: Array | None = None
    ) -> None:
        """Record the outcome of the example: simulated, or the given states, answers and rates."""
        if self.asked is None:
            raise InputError(NOTHING_ASKED)
        outcome = self.students.learn(self.asked) if states is None else self.students.put(states)
        if not (states is None and answers is None and rates is None):
            used = outcome.rates if rates is None else rates
            outcome = replace(outcome, example=self.asked, answers=answers, rates=used)
        self.memory = self.lesson.observer.remember(self.memory, outcome)
        self.shown.append(self.asked)
        if self.asked.item is not None:
            self._items_shown.append(self.asked.item)
        self.asked = None
        self._record_round()

    @property
    def watched_errors(self) -> Floats:
        """The watched students' squared distances, shape ``(rounds + 1, watched)``."""
        return np.array(self._watched).reshape(len(self.errors), len(self.lesson.watch))

    def _record_round(self) -> None:
        """Append the group's errors to the record, and decide whether it stops."""
        students, goal, stop = self.students, self.lesson.goal, self.stopped_because
        now = self._progress()
        if goal.reached(now):
            students.settle()  # computes the distances again, without accumulated rounding
            now = self._progress()
            if goal.reached(now):
                stop = self._stop_at_goal(now)
        error, farthest = now.mean_squared, now.farthest
        if not math.isfinite(error):
            stop = StoppedBecause.DIVERGED
        elif stop is StoppedBecause.OPEN and students.is_lost():  # to rounding errors
            stop = StoppedBecause.ROUNDING
        elif stop is StoppedBecause.OPEN and len(self.shown) >= self.lesson.max_rounds:
            stop = StoppedBecause.ROUNDING if goal.reached(now) else StoppedBecause.ROUNDS
        self.stopped_because = stop
        self.errors.append(error)
        self.farthest.append(farthest)
        if len(self.lesson.watch):
            rows = _arrays.take_rows(students.squared_distances, self.lesson.watch)
            self._watched.append(_arrays.to_host(rows))

    def _stop_at_goal(self, now: ClassProgress) -> StoppedBecause:
        """Return why to stop, or ``OPEN``, when the goal seems reached.

        ``GOAL`` if it is reached even with the largest possible rounding errors, ``OPEN`` if more
        rounds may make it certain, else ``ROUNDING``. Rounding within ``TOLERANCE`` of the error,
        or of the greatest distance, is ignored: otherwise a class exactly at the goal would need
        one more round.
        """
        goal = self.lesson.goal
        # The bounds of an earlier round first, because new ones are expensive.
        if not goal.reached(now.farther_by(*self._rounding_bounds)):
            return StoppedBecause.OPEN
        self._rounding_bounds = doubt = self.uncertainty
        off_error = 0.0 if doubt.error <= TOLERANCE * now.mean_squared else doubt.error
        off_farthest = 0.0 if doubt.farthest <= TOLERANCE * now.farthest else doubt.farthest
        if goal.reached(now.farther_by(off_error, off_farthest)):
            return StoppedBecause.GOAL
        if goal.reached(replace(now, mean_squared=doubt.error, farthest=doubt.farthest)):
            return StoppedBecause.OPEN
        return StoppedBecause.ROUNDING

    @property
    def uncertainty(self) -> RoundingBounds:
        """Bounds on the numerical errors of the reported distances."""
        judged = estimate_progress(self.lesson.observer, self.memory)
        return self.students.uncertainty if judged is None else CERTAIN

    def _progress(self) -> ClassProgress:
        """Return how far the group is, as an observer that examines estimates it."""
        students, lesson = self.students, self.lesson
        known = ClassProgress(
            students.error,
            students.farthest,
            lambda: students.states,
            lesson.target,
            lesson.outputs,
        )
        if isinstance(lesson.observer, AbstractExaminer):
            return estimate_progress(lesson.observer, self.memory, known) or known
        return known

    def _count_long_example(self, reach: float) -> None:
        """Count an example with ``rate |x|^2`` so large that students may move away; warn once."""
        counts = self.lesson.counts
        if self._plan is None and MAY_MOVE_AWAY not in counts:  # a planner allows for it
            _checks.warn(
                f"rate * |x|^2 is {reach:.3g} for the fastest student, above 2: for a while this "
                "student moves away from the target. Split the class with groups=ByRate(), "
                "or use safe=True."
            )
        counts[MAY_MOVE_AWAY] = counts.get(MAY_MOVE_AWAY, 0) + 1
