"""One group's part of a lesson, and the pure function that chooses its next example."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, cast

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats, Ints
from homeroom._checks import InputError, InputTypeError, described
from homeroom.classroom import Classroom, Example
from homeroom.engines import CERTAIN, LONG, MAY_MOVE_AWAY, TOLERANCE, RoundingBounds
from homeroom.goals import AbstractGoal, ClassProgress
from homeroom.learners import AbstractLoss, Squared
from homeroom.lessons.transcript import StoppedBecause
from homeroom.moments import Observation
from homeroom.observers import AbstractExaminer, AbstractObserver
from homeroom.observers.base import judged_by, looked
from homeroom.teachers import AbstractPlanner, AbstractTeacher, Task

if TYPE_CHECKING:
    from homeroom.lessons.lesson import Lesson


class NextExample(NamedTuple):
    """What to show next, and what the lesson keeps until then.

    ``example`` is ``None`` if no example helps. ``memory`` is what the observer remembers,
    ``course`` the planner's plan and its position in it. ``notes`` are counts for the record.
    """

    example: Example | None
    memory: Any
    course: Any
    notes: Mapping[str, int]


def next_example(
    teacher: AbstractTeacher,
    observer: AbstractObserver,
    memory: Any,
    goal: AbstractGoal,
    *,
    truth: Observation,
    rounds_left: int = 1,
    course: Any = None,
    plans: bool = True,
    for_teacher: np.random.Generator | None = None,
    for_observer: np.random.Generator | None = None,
    report: Callable[[float, int], None] = lambda _share, _rounds: None,
) -> NextExample:
    """Return the next example: the observer looks at the class, and the teacher chooses.

    Nothing is kept between calls: equal arguments, with generators in the same state, give the
    same example.

    Parameters
    ----------
    teacher
        Chooses, prepared for the class.
    observer, memory
        The observer, which returns what the teacher observes, and its memory so far.
    goal, rounds_left
        The goal and the number of rounds left, which only a planner uses.
    truth
        The true states and rates; :func:`unobserved` for real students, whose states are unknown.
    course
        A planner's course so far; ``None`` at the start.
    plans
        Whether the caller keeps the course. If not, a planner chooses this example alone.
    for_teacher, for_observer
        Random generators.
    report
        Called while a planner plans, see :class:`~homeroom.teachers.Task`.
    """
    rng = np.random.default_rng(0) if for_observer is None else for_observer
    seen, memory = looked(observer, truth, memory, rng)
    rng = np.random.default_rng(0) if for_teacher is None else for_teacher
    method = "choose"
    if plans and isinstance(teacher, AbstractPlanner):
        method = "follow"
        followed: Any = teacher.follow(course, seen, Task(goal, rounds_left, report), rng)
        if not (isinstance(followed, tuple) and len(followed) == 2):
            raise InputTypeError(
                f"{type(teacher).__name__}.follow must return an example and the course after it, "
                f"but returned {described(followed)}."
            )
        example, course = followed
    else:
        example = teacher.choose(seen, rng)
    if example is not None:
        truth.check_example(example, teacher, method)
    return NextExample(example, memory, course, seen.notes)


def estimated_progress(
    observer: AbstractObserver, memory: Any, goal: AbstractGoal, known: ClassProgress | None = None
) -> ClassProgress | None:
    """Return how far the class is: the estimate of an observer that examines, else what is known.

    Parameters
    ----------
    observer, memory
        The observer, and its memory so far.
    goal
        What the estimate is for: what students know is estimated only if the goal needs it.
    known
        How far the class really is; ``None`` if that is not known.
    """
    if not isinstance(observer, AbstractExaminer):
        return known
    progress = judged_by(observer, memory) or known
    if progress is not None and "knows" in goal.needs:
        return replace(progress, knows=observer.knows(memory))
    return progress


def require_needs(goal: AbstractGoal, observer: AbstractObserver, progress: ClassProgress) -> None:
    """Raise an error if a goal needs something that is not known about the class."""
    name, asks = type(goal).__name__, type(observer).__name__
    if "knows" in goal.needs and progress.knows is None:
        raise InputError(
            f"{name} needs an observer that estimates what students know ('knows' in its `needs`), "
            f"but {asks} does not: use observer=QuizObserver(...), or let `knows` of an "
            "AbstractExaminer return it."
        )
    if "states" in goal.needs and progress.states is None:
        raise InputError(
            f"{name} needs the states of single students ('states' in its `needs`), but {asks} "
            "estimates the progress of the class without them: use goal=MasteryGoal(), or let "
            "`judged` return a ClassProgress with `states`."
        )


def states_for(goal: AbstractGoal, states: Callable[[], Array]) -> Callable[[], Array]:
    """Return the function that gives a goal the states of single students.

    It raises an error for a goal that does not declare that it needs them.
    """
    return states if "states" in goal.needs else partial(_undeclared, goal)


def _undeclared(goal: AbstractGoal) -> NoReturn:
    """Raise the error for a goal that uses states without declaring it."""
    raise InputError(
        f"{type(goal).__name__} uses the states of single students without declaring it: let its "
        "`needs` return frozenset({'states'})."
    )


def unobserved(target: Floats, *, example_radius: float) -> Observation:
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


def observed(room: Classroom, loss: AbstractLoss) -> Observation:
    """Return the true states and rates of a class, as an observation without noise."""
    room = room.flat
    return Observation(
        target=_arrays.to_host(room.target),
        example_radius=room.example_radius,
        state_radius=room.state_radius,
        loss=loss,
        gaps=room.gaps,
        rates=room.rates,
        outputs=max(room.outputs, loss.outputs),
    )


NOTHING_ASKED = "No example is waiting for an outcome: call ask() first, then tell() once."


class GroupLesson:
    """One group's part of a lesson, taught like a class.

    Parameters
    ----------
    lesson
        The lesson of the whole class.
    rows
        The group's students, as rows of the class; ``None`` for all.
    rng
        The source of all randomness of the group.
    watch
        The students whose errors are recorded, as rows of the group.
    """

    def __init__(
        self,
        lesson: Lesson,
        rows: Ints | None,
        rng: np.random.Generator,
        watch: Ints | None = None,
    ) -> None:
        self.lesson = lesson
        self.rows = rows
        self.watch = np.zeros(0, dtype=np.int64) if watch is None else watch
        self._for_teacher, self._for_observer, for_learner = rng.spawn(3)
        self.students = lesson.open(rows, for_learner)
        self.memory: Any = lesson.observer.begin(cast(Classroom, self.students.room))
        """The observer's memory of the group."""
        self._course: Any = None
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
        self._counts: dict[str, int] = {}
        self._stop = StoppedBecause.OPEN
        self._rounding_bounds = CERTAIN
        # A sketch has no single states: a goal that declares that it needs them is refused there.
        self._states = states_for(lesson.goal, self._states_now)
        self._record_round()

    @property
    def stopped_because(self) -> StoppedBecause:
        """Why the group stopped."""
        return self._stop

    @property
    def counts(self) -> dict[str, int]:
        """Counts of notable events, by name."""
        negative = self.students.negative_rates
        return {**self._counts, **({"negative rates drawn": negative} if negative else {})}

    def reopen(self) -> None:
        """Continue to teach a group that has reached its goal, up to the limit of rounds."""
        if self._stop is StoppedBecause.GOAL and len(self.shown) < self.lesson.max_rounds:
            self._stop = StoppedBecause.OPEN

    def own(self, rows: Array | None) -> Array | None:
        """Return the group's rows of an array with one row per student of the class."""
        return rows if rows is None or self.rows is None else _arrays.take_rows(rows, self.rows)

    def own_answers(self, answers: Any) -> Any:
        """Return the group's answers of a list with one answer per student of the class."""
        return answers if answers is None or self.rows is None else [answers[i] for i in self.rows]

    def ask(self) -> Example | None:
        """Return the group's next example, or ``None`` when it is done."""
        if self.asked is None and self._stop is StoppedBecause.OPEN:
            lesson = self.lesson
            chosen = next_example(
                lesson.teacher,
                lesson.observer,
                self.memory,
                lesson.goal,
                truth=self.students.look(self._items_shown),
                rounds_left=lesson.max_rounds - len(self.shown),
                course=self._course,
                for_teacher=self._for_teacher,
                for_observer=self._for_observer,
                report=lesson.thinking,
            )
            self.asked, self.memory, self._course, notes = chosen
            for name, number in notes.items():
                self._counts[name] = self._counts.get(name, 0) + number
            if self.asked is None:
                there = lesson.goal.reached(self._progress())
                self._stop = StoppedBecause.ROUNDING if there else StoppedBecause.STUCK
            else:
                self._count_long_example(self.asked)
        return self.asked

    def plan(self) -> dict[str, Any] | None:
        """Return the record's entry about the group's plan, if there is one."""
        teacher = self.lesson.teacher
        if self._course is None or not isinstance(teacher, AbstractPlanner):
            return None
        return teacher.describe(self._course)

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

    def watched_errors(self) -> Floats:
        """Return the watched students' squared distances, shape ``(rounds + 1, watched)``."""
        return np.array(self._watched).reshape(len(self.errors), len(self.watch))

    def _record_round(self) -> None:
        """Append the group's errors to the record, and decide whether it stops."""
        students, goal = self.students, self.lesson.goal
        now = self._progress()
        if goal.reached(now):
            students.settle()  # computes the distances again, without accumulated rounding
            now = self._progress()
            if goal.reached(now):
                self._stop = self._stop_at_goal(now)
        error, farthest = now.mean_squared, now.farthest
        if not math.isfinite(error):
            self._stop = StoppedBecause.DIVERGED
        elif self._stop is StoppedBecause.OPEN and students.is_lost():  # to rounding errors
            self._stop = StoppedBecause.ROUNDING
        elif self._stop is StoppedBecause.OPEN and len(self.shown) >= self.lesson.max_rounds:
            self._stop = StoppedBecause.ROUNDING if goal.reached(now) else StoppedBecause.ROUNDS
        self.errors.append(error)
        self.farthest.append(farthest)
        if len(self.watch):
            rows = _arrays.take_rows(students.squared_distances, self.watch)
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
        judged = estimated_progress(self.lesson.observer, self.memory, self.lesson.goal)
        return self.students.uncertainty if judged is None else CERTAIN

    def _states_now(self) -> Array:
        return self.students.states

    def _progress(self) -> ClassProgress:
        """Return how far the group is, as estimated by an observer that examines if there is one.

        Only a goal that declares that it needs states is given them, and no goal gets less than it
        declares.
        """
        students, lesson = self.students, self.lesson
        known = ClassProgress(
            students.error,
            students.farthest,
            self._states,
            lesson.target,
            lesson.outputs,
        )
        progress = estimated_progress(lesson.observer, self.memory, lesson.goal, known) or known
        require_needs(lesson.goal, lesson.observer, progress)
        return progress

    def _count_long_example(self, example: Example) -> None:
        """Count examples with ``rate |x|^2 > LONG``, by which students may move away; warn once."""
        if not self.lesson.learner.loss.is_quadratic:
            return
        reach = self.students.fastest * float(example.x @ example.x)
        if reach <= LONG:
            return
        if not isinstance(self.lesson.teacher, AbstractPlanner):  # a planner allows for it
            self.lesson.warn_of(reach)
        self._counts[MAY_MOVE_AWAY] = self._counts.get(MAY_MOVE_AWAY, 0) + 1
