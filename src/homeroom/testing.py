"""Checks for components of your own: what homeroom relies on, as functions to call in your tests.

Each function raises a :class:`ContractError` if a component breaks a promise. Its message states
what was expected, what was found, and what to do. The components of homeroom pass the same checks.

>>> from homeroom import ClassroomTeacher, GradientLearner
>>> check_teacher(ClassroomTeacher("dynamic"))
>>> check_learner(GradientLearner())
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import fields, is_dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.random import default_rng

from homeroom import _arrays, _plugins
from homeroom._arrays import Array, Floats, to_numpy
from homeroom._checks import InputError, describe_value
from homeroom.classroom import Classroom, Example
from homeroom.engines import ExactClass, SketchClass
from homeroom.goals import AbstractGoal, AverageGoal, ClassProgress, DistanceGoal, MasteryGoal
from homeroom.groups import AbstractGrouping
from homeroom.learners import (
    SILENCE,
    AbstractLearner,
    AbstractLoss,
    GradientLearner,
    Noise,
    Squared,
    Step,
)
from homeroom.learners.learners import check_step
from homeroom.lessons.lesson import count_outputs
from homeroom.moments import AbstractMoments, Observation, moments_of
from homeroom.moments.observation import ROUNDING
from homeroom.observers import AbstractObserver, ObservationNoise
from homeroom.observers.base import looked
from homeroom.pools import AbstractPool, Candidates, Pick
from homeroom.teachers import AbstractTeacher, GreedyRule
from homeroom.teachers.pool import NOTHING

__all__ = [
    "ContractError",
    "check_goal",
    "check_grouping",
    "check_learner",
    "check_observer",
    "check_pool",
    "check_teacher",
]

COPIES_OF_ONE = 4000
"""The number of identical students from whom the expectation of a random step is estimated."""

STEPS = 6
"""The number of steps in which a learner is compared with what it declares."""

LOOKS = 3
"""The number of rounds in which an observer is compared with what it declares."""

DEVIATIONS = 6.0
"""By how many standard errors an average may differ from its expectation."""

BROKEN = (ArithmeticError, IndexError, InputError, TypeError, ValueError)
"""What a component may raise that uses students where there are none."""


class ContractError(AssertionError):
    """A component breaks a promise; the message says which, and how to keep it."""


def check_teacher(
    teacher: AbstractTeacher, *, room: Classroom | None = None, loss: AbstractLoss | None = None
) -> None:
    """Check that a teacher keeps the rules of :class:`~homeroom.teachers.AbstractTeacher`.

    It returns examples of the right length; it keeps no state but its memory, changes no argument
    and gives the same answer for the same seed, whatever the order of the students. Where it
    declares ``needs_students`` or ``rule``, it keeps to them: in the class, in classes at 0.1 and
    0.01 of its distances, with other rates, and with one student.

    Parameters
    ----------
    teacher
        The teacher.
    room
        The class to check it with, if the usual one (7 students, 4 dimensions) does not fit.
    loss
        The students' loss, squared by default.

    Raises
    ------
    ContractError
        If the teacher breaks a rule.
    """
    given, room, loss = room, (room or _make_room()).flat, loss or Squared()
    with _check_component(teacher, AbstractTeacher) as name:
        trial = _TeacherTrial(name, teacher.prepare(room, loss), GradientLearner(loss))
        if not isinstance(trial.teacher, AbstractTeacher):
            raise ContractError(f"{name}.prepare must return a teacher, not {trial.teacher!r}.")
        with _forbid_state(name, trial.teacher), _blame_component():
            is_random = trial.check_examples(room)
        for other in _vary_class(room, one_dimension=given is None and loss.outputs == 1):
            with suppress(InputError):  # a pool need not fit one dimension
                fitted = trial._replace(teacher=teacher.prepare(other, loss))
                if loss.is_quadratic and not fitted.teacher.needs_students and not is_random:
                    fitted.check_without_students(other)
                if loss.is_quadratic and fitted.teacher.rule is not None:
                    fitted.check_rule(fitted.teacher.rule, other)


def check_learner(learner: AbstractLearner, *, room: Classroom | None = None) -> None:
    """Check that a learner keeps the rules of :class:`~homeroom.learners.AbstractLearner`.

    It returns a :class:`~homeroom.learners.Step`, also for one student and for one dimension; it
    keeps no state but its memory, changes no argument, and gives the same answer for the same seed.
    Where it declares ``noise``, its first steps agree, with other examples, rates and distances,
    and with the memory in between: the expectation of a random step is estimated from many.

    Parameters
    ----------
    learner
        The learner.
    room
        The class to check it with, if the usual one (7 students, 4 dimensions) does not fit.

    Raises
    ------
    ContractError
        If the learner breaks a rule.
    """
    given, room = room, (room or _make_room()).flat
    with _check_component(learner, AbstractLearner) as name:
        if not isinstance(getattr(learner, "loss", None), AbstractLoss):
            raise ContractError(f"{name} must have an attribute `loss`, such as Squared().")
        trial = _LearnerTrial(learner, room)
        step = partial(trial.step, learner.begin(room), room.states, trial.x)
        _require_repeatable(f"{name}.step", step)
        few = [room.subset([0])]
        few += [_make_room(1)] if given is None and learner.loss.outputs == 1 else []
        for other in few:
            with suppress(InputError):  # a learner may need more dimensions
                next(_LearnerTrial(learner, other).lesson())
        if learner.noise == SILENCE:
            _check_silence(name, learner, room)
        elif learner.noise is not None:
            for rate in (0.3, 0.1):
                _check_noise(name, learner, learner.noise, rate)
        lessons = [[step.states for _, step, _ in trial.lesson(seed)] for seed in (4, 54)]
        if _copy(lessons[0]) == _copy(lessons[1]):  # not random
            _check_order_of_learners(name, learner, trial)


def check_observer(observer: AbstractObserver, *, room: Classroom | None = None) -> None:
    """Check that an observer keeps the rules of :class:`~homeroom.observers.AbstractObserver`.

    It returns an :class:`~homeroom.Observation` of the right shape; it keeps no state but its
    memory, changes no argument, and gives the same answer for the same seed. Where it declares
    ``error_bounds``, errors are within them; where it does not need students, it works without
    them. All this holds in three rounds, with the memory in between, and for one student.

    Parameters
    ----------
    observer
        The observer.
    room
        The class to check it with, if the usual one (7 students, 4 dimensions) does not fit.

    Raises
    ------
    ContractError
        If the observer breaks a rule.
    """
    room, learner = (room or _make_room()).flat, GradientLearner()
    with _check_component(observer, AbstractObserver) as name:
        observer.begin(room)
        if observer.is_live:  # it waits for answers from outside
            return
        for other in (room, room.subset([0])):
            _check_looks(name, observer, ExactClass(other, learner, default_rng(0)))
        if not observer.needs_students:
            _check_moments(name, observer, SketchClass(room, learner, default_rng(0)))


def check_goal(goal: AbstractGoal, *, room: Classroom | None = None, outputs: int = 1) -> None:
    """Check that a goal keeps the rules of :class:`~homeroom.goals.AbstractGoal`.

    A class at its target has reached it, one far away has not, and a class that comes closer does
    not lose it, whatever the order of its students. A :class:`~homeroom.goals.DistanceGoal` keeps
    its formula. A goal uses the states of single students only if it ``needs_students``.

    Parameters
    ----------
    goal
        The goal.
    room
        The class to check it with, if the usual one (7 students, 4 dimensions) does not fit.
    outputs
        The number of state vectors per student: 1, or one per class of the loss.

    Raises
    ------
    ContractError
        If the goal breaks a rule.
    """
    room = room or _make_room(4 if 4 % outputs == 0 else 2 * outputs)
    count_outputs(room, outputs)
    with _check_component(goal, AbstractGoal) as name:
        if isinstance(goal, MasteryGoal):  # only an observer that asks can decide it
            return
        trial = _GoalTrial(name, goal, room, outputs)
        trial.check_order()
        for what, squared, expected in trial.cases():
            if trial.decide(squared) != expected:
                raise ContractError(f"{name}.reached must be {expected} for a class {what}.")


def check_pool(pool: AbstractPool, *, room: Classroom | None = None) -> None:
    """Check that a pool keeps the rules of :class:`~homeroom.pools.AbstractPool`.

    Its best example helps by as much as stated, is no longer than allowed, and no candidate is
    better; candidates, draws and labels have the right shapes; draws are candidates, and the same
    seed gives the same. Where the pool declares ``synthesises`` or ``directions``, no better
    example is left out.

    Parameters
    ----------
    pool
        The pool.
    room
        The class to check it with, if the usual one (7 students, 4 dimensions) does not fit.

    Raises
    ------
    ContractError
        If the pool breaks a rule.
    """
    room = room or _make_room()
    radius, g = room.example_radius, 0.5 * room.example_radius**2
    with _check_component(pool, AbstractPool) as name:
        fitted = pool.fit(room.dimensions, radius)
        if not isinstance(fitted, AbstractPool):
            raise ContractError(
                f"{name}.fit must return a pool, but returned {describe_value(fitted)}."
            )
        moments = moments_of(room.gaps, room.rates, few=0)
        _check_listed(name, fitted, room.dimensions, radius)
        for longest in (g, 2.0 * g, 0.25 * g):
            _check_best(name, fitted, room, moments, longest)


def check_grouping(grouping: AbstractGrouping, *, room: Classroom | None = None) -> None:
    """Check that a grouping keeps the rules of :class:`~homeroom.groups.AbstractGrouping`.

    It returns one group number per student, 0, 1, 2, ... without gaps; it keeps no state, changes
    no argument, and gives the same groups for the same seed.

    Parameters
    ----------
    grouping
        The grouping.
    room
        The class to check it with, if the usual one (7 students, 4 dimensions) does not fit.

    Raises
    ------
    ContractError
        If the grouping breaks a rule.
    """
    room = room or _make_room()
    with _check_component(grouping, AbstractGrouping) as name:
        for other in (room, room.subset([0])):
            split = partial(_split, name, grouping, other)
            with suppress(InputError):  # more groups than students
                numbers = np.unique(_require_repeatable(f"{name}.split", split)).tolist()
                if numbers != list(range(len(numbers))):
                    wanted = "0, 1, 2, ... without gaps, with a student alone in group 0"
                    raise ContractError(f"{name}.split must number groups {wanted}: {numbers}.")


def _split(name: str, grouping: AbstractGrouping, room: Classroom, seed: int) -> Any:
    """Return the group of each student; raise if that is something else."""
    with _forbid_changes(f"{name}.split", {"states": room.states, "rates": room.rates}):
        groups: Any = grouping.split(room, default_rng(seed))
    is_array = isinstance(groups, np.ndarray) and groups.dtype.kind in "iu"
    if not is_array or groups.shape != (room.students,):
        wanted = f"a NumPy array of whole numbers, shape ({room.students},)"
        raise ContractError(f"{name}.split must return {wanted}, not {describe_value(groups)}.")
    return groups


# --- what all components have in common -----------------------------------------------------------


def _make_room(dimensions: int = 4) -> Classroom:
    """Return seven students in four dimensions, of clearly different rates and knowledge."""
    return Classroom.sample(7, dimensions, rates=(0.1, 0.4), seed=5, clusters=min(2, dimensions))


@contextmanager
def _check_component(thing: Any, interface: type) -> Iterator[str]:
    """Yield a component's name; refuse another kind, state, and settings no record can store."""
    if isinstance(thing, type):
        raise ContractError(f"{thing.__name__} is a class: write {thing.__name__}().")
    name = type(thing).__name__
    abstract = sorted(getattr(interface, "__abstractmethods__", ()))
    missing = [f"`{member}`" for member in abstract if not hasattr(thing, member)]
    if missing:
        raise ContractError(f"{name} lacks {', '.join(missing)} of {interface.__name__}.")
    if not isinstance(thing, interface):
        raise ContractError(f"{name} must inherit from {interface.__name__}.")
    with _forbid_state(name, thing):
        yield name
    _require_json(name, _plugins.describe(thing))
    if _attributes(thing) and not is_dataclass(thing):
        raise ContractError(f"{name} must be a frozen dataclass: records store its fields.")


