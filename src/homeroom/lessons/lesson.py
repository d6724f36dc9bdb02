"""The one loop: ask for an example, tell what happened."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, cached_property
from importlib.metadata import version
from platform import python_version
from typing import Any, cast

import numpy as np

from homeroom import _arrays, _plugins
from homeroom._arrays import Array, Floats, Ints
from homeroom.classroom import Classroom, Example, LargeClass, checks
from homeroom.engines import (
    LONG,
    MAY_MOVE_AWAY,
    ExactClass,
    SketchClass,
    check_engine,
    why_not_sketched,
)
from homeroom.goals import AbstractGoal, AverageGoal, EveryoneGoal
from homeroom.groups import AbstractGrouping, AbstractInformed, WholeClass
from homeroom.learners import AbstractLearner, GradientLearner, Squared
from homeroom.lessons import entry
from homeroom.lessons.record import Record, everybody
from homeroom.lessons.transcript import CODES, StoppedBecause, Transcript
from homeroom.moments import Observation
from homeroom.observers import AbstractExaminer, AbstractObserver, ExactObserver
from homeroom.teachers import AbstractPlanner, AbstractTeacher, ClassroomTeacher, Task

NOTHING_ASKED = "There is nothing to tell yet: call ask() first, and tell() once for it."


class Lesson:
    """A lesson in progress: ``ask()`` for the next example, ``tell()`` what happened.

    Simulations, figures and live classes all go through this loop; only who answers differs.
    Without an argument ``tell()`` lets simulated students learn; ``tell(states=...)`` takes what
    real ones did.

    Parameters
    ----------
    room
        The class.
    teacher
        Who chooses the examples.
    goal
        When a group is done.
    groups
        How the class is split; each group is taught until its own goal is reached.
    observer
        What the teacher gets to see.
    learner
        How simulated students change, and which loss they have.
    max_rounds
        The limit for each group.
    engine
        How rounds are computed: ``"exact"`` (or ``"auto"``), every student; or ``"sketch"``, whose
        rounds cost the same however many students there are.
    watch
        Students (counted from 0) whose own errors the record keeps; only with one group.
    seed
        A seed or a generator: the same seed gives the same lesson.
    nodes
        For the sketch engine: how many rates stand for everybody's at first, an odd number; unless
        given, as many as their range asks for. More are taken when these are not enough.
    progress
        Called with a :class:`Progress` while groups are searched for (:class:`BestGroups`).

    Examples
    --------
    >>> lesson = Lesson(Classroom.sample(students=20, dimensions=3))
    >>> while (example := lesson.ask()) is not None:
    ...     lesson.tell()
    >>> lesson.record().stopped_because.value
    'the goal was reached'
    """

    def __init__(
        self,
        room: Classroom | LargeClass,
        *,
        teacher: AbstractTeacher | str = ClassroomTeacher(),
        goal: AbstractGoal | str = AverageGoal(),
        groups: AbstractGrouping | str = WholeClass(),
        observer: AbstractObserver | str = ExactObserver(),
        learner: AbstractLearner | str = GradientLearner(),
        max_rounds: int = 100_000,
        engine: str = "auto",
        watch: Sequence[int] = (),
        seed: int | np.random.Generator = 0,
        nodes: int | None = None,
        progress: Callable[[Any], None] | None = None,
    ) -> None:
        self.room = entry.a_classroom(room)
        chosen: AbstractTeacher = _plugins.the("teachers", teacher, AbstractTeacher)
        self.goal: AbstractGoal = _plugins.the("goals", goal, AbstractGoal)
        self.groups: AbstractGrouping = _plugins.the("groups", groups, AbstractGrouping)
        self.observer: AbstractObserver = _plugins.the("observers", observer, AbstractObserver)
        self.learner: AbstractLearner = _plugins.the("learners", learner, AbstractLearner)
        self.max_rounds = checks.whole(max_rounds, "max_rounds", at_least=0)
        check_engine(engine)
        entry.an_engine_that_fits(engine, room)
        self.engine = "sketch" if engine == "sketch" or isinstance(room, LargeClass) else "exact"
        self.nodes = None if nodes is None else entry.odd(nodes, "nodes")
        entry.fitting_outputs(room, self.learner)
        self.target: Floats = _arrays.small(self.room.target)
        self.settings = _settings(self, chosen, seed)
        # Who can teach by a sketch asks only for what both kinds of classes have.
        self.teacher = chosen.prepare(cast(Classroom, room), self.learner.loss)
        for_groups, self.rng = np.random.default_rng(seed).spawn(2)
        groups_told = self._told(chosen, progress)
        self._split = entry.a_split(room, groups_told, for_groups)
        self.watch = entry.watched_students(watch, room, self._split)
        self._check_sketch()
        self._warned = False
        self.thinking: Callable[[float, int], None] = lambda _share, _rounds: None
        """Called while a planner thinks, as :class:`~homeroom.teachers.Task` says."""

    def _told(
        self, teacher: AbstractTeacher, progress: Callable[[Any], None] | None
    ) -> AbstractGrouping:
        """Return the grouping; one that asks for it has been told about the lesson."""
        if not isinstance(self.groups, AbstractInformed):
            return self.groups
        return self.groups.informed(
            teacher=teacher,
            goal=self.goal,
            observer=self.observer,
            learner=self.learner,
            max_rounds=self.max_rounds,
            progress=progress,
        )

    def _check_sketch(self) -> None:
        if self.engine != "sketch":
            return
        why = why_not_sketched(self.room, self.teacher, self.observer, self.learner)
        if why is None and len(self.watch):
            why = "it does not watch single students"
        if why is not None:
            raise ValueError(f"A sketch cannot hold this lesson: {why}. Use engine='exact'.")

    @cached_property
    def group_of(self) -> Ints:
        """The group of each student, shape ``(students,)``; everybody's is 0 in a whole class."""
        if self._split is not None:
            return self._split
        if isinstance(self.room, LargeClass):
            return everybody(self.parts[0].students.size)
        return everybody(self.room.students)

    @property
    def smallest_group(self) -> int:
        """How many students the smallest group has."""
        return (
            int(np.bincount(self.group_of).min()) if self._split is not None else len(self.group_of)
        )

    def open(self, rows: Ints | None, rng: np.random.Generator) -> ExactClass | SketchClass:
        """Return the students of a group (of the whole class), as the engine has them."""
        if self.engine == "sketch":
            return SketchClass(self.room, self.learner, rng, self.nodes, rows)
        assert isinstance(self.room, Classroom)
        room = self.room if rows is None else self.room.subset(rows)
        return ExactClass(room, self.learner, rng)

    @cached_property
    def parts(self) -> tuple[GroupLesson, ...]:
        """A lesson for each group."""
        if self._split is None:
            return (GroupLesson(self, None, self.rng.spawn(1)[0], self.watch),)
        order = np.argsort(self._split, kind="stable")
        ends = np.cumsum(np.bincount(self._split))
        members = np.split(order, ends[:-1])
        rngs = self.rng.spawn(len(members))
        if len(members) == 1:
            return (GroupLesson(self, None, rngs[0], self.watch),)
        return tuple(GroupLesson(self, rows, rng) for rows, rng in zip(members, rngs, strict=True))

    def ask(self) -> Example | tuple[Example | None, ...] | None:
        """Return the next example, or ``None`` when the lesson is over.

        With several groups: a tuple with an example for each, ``None`` for those that are done.
        Asking again before telling gives the same answer.
        """
        if len(self.parts) == 1:
            return self.parts[0].ask()
        examples = tuple(part.ask() for part in self.parts)
        return None if all(example is None for example in examples) else examples

    def tell(
        self, states: Array | None = None, *, answers: Any = None, rates: Array | None = None
    ) -> None:
        """Say what the examples did; with nothing said, simulated students learn.

        Parameters
        ----------
        states
            Where real students are afterwards, shape ``(students, dimensions)``.
        answers
            What they answered, for an observer that asks: one entry a student.
        rates
            The rates they were seen to use, for an observer that remembers rates.
        """
        if all(part.asked is None for part in self.parts):
            raise ValueError(NOTHING_ASKED)
        states, rates = entry.what_was_told(self.room, states, answers, rates)
        with quiet_overflow():
            for part in self.parts:
                if part.asked is not None:
                    part.tell(part.own(states), part.own_answers(answers), part.own(rates))

    def warn_of(self, reach: float) -> None:
        """Say, once in a lesson, that an example is too long for somebody."""
        if self._warned:
            return
        self._warned = True
        warnings.warn(
            f"rate * |x|^2 is {reach:.3g} for the fastest student, above 2: for a while she "
            "moves away from the target. Split the class with groups=ByRate(), "
            "or ask for safe=True.",
            stacklevel=4,
        )

    def record(self) -> Record:
        """Return what happened so far."""
        parts = self.parts
        sketched = [part.students for part in parts if isinstance(part.students, SketchClass)]
        counts: dict[str, int] = {}
        for part in parts:
            for name, number in part.counts.items():
                counts[name] = counts.get(name, 0) + number
        return Record(
            _transcript(parts),
            self.group_of,
            self._final(sketched),
            self.settings | _sketches(sketched, self.goal) | _plans(parts),
            counts,
            self.watch,
            parts[0].watched_errors(),
            self.engine,
            max((students.error_estimate for students in sketched), default=0.0),
        )

    def _final(self, sketched: Sequence[SketchClass]) -> Array | Callable[[], Array] | None:
        """Return where everybody is now, or what would work it out, or nothing if nobody can."""
        if not sketched:
            return self._final_states()
        if isinstance(self.room, LargeClass) or any(students.by_chance for students in sketched):
            return None
        return self._final_states

    def _final_states(self) -> Array:
        """Return where everybody is now."""
        states = [part.students.states for part in self.parts]
        if len(states) == 1:
            return states[0]
        rows = np.argsort(np.argsort(self.group_of, kind="stable"), kind="stable")
        return _arrays.take_rows(_arrays.namespace(states[0]).concat(states), rows)


