"""The loop of a lesson: ``ask()`` for an example, ``tell()`` the outcome."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from platform import python_version
from typing import Any, NamedTuple, cast

import numpy as np

from homeroom import _arrays, _checks, _plugins
from homeroom._arrays import Array, Floats, Ints
from homeroom._checks import InputError, InputTypeError
from homeroom._notebook import reporting
from homeroom.classroom import Classroom, Example, LargeClass
from homeroom.engines import (
    FEWEST,
    ExactClass,
    SketchClass,
    has_closed_form,
    sketch_pays,
    why_not_sketched,
)
from homeroom.goals import AbstractGoal, AverageGoal, DistanceGoal, is_mean
from homeroom.groups import AbstractGrouping, AbstractInformed, WholeClass
from homeroom.learners import SILENCE, AbstractLearner, GradientLearner
from homeroom.learners.losses import label_shape
from homeroom.lessons.group_lesson import NOTHING_ASKED, GroupLesson
from homeroom.lessons.individuals import teach_straight
from homeroom.lessons.record import Record, average_over_students, make_one_group
from homeroom.lessons.second_pass import verify_record
from homeroom.lessons.transcript import CODES, Transcript
from homeroom.observers import AbstractObserver, ExactObserver
from homeroom.teachers import AbstractTeacher, ClassroomTeacher

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


ENGINES = ("auto", "exact", "sketch")
"""The values of ``teach(engine=...)``."""

SEARCH_SHARE = 0.8
"""The share of a lesson's progress that the search for groups takes, where there is one."""


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
        Called with a :class:`Progress` from time to time.

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
        self.room = room = self._one_row_each(require_classroom(room))
        chosen: AbstractTeacher = _plugins.resolve("teachers", teacher, AbstractTeacher)
        self.goal: AbstractGoal = _plugins.resolve("goals", goal, AbstractGoal)
        self.groups: AbstractGrouping = _plugins.resolve("groups", groups, AbstractGrouping)
        self.observer: AbstractObserver = _plugins.resolve("observers", observer, AbstractObserver)
        self.learner: AbstractLearner = _plugins.resolve("learners", learner, AbstractLearner)
        self.max_rounds = _checks.whole(max_rounds, "max_rounds", at_least=0)
        self.nodes = None if nodes is None else odd(nodes, "nodes")
        loss = self.learner.loss
        self.outputs = count_outputs(room, loss.outputs, is_quadratic=loss.is_quadratic)
        """The number of vectors that a state consists of."""
        self.target: Floats = _arrays.to_host(self.room.target)
        self.counts: dict[str, int] = {}
        """Counts of notable events, by name."""
        self.progress = progress
        self.settings = describe_settings(self, chosen, seed)
        self.teacher = self.prepare_teacher(chosen)
        for_groups, self.rng = np.random.default_rng(seed).spawn(2)
        self._split = split_class(room, self._inform_groups(chosen), for_groups)
        self.watch = read_watched(watch, room, self._split)
        self.engine = self._choose_engine(engine)

    def prepare_teacher(self, teacher: AbstractTeacher) -> AbstractTeacher:
        """Return the teacher ready for the class; ``prepare`` is called only here."""
        # A teacher that supports sketches uses only what both kinds of classes have.
        return teacher.prepare(cast(Classroom, self.room), self.learner.loss)

    def _choose_engine(self, wanted: str) -> str:
        """Return the engine, ``"exact"`` or ``"sketch"``.

        ``"auto"`` is the sketch where it gives the same lesson and is estimated to take less time,
        in memory that is not much larger than the class. The exact engine is used for students who
        learn at random (a sketch has only their average), for goals that depend on single students,
        and for small groups.
        """
        _checks.one_of(wanted, "engine", ENGINES)
        if isinstance(self.room, LargeClass):
            if wanted == "exact":
                raise InputError(
                    "The exact engine needs the class in memory, but this one is read piece by "
                    "piece: leave engine out, or load the class with Classroom.load(...)."
                )
            wanted = "sketch"
        if wanted == "sketch":
            if (why := self._why_not_sketched()) is not None:
                raise InputError(f"A sketch cannot hold this lesson: {why}. Use engine='exact'.")
            return "sketch"
        students = self.smallest_group
        if wanted == "exact" or students < FEWEST:
            return "exact"
        assert isinstance(self.room, Classroom)
        is_plain = is_mean(self.goal) and self.learner.noise == SILENCE
        if not (is_plain and sketch_pays(self.room, students, self.max_rounds)):
            return "exact"
        return "sketch" if self._why_not_sketched() is None else "exact"

    def _why_not_sketched(self) -> str | None:
        """Return why the lesson cannot be given to a sketch, or ``None`` if it can."""
        if len(self.watch):
            return "it does not watch single students"
        return why_not_sketched(self.room, self.teacher, self.observer, self.learner, self.goal)

    def _one_row_each(self, room: Classroom | LargeClass) -> Classroom | LargeClass:
        """Return the class with one row per student, and keep the shape of its states.

        ``_restore_shape`` gives results that shape.
        """
        self._shape: tuple[int, ...] | None = None
        if isinstance(room, LargeClass) or room.states.ndim == 2:
            return room
        self._shape = tuple(room.states.shape)
        return room.flat

    def _restore_shape(self, states: Array) -> Array:
        """Return states with the axes that the class was given with."""
        if self._shape is None:
            return states
        return _arrays.namespace(states).reshape(states, self._shape)

    def _inform_groups(self, teacher: AbstractTeacher) -> AbstractGrouping:
        """Return the grouping, with the settings of the lesson if it needs them."""
        if not isinstance(self.groups, AbstractInformed):
            return self.groups
        return self.groups.inform(
            teacher=teacher,
            goal=self.goal,
            observer=self.observer,
            learner=self.learner,
            max_rounds=self.max_rounds,
            progress=None if self.progress is None else self._report_search,
        )

    @cached_property
    def group_of(self) -> Ints:
        """The group of each student, shape ``(students,)``; all 0 in a whole class."""
        if self._split is not None:
            return self._split
        if isinstance(self.room, LargeClass):
            return make_one_group(self.parts[0].students.size)
        return make_one_group(self.room.students)

    @property
    def smallest_group(self) -> int:
        """How many students the smallest group has; 0 if they are not counted yet."""
        if self._split is not None:
            return int(np.bincount(self._split).min())
        return self.room.students if isinstance(self.room, Classroom) else 0

    @cached_property
    def parts(self) -> tuple[GroupLesson, ...]:
        """A lesson for each group."""
        if self._split is None or not self._split.any():
            return (self._open(0, None, self.rng.spawn(1)[0]),)
        order = np.argsort(self._split, kind="stable")
        members = np.split(order, np.cumsum(np.bincount(self._split))[:-1])
        rngs = self.rng.spawn(len(members))
        return tuple(map(self._open, range(len(members)), members, rngs))

    def _open(self, group: int, rows: Ints | None, rng: np.random.Generator) -> GroupLesson:
        """Return the lesson of a group, or of the whole class, in the chosen engine."""
        *rngs, for_learner = rng.spawn(3)
        students: ExactClass | SketchClass
        if self.engine == "sketch":
            students = SketchClass(self.room, self.learner, for_learner, self.nodes, rows)
        else:
            assert isinstance(self.room, Classroom)
            room = self.room if rows is None else self.room.subset(rows)
            students = ExactClass(room, self.learner, for_learner)
        return GroupLesson(self, students, rngs, rows, partial(self._report_plan, group))

    def run(self) -> Record:
        """Ask and tell until every group is done, and return the record."""
        room, goal = self.room, self.goal
        if self._is_straight() and isinstance(room, Classroom) and isinstance(goal, DistanceGoal):
            return teach_straight(
                room,
                goal,
                self.max_rounds,
                self.group_of,
                shape=self._shape or tuple(room.states.shape),
                settings=self.settings,
            )
        with allow_overflow():
            for group, part in enumerate(self.parts):
                while part.ask() is not None:
                    part.tell()
                    if len(part.shown) % 64 == 0:
                        self._report(group, _estimate_done(part.errors, self.goal))
                if len(self.parts) > 1:
                    self._report(group, 1.0)
            return self.record()

    def _is_straight(self) -> bool:
        """Return whether every student is taught alone, and moves straight to the target."""
        split = self._split
        if split is None or len(split) == 1 or int(split.max()) < len(split) - 1:
            return False
        assert isinstance(self.room, Classroom)
        return has_closed_form(self.teacher, self.learner, self.observer, self.room)

    def _report_search(self, now: Progress) -> None:
        """Report the progress of the search for groups."""
        assert self.progress is not None
        self.progress(now._replace(done=SEARCH_SHARE * now.done))

    def _report_plan(self, group: int, share: float, rounds: int) -> None:
        """Report the progress of a group's plan: its share that is made, and its rounds so far."""
        self._report(group, PLANNING * share, rounds)

    def _report(self, group: int, done: float, planned: int = 0) -> None:
        """Report the progress of the lesson; ``done`` (0 to 1) is that of this group."""
        if self.progress is None or "parts" not in self.__dict__:  # which are made just now
            return
        first = SEARCH_SHARE if isinstance(self.groups, AbstractInformed) else 0.0
        groups, part = len(self.parts), self.parts[group]
        share = first + (1.0 - first) * (group + done) / groups
        self.progress(Progress(group, groups, len(part.shown), part.errors[-1], share, planned))

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
        states, rates = read_results(self.room, states, answers, rates, self._shape)
        with allow_overflow():
            for part in self.parts:
                if part.asked is not None:
                    part.tell(part.own(states), part.own_answers(answers), part.own(rates))

    def record(self) -> Record:
        """Return the record of the lesson so far."""
        parts = self.parts
        sketched = [part.students for part in parts if isinstance(part.students, SketchClass)]
        negative = sum(part.students.negative_rates for part in parts)
        counts = self.counts | ({"negative rates drawn": negative} if negative else {})
        estimates = np.array([part.uncertainty.error for part in parts])
        return Record(
            make_transcript(parts),
            self.group_of,
            self._final(sketched),
            self.settings,
            counts,
            self.watch,
            parts[0].watched_errors,
            self.engine,
            average_over_students(estimates, self.group_of),
            estimates,
            [plan for part in parts if (plan := part.plan()) is not None],
            **describe_sketches(sketched, self.goal),
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
            return self._restore_shape(states[0])
        # Groups one after the other, back into the order of the class.
        rows = np.argsort(np.argsort(self.group_of, kind="stable"), kind="stable")
        together = _arrays.namespace(states[0]).concat(states)
        return self._restore_shape(_arrays.take_rows(together, rows))


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
    progress: Callable[[Progress], None] | bool | None = None,
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
        Show the whole lesson to every student in a second pass at the end: ``record.verified`` has
        the exact error and the distance of the farthest student.
    watch
        Students (counted from 0) whose own errors the record keeps; only with one group.
    seed
        A seed or a generator: the same seed gives the same record.
    progress
        ``True`` shows a bar, in a notebook and in a terminal. A function is called from time to
        time with a :class:`Progress`.

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
    with reporting(progress, "Teaching") as report:
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
            progress=report,
        )
        require_simulated_answers(lesson.observer)
        if verify:
            require_verifiable(lesson)
        record = lesson.run()
        return verify_record(record, lesson.room) if verify else record