@contextmanager
def _blame_component() -> Iterator[None]:
    """Turn an ``InputError`` inside the block into a :class:`ContractError`."""
    try:
        yield
    except InputError as reason:
        raise ContractError(str(reason)) from reason


def _attributes(thing: Any) -> dict[str, Any]:
    """Return what an object holds, without cached properties."""
    held = dict(getattr(thing, "__dict__", {}))
    if is_dataclass(thing):
        held |= {field.name: getattr(thing, field.name, None) for field in fields(thing)}
    is_cached = {name: isinstance(getattr(type(thing), name, 0), cached_property) for name in held}
    return {name: value for name, value in held.items() if not is_cached[name]}


def _copy(value: Any) -> Any:
    """Return a value as plain values that ``==`` compares: arrays and objects by what they hold."""
    if _arrays.is_array(value):
        array = to_numpy(value)
        return array.shape, str(array.dtype), array.tobytes()
    if isinstance(value, np.random.Generator):
        return str(value.bit_generator.state)
    if isinstance(value, Mapping):
        return {key: _copy(held) for key, held in value.items()}
    if isinstance(value, list | tuple):
        return [type(value).__name__, *map(_copy, value)]
    has_equality = any("__eq__" in vars(kind) for kind in type(value).__mro__[:-1])
    if is_dataclass(value) or not (has_equality or callable(value)):
        return type(value), _copy(_attributes(value))
    return repr(value) if isinstance(value, float) else deepcopy(value)  # NaN equals NaN


