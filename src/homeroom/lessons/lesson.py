"""The loop of a lesson: ``ask()`` for an example, ``tell()`` the outcome."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, cast

import numpy as np

from homeroom import _arrays, _checks, _plugins
from homeroom._arrays import Array, Floats, Ints
from homeroom._checks import InputError
from homeroom.classroom import Classroom, Example, LargeClass
from homeroom.engines import ExactClass, SketchClass
from homeroom.goals import AbstractGoal, AverageGoal
from homeroom.groups import AbstractGrouping, AbstractInformed, WholeClass
from homeroom.learners import AbstractLearner, GradientLearner
from homeroom.lessons import arguments, record_settings
from homeroom.lessons.group_lesson import NOTHING_ASKED, GroupLesson
from homeroom.lessons.record import Record, mean_over_students, one_group_of
from homeroom.lessons.strategies import Progress, engine_for, quiet_overflow
from homeroom.observers import AbstractObserver, ExactObserver
from homeroom.teachers import AbstractTeacher, ClassroomTeacher


class Lesson:
    """A lesson in progress: ``ask()`` for the next example, ``tell()`` the outcome.

    Without an argument ``tell()`` lets simulated students learn; ``tell(states=...)`` takes the
    states of real students.

    Parameters
    ----------
    room
        The class.
    teacher
        Chooses the examples.
    goal
        When a group is done.
    groups
        How the class is split; each group is taught until its own goal is reached.
    observer
        What the teacher observes.
    learner
        How simulated students change, and which loss they have.
    max_rounds
        The limit for each group.
    engine
        How rounds are computed, as for :func:`homeroom.teach`. A sketch to which ``tell`` reports
        states hands the class over to the exact engine.
    watch
        Students (counted from 0) whose own errors the record keeps; only with one group.
    seed
        A seed or a generator: the same seed gives the same lesson.
    nodes
        For the sketch engine: the number of nodes at the start, an odd number; chosen from the
        range of the rates unless given. More are added when these are not enough.
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
        progress: Callable[[Progress], None] | None = None,
    ) -> None:
        self.room = arguments.a_classroom(room)
        chosen: AbstractTeacher = _plugins.the("teachers", teacher, AbstractTeacher)
        self.goal: AbstractGoal = _plugins.the("goals", goal, AbstractGoal)
        self.groups: AbstractGrouping = _plugins.the("groups", groups, AbstractGrouping)
        self.observer: AbstractObserver = _plugins.the("observers", observer, AbstractObserver)
        self.learner: AbstractLearner = _plugins.the("learners", learner, AbstractLearner)
        self.max_rounds = _checks.whole(max_rounds, "max_rounds", at_least=0)
        self.nodes = None if nodes is None else arguments.odd(nodes, "nodes")
        arguments.fitting_outputs(room, self.learner)
        self.target: Floats = _arrays.small(self.room.target)
        self.settings = record_settings.settings(self, chosen, seed)
        # A teacher that supports sketches uses only what both kinds of classes have.
        self.teacher = chosen.prepare(cast(Classroom, room), self.learner.loss)
        for_groups, self.rng = np.random.default_rng(seed).spawn(2)
        grouping = self._informed(chosen, progress)
        self._split = arguments.a_split(room, grouping, for_groups)
        self.watch = arguments.watched_students(watch, room, self._split)
        self.engine = engine_for(self, engine)
        self._warned = False
        self.thinking: Callable[[float, int], None] = lambda _share, _rounds: None
        """Called while a planner plans, see :class:`~homeroom.teachers.Task`."""

    def _informed(
        self, teacher: AbstractTeacher, progress: Callable[[Progress], None] | None
    ) -> AbstractGrouping:
        """Return the grouping, informed about the lesson if it needs that."""
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

    @cached_property
    def group_of(self) -> Ints:
        """The group of each student, shape ``(students,)``; all 0 in a whole class."""
        if self._split is not None:
            return self._split
        if isinstance(self.room, LargeClass):
            return one_group_of(self.parts[0].students.size)
        return one_group_of(self.room.students)

    @property
    def smallest_group(self) -> int:
        """How many students the smallest group has."""
        return (
            int(np.bincount(self.group_of).min()) if self._split is not None else len(self.group_of)
        )

    def open(self, rows: Ints | None, rng: np.random.Generator) -> ExactClass | SketchClass:
        """Return the students of a group, or of the whole class, in the chosen engine."""
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

        With several groups: a tuple with one example per group, ``None`` for those that are done.
        A second call before ``tell()`` returns the same.
        """
        if len(self.parts) == 1:
            return self.parts[0].ask()
        examples = tuple(part.ask() for part in self.parts)
        return None if all(example is None for example in examples) else examples

    def tell(
        self, states: Array | None = None, *, answers: Any = None, rates: Array | None = None
    ) -> None:
        """Report what the examples did; without arguments, simulated students learn.

        Parameters
        ----------
        states
            The states of real students afterwards, shape ``(students, dimensions)``.
        answers
            Their answers, for an observer that asks: one entry per student.
        rates
            The rates that they used, for an observer that remembers rates.
        """
        if all(part.asked is None for part in self.parts):
            raise InputError(NOTHING_ASKED)
        states, rates = arguments.given_results(self.room, states, answers, rates)
        with quiet_overflow():
            for part in self.parts:
                if part.asked is not None:
                    part.tell(part.own(states), part.own_answers(answers), part.own(rates))

    def warn_of(self, reach: float) -> None:
        """Warn, once per lesson, that an example is too long for some student."""
        if self._warned:
            return
        self._warned = True
        _checks.warn(
            f"rate * |x|^2 is {reach:.3g} for the fastest student, above 2: for a while this "
            "student moves away from the target. Split the class with groups=ByRate(), "
            "or use safe=True."
        )

    def record(self) -> Record:
        """Return the record of the lesson so far."""
        parts = self.parts
        sketched = [part.students for part in parts if isinstance(part.students, SketchClass)]
        counts: dict[str, int] = {}
        for part in parts:
            for name, number in part.counts.items():
                counts[name] = counts.get(name, 0) + number
        estimates = np.array([part.uncertainty.error for part in parts])
        return Record(
            record_settings.transcript(parts),
            self.group_of,
            self._final(sketched),
            self.settings,
            counts,
            self.watch,
            parts[0].watched_errors(),
            self.engine,
            mean_over_students(estimates, self.group_of),
            estimates,
            [plan for part in parts if (plan := part.plan()) is not None],
            **record_settings.sketches(sketched, self.goal),
        )

    def _final(self, sketched: Sequence[SketchClass]) -> Array | Callable[[], Array] | None:
        """Return the states now, or a function that computes them, or ``None`` if nothing can."""
        if not sketched:
            return self._final_states()
        if isinstance(self.room, LargeClass) or any(students.by_chance for students in sketched):
            return None
        return self._final_states

    def _final_states(self) -> Array:
        """Return the states of all students now."""
        states = [part.students.states for part in self.parts]
        if len(states) == 1:
            return states[0]
        rows = np.argsort(np.argsort(self.group_of, kind="stable"), kind="stable")
        return _arrays.take_rows(_arrays.namespace(states[0]).concat(states), rows)