class GroupLesson:
    """One group's part of a lesson: a class of its own."""

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
        """What the observer knows of the group."""
        self._course: Any = None
        self.asked: Example | None = None
        self.shown: list[Example] = []
        self.errors: list[float] = []
        self.farthest: list[float] = []
        self._watched: list[Floats] = []
        self._counts: dict[str, int] = {}
        self._stop = StoppedBecause.OPEN
        self._note()

    @property
    def stopped_because(self) -> StoppedBecause:
        """Why the group stopped."""
        return self._stop

    @property
    def counts(self) -> dict[str, int]:
        """What is worth saying, as counts by name."""
        negative = self.students.negative_rates
        return {**self._counts, **({"negative rates drawn": negative} if negative else {})}

    def own(self, rows: Array | None) -> Array | None:
        """Return the group's own of some rows, one for each student of the class."""
        return rows if rows is None or self.rows is None else _arrays.take_rows(rows, self.rows)

    def own_answers(self, answers: Any) -> Any:
        """Return the group's own of a list with an answer for each student of the class."""
        return answers if answers is None or self.rows is None else [answers[i] for i in self.rows]

    def ask(self) -> Example | None:
        """Return the group's next example, or ``None`` when it is done."""
        if self.asked is None and self._stop is StoppedBecause.OPEN:
            lesson = self.lesson
            seen = lesson.observer.observe(self.students.look(), self.memory, self._for_observer)
            if seen.memory is not None:
                self.memory = seen.memory
            for name, number in seen.notes.items():
                self._counts[name] = self._counts.get(name, 0) + number
            self.asked = self._choose(seen)
            if self.asked is None:
                self._stop = StoppedBecause.STUCK
            else:
                self._watch_length(self.asked)
        return self.asked

    def _choose(self, seen: Observation) -> Example | None:
        """Return the teacher's next example; what a planner has in mind is kept here for her."""
        lesson = self.lesson
        if not isinstance(lesson.teacher, AbstractPlanner):
            return lesson.teacher.choose(seen, self._for_teacher)
        task = Task(lesson.goal, lesson.max_rounds - len(self.shown), lesson.thinking)
        example, self._course = lesson.teacher.follow(self._course, seen, task, self._for_teacher)
        return example

    def plan(self) -> dict[str, Any] | None:
        """Return what the record says about the group's plan, if there is one."""
        teacher = self.lesson.teacher
        if self._course is None or not isinstance(teacher, AbstractPlanner):
            return None
        return teacher.told(self._course)

    def tell(
        self, states: Array | None = None, answers: Any = None, rates: Array | None = None
    ) -> None:
        """Let the group learn, or take what it learnt, answered and drew elsewhere."""
        if self.asked is None:
            raise ValueError(NOTHING_ASKED)
        outcome = self.students.learn(self.asked) if states is None else self.students.put(states)
        used = outcome.rates if rates is None else rates
        outcome = replace(outcome, example=self.asked, answers=answers, rates=used)
        self.memory = self.lesson.observer.remember(self.memory, outcome)
        self.shown.append(self.asked)
        self.asked = None
        self._note()

    def watched_errors(self) -> Floats:
        """Return the watched students' squared distances, shape ``(rounds + 1, watched)``."""
        return np.array(self._watched).reshape(len(self.errors), len(self.watch))

    def _note(self) -> None:
        """Write down where the group is now, and see whether it is done."""
        students, goal = self.students, self.lesson.goal
        error, farthest = self._distances()
        if goal.reached(error, farthest):
            students.settle()
            error, farthest = self._distances()
            if goal.reached(error, farthest):
                self._stop = StoppedBecause.GOAL
        if not math.isfinite(error):
            self._stop = StoppedBecause.DIVERGED
        elif self._stop is StoppedBecause.OPEN and len(self.shown) >= self.lesson.max_rounds:
            self._stop = StoppedBecause.ROUNDS
        self.errors.append(error)
        self.farthest.append(farthest)
        if len(self.watch):
            rows = _arrays.take_rows(students.squared_distances, self.watch)
            self._watched.append(_arrays.small(rows))

    def _distances(self) -> tuple[float, float]:
        """Return how far the group is, on average and at most: real people, as far as is known."""
        observer = self.lesson.observer
        judged = observer.judged(self.memory) if isinstance(observer, AbstractExaminer) else None
        return (self.students.error, self.students.farthest) if judged is None else judged

    def _watch_length(self, example: Example) -> None:
        """Count, and say once, that an example is so long that a fast student may move away."""
        if not isinstance(self.lesson.learner.loss, Squared):
            return
        reach = self.students.fastest * float(example.x @ example.x)
        if reach <= LONG:
            return
        if not isinstance(self.lesson.teacher, AbstractPlanner):  # who knows what comes of it
            self.lesson.warn_of(reach)
        self._counts[MAY_MOVE_AWAY] = self._counts.get(MAY_MOVE_AWAY, 0) + 1