@contextmanager
def _forbid_state(name: str, thing: Any) -> Iterator[None]:
    """Raise if the block changes a component's attributes."""
    before = _copy(_attributes(thing))
    yield
    after = _copy(_attributes(thing))
    for key in before | after:
        if before.get(key) != after.get(key):
            raise ContractError(f"{name} keeps state between calls, `{key}`: use a memory.")


@contextmanager
def _forbid_changes(method: str, given: Mapping[str, Any]) -> Iterator[None]:
    """Raise if the block changes one of the arguments ``given``, by name."""
    before = _copy(given)
    yield
    for name, value in given.items():
        if before[name] != _copy(value):
            raise ContractError(f"{method} modifies `{name}`: return new arrays instead.")


def _require_repeatable(method: str, answer: Callable[[int], Any]) -> Any:
    """Return the answer to one seed; raise if it differs after a call with another seed."""
    first, _, again = (answer(seed) for seed in (3, 9, 3))
    if _copy(first) != _copy(again):
        raise ContractError(f"{method} differs for the same seed: draw only from its `rng`.")
    return first


def _require_json(name: str, description: Any) -> None:
    """Raise if a description does not consist of plain JSON values."""
    try:
        json.dumps(description, allow_nan=False)
    except (TypeError, ValueError) as reason:
        raise ContractError(f"{name} must be plain JSON values, for records: {reason}.") from None


