"""The loop of a lesson: ``ask()`` for an example, ``tell()`` the outcome."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from platform import python_version
from typing import Any, cast

import numpy as np

from homeroom import _arrays, _checks, _plugins
from homeroom._arrays import Array, Floats, Ints
from homeroom._checks import InputError, InputTypeError
from homeroom.classroom import Classroom, Example, LargeClass
from homeroom.engines import ExactClass, SketchClass
from homeroom.goals import AbstractGoal, AverageGoal
from homeroom.groups import AbstractGrouping, AbstractInformed, WholeClass
from homeroom.learners import AbstractLearner, GradientLearner
from homeroom.learners.learners import checked_loss
from homeroom.learners.losses import label_shape
from homeroom.lessons.group_lesson import NOTHING_ASKED, GroupLesson
from homeroom.lessons.record import Record, mean_over_students, one_group_of
from homeroom.lessons.strategies import Progress, engine_for, quiet_overflow
from homeroom.lessons.transcript import CODES, Transcript
from homeroom.observers import AbstractObserver, ExactObserver
from homeroom.teachers import AbstractPlanner, AbstractTeacher, ClassroomTeacher


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
        self.room = room = self._one_row_each(a_classroom(room))
        chosen: AbstractTeacher = _plugins.the("teachers", teacher, AbstractTeacher)
        self.goal: AbstractGoal = _plugins.the("goals", goal, AbstractGoal)
        self.groups: AbstractGrouping = _plugins.the("groups", groups, AbstractGrouping)
        self.observer: AbstractObserver = _plugins.the("observers", observer, AbstractObserver)
        self.learner: AbstractLearner = _plugins.the("learners", learner, AbstractLearner)
        self.max_rounds = _checks.whole(max_rounds, "max_rounds", at_least=0)
        self.nodes = None if nodes is None else odd(nodes, "nodes")
        loss = checked_loss(self.learner)
        self.outputs = fitting_outputs(room, loss.outputs, is_quadratic=loss.is_quadratic)
        """The number of vectors that a state consists of."""
        self.target: Floats = _arrays.to_host(self.room.target)
        self.settings = settings_of(self, chosen, seed)
        self.teacher = self.prepared(chosen)
        warn_of_other_steps(self.teacher, self.learner)
        for_groups, self.rng = np.random.default_rng(seed).spawn(2)
        grouping = self._informed(chosen, progress)
        self._split = a_split(room, grouping, for_groups)
        self.watch = watched_students(watch, room, self._split)
        self.engine = engine_for(self, engine)
        self._warned = False
        self.thinking: Callable[[float, int], None] = lambda _share, _rounds: None
        """Called while a planner plans, see :class:`~homeroom.teachers.Task`."""

    def prepared(self, teacher: AbstractTeacher) -> AbstractTeacher:
        """Return the teacher ready for the class; ``prepare`` is called only here."""
        # A teacher that supports sketches uses only what both kinds of classes have.
        return teacher.prepare(cast(Classroom, self.room), self.learner.loss)

    def _one_row_each(self, room: Classroom | LargeClass) -> Classroom | LargeClass:
        """Return the class with one row per student, and keep the shape of its states.

        ``shaped`` gives results that shape.
        """
        self._shape: tuple[int, ...] | None = None
        if isinstance(room, LargeClass) or room.states.ndim == 2:
            return room
        self._shape = tuple(room.states.shape)
        return room.flat

    def shaped(self, states: Array) -> Array:
        """Return states with the axes that the class was given with."""
        if self._shape is None:
            return states
        return _arrays.namespace(states).reshape(states, self._shape)

    def _informed(
        self, teacher: AbstractTeacher, progress: Callable[[Progress], None] | None
    ) -> AbstractGrouping:
        """Return the grouping, with the settings of the lesson if it needs them."""
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
            The states of real students afterwards, shaped as those of the class.
        answers
            Their answers, for an observer that asks: one entry per student.
        rates
            The rates that they used, for an observer that remembers rates.
        """
        if all(part.asked is None for part in self.parts):
            raise InputError(NOTHING_ASKED)
        states, rates = given_results(self.room, states, answers, rates, self._shape)
        with quiet_overflow():
            for part in self.parts:
                if part.asked is not None:
                    part.tell(part.own(states), part.own_answers(answers), part.own(rates))

    def warn_of(self, reach: float) -> None:
        """Warn, once per lesson, that an example is too long for some student.

        ``reach`` is ``rate * |x|^2`` of the fastest student.
        """
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
            transcript_of(parts),
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
            **sketch_results(sketched, self.goal),
        )

    def _final(self, sketched: Sequence[SketchClass]) -> Array | Callable[[], Array] | None:
        """Return the states now, a function that computes them, or ``None`` if nothing can.

        ``sketched`` are the groups that are taught by a sketch, which has no single states.
        """
        if not sketched:
            return self._final_states()
        if isinstance(self.room, LargeClass) or any(students.by_chance for students in sketched):
            return None
        return self._final_states

    def _final_states(self) -> Array:
        """Return the states of all students now."""
        states = [part.students.states for part in self.parts]
        if len(states) == 1:
            return self.shaped(states[0])
        # Groups one after the other, back into the order of the class.
        rows = np.argsort(np.argsort(self.group_of, kind="stable"), kind="stable")
        together = _arrays.namespace(states[0]).concat(states)
        return self.shaped(_arrays.take_rows(together, rows))