def quiet_overflow() -> np.errstate:
    """Return a context in which a class may run off to infinity, which the record will say."""
    return np.errstate(over="ignore", invalid="ignore")


def _sketches(sketched: Sequence[SketchClass], goal: AbstractGoal) -> dict[str, Any]:
    """Return what the record says about sketches: how many nodes, and who was handed over."""
    if not sketched:
        return {}
    handed_over = [students.handed_over for students in sketched if students.handed_over]
    said: dict[str, Any] = {
        "nodes": max(students.nodes for students in sketched),
        "handed_over": handed_over,
    }
    if sketched[0].by_chance:
        said["in_expectation"] = True
    if isinstance(goal, EveryoneGoal):
        said["everyone_by"] = "students * mean |e|^2 <= eps^2, which is enough"
    return said


def _plans(parts: Sequence[GroupLesson]) -> dict[str, Any]:
    """Return what the record says about plans: one for each group that had one."""
    plans = [plan for part in parts if (plan := part.plan()) is not None]
    return {"plans": plans} if plans else {}


def _transcript(parts: Sequence[GroupLesson]) -> Transcript:
    shown = [example for part in parts for example in part.shown]
    width = parts[0].lesson.room.dimensions // parts[0].lesson.learner.loss.outputs
    return Transcript(
        rounds=np.array([len(part.shown) for part in parts], dtype=np.int64),
        stops=np.array([CODES.index(part.stopped_because) for part in parts], dtype=np.int64),
        all_errors=np.array([error for part in parts for error in part.errors]),
        all_farthest=np.array([far for part in parts for far in part.farthest]),
        xs=np.array([example.x for example in shown]).reshape(len(shown), width),
        ys=np.array([example.y for example in shown], dtype=np.float64),
        items=np.array([-1 if e.item is None else e.item for e in shown], dtype=np.int64),
    )


def _settings(
    lesson: Lesson, teacher: AbstractTeacher, seed: int | np.random.Generator
) -> dict[str, Any]:
    described = {
        name: _plugins.describe(thing)
        for name, thing in (
            ("teacher", teacher),
            ("goal", lesson.goal),
            ("groups", lesson.groups),
            ("observer", lesson.observer),
            ("learner", lesson.learner),
        )
    }
    return described | {
        "max_rounds": lesson.max_rounds,
        "example_radius": lesson.room.example_radius,
        "state_radius": None if math.isinf(lesson.room.state_radius) else lesson.room.state_radius,
        "seed": int(seed) if isinstance(seed, int | np.integer) else None,
        "versions": {
            "homeroom": _own_version(),
            "numpy": np.__version__,
            "python": python_version(),
        },
    }


@cache
def _own_version() -> str:
    # Reading it from the installed files takes as long as five rounds of a small class.
    return version("homeroom")