# --- teachers -------------------------------------------------------------------------------------


class _TeacherTrial(NamedTuple):
    """A teacher that is prepared for a class, by name, and the learner of its students."""

    name: str
    teacher: AbstractTeacher
    learner: AbstractLearner

    def next(self, seen: Observation, seed: int = 3) -> tuple[Example | None, Any]:
        """Return the first example of a lesson, and the teacher's memory after it."""
        memory = self.teacher.begin(self.learner, AverageGoal(0.5), 100)
        answer: Any = self.teacher.next(seen, memory, default_rng(seed))
        if not (isinstance(answer, tuple) and len(answer) == 2):
            raise ContractError(f"{self.name}.next must return an example and the memory after it.")
        return answer[0], answer[1]

    def look(self, room: Classroom) -> Observation:
        """Return an exact observation of a class."""
        return ExactClass(room, self.learner, default_rng(0)).look()

    def measure_after(self, room: Classroom, example: Example | None) -> float:
        """Return the class's error (mean squared distance) after an example."""
        students = ExactClass(room, self.learner, default_rng(0))
        if example is not None:
            students.learn(example)
        return students.error

    def check_examples(self, room: Classroom) -> bool:
        """Check two examples in a row and the plan; return whether examples are random."""
        name, seen = self.name, self.look(room)
        given = {f"seen.{part}": getattr(seen, part) for part in ("gaps", "rates", "target")}
        with _forbid_changes(f"{name}.choose", given):
            example, memory = self.next(seen)
        with _forbid_changes(f"{name}.next", {"memory": memory} | given):
            self.teacher.next(seen, memory, default_rng(3))
        _require_repeatable(f"{name}.choose", lambda seed: self.next(seen, seed)[0])
        _require_json(f"{name}.describe_plan", self.teacher.describe_plan(memory))
        is_random = not all(
            _copy(self.next(seen, seed)[0]) == _copy(example) for seed in range(4, 12)
        )
        if example is None:
            return is_random
        seen.check_example(example, self.teacher)
        right = seen.example(example.x).y
        if not (self.teacher.needs_students or np.allclose(example.y, right, rtol=1e-6, atol=1e-9)):
            raise ContractError(f"{name}.choose shows the label {example.y}, but {right} is right.")
        if not (example.item is None or example.item >= 0):
            raise ContractError(f"{name}.choose must number items from 0, not item={example.item}.")
        other, _ = self.next(self.look(room.subset(default_rng(1).permutation(room.students))))
        here, there = self.measure_after(room, example), self.measure_after(room, other)
        if not (is_random or math.isclose(here, there, rel_tol=0.02)):
            raise ContractError(f"{name}.choose must not depend on the order of the students.")
        return is_random

    def check_without_students(self, room: Classroom) -> None:
        """Raise if a teacher that declares to need no single students uses them.

        The examples of planners are not compared, as their plans depend on the engine.
        """
        otherwise = "use only seen.moments, or set `needs_students` to True."
        try:
            example, memory = self.next(SketchClass(room, self.learner, default_rng(0)).look())
        except BROKEN as reason:
            problem = f"fails without single students ({reason})"
            raise ContractError(f"{self.name} {problem}: {otherwise}") from reason
        other, _ = self.next(self.look(room))
        here, there = self.measure_after(room, example), self.measure_after(room, other)
        same = math.isclose(here, there, rel_tol=1e-6, abs_tol=1e-12 * room.error)
        if memory is None and not same:
            problem = "gives another example without single students"
            raise ContractError(f"{self.name} {problem}: {otherwise}")

    def check_rule(self, rule: GreedyRule, room: Classroom) -> None:
        """Raise if a teacher that declares a rule shows an example that helps less, or more."""
        seen = self.look(room)
        example, _ = self.next(seen)
        rule = rule._replace(pool=rule.pool.fit(seen.width, seen.example_radius))
        best, longest = rule.pick(seen), rule.limit_g(seen)
        g, helps = 0.0, 0.0
        if example is not None:
            g = example.magnitude**2
            helps = float(seen.moments.helps(example.x[None, :], np.array([g]))[0])
        helps_as_declared = math.isclose(helps, max(0.0, best.help), rel_tol=1e-6, abs_tol=NOTHING)
        if g > longest * ROUNDING or not helps_as_declared:
            rule_name = f"{rule.magnitude} in {type(rule.pool).__name__}, safe={rule.safe}"
            wanted = f"help by {best.help:.6g} with a length of at most {math.sqrt(longest):.6g}"
            shown = f"its example helps by {helps:.6g} with length {math.sqrt(g):.6g}"
            raise ContractError(f"{self.name} declares a `rule`, {rule_name}: {wanted}; {shown}.")