def sketch_results(sketched: Sequence[SketchClass], goal: AbstractGoal) -> dict[str, Any]:
    """Return the record's fields about groups that are taught by a sketch.

    The number of nodes, why the exact engine continued where it did, whether errors are
    expectations, and how the goal was decided.
    """
    if not sketched:
        return {}
    # A goal on the farthest student is decided by a mean that is small enough for all.
    by_mean = not goal.mean_is_enough and goal.enough_mean(1) is not None
    return {
        "nodes": max(students.nodes for students in sketched),
        "handed_over": [students.handed_over for students in sketched if students.handed_over],
        "in_expectation": sketched[0].by_chance,
        "goal_by": "students * mean |e|^2 <= eps^2, which is enough" if by_mean else None,
    }


def transcript_of(parts: Sequence[GroupLesson]) -> Transcript:
    """Return what every group was shown, and how far it was after each round."""
    shown = [example for part in parts for example in part.shown]
    lesson = parts[0].lesson
    return Transcript(
        rounds=np.array([len(part.shown) for part in parts], dtype=np.int64),
        stops=np.array([CODES.index(part.stopped_because) for part in parts], dtype=np.int64),
        all_errors=np.array([error for part in parts for error in part.errors]),
        all_farthest=np.array([far for part in parts for far in part.farthest]),
        xs=np.array([example.x for example in shown]).reshape(
            len(shown), len(lesson.target) // lesson.outputs
        ),
        ys=np.array([example.y for example in shown], dtype=np.float64).reshape(
            len(shown), *label_shape(lesson.learner.loss, lesson.outputs)
        ),
        items=np.array([-1 if e.item is None else e.item for e in shown], dtype=np.int64),
    )


def settings_of(
    lesson: Lesson, teacher: AbstractTeacher, seed: int | np.random.Generator
) -> dict[str, Any]:
    """Return the settings with which a lesson can be repeated."""
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
            "homeroom": _plugins.version(),
            "numpy": np.__version__,
            "python": python_version(),
        },
    }


def fitting_outputs(
    room: Classroom | LargeClass, outputs: int, *, is_quadratic: bool = False
) -> int:
    """Return how many vectors a state consists of; refuse a class that does not fit the loss.

    Parameters
    ----------
    room
        The class.
    outputs, is_quadratic
        The number of outputs of the loss, and whether it is the squared loss.
    """
    if room.outputs > 1:
        if not is_quadratic and outputs != room.outputs:
            raise InputError(
                f"A class with {room.outputs} outputs needs the squared loss, or a loss with as "
                f"many classes: GradientLearner(), or GradientLearner('logistic', "
                f"classes={room.outputs})."
            )
        return room.outputs
    if room.dimensions % outputs:
        raise InputError(
            f"With {outputs} classes a state holds {outputs} vectors one after the other, but "
            f"{room.dimensions} dimensions cannot be split into {outputs}."
        )
    return outputs


def a_classroom(room: Classroom | LargeClass) -> Classroom | LargeClass:
    """Return the class; raise if it is not one."""
    if not isinstance(room, Classroom | LargeClass):
        raise InputTypeError(
            f"`room` must be a Classroom, but is {type(room).__name__}. "
            "Try Classroom(states, rates, target)."
        )
    return room


def odd(nodes: int, name: str) -> int:
    """Return the number of nodes; raise if it is even.

    A sketch is compared with one on every other node, which must include the first and the last.
    """
    number = _checks.whole(nodes, name, at_least=3)
    if number % 2 == 0:
        raise InputError(f"`{name}` must be odd, but is {number}. Try {name}={number + 1}.")
    return number


def a_split(
    room: Classroom | LargeClass, groups: AbstractGrouping, rng: np.random.Generator
) -> Ints | None:
    """Return the group of each student, or ``None`` if there is only one group."""
    if isinstance(groups, WholeClass):
        return None
    if isinstance(room, LargeClass):
        raise InputError(
            "A class that is read piece by piece is taught as a whole. To split it, load it with "
            "Classroom.load(...), or write a file for each group."
        )
    return a_partition(groups.split(room, rng), groups, room)