def allow_overflow() -> np.errstate:
    """Return a context in which a class may diverge; the record reports it."""
    return np.errstate(over="ignore", invalid="ignore")


def _estimate_done(errors: Sequence[float], goal: AbstractGoal) -> float:
    """Return the share of the way to the goal that is done, on a logarithmic scale.

    The scale is logarithmic because errors fall geometrically.
    """
    start, now = errors[0], errors[-1]
    limit = goal.limit if isinstance(goal, DistanceGoal) else math.nan
    if not 0 < limit < start or not math.isfinite(now) or now <= 0:
        return 0.0
    return min(1.0, max(0.0, math.log(start / now) / math.log(start / limit)))


def describe_sketches(sketched: Sequence[SketchClass], goal: AbstractGoal) -> dict[str, Any]:
    """Return the record's fields about groups that are taught by a sketch.

    The number of nodes, why the exact engine continued where it did, whether errors are
    expectations, and how the goal was decided.
    """
    if not sketched:
        return {}
    # A goal on the farthest student is decided by a mean that is small enough for all.
    by_mean = isinstance(goal, DistanceGoal) and not is_mean(goal)
    return {
        "nodes": max(students.nodes for students in sketched),
        "handed_over": [students.handed_over for students in sketched if students.handed_over],
        "in_expectation": sketched[0].by_chance,
        "goal_by": "students * mean |e|^2 <= eps^2, which is enough" if by_mean else None,
    }