def _vary_class(room: Classroom, *, one_dimension: bool) -> Iterator[Classroom]:
    """Yield the class, nearer to the target, with other rates, and with one student.

    And, if that is asked for, a class with one dimension.
    """
    same, spread = np.ones(room.students), np.geomspace(0.1, 1.0, room.students)
    for nearer, slower in ((1.0, same), (0.1, same), (0.01, same), (1.0, spread)):
        yield _rescale(room, nearer, _arrays.like(slower, room.rates))
    yield room.subset([0])
    if one_dimension:
        yield _make_room(1)


def _rescale(room: Classroom, farther: float, faster: Array) -> Classroom:
    """Return the class with its distances and rates multiplied."""
    return replace(room, states=room.target + farther * room.gaps, rates=faster * room.rates)


# --- learners -------------------------------------------------------------------------------------


class _LearnerTrial:
    """Steps of a learner in a class, with one example by default, or with others."""

    def __init__(self, learner: AbstractLearner, room: Classroom) -> None:
        self.learner = learner
        self.room = room
        outputs = max(room.outputs, learner.loss.outputs)
        self.x = np.linspace(0.3, 0.9, int(room.states.shape[1]) // outputs)
        self.target = to_numpy(room.target).astype(float).reshape(-1)

    def step(self, memory: Any, states: Array, x: Floats, seed: int) -> Step:
        """Return the step after an example, with its numbers checked."""
        rates = self.room.rates
        label = self.learner.loss.labels(_arrays.answers_of(self.target, x))
        example = Example(x, label if np.ndim(label) else float(label))
        method = f"{type(self.learner).__name__}.step"
        given = {"states": states, "rates": rates, "memory": memory, "x": x}
        with _blame_component(), _forbid_changes(method, given):
            step = self.learner.step(states, rates, memory, example, default_rng(seed))
            check_step(self.learner, step, states, rates)
        for part, values, like in (("states", step.states, states), ("rates", step.rates, rates)):
            if not (values.dtype == like.dtype and np.isfinite(to_numpy(values)).all()):
                wrong = f"`{part}` has NaN, or must be {like.dtype}, not {values.dtype}"
                raise ContractError(f"{method} must return finite numbers: {wrong}.")
        return step

    def lesson(self, seed: int = 4, *, others: bool = False) -> Iterator[Any]:
        """Yield the states before, the step, and the example, for some rounds.

        With ``others`` the examples differ, and grow longer.
        """
        memory, states = self.learner.begin(self.room), self.room.states
        for number in range(STEPS):
            x = self.x
            if others:
                x = default_rng(number).standard_normal(len(x))
                x *= 0.4 * (1 + number) / np.linalg.norm(x)
            step = self.step(memory, states, x, seed + number)
            yield states, step, x
            memory, states = step.memory, step.states


def _check_order_of_learners(name: str, learner: AbstractLearner, trial: _LearnerTrial) -> None:
    """Raise if students end elsewhere when they are in another order.

    A memory whose rows are not those of the students causes that.
    """
    order = default_rng(1).permutation(trial.room.students)
    lessons = (trial.lesson(), _LearnerTrial(learner, trial.room.subset(order)).lesson())
    for number, ((_, one, _), (_, other, _)) in enumerate(zip(*lessons, strict=True)):
        here, there = to_numpy(one.states)[order], to_numpy(other.states)
        if not np.allclose(here, there, rtol=1e-6, atol=1e-9):
            problem = f"depends on the order of the students, as seen after step {number + 1}"
            raise ContractError(f"{name}.step {problem}: keep a row of the memory for each.")


def _check_silence(name: str, learner: AbstractLearner, room: Classroom) -> None:
    """Raise if a step, also one with a memory, is another than the plain gradient step."""
    rooms = [_rescale(room, *scales) for scales in ((1.0, 1.0), (0.01, 3.0), (30.0, 0.1))]
    if learner.loss.is_quadratic:
        rooms.append(Classroom.sample(3, 2, outputs=2, rates=(0.1, 0.4)).flat)
    for other in rooms:
        rates, trial = to_numpy(other.rates).astype(float), _LearnerTrial(learner, other)
        for number, (before, step, x) in enumerate(trial.lesson(others=True)):
            gaps = to_numpy(before).astype(float) - trial.target
            expected = to_numpy(_arrays.move_gaps(gaps, rates, x))
            gaps_after = to_numpy(step.states).astype(float) - trial.target
            size = np.abs(gaps).max()
            is_plain = np.allclose(gaps_after, expected, rtol=1e-5, atol=1e-5 * size)
            if not (is_plain and np.allclose(to_numpy(step.rates), rates, rtol=1e-6)):
                problem = (
                    f"gaps do not move by -rate <gap, x> x in step {number + 1}, or `rates` do"
                )
                raise ContractError(f"{name} declares `noise` = SILENCE, but {problem}.")


def _check_noise(name: str, learner: AbstractLearner, noise: Noise, eta: float) -> None:
    """Raise if the mean of many gaps, or of their squares, differs from what is declared.

    With chance ``p`` (``attention``) a student with gap ``e`` moves by ``-z <e, x> x``, where the
    rate ``z`` has the mean ``eta`` and the variance ``v``, independent of all other rounds. A drift
    of variance ``h eta`` in each coordinate is added, where ``h`` is the ``heat``. So the means of
    ``e`` and of ``e e'`` are known after every round. The rates that are used have the mean
    ``p eta``.
    """
    gap = np.array([1.0, -0.5, 0.25])
    room = Classroom(np.tile(gap, (COPIES_OF_ONE, 1)), np.full(COPIES_OF_ONE, eta), np.zeros(3))
    p, v = noise.attention, noise.rate_variance
    mean, squares = gap, np.outer(gap, gap)
    for number, (_, step, x) in enumerate(_LearnerTrial(learner, room).lesson()):
        mean = mean - p * eta * (mean @ x) * x
        along = squares @ x  # E e <e, x>
        squares = (
            squares
            - p * eta * (np.outer(x, along) + np.outer(along, x))
            + p * (eta**2 + v) * (along @ x) * np.outer(x, x)
            + noise.heat * eta * np.eye(len(x))
        )
        gaps, used = to_numpy(step.states), to_numpy(step.rates)
        for what, of, values, expected in (
            ("mean", "gaps", gaps, mean),
            ("mean square", "gaps", (gaps * gaps).sum(axis=1)[:, None], squares.trace()),
            ("mean", "`rates`", used[:, None], p * eta),
        ):
            off = np.abs(values.mean(axis=0) - expected)
            allowed = DEVIATIONS * values.std(axis=0) / math.sqrt(COPIES_OF_ONE) + 1e-9
            if not (off <= allowed).all():
                found = f"{values.mean(axis=0).round(4)}, not {np.round(expected, 4)},"
                problem = f"the {what} of {COPIES_OF_ONE} {of} is {found} after step {number + 1}"
                raise ContractError(f"{name} declares noise={noise}, but {problem}.")


# --- observers ------------------------------------------------------------------------------------


def _check_looks(name: str, observer: AbstractObserver, students: ExactClass) -> None:
    """Check what is observed, and remembered, in ``LOOKS`` rounds."""
    memory = observer.begin(students.room)
    for number in range(LOOKS):
        truth = students.look()

        def observe(seed: int, truth: Observation = truth, memory: Any = memory) -> list[Any]:
            seen, after = looked(observer, truth, memory, default_rng(seed))
            return [seen.gaps, seen.rates, seen.squared_rates, seen.noise, after]

        given = {"gaps": truth.gaps, "rates": truth.rates, "memory": memory}
        with _forbid_changes(f"{name}.observe", given), _blame_component():
            gaps, *_, noise, after = _require_repeatable(f"{name}.observe", observe)
        if observer.error_bounds is not None:
            _check_bounds(name, observer.error_bounds, gaps, noise, truth)
        example = truth.example((0.5 + 0.1 * number) * np.ones(truth.width) / truth.width)
        outcome = students.learn(example)
        with _forbid_changes(f"{name}.remember", {"memory": after}):
            memory = observer.remember(after, outcome)


def _check_bounds(
    name: str, bounds: ObservationNoise, gaps: Array, noise: Floats | None, truth: Observation
) -> None:
    """Raise if an observation is farther from the truth than the observer declares."""
    errors = {"W": 0.0 if noise is None else float(np.abs(np.linalg.eigvalsh(noise)).max())}
    if gaps.shape == truth.gaps.shape:
        gaps, true_gaps = to_numpy(gaps), to_numpy(truth.gaps)
        off = float(np.linalg.norm(gaps - true_gaps, axis=1).max())
        errors["states"] = off if off > 1e-6 * np.abs(true_gaps).max() else 0.0
    for what, error in errors.items():
        bound = bounds.moments if what == "W" else bounds.states
        if error > bound * ROUNDING:
            raise ContractError(f"{name}: error of {what} above `error_bounds`: {error:.6g}.")


def _check_moments(name: str, observer: AbstractObserver, students: SketchClass) -> None:
    """Raise if an observer that needs no students fails without them, or hides the moments."""
    otherwise = "return truth.seen_with(noise=...), or set `needs_students` to True."
    truth, memory = students.look(), observer.begin(students.room)  # type: ignore[arg-type]  # as lessons do
    try:
        seen, _ = looked(observer, truth, memory, default_rng(0))
        seen.moments.weigh(0.5)
    except BROKEN as reason:
        problem = f"fails without single students ({reason})"
        raise ContractError(f"{name} {problem}: {otherwise}") from reason
    if seen.sketch is None:
        raise ContractError(f"{name} does not pass on the sketch of a class: {otherwise}")


# --- goals ----------------------------------------------------------------------------------------


class _GoalTrial(NamedTuple):
    """A goal, by name, and the class that may reach it."""

    name: str
    goal: AbstractGoal
    room: Classroom
    outputs: int

    def decide(self, squared: Floats, order: slice = slice(None)) -> bool:
        """Return whether students with these squared distances to the target reach the goal.

        Each student keeps the direction of their gap. ``order`` is the order of their states.
        """
        gaps = to_numpy(self.room.flat.gaps).astype(float)
        gaps *= (np.sqrt(squared) / np.linalg.norm(gaps, axis=1))[:, None]
        target = to_numpy(self.room.flat.target)
        states = (target + gaps)[order]
        known = (lambda: states) if self.goal.needs_students else None
        mean, farthest = float(squared.mean()), math.sqrt(float(squared.max()))
        with _blame_component():
            progress = ClassProgress(mean, farthest, known, target, self.outputs)
            answer: Any = self.goal.reached(progress)
        if not isinstance(answer, bool | np.bool_):
            raise ContractError(f"{self.name}.reached must return True or False, not {answer}.")
        return bool(answer)

    def check_order(self) -> None:
        """Raise if a class that comes closer loses the goal, or if the order of students counts."""
        squared = to_numpy(self.room.squared_distances).astype(float)
        scales = np.geomspace(1e-6, 1e3, 46)
        found = [self.decide(scale**2 * squared) for scale in scales]
        if found != sorted(found, reverse=True):
            raise ContractError(f"{self.name}.reached must stay True as a class comes closer.")
        for far in (scale * np.eye(len(squared))[0] for scale in scales):
            if self.decide(far) != self.decide(far, slice(None, None, -1)):
                problem = "must not depend on the order of the students"
                raise ContractError(f"{self.name}.reached {problem}.")

    def cases(self) -> Iterator[tuple[str, Floats, bool]]:
        """Yield what a class is, its squared distances, and whether it must reach the goal.

        A :class:`~homeroom.goals.DistanceGoal` must keep to its formula, however the distances are
        spread.
        """
        goal, students = self.goal, self.room.students
        same = np.ones(students)
        yield "at its target", 0.0 * same, True
        yield "that is far from its target", 1e12 * same, False
        yield "whose distances are not a number: write `distance <= eps`", math.nan * same, False
        if not isinstance(goal, DistanceGoal):
            return
        if not (goal.limit > 0.0 and goal.power >= 1.0):
            raise ContractError(f"{self.name}.limit must be positive, its power at least 1.")
        one_far = np.array([1.0] + [1e-9] * (students - 1))
        for spread in (same, np.linspace(0.1, 1.9, students), one_far):
            at_limit = spread * (goal.limit / goal.score(spread))
            enough = spread * (goal.enough_mean(students) / float(spread.mean()))
            yield "just within its limit", at_limit * (1 - 1e-6), True
            yield "just outside its limit", at_limit * (1 + 1e-6), False
            yield "at the mean that is enough", enough * (1 - 1e-6), True


# --- pools ----------------------------------------------------------------------------------------


def _check_best(
    name: str, pool: AbstractPool, room: Classroom, moments: AbstractMoments, g: float
) -> None:
    """Check a pool's best example of squared length ``g``, or at most ``g``: none may be better."""
    method = f"{name}.best"
    pick = _require_repeatable(method, lambda seed: pool.best(moments, g * seed / 3))
    if not isinstance(pick, Pick):
        raise ContractError(f"{method} must return Pick(direction, g, item, help).")
    listed = pool.candidates(room.example_radius)
    if pick.help > -math.inf:  # else no item is short enough
        _check_pick(method, pick, room, g, rescalable=pool.rescalable)
        if listed is not None and pick.item is not None:
            _require_item(method, listed, pick.item, pick.direction)
    best = float(np.linalg.eigvalsh(moments.weigh(g))[-1]) if pool.synthesises else -math.inf
    for rows in (pool.directions, None if listed is None else listed.xs):
        if rows is not None:
            xs = np.asarray(rows, dtype=float)
            squared = (xs * xs).sum(axis=1)
            if pool.rescalable:
                xs, squared = xs * np.sqrt(g / squared)[:, None], np.full(len(xs), g)
            short = squared <= g * ROUNDING
            best = max(best, *moments.helps(xs, squared)[short], -math.inf)
    if not pick.help >= best - 1e-9 * abs(best):
        raise ContractError(f"{method} must return the best of its examples, of help {best:g}.")


def _check_pick(method: str, pick: Pick, room: Classroom, g: float, *, rescalable: bool) -> None:
    """Check direction, length and help of the best example that a pool returns."""
    width, length = room.dimensions, float(np.linalg.norm(pick.direction))
    if np.shape(pick.direction) != (width,) or not math.isclose(length, 1.0, rel_tol=1e-9):
        raise ContractError(f"{method} must return a direction of length 1 with {width} numbers.")
    fits = math.isclose(pick.g, g, rel_tol=1e-9) if rescalable else 0.0 < pick.g <= g * ROUNDING
    if not fits:
        raise ContractError(f"{method} must have squared length g, {g:g}, but returned {pick.g:g}.")
    gaps, rates = to_numpy(room.gaps).astype(float), to_numpy(room.rates).astype(float)
    after = _arrays.move_gaps(gaps, rates, math.sqrt(pick.g) * pick.direction)
    helps = float((gaps**2).sum(axis=1).mean() - (after**2).sum(axis=1).mean())
    if not math.isclose(pick.help, helps, rel_tol=1e-6, abs_tol=1e-9):
        raise ContractError(f"{method} states to lower the error by {pick.help:g}: {helps:g}.")


def _require_item(method: str, listed: Candidates, item: int, x: Floats) -> None:
    """Raise unless an item is listed, and is this vector up to its length and sign."""
    rows = listed.xs[np.asarray(listed.items) == item]
    lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(x)
    if not np.isclose(np.abs(rows @ x), lengths, rtol=1e-6).any():
        raise ContractError(f"{method}: item {item} is not among the `candidates`, or differs.")


def _check_listed(name: str, pool: AbstractPool, width: int, radius: float) -> None:
    """Check candidates, draws, and what the pool cannot teach."""
    drawn = _require_repeatable(f"{name}.draw", lambda seed: pool.draw(6, width, default_rng(seed)))
    listed = pool.candidates(radius)
    _check_candidates(f"{name}.draw", drawn, pool, (6, width), 1.0 if pool.rescalable else radius)
    units = {"directions": pool.directions, "draw": drawn.xs if pool.rescalable else None}
    for what, vectors in units.items():
        if not (vectors is None or np.allclose(np.linalg.norm(vectors, axis=1), 1.0)):
            raise ContractError(f"{name}.{what} must have length 1, as unit directions have.")
    rows: Any = np.eye(width) if pool.synthesises else drawn.xs
    if listed is not None:
        method, rows = f"{name}.candidates", listed.xs
        _check_candidates(method, listed, pool, (len(listed.xs), width), radius)
        for x, item in zip(drawn.xs, drawn.items, strict=True):
            _require_item(f"{name}.draw", listed, item, x)
    untaught = pool.untaught(width)
    if not (
        np.shape(untaught)[:1] == (width,)
        and np.allclose(untaught.T @ untaught, np.eye(untaught.shape[1]), atol=1e-6)
        and np.allclose(rows @ untaught, 0.0, atol=1e-6)
        and (listed is None or np.linalg.matrix_rank(rows) + untaught.shape[1] >= width)
    ):
        raise ContractError(f"{name}.untaught must return an orthonormal basis, ({width}, number).")


def _check_candidates(
    method: str, listed: Any, pool: AbstractPool, shape: tuple[int, int], radius: float
) -> None:
    """Check the examples that a pool lists or draws."""
    xs, items, labels = listed
    rows = shape[:1]
    has_items = np.shape(items) == rows and np.asarray(items).dtype.kind in "iu"
    has_labels = labels is not None and np.shape(labels) == rows and np.isfinite(labels).all()
    fits = has_labels if pool.labels is not None else labels is None
    if np.shape(xs) != shape or not (has_items and fits):
        wanted = f"xs of shape {shape}, whole numbers as `items`, and its `labels` if it has any"
        raise ContractError(f"{method} must return {wanted}, one per row.")
    longest = float(np.linalg.norm(xs, axis=1).max())
    if not longest <= radius * ROUNDING:
        limit = f"no longer than {radius:g}, but one has length {longest:g}"
        raise ContractError(f"{method} must return examples {limit}.")