def a_partition(group_of: Ints, groups: AbstractGrouping, room: Classroom) -> Ints:
    """Return the split; raise if it is invalid."""
    split = np.asarray(group_of)
    name = type(groups).__name__
    if split.shape != (room.students,) or split.dtype.kind not in "iu":
        raise InputError(
            f"{name}.split must return a whole number for each of the {room.students} students, "
            f"but returned shape {split.shape} of {split.dtype}."
        )
    if split.min() < 0 or not np.bincount(split).all():
        raise InputError(
            f"{name}.split must number its groups 0, 1, ... and leave none empty, "
            f"but returned the numbers {np.unique(split)[:8].tolist()}."
        )
    return split.astype(np.int64)


def given_results(
    room: Classroom | LargeClass,
    states: Array | None,
    answers: Any,
    rates: Array | None,
    shape: tuple[int, ...] | None = None,
) -> tuple[Array | None, Array | None]:
    """Return states and rates from outside as arrays like those of the class; raise if invalid.

    The other arguments are those of :meth:`Lesson.tell`. ``shape`` is the shape that the states
    must have, if it is not that of ``room.states``.
    """
    if states is None and answers is None and rates is None:
        return None, None
    if isinstance(room, LargeClass):
        raise InputError(
            "A class that is read piece by piece learns by simulation: tell() takes nothing. "
            "Load the class with Classroom.load(...) to report what its students did."
        )
    if states is not None:
        states = given_states(states, room, shape or tuple(room.states.shape))
    if rates is not None:
        rates = _checks.vector(
            rates, "rates", like=room.rates, length=room.students, each="student"
        )
    if answers is not None and len(answers) != room.students:
        raise InputError(
            f"`answers` must have one entry for each of the {room.students} students, "
            f"but has {len(answers)}."
        )
    return states, rates


def given_states(states: Array, room: Classroom, shape: tuple[int, ...]) -> Array:
    """Return states from outside as an array with one row per student of the class."""
    given = _checks.states(states)
    if _arrays.namespace(given) is not _arrays.namespace(room.states):
        given = _arrays.to_numpy(given)
    given = _arrays.like(given, room.states)
    if tuple(given.shape) != shape:
        raise InputError(
            f"`states` must have shape {shape}, one row for each student, "
            f"but has shape {tuple(given.shape)}."
        )
    return _arrays.flat(given)


def watched_students(
    watch: Sequence[int], room: Classroom | LargeClass, split: Ints | None
) -> Ints:
    """Return the numbers of the watched students; raise if they cannot be watched."""
    chosen = np.array([_checks.whole(who, "watch", at_least=0) for who in watch], dtype=np.int64)
    if not len(chosen):
        return chosen
    if isinstance(room, LargeClass):
        raise InputError("`watch` needs a class in memory: Classroom.load(...).")
    if split is not None and split.max() > 0:
        raise InputError("`watch` needs a single group; look at record.groups for several.")
    if chosen.max() >= room.students:
        raise InputError(
            f"`watch` must name students 0 to {room.students - 1}, but names {chosen.tolist()}."
        )
    return chosen


def warn_of_other_steps(teacher: AbstractTeacher, learner: AbstractLearner) -> None:
    """Warn if a planner assumes other steps than the students take."""
    by_gradient = isinstance(teacher, AbstractPlanner) and teacher.assumes == "gradient"
    if by_gradient and learner.loss.is_quadratic and learner.step_noise is None:
        name = type(learner).__name__
        _checks.warn(
            f"{type(teacher).__name__} plans with gradient steps, but {name} declares no "
            "`step_noise`, so that students may not do as planned. If their expected step is a "
            f"gradient step of the squared loss, let `step_noise` of {name} return a Noise(...); "
            "else try teacher=ClassroomTeacher()."
        )


def require_simulated_answers(observer: AbstractObserver) -> None:
    """Raise if the observer waits for answers from outside, which are not simulated."""
    if observer.is_live:
        raise InputError(
            f"{type(observer).__name__} waits for answers from outside (`is_live`), and teach() "
            "has no one to ask: use Lesson(...) and lesson.tell(answers=...), or an observer that "
            "is not live, such as QuizObserver(), for simulated students."
        )


def require_verifiable(learner: AbstractLearner) -> None:
    """Raise if students learn at random, because their lesson cannot be verified."""
    if learner.is_random:
        raise InputError(
            "`verify` shows the lesson again, but these students learn at random and would not "
            f"end in the same place (`is_random` of {type(learner).__name__}): leave verify out."
        )