def make_transcript(parts: Sequence[GroupLesson]) -> Transcript:
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


def describe_settings(
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


def count_outputs(room: Classroom | LargeClass, outputs: int, *, is_quadratic: bool = False) -> int:
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


def require_classroom(room: Classroom | LargeClass) -> Classroom | LargeClass:
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


def split_class(
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
    return require_partition(groups.split(room, rng), groups, room)


def require_partition(group_of: Ints, groups: AbstractGrouping, room: Classroom) -> Ints:
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


def read_results(
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
        states = read_states(states, room, shape or tuple(room.states.shape))
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


def read_states(states: Array, room: Classroom, shape: tuple[int, ...]) -> Array:
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


def read_watched(watch: Sequence[int], room: Classroom | LargeClass, split: Ints | None) -> Ints:
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


def require_simulated_answers(observer: AbstractObserver) -> None:
    """Raise if the observer waits for answers from outside, which are not simulated."""
    if observer.is_live:
        raise InputError(
            f"{type(observer).__name__} waits for answers from outside (`is_live`), and teach() "
            "has no one to ask: use Lesson(...) and lesson.tell(answers=...), or an observer that "
            "is not live, such as QuizObserver(), for simulated students."
        )


def require_verifiable(lesson: Lesson) -> None:
    """Raise if a sketch has only the expectation of students who learn at random."""
    if lesson.engine == "sketch" and lesson.learner.noise != SILENCE:
        raise InputError(
            "`verify` shows the lesson again, but a sketch has only the average of students who "
            "learn at random (`noise` of the learner): leave verify out, or use engine='exact'."
        )
