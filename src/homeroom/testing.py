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
from typing import Any, cast

import numpy as np

from homeroom import _arrays, _plugins
from homeroom._arrays import Array, Floats, to_numpy
from homeroom._checks import InputError, described
from homeroom.classroom import Classroom, Example
from homeroom.engines import ExactClass, SketchClass
from homeroom.goals import AbstractGoal, AverageGoal, ClassProgress
from homeroom.groups import AbstractGrouping, AbstractInformed
from homeroom.learners import (
    SILENCE,
    AbstractLearner,
    AbstractLoss,
    GradientLearner,
    Noise,
    Squared,
    Step,
)
from homeroom.learners.learners import checked_loss, take_step
from homeroom.lessons.group_lesson import states_for
from homeroom.lessons.lesson import fitting_outputs
from homeroom.moments import AbstractMoments, Observation, moments_of
from homeroom.moments.observation import ROUNDING
from homeroom.observers import (
    AbstractExaminer,
    AbstractObserver,
    ExactObserver,
    ObservationNoise,
    Outcome,
)
from homeroom.observers.base import judged_by, looked
from homeroom.pools import AbstractPool, Candidates, Pick
from homeroom.teachers import (
    AbstractPlanner,
    AbstractTeacher,
    AbstractTutor,
    ClassroomTeacher,
    Task,
)
from homeroom.teachers.base import check_choices
from homeroom.teachers.classroom import NOTHING, best_pick, greatest_g
from homeroom.teachers.tutoring import own_best_g

__all__ = [
    "ContractError",
    "check_goal",
    "check_grouping",
    "check_learner",
    "check_observer",
    "check_pool",
    "check_teacher",
]

COPIES = 4000
"""The number of identical students from whom the expectation of a random step is estimated."""

ROUNDS = 6
"""The number of steps in which a learner is compared with what it declares."""

LOOKS = 3
"""The number of rounds in which an observer is compared with what it declares."""

SEEDS = 64
"""The number of seeds over which random observations are averaged."""

DEVIATIONS = 6.0
"""By how many standard errors an average may differ from its expectation."""

TWICE = 2.0
"""The ratio of two standard deviations that chance may cause."""


class ContractError(AssertionError):
    """A component breaks a promise; the message says which, and how to keep it."""


def check_teacher(
    teacher: AbstractTeacher, *, room: Classroom | None = None, loss: AbstractLoss | None = None
) -> None:
    """Check that a teacher keeps the rules of :class:`~homeroom.teachers.AbstractTeacher`.

    It returns examples of the right length with the right label; it keeps no state, changes no
    argument and gives the same answer for the same seed, whatever the order of the students. An
    :class:`~homeroom.teachers.AbstractTutor` chooses for each student as for the student alone.
    Where it declares ``needs``, ``own_labels`` or ``greedy``, it keeps to them: in the class, in
    classes at 0.1 and 0.01 of its distances, with other rates, and with one student.

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
    given, room, loss = room, room or _room(), loss or Squared()
    name = _is_a("teachers", teacher, AbstractTeacher)
    learner = GradientLearner(loss)
    seen = _seen(room, learner)
    with _keeps_to_itself(name, teacher, seen):
        ready = teacher.prepare(room, loss)
        _require(
            isinstance(ready, AbstractTeacher),
            f"{name}.prepare must return the teacher that is ready for the class (`return self`), "
            f"but returned {described(ready)}.",
        )

    def choose(seed: int = 3, seen: Observation = seen) -> Example | None:
        with _as_broken_promise():
            return ready.choose(seen, _rng(seed))

    with _keeps_to_itself(name, ready, seen):
        example = choose()
    _check_example(ready, "choose", example, seen)
    other = _seen(room.subset(range(1, room.students)), learner)
    _answers_alike(f"{name}.choose", example, choose, between=lambda: choose(8, other))
    is_random = not all(_same(choose(seed), example) for seed in range(4, 12))
    if example is not None and not is_random:
        _any_order(name, example, choose, room, learner)
    if isinstance(ready, AbstractTutor):
        _require(
            "shown" in ready.needs or _same(choose(), choose(seen=replace(seen, shown=(0, 1, 2)))),
            f"{name}.choose depends on seen.shown, the items shown so far: add 'shown' to `needs`.",
        )
        _check_tutor(name, ready, seen, None if is_random else room)
    if isinstance(ready, AbstractPlanner):
        _check_planner(name, ready, seen)
    _require(
        ready.assumes is None or ready.assumes in _plugins.names("learners"),
        f"{name}.assumes must be the name of a registered learner, such as 'gradient', or None, "
        f"but is {ready.assumes!r}.",
    )
    _require(
        not (ready.own_labels and ready.greedy is not None),
        f"{name} declares `own_labels` and the rule `greedy`, but the rule is about examples with "
        "the target's own answers: let `greedy` return None.",
    )
    for nearby in _other_classes(room, one_dimension=given is None and loss.outputs == 1):
        seen = _seen(nearby, learner)
        try:
            ready = teacher.prepare(nearby, loss)
            example = choose(seen=seen)
        except InputError:
            if nearby.dimensions == room.dimensions:
                raise
            continue  # the teacher's own items have another number of dimensions
        _check_example(ready, "choose", example, seen)
        if loss.is_quadratic and not ready.own_labels:
            if "states" not in ready.needs:
                _needs_no_states(name, ready, nearby, learner)
            if ready.greedy is not None:
                _is_greedy(name, ready, seen)
    _is_described(name, teacher)


def check_learner(learner: AbstractLearner, *, room: Classroom | None = None) -> None:
    """Check that a learner keeps the rules of :class:`~homeroom.learners.AbstractLearner`.

    It returns a :class:`~homeroom.learners.Step` with states within the ball, also for one student
    and for one dimension; it keeps no state but its memory, changes no argument, and gives the same
    answer for the same seed. If it is ``independent``, it treats one example for all students like
    the same example for each, and steps that are not random move a student in the class as alone.
    Where it declares ``shrinks_gaps``, ``step_noise`` or ``is_random``, its first steps agree, with
    other examples, rates and distances, and with the memory in between: the expectation of a
    random step is estimated from many.

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
    given, room = room, (room or _room()).flat
    name = _is_a("learners", learner, AbstractLearner)
    with _as_broken_promise():
        checked_loss(learner)
    trial = _Trial(learner, room)
    before = deepcopy(_attributes(learner))
    memory = learner.begin(room)
    step = trial.step(memory)
    _check_step(name, step, memory, room)
    _keeps_no_state(name, learner, before)
    _answers_alike(
        f"{name}.step", step, lambda: trial.step(memory), between=lambda: trial.step(memory, seed=9)
    )
    few = [room.subset([0])]
    few += [_room(1)] if given is None and learner.loss.outputs == 1 else []
    for other in few:
        with suppress(InputError):  # a learner may need more dimensions
            _check_step(name, _Trial(learner, other).step(learner.begin(other)), memory, other)
    _stays_in_the_ball(name, learner, room)
    _keeps_its_word(name, learner, room, trial)
    if not learner.is_random:
        _in_any_order(name, learner, trial)
    if learner.independent:
        _is_independent(name, learner, trial, step)
    _is_described(name, learner)


def check_observer(observer: AbstractObserver, *, room: Classroom | None = None) -> None:
    """Check that an observer keeps the rules of :class:`~homeroom.observers.AbstractObserver`.

    It returns an :class:`~homeroom.Observation` of the right shape; it keeps no state but its
    memory, changes no argument, and gives the same answer for the same seed. Where it declares
    ``error_bounds``, errors are within them; where it provides ``"moments"``, it works without
    single students; where it provides ``"states"``, it observes of a student in a class what it
    observes of the student alone. All this holds in three rounds, with the memory in between, and
    for one student.

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
    room = room or _room()
    name = _is_a("observers", observer, AbstractObserver)
    learner, before = GradientLearner(), deepcopy(_attributes(observer))
    observer.begin(room)
    if not observer.is_live:  # otherwise it waits for answers from outside
        for other in (room, room.subset([0])):
            _looks_on(name, observer, ExactClass(other, learner, _rng()))
        if "moments" in observer.provides:
            _provides_moments(name, observer, SketchClass(room, learner, _rng()))
        if "states" in observer.provides:
            _provides_states(name, observer, room, learner)
    _keeps_no_state(name, observer, before)
    _is_described(name, observer)


def check_goal(goal: AbstractGoal, *, room: Classroom | None = None, outputs: int = 1) -> None:
    """Check that a goal keeps the rules of :class:`~homeroom.goals.AbstractGoal`.

    A class at its target has reached it, one far away has not, and a class that comes closer does
    not lose it, whatever the order of its students. Where the goal declares ``alone``,
    ``mean_is_enough``, ``enough_mean``, ``score`` or ``smooth_score``, these agree with
    ``reached``. It uses the states of single students only if its ``needs`` state that.

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
    room = room or _room(4 if 4 % outputs == 0 else 2 * outputs)
    fitting_outputs(room, outputs)
    name = _is_a("goals", goal, AbstractGoal)
    _is_described(name, goal)
    if "knows" in goal.needs:  # only an observer that asks can tell
        return
    before = deepcopy(_attributes(goal))

    def reached_at(squared: Floats, order: slice = slice(None)) -> bool:
        return _reached(name, goal, _progress(goal, room, squared, outputs, order))

    def reached(scale: float) -> bool:
        return reached_at(scale**2 * to_numpy(room.squared_distances).astype(float))

    at_target = reached(0.0)
    _require(at_target, f"{name}.reached must be True for a class at its target, but is False.")
    _require(
        not reached(1e6),
        f"{name}.reached must be False for a class that is far from its target, but is True.",
    )
    _require(
        not reached_at(math.nan * _ones(room.students)),
        f"{name}.reached must be False where distances are not a number (a lesson that diverged): "
        "write `distance <= eps`, not `not distance > eps`.",
    )
    scales = np.geomspace(1e-6, 1e3, 46)
    found = [reached(scale) for scale in scales]
    _answers_alike(
        f"{name}.reached", found, lambda: [reached(scale) for scale in scales], lambda: None
    )
    for spread in _spreads(room.students):
        for scale in scales[::3]:
            _require(
                reached_at(scale * spread) == reached_at(scale * spread, slice(None, None, -1)),
                f"{name}.reached must not depend on the order of the students, but does at a mean "
                f"squared distance of {scale:.3g}.",
            )
    _require(
        found == sorted(found, reverse=True),
        f"{name}.reached must stay True while a class comes closer to its target, but changes "
        f"to False at {scales[found.index(False)]:.3g} of the distances and back.",
    )
    _goal_keeps_its_word(name, goal, reached_at, room.students)
    _keeps_no_state(name, goal, before)


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
    room = room or _room()
    name = _is_a("pools", pool, AbstractPool)
    width, radius, g = room.dimensions, room.example_radius, 0.5 * room.example_radius**2
    before = deepcopy(_attributes(pool))
    fitted = pool.fit(width, radius)
    _require(
        isinstance(fitted, AbstractPool),
        f"{name}.fit must return the pool without items that are too long, but returned "
        f"{described(fitted)}.",
    )
    moments = moments_of(room.gaps, room.rates, few=0)
    _check_listed(name, fitted, width, radius)
    for longest in (g, 2.0 * g, 0.25 * g):
        _picks_the_best(name, fitted, room, moments, longest)
    _answers_alike(
        f"{name}.best",
        fitted.best(moments, g),
        lambda: fitted.best(moments, g),
        lambda: fitted.best(moments, 0.5 * g),
    )
    _keeps_no_state(name, pool, before)
    _is_described(name, pool)


def check_grouping(grouping: AbstractGrouping, *, room: Classroom | None = None) -> None:
    """Check that a grouping keeps the rules of :class:`~homeroom.groups.AbstractGrouping`.

    It returns one group number per student, 0, 1, 2, ... without gaps; it keeps no state, changes
    no argument, and gives the same groups for the same seed. An
    :class:`~homeroom.groups.AbstractInformed` returns a grouping when it is informed.

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
    room = room or _room()
    name = _is_a("groups", grouping, AbstractGrouping)
    before = deepcopy(_attributes(grouping))

    def split(seed: int = 3) -> Any:
        return grouping.split(room, _rng(seed))

    with _unchanged(f"{name}.split", {"states": room.states, "rates": room.rates}):
        groups = split()
    _require(
        isinstance(groups, np.ndarray),
        f"{name}.split must return a NumPy array of group numbers, but returned "
        f"{described(groups)}.",
    )
    _require(
        groups.shape == (room.students,),
        f"{name}.split must return one group number per student, shape ({room.students},), "
        f"but returned shape {groups.shape}.",
    )
    _require(
        groups.dtype.kind in "iu",
        f"{name}.split must return whole numbers, but returned dtype {groups.dtype}.",
    )
    numbers = sorted(set(groups.tolist()))
    _require(
        numbers == list(range(len(numbers))),
        f"{name}.split must number groups 0, 1, 2, ... without gaps, but the numbers are {numbers}:"
        " np.unique(groups, return_inverse=True)[1] renumbers them.",
    )
    _answers_alike(f"{name}.split", groups, split, between=lambda: split(9))
    with suppress(InputError):  # more groups than students
        alone = np.asarray(grouping.split(room.subset([0]), _rng(3)))
        _require(
            alone.shape == (1,) and not alone.any(),
            f"{name}.split must put a student who is alone in group 0, but returned {alone}.",
        )
    if isinstance(grouping, AbstractInformed):
        informed: Any = grouping.informed(
            teacher=ClassroomTeacher(),
            goal=AverageGoal(),
            observer=ExactObserver(),
            learner=GradientLearner(),
            max_rounds=100,
            progress=None,
        )
        _require(
            isinstance(informed, AbstractGrouping),
            f"{name}.informed must return the grouping for the lesson, but returned "
            f"{described(informed)}.",
        )
    _keeps_no_state(name, grouping, before)
    _is_described(name, grouping)


# --- what all components have in common -----------------------------------------------------------


def _room(dimensions: int = 4) -> Classroom:
    """Return seven students in four dimensions, of clearly different rates and knowledge."""
    return Classroom.sample(7, dimensions, rates=(0.1, 0.4), seed=5, clusters=min(2, dimensions))


def _rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def _ones(count: int) -> Floats:
    return np.ones(count)


def _require(holds: object, otherwise: str) -> None:
    """Raise a :class:`ContractError` with this message, unless the condition holds."""
    if not holds:
        raise ContractError(otherwise)


@contextmanager
def _as_broken_promise() -> Iterator[None]:
    """Turn an ``InputError`` inside the block into a :class:`ContractError`."""
    try:
        yield
    except InputError as reason:
        raise ContractError(str(reason)) from reason


def _is_a(kind: str, thing: Any, interface: type) -> str:
    """Return the name of a component that implements its interface; refuse another."""
    wanted = interface.__name__
    if isinstance(thing, type):
        raise ContractError(
            f"An object is checked, but {thing.__name__} is a class: write {thing.__name__}()."
        )
    name = type(thing).__name__
    abstract = sorted(getattr(interface, "__abstractmethods__", ()))
    missing = [f"`{member}`" for member in abstract if not hasattr(thing, member)]
    _require(not missing, f"{name} lacks {', '.join(missing)}, which {wanted} declares.")
    _require(
        isinstance(thing, interface),
        f"{name} must inherit from {wanted}: class {name}({wanted}).",
    )
    with _as_broken_promise():
        _plugins.check_declared(kind, thing, interface)
    return name


def _attributes(thing: Any) -> dict[str, Any]:
    """Return what an object holds, without cached properties."""
    held = dict(getattr(thing, "__dict__", {}))
    if is_dataclass(thing):
        held |= {field.name: getattr(thing, field.name, None) for field in fields(thing)}
    kind = type(thing)
    return {
        name: value
        for name, value in held.items()
        if not isinstance(getattr(kind, name, None), cached_property)
    }


def _same(one: Any, other: Any) -> bool:
    """Return whether two values are equal, arrays entry by entry and objects by what they hold."""
    if one is other:
        return True
    if _arrays.is_array(one) and _arrays.is_array(other):
        here, there = to_numpy(one), to_numpy(other)
        return here.shape == there.shape and bool(
            np.array_equal(here, there, equal_nan=here.dtype.kind in "fc")
        )
    if type(one) is not type(other):
        return False
    if isinstance(one, np.random.Generator):
        return bool(one.bit_generator.state == other.bit_generator.state)
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if is_dataclass(one) or not any("__eq__" in vars(kind) for kind in type(one).__mro__[:-1]):
        return callable(one) or _same(_attributes(one), _attributes(other))
    return bool(one == other) or (one != one and other != other)  # noqa: PLR0124 - NaN


def _keeps_no_state(name: str, thing: Any, before: Mapping[str, Any]) -> None:
    """Raise if a component's attributes differ from those before."""
    after = _attributes(thing)
    changed = [
        key for key in before.keys() | after.keys() if not _same(before.get(key), after.get(key))
    ]
    _require(
        not changed,
        f"{name} keeps state between calls: `{min(changed, default='')}` changed. Return what has "
        "to be remembered (a memory, a course), and get it back as an argument.",
    )


@contextmanager
def _unchanged(method: str, given: Mapping[str, Any]) -> Iterator[None]:
    """Raise if the block changes one of the arguments ``given``, by name."""
    before = deepcopy(dict(given))
    read_only = "read-only"
    try:
        yield
    except ValueError as reason:
        if read_only not in str(reason):
            raise
        raise ContractError(_modifies(method, "its arguments")) from reason
    for name, value in given.items():
        _require(_same(before[name], value), _modifies(method, f"`{name}`"))


def _modifies(method: str, what: str) -> str:
    """Return the message for a method that changes its arguments."""
    return (
        f"{method} modifies {what}: return new arrays instead (`states = states - moves`, "
        "not `states -= moves`)."
    )


@contextmanager
def _keeps_to_itself(name: str, thing: Any, seen: Observation) -> Iterator[None]:
    """Raise if the block changes the observation, or what the component holds."""
    before = deepcopy(_attributes(thing))
    given = {f"seen.{part}": getattr(seen, part) for part in ("gaps", "rates", "target")}
    with _unchanged(f"{name}.choose", given):
        yield
    _keeps_no_state(name, thing, before)


def _answers_alike(
    method: str, answer: Any, again: Callable[[], Any], between: Callable[[], Any]
) -> None:
    """Raise if a method answers differently when it is called again, with the same seed.

    ``again`` repeats the call; ``between`` is another call before it, which must change nothing.
    """
    between()
    _require(
        _same(again(), answer),
        f"{method} gives another answer for the same arguments and the same seed: draw only from "
        "the `rng` that it is given, and keep nothing between calls.",
    )


def _is_described(name: str, thing: Any) -> None:
    """Raise if a record cannot store what the component is."""
    _is_json(name, _plugins.describe(thing))
    _require(
        is_dataclass(thing) or not _attributes(thing),
        f"{name} must be a frozen dataclass: its fields are its settings, which records store.",
    )


def _is_json(name: str, described: Any) -> None:
    """Raise if a description does not consist of plain JSON values."""
    try:
        json.dumps(described, allow_nan=False)
    except (TypeError, ValueError) as reason:
        raise ContractError(
            f"{name} must describe itself in plain JSON values, for records, but: {reason}. Use a "
            "frozen dataclass whose fields are numbers, texts, arrays or components."
        ) from None


# --- teachers -------------------------------------------------------------------------------------


def _check_example(
    teacher: AbstractTeacher | AbstractPlanner, method: str, example: Any, seen: Observation
) -> None:
    """Check the example that a teacher shows, and its label."""
    if example is None:
        return
    with _as_broken_promise():
        seen.check_example(example, teacher, method)
    right = seen.example(example.x).y
    _require(
        getattr(teacher, "own_labels", False)
        or bool(np.allclose(example.y, right, rtol=1e-6, atol=1e-9)),
        f"{type(teacher).__name__}.{method} shows the label {_short(example.y)}, but the target's "
        f"answer is {_short(right)}: use seen.example(x), or let `own_labels` return True.",
    )
    _require(
        example.item is None or (isinstance(example.item, int | np.integer) and example.item >= 0),
        f"{type(teacher).__name__}.{method} must number items 0, 1, 2, ..., with None for an "
        f"example that is no item, but returned item={example.item!r}.",
    )


def _short(label: Any) -> str:
    """Return a label as short text."""
    return f"{label:g}" if np.ndim(label) == 0 else str(np.round(label, 6))


def _seen(room: Classroom, learner: AbstractLearner) -> Observation:
    """Return an exact observation of a class."""
    return ExactClass(room, learner, _rng()).look()


def _other_classes(room: Classroom, *, one_dimension: bool) -> Iterator[Classroom]:
    """Yield the class, nearer to the target, with other rates, and with one student.

    And, if that is asked for, a class with one dimension.
    """
    spread = np.geomspace(0.1, 1.0, room.students)
    for nearer, slower in (
        (1.0, 1.0 + 0.0 * spread),
        (0.1, 1.0 + 0.0 * spread),
        (0.01, 1.0 + 0.0 * spread),
        (1.0, spread),
        (0.3, spread[::-1]),
    ):
        yield replace(
            room,
            states=room.target + nearer * room.gaps,
            rates=room.rates * _arrays.like(slower, room.rates),
        )
    yield room.subset([0])
    if one_dimension:
        yield _room(1)


def _after(room: Classroom, learner: AbstractLearner, example: Example) -> float:
    """Return the class's error (mean squared distance) after an example."""
    students = ExactClass(room, learner, _rng())
    students.learn(example)
    return students.error


def _any_order(
    name: str,
    example: Example,
    choose: Callable[..., Example | None],
    room: Classroom,
    learner: AbstractLearner,
) -> None:
    """Raise if the teacher helps a class less or more when its students are in another order."""
    shuffled = room.subset(_rng(1).permutation(room.students))
    other = choose(seen=ExactClass(shuffled, learner, _rng()).look())
    here = _after(room, learner, example)
    there = math.nan if other is None else _after(room, learner, other)
    _require(
        math.isclose(here, there, rel_tol=0.02),
        f"{name}.choose must not depend on the order of the students, but in another order the "
        f"class's error after the example is {there:.6g} instead of {here:.6g}.",
    )


def _check_tutor(
    name: str, teacher: AbstractTutor, seen: Observation, room: Classroom | None
) -> None:
    """Check the choices for each student, and compare them with those for the student alone.

    They are compared by the student's distance after the example, in ``room`` if it is given.
    """
    with _keeps_to_itself(name, teacher, seen):
        choices = teacher.choose_each(seen, _rng(3))
    method = f"{name}.choose_each"
    with _as_broken_promise():
        check_choices(method, choices, seen)
    _answers_alike(
        method,
        choices,
        lambda: teacher.choose_each(seen, _rng(3)),
        between=lambda: teacher.choose_each(seen, _rng(8)),
    )
    if not isinstance(teacher, AbstractTeacher) or isinstance(teacher, AbstractPlanner):
        return
    learner = GradientLearner(seen.loss)
    for student in range(len(choices.items)):
        x, y = (to_numpy(part)[student].astype(float) for part in choices[:2])
        each = seen.example(x, label=y if np.ndim(y) else float(y)) if x.any() else None
        _check_example(teacher, f"choose_each, for student {student},", each, seen)
        if room is None or not seen.loss.is_quadratic:  # others are searched for at random
            continue
        alone = room.subset([student])
        chosen = teacher.choose(_seen(alone, learner), _rng(3))
        here, there = (
            alone.error if example is None else _after(alone, learner, example)
            for example in (each, chosen)
        )
        _require(
            math.isclose(here, there, rel_tol=1e-6, abs_tol=1e-12 * alone.error),
            f"{method} must choose for each student as if they were the whole class, but student "
            f"{student} is at {here:.6g} after its example, and at {there:.6g} after that of "
            "choose for the student alone.",
        )


def _check_planner(name: str, teacher: AbstractPlanner, seen: Observation) -> None:
    """Check what a planner returns, that it keeps no state, and that it repeats."""
    task = Task(AverageGoal(0.5), 100)

    def follow(course: Any) -> Any:
        return teacher.follow(course, seen, task, _rng(3))

    with _keeps_to_itself(name, teacher, seen):
        answer = follow(None)
    _require(
        isinstance(answer, tuple) and len(answer) == 2,
        f"{name}.follow must return an example and the course after it, but returned "
        f"{described(answer)}.",
    )
    example, course = answer
    _check_example(teacher, "follow", example, seen)
    with _unchanged(f"{name}.follow", {"course": course}):
        follow(course)
    _answers_alike(f"{name}.follow", example, lambda: follow(None)[0], lambda: follow(course))
    _is_json(f"{name}.describe", teacher.describe(course))


def _needs_no_states(
    name: str, teacher: AbstractTeacher, room: Classroom, learner: AbstractLearner
) -> None:
    """Raise if a teacher that declares to need no single students uses them.

    The examples of planners are not compared, as their plans depend on the engine.
    """
    without = SketchClass(room, learner, _rng()).look()
    method = "follow" if isinstance(teacher, AbstractPlanner) else "choose"
    declared = f"{name}.needs leaves out 'states', but {method}"
    try:
        example = _next(teacher, without)
    except (ArithmeticError, IndexError, InputError, TypeError, ValueError) as reason:
        raise ContractError(
            f"{declared} fails without single students ({reason}): use only seen.moments, or let "
            "`needs` return frozenset({'states'})."
        ) from reason
    _check_example(teacher, f"{method} without single students", example, without)
    if isinstance(teacher, AbstractPlanner):
        return
    with_them = teacher.choose(_seen(room, learner), _rng(3))
    errors = [
        room.error if chosen is None else _after(room, learner, chosen)
        for chosen in (example, with_them)
    ]
    _require(
        math.isclose(*errors, rel_tol=1e-6, abs_tol=1e-12 * room.error),
        f"{declared} gives another example without single students: use only seen.moments, or let "
        "`needs` return frozenset({'states'}).",
    )


def _next(teacher: AbstractTeacher, seen: Observation) -> Example | None:
    """Return the next example, a planner's from its plan."""
    if isinstance(teacher, AbstractPlanner):
        followed: tuple[Example | None, Any] = teacher.follow(
            None, seen, Task(AverageGoal(0.5), 100), _rng(3)
        )
        return followed[0]
    return teacher.choose(seen, _rng(3))


def _is_greedy(name: str, teacher: AbstractTeacher, seen: Observation) -> None:
    """Raise if a teacher that declares a rule shows an example that helps less, or more."""
    rule = teacher.greedy
    assert rule is not None
    example = _next(teacher, seen)
    pool = rule.pool.fit(seen.width, seen.example_radius)
    best = best_pick(seen, pool, rule.magnitude, safe=rule.safe, rates_within=rule.rates_within)
    helps = 0.0
    if example is not None:
        helps = float(seen.moments.helps(example.x[None, :], np.array([example.magnitude**2]))[0])
    longest = greatest_g(seen, safe=rule.safe, rates_within=rule.rates_within)
    _require(
        example is None or example.magnitude**2 <= longest * ROUNDING,
        f"{name} declares the rule `greedy` with safe=True, but its example is longer than "
        f"{math.sqrt(longest):.6g}, so that a student may move away.",
    )
    _require(
        math.isclose(helps, max(0.0, best.help), rel_tol=1e-6, abs_tol=NOTHING),
        f"{name} declares the rule `greedy`, {rule.magnitude} in {type(rule.pool).__name__}, but "
        f"its example lowers the class's error by {helps:.6g}, and the rule's by {best.help:.6g}. "
        "Let `greedy` return None, or the rule that it follows.",
    )


# --- learners -------------------------------------------------------------------------------------


class _Trial:
    """Steps of a learner in a class, with one example by default, or with others."""

    def __init__(self, learner: AbstractLearner, room: Classroom) -> None:
        self.learner = learner
        self.room = room
        self.outputs = max(room.outputs, learner.loss.outputs)
        self.width = int(room.states.shape[1]) // self.outputs
        self.x = np.linspace(0.3, 0.9, self.width)
        self.target = to_numpy(room.target).astype(float).reshape(-1)

    def label(self, x: Floats) -> Any:
        """Return the target's own answer to one example, or to one per row."""
        return self.learner.loss.labels(_arrays.answers_of(self.target, x))

    def examples(self, number: int) -> Floats:
        """Return an example for each student, others in every round."""
        shape = self.room.students, self.width
        xs = _rng(number).standard_normal(shape)
        xs *= 0.4 * (1 + number) / np.linalg.norm(xs, axis=1, keepdims=True)
        return xs

    def step(
        self,
        memory: Any,
        seed: int = 4,
        *,
        x: Floats | None = None,
        y: Any = None,
        states: Array | None = None,
    ) -> Step:
        """Return the step after an example for all students, or one for each of them."""
        x = self.x if x is None else x
        states = self.room.states if states is None else states
        given = {
            "states": states,
            "rates": self.room.rates,
            "x": _arrays.like(x, states),
            "y": _arrays.like(self.label(x) if y is None else y, states),
        }
        also = {"rng": _rng(seed), "memory": memory}
        name = f"{type(self.learner).__name__}.step"
        with _as_broken_promise(), _unchanged(name, given | {"memory": memory}):
            return take_step(
                self.learner, *given.values(), state_radius=self.room.state_radius, **also
            )

    def lesson(self, seed: int = 4, *, x: Callable[[int], Floats] | None = None) -> Iterator[Any]:
        """Yield the states before, the step, and the example, for some rounds."""
        memory, states = self.learner.begin(self.room), self.room.states
        for number in range(ROUNDS):
            shown = self.x if x is None else x(number)
            step = self.step(memory, seed + number, states=states, x=shown)
            yield states, step, shown
            memory, states = step.memory, step.states


def _check_step(name: str, step: Step, memory: Any, room: Classroom) -> None:
    """Check the numbers that a step returns, and that it has a memory if there was one."""
    for part, values, like in (
        ("states", step.states, room.states),
        ("rates", step.rates, room.rates),
    ):
        _require(
            np.isfinite(to_numpy(values)).all(),
            f"{name}.step must return finite numbers, but `{part}` has NaN or infinity.",
        )
        _require(
            values.dtype == like.dtype,
            f"{name}.step must return `{part}` of the same precision, {like.dtype}, but returned "
            f"{values.dtype}.",
        )
    _require(
        (step.memory is None) == (memory is None),
        f"{name}.begin returns {described(memory)} as memory, but step returns "
        f"{described(step.memory)}: return the memory after the step, Step(states, rates, memory).",
    )


def _is_independent(name: str, learner: AbstractLearner, trial: _Trial, step: Step) -> None:
    """Raise if students who are shown one example each do not move as they would alone."""
    students, room = trial.room.students, trial.room
    each = trial.step(learner.begin(room), x=np.tile(trial.x, (students, 1)))
    otherwise = "correct it, or let `independent` return False."
    _require(
        np.allclose(to_numpy(each.states), to_numpy(step.states), rtol=1e-6, atol=1e-9),
        f"{name}.step must treat one example for all students (x of shape (dimensions,)) like the "
        "same example for each (x of shape (students, dimensions)), but the states differ: "
        f"{otherwise}",
    )
    if learner.is_random:
        return
    rounds = [to_numpy(step.states) for _, step, _ in trial.lesson(x=trial.examples)]
    for student in (0, students - 1):
        alone = _Trial(learner, room.subset([student]))

        def own(number: int, student: int = student) -> Floats:
            one: Floats = trial.examples(number)[student]
            return one

        for number, (_, after, _) in enumerate(alone.lesson(x=own)):
            _require(
                np.allclose(to_numpy(after.states)[0], rounds[number][student], rtol=1e-5),
                f"{name}.step must move a student in a class as alone, with the same examples, but "
                f"student {student} is elsewhere after step {number + 1}: students influence each "
                f"other, or are shown another's example. {otherwise[0].upper()}{otherwise[1:]}",
            )


def _in_any_order(name: str, learner: AbstractLearner, trial: _Trial) -> None:
    """Raise if students end elsewhere when they are in another order.

    A memory whose rows are not those of the students causes that.
    """
    order = _rng(1).permutation(trial.room.students)
    lessons = (trial.lesson(), _Trial(learner, trial.room.subset(order)).lesson())
    for number, ((_, one, _), (_, other, _)) in enumerate(zip(*lessons, strict=True)):
        _require(
            np.allclose(to_numpy(one.states)[order], to_numpy(other.states), rtol=1e-6, atol=1e-9),
            f"{name}.step must not depend on the order of the students, but in another order they "
            f"are elsewhere after step {number + 1}: keep a row of the memory for each student.",
        )


def _stays_in_the_ball(name: str, learner: AbstractLearner, room: Classroom) -> None:
    """Check that long steps do not take states out of the ball."""
    states = to_numpy(room.states).astype(float)
    radius = float(np.linalg.norm(states, axis=1).max())
    tight = replace(room, states=states, target=0.0 * states[0], state_radius=radius)
    trial = _Trial(learner, tight)
    outward = -4.0 * trial.x
    label = learner.loss.labels(np.full(trial.outputs, 50.0))
    label = label[0] if trial.outputs == 1 else label
    for rows in (None, room.students) if learner.independent else (None,):
        x = outward if rows is None else np.tile(outward, (rows, 1))
        y = label if rows is None else np.tile(label, (rows, *([1] * np.ndim(label))))
        memory, states = learner.begin(tight), tight.states
        for number in range(ROUNDS):  # a memory may lead out of the ball later
            step = trial.step(memory, 4 + number, states=states, x=x, y=y)
            memory, states = step.memory, step.states
            longest = float(np.linalg.norm(to_numpy(states), axis=1).max())
            _require(
                longest <= radius * ROUNDING,
                f"{name}.step must keep states within state_radius, {radius:.6g}, but one has "
                f"length {longest:.6g}: return project(states, state_radius).",
            )


def _keeps_its_word(name: str, learner: AbstractLearner, room: Classroom, trial: _Trial) -> None:
    """Raise if steps differ from what the learner declares."""
    lessons = [[step.states for _, step, _ in trial.lesson(seed)] for seed in (4, 54)]
    _require(
        learner.is_random or _same(*lessons),
        f"{name}.step differs between two seeds, so `is_random` must return True.",
    )
    noise = learner.step_noise
    if learner.shrinks_gaps:
        _require(
            noise == SILENCE,
            f"{name} declares shrinks_gaps, so that `step_noise` must be SILENCE, but is {noise}.",
        )
        for farther, faster in ((1.0, 1.0), (0.01, 3.0), (30.0, 0.1)):
            states = room.target + farther * room.gaps
            _shrinks_gaps(name, learner, replace(room, states=states, rates=faster * room.rates))
        several = Classroom.sample(3, 2, outputs=2, rates=(0.1, 0.4)).flat
        if learner.loss.is_quadratic:
            _shrinks_gaps(name, learner, several)
    elif noise is not None:
        for rate in (0.3, 0.1):
            _is_noisy_as_declared(name, learner, noise, rate)


def _shrinks_gaps(name: str, learner: AbstractLearner, room: Classroom) -> None:
    """Raise if a step, also one with a memory, is another than the plain gradient step."""
    rates, trial = to_numpy(room.rates).astype(float), _Trial(learner, room)
    for number, (before, step, x) in enumerate(
        trial.lesson(x=lambda number: trial.examples(number)[0])
    ):
        gaps = to_numpy(before).astype(float) - trial.target
        expected = to_numpy(_arrays.moved(gaps, rates, x))
        moved = to_numpy(step.states).astype(float) - trial.target
        _require(
            np.allclose(moved, expected, rtol=1e-5, atol=1e-5 * np.abs(gaps).max()),
            f"{name} declares shrinks_gaps, but a gap does not move by exactly -rate <gap, x> x in "
            f"step {number + 1}: let `shrinks_gaps` return False.",
        )
        _require(
            np.allclose(to_numpy(step.rates), rates, rtol=1e-6),
            f"{name} declares shrinks_gaps, but step {number + 1} reports other `rates` than the "
            "students': return them as they are, or let `shrinks_gaps` return False.",
        )


def _is_noisy_as_declared(name: str, learner: AbstractLearner, noise: Noise, eta: float) -> None:
    """Raise if the mean of many gaps, or of their squares, differs from what is declared.

    With chance ``p`` (``attention``) a student with gap ``e`` moves by ``-z <e, x> x``, where the
    rate ``z`` has the mean ``eta`` and the variance ``v``, independent of all other rounds. A drift
    of variance ``h eta`` in each coordinate is added, where ``h`` is the ``heat``. So the means of
    ``e`` and of ``e e'`` are known after every round. The rates that are used have the mean
    ``p eta``.
    """
    gap = np.array([1.0, -0.5, 0.25])
    room = Classroom(np.tile(gap, (COPIES, 1)), np.full(COPIES, eta), np.zeros(3))
    trial = _Trial(learner, room)
    x, p, v = trial.x, noise.attention, noise.rate_variance
    mean, squares = gap, np.outer(gap, gap)
    for number, (_, step, _) in enumerate(trial.lesson()):
        mean = mean - p * eta * (mean @ x) * x
        along = squares @ x  # E e <e, x>
        squares = (
            squares
            - p * eta * (np.outer(x, along) + np.outer(along, x))
            + p * (eta**2 + v) * (along @ x) * np.outer(x, x)
            + noise.heat * eta * np.eye(len(x))
        )
        moved, used = to_numpy(step.states), to_numpy(step.rates)
        for what, values, expected in (
            ("mean of {} gaps", moved, mean),
            ("mean square of {} gaps", (moved * moved).sum(axis=1)[:, None], squares.trace()),
            ("mean of {} `rates`", used[:, None], p * eta),
        ):
            off = np.abs(values.mean(axis=0) - expected)
            allowed = DEVIATIONS * values.std(axis=0) / math.sqrt(COPIES) + 1e-9
            _require(
                (off <= allowed).all(),
                f"{name} declares step_noise={noise}, but the {what.format(COPIES)} is "
                f"{values.mean(axis=0).round(4)} instead of {np.round(expected, 4)} after step "
                f"{number + 1}: correct `step_noise`, or let it return None.",
            )


# --- observers ------------------------------------------------------------------------------------


def _looks_on(name: str, observer: AbstractObserver, students: ExactClass) -> None:
    """Check what is observed, and remembered, in ``LOOKS`` rounds."""
    memory = observer.begin(students.room)
    for number in range(LOOKS):
        truth = students.look()

        def observe(
            seed: int, truth: Observation = truth, memory: Any = memory
        ) -> tuple[Observation, Any]:
            with _as_broken_promise():
                return looked(observer, truth, memory, _rng(seed))

        given = {"truth.gaps": truth.gaps, "truth.rates": truth.rates, "memory": memory}
        with _unchanged(f"{name}.observe", given):
            seen, now = observe(3)
        _answers_alike(
            f"{name}.observe",
            _arrays_of(seen),
            lambda: _arrays_of(observe(3)[0]),
            between=lambda: observe(9),
        )
        _require(
            _same(seen.target, truth.target),
            f"{name}.observe must not return another `target`: what the students are to learn is "
            "known. Return other gaps.",
        )
        if observer.error_bounds is not None:
            for seed in range(3, 3 + SEEDS // 4):
                _is_within(name, observer.error_bounds, observe(seed)[0], truth, number)
        outcome = students.learn(truth.example((0.5 + 0.1 * number) * _ones(truth.width)))
        with _unchanged(f"{name}.remember", {"memory": now, "outcome.rates": outcome.rates}):
            memory = observer.remember(now, outcome)
        _answers_alike(
            f"{name}.remember",
            memory,
            partial(observer.remember, now, outcome),
            between=lambda: None,
        )
        if isinstance(observer, AbstractExaminer):
            with _as_broken_promise():
                judged_by(observer, memory)


def _arrays_of(seen: Observation) -> list[Any]:
    """Return the parts of an observation that must repeat."""
    return [seen.gaps, seen.rates, seen.squared_rates, seen.gentle, seen.noise, dict(seen.notes)]


def _is_within(
    name: str, noise: ObservationNoise, seen: Observation, truth: Observation, number: int
) -> None:
    """Raise if an observation is off by more than ``error_bounds`` declares.

    ``number`` is the round, for the message.
    """
    gaps, exact = to_numpy(seen.gaps), to_numpy(truth.gaps)
    lengths = np.linalg.norm(exact, axis=1).max()
    off = float(np.linalg.norm(gaps - exact, axis=1).max())
    matrix = 0.0 if seen.noise is None else float(np.abs(np.linalg.eigvalsh(seen.noise)).max())
    for what, found, declared in (
        ("the error of a state", off, noise.states),
        ("the operator norm of the error of W", matrix, noise.moments),
    ):
        _require(
            found <= declared * ROUNDING + 1e-12 * lengths,
            f"{name} declares error_bounds={tuple(noise)}, but in round {number + 1} "
            f"{what} is {found:.6g}, above {declared:.6g}: correct `error_bounds`, or let it "
            "return None.",
        )
    rates = to_numpy(truth.rates)
    squares = rates**2 if seen.squared_rates is None else to_numpy(seen.squared_rates)
    _require(
        np.allclose(to_numpy(seen.rates), rates, rtol=1e-6)
        and np.allclose(squares, rates**2 + noise.rate_deviation**2, rtol=1e-6),
        f"{name} declares error_bounds={tuple(noise)}, so that `rates` and `squared_rates` follow "
        "from the known mean rates, but others are observed: let `error_bounds` return None.",
    )


def _provides_moments(name: str, observer: AbstractObserver, students: SketchClass) -> None:
    """Raise if an observer that provides moments needs single students."""
    memory = observer.begin(cast(Classroom, students.room))
    delta = (observer.error_bounds or ObservationNoise(moments=math.inf)).moments
    for _ in range(LOOKS):
        truth = students.look()
        try:
            seen, memory = looked(observer, truth, memory, _rng(3))
            matrix = seen.moments.weigh(1.0)
        except (ArithmeticError, IndexError, InputError, TypeError, ValueError) as reason:
            raise ContractError(
                f"{name} provides 'moments', but observe fails without single students ({reason}): "
                "leave 'moments' out of `provides`."
            ) from reason
        _require(
            np.abs(np.linalg.eigvalsh(matrix - truth.moments.weigh(1.0))).max()
            <= delta * ROUNDING + 1e-9,
            f"{name} provides 'moments', but without single students the observed W differs by "
            "more than its `error_bounds`: pass the engine's moments on, "
            "truth.seen_with(noise=...).",
        )
        outcome = students.learn(truth.example(0.5 * _ones(truth.width)))
        memory = observer.remember(memory, outcome)


def _provides_states(
    name: str, observer: AbstractObserver, room: Classroom, learner: AbstractLearner
) -> None:
    """Raise if more is observed of a student in a class, or less, than of the student alone.

    Some students are observed for three rounds, in the class and alone. As observations may be
    random, their means over many seeds are compared.
    """
    students = [0, room.students - 1]
    together = np.array(
        [_observed(name, observer, room, learner, seed)[:, students] for seed in range(SEEDS)]
    )
    alone = np.array(
        [
            [
                _observed(name, observer, room.subset([student]), learner, seed)[:, 0]
                for student in students
            ]
            for seed in range(SEEDS)
        ]
    ).swapaxes(1, 2)
    off = np.abs(together.mean(axis=0) - alone.mean(axis=0))
    spreads = together.std(axis=0), alone.std(axis=0)
    allowed = DEVIATIONS * np.hypot(*spreads) / math.sqrt(SEEDS)
    rounding = 64 * float(_arrays.namespace(room.states).finfo(room.states.dtype).eps)
    rounding *= float(np.abs(alone).max())
    _require(
        (off <= allowed + rounding).all()
        and (np.maximum(*spreads) <= TWICE * np.minimum(*spreads) + rounding).all(),
        f"{name} provides 'states', but observes another gap, rate or squared rate of a student in "
        "a class than of the same student alone, or its memory depends on the examples: leave "
        "'states' out of `provides`.",
    )


def _observed(
    name: str, observer: AbstractObserver, room: Classroom, learner: AbstractLearner, seed: int
) -> Floats:
    """Return what is observed in three rounds: gaps, rates, squared rates, best squared lengths.

    Shape ``(rounds, students, numbers)``. In a class, ``remember`` is not given an example, as each
    student is shown another.
    """
    rng, memory, alone = _rng(seed), observer.begin(room), room.students == 1
    rows = []
    for number in range(LOOKS):
        nearer = replace(room, states=room.target + 0.7**number * room.gaps)
        truth = ExactClass(nearer, learner, _rng()).look()
        seen = observer.observe(truth, memory, rng)
        _require(
            seen.noise is None,
            f"{name} provides 'states', but observes W with noise, which no single student has: "
            "leave 'states' out of `provides`.",
        )
        memory = memory if seen.memory is None else seen.memory
        squares = seen.rates * seen.rates if seen.squared_rates is None else seen.squared_rates
        best = np.array([seen.gentle_g]) if alone else own_best_g(seen)
        parts = (seen.gaps, seen.rates, squares, best)
        rows.append(np.column_stack([to_numpy(part) for part in parts]))
        example = truth.example(_ones(truth.width)) if alone else None
        memory = observer.remember(memory, Outcome((1.0 + 0.1 * number) * room.rates, example))
    return np.array(rows)


# --- goals ----------------------------------------------------------------------------------------


def _progress(
    goal: AbstractGoal, room: Classroom, squared: Floats, outputs: int, order: slice
) -> ClassProgress:
    """Return the progress of a class whose students have these squared distances to the target.

    Each student keeps the direction of their gap; there may be more students than in ``room``.
    ``order`` is the order of their states.
    """
    gaps, target = to_numpy(room.gaps).astype(float), to_numpy(room.target).astype(float)
    units = gaps / np.linalg.norm(gaps, axis=1, keepdims=True)
    states = target + np.sqrt(squared)[:, None] * np.resize(units, (len(squared), len(target)))
    farthest = math.sqrt(float(squared.max()))
    given = states_for(goal, lambda: states[order])
    return ClassProgress(float(squared.mean()), farthest, given, target, outputs)


def _reached(name: str, goal: AbstractGoal, progress: ClassProgress) -> bool:
    """Return whether a goal is reached; raise if it returns no truth value."""
    with _as_broken_promise():
        reached = goal.reached(progress)
    _require(
        isinstance(reached, bool | np.bool_),
        f"{name}.reached must return True or False, but returned {described(reached)}.",
    )
    return bool(reached)


def _spreads(students: int) -> Iterator[Floats]:
    """Yield squared distances with the mean 1: all alike, one far away, and random ones."""
    yield _ones(students)
    yield np.where(np.arange(students) == 0, float(students), 0.0)
    random = _rng(7).exponential(size=(4, students))
    yield from random / random.mean(axis=1, keepdims=True)


def _goal_keeps_its_word(
    name: str, goal: AbstractGoal, reached: Callable[[Floats], bool], students: int
) -> None:
    """Raise if what a goal declares does not agree with when it is reached."""
    alone, just, more = goal.alone, 1 - 1e-9, 1 + 1e-9
    _require(
        math.isnan(alone) or alone >= 0.0,
        f"{name}.alone is {alone:.6g}, but a squared distance is not negative: correct it, or let "
        "it return NaN.",
    )
    if not math.isnan(alone):
        _require(
            reached(np.array([alone * just])) and not reached(np.array([alone * more])),
            f"{name}.alone is {alone:.6g}, but a student alone is not done at exactly this squared "
            "distance: correct `alone`, or let it return NaN.",
        )
    for count in (1, students, 6 * students):
        enough = goal.enough_mean(count)
        _is_number(f"{name}.enough_mean({count})", enough)
        if enough is None:
            continue
        for spread in _spreads(count):
            _require(
                reached(enough * just * spread),
                f"{name}.enough_mean({count}) is {enough:.6g}, but a class with this mean "
                "squared distance has not reached the goal: return a smaller one, or None.",
            )
    for spread in _spreads(students):
        if goal.mean_is_enough:
            _require(
                reached(alone * just * spread) and not reached(alone * more * spread),
                f"{name} declares mean_is_enough, but is not reached exactly where the mean "
                f"squared distance is at most `alone`, {alone:.6g}: let `mean_is_enough` return "
                "False.",
            )
        for scale in np.geomspace(1e-3, 1e3, 13) * (1.0 if math.isnan(alone) else alone):
            with _unchanged(f"{name}.score", {"squared_distances": (given := scale * spread)}):
                score = goal.score(given)
            _is_number(f"{name}.score", score)
            if score is not None:
                near = math.isclose(score, alone, rel_tol=1e-9)
                _require(
                    near or (score <= alone) == reached(given),
                    f"{name}.score is {score:.6g}, and `alone` {alone:.6g}, so that the goal "
                    f"should {'be' if score <= alone else 'not be'} reached, but `reached` says "
                    "otherwise.",
                )
            if not math.isnan(alone) and 0.05 * alone < scale < 20.0 * alone:
                _smooth_score_fits(name, goal, scale * spread, score)


def _is_number(what: str, value: Any) -> None:
    """Raise if a value is neither a number nor ``None``."""
    _require(
        value is None or isinstance(value, int | float | np.floating),
        f"{what} must be a number or None, but is {described(value)}.",
    )


def _smooth_score_fits(name: str, goal: AbstractGoal, squared: Floats, score: float | None) -> None:
    """Raise if the smooth score is below the score, or its slopes are not its derivatives."""
    smooth = goal.smooth_score(squared)
    if smooth is None:
        return
    if score is None:
        raise ContractError(
            f"{name} has smooth_score, an upper bound of the score, but `score` returns None: let "
            "it return the number that must be at most `alone`."
        )
    value, slopes = smooth
    _require(
        value >= score * (1 - 1e-9),
        f"{name}.smooth_score is {value:.6g}, but must not be below the score, {score:.6g}.",
    )
    _require(
        np.shape(slopes) == squared.shape and np.isfinite(slopes).all(),
        f"{name}.smooth_score must return a finite slope for each student, shape {squared.shape}, "
        f"but returned {described(slopes)}.",
    )
    if not squared.all():  # distances are not negative, so there is only one side
        return
    by = 1e-4 * squared
    found = [_central_difference(goal, squared, step) for step in np.diag(by)]
    _require(
        np.allclose(slopes, found, rtol=1e-3, atol=1e-3 * np.abs(found).max()),
        f"{name}.smooth_score must return its slope in each squared distance, but returned "
        f"{np.round(slopes, 4)}, where differences of its values give {np.round(found, 4)}.",
    )


def _central_difference(goal: AbstractGoal, squared: Floats, step: Floats) -> float:
    """Return the slope of the smooth score in the one squared distance that the step changes."""
    above, below = goal.smooth_score(squared + step), goal.smooth_score(squared - step)
    assert above is not None
    assert below is not None
    return (above[0] - below[0]) / (2.0 * float(step.sum()))


# --- pools ----------------------------------------------------------------------------------------


def _check_pick(name: str, pick: Any, room: Classroom, g: float, *, rescalable: bool) -> None:
    """Check the best example that a pool returns."""
    method = f"{name}.best"
    _require(
        isinstance(pick, Pick),
        f"{method} must return Pick(direction, g, item, help), but returned {described(pick)}.",
    )
    if pick.help == -math.inf:  # no item is short enough
        return
    _require(
        np.shape(pick.direction) == (room.dimensions,)
        and math.isclose(float(np.linalg.norm(pick.direction)), 1.0, rel_tol=1e-9),
        f"{method} must return a direction of length 1 with {room.dimensions} numbers, but "
        f"returned {described(pick.direction)} of length {np.linalg.norm(pick.direction):.6g}.",
    )
    _require(
        math.isclose(pick.g, g, rel_tol=1e-9) if rescalable else 0.0 < pick.g <= g * ROUNDING,
        f"{method} must use the squared length {'g' if rescalable else 'g at most'}, {g:.6g}, "
        f"but returned {pick.g:.6g}.",
    )
    gaps, rates = to_numpy(room.gaps).astype(float), to_numpy(room.rates).astype(float)
    x = math.sqrt(pick.g) * pick.direction
    after = gaps - (rates * (gaps @ x))[:, None] * x
    helps = float((gaps**2).sum(axis=1).mean() - (after**2).sum(axis=1).mean())
    _require(
        math.isclose(pick.help, helps, rel_tol=1e-6, abs_tol=1e-9),
        f"{method} states that its example lowers the class's error by {pick.help:.6g}, but it "
        f"does so by {helps:.6g}: moments.helps(xs, squared_lengths) returns it.",
    )


def _picks_the_best(
    name: str, pool: AbstractPool, room: Classroom, moments: AbstractMoments, g: float
) -> None:
    """Raise if another example of the pool, with squared length ``g`` or at most ``g``, is better.

    Also if the item that is named has another direction.
    """
    pick = pool.best(moments, g)
    _check_pick(name, pick, room, g, rescalable=pool.rescalable)
    listed = pool.candidates(room.example_radius)
    best = -math.inf
    if pool.synthesises:
        best = float(np.linalg.eigvalsh(moments.weigh(g))[-1])
    for rows in (pool.directions, None if listed is None else listed.xs):
        if rows is not None:
            xs = np.asarray(rows, dtype=float)
            squared = (xs * xs).sum(axis=1)
            if pool.rescalable:
                xs, squared = xs * np.sqrt(g / squared)[:, None], np.full(len(xs), g)
            short = squared <= g * ROUNDING
            best = max(best, *moments.helps(xs, squared)[short], -math.inf)
    _require(
        pick.help >= best - 1e-9 * abs(best),
        f"{name}.best must return the best of its examples, but it helps by {pick.help:.6g}, "
        f"and another by {best:.6g}. Correct `best`, `candidates`, `synthesises` or `directions`.",
    )
    if listed is not None and pick.item is not None and pick.help > -math.inf:
        same = listed.xs[np.asarray(listed.items) == pick.item]
        _require(
            len(same) and _contains(same, pick.direction),
            f"{name}.best names item {pick.item}, but `candidates` list no such item, or another "
            "example under this number.",
        )


def _contains(rows: Any, x: Floats) -> bool:
    """Return whether a vector is one of some rows, up to its length and sign."""
    along = np.abs(np.asarray(rows) @ x)
    lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(x)
    return bool(np.isclose(along, lengths, rtol=1e-6).any())


def _check_candidates(
    method: str, listed: Any, width: int, radius: float, count: int | None = None
) -> None:
    """Check the examples that a pool lists or draws."""
    _require(
        isinstance(listed, Candidates),
        f"{method} must return Candidates(xs, items, labels), but returned {described(listed)}.",
    )
    rows = len(listed.xs)
    _require(
        np.shape(listed.xs) == (count or rows, width) and np.shape(listed.items) == (rows,),
        f"{method} must return xs of shape ({count or 'items'}, {width}) and one item number per "
        f"row, but returned {described(listed.xs)} and {described(listed.items)}.",
    )
    _require(
        np.asarray(listed.items).dtype.kind in "iu",
        f"{method} must return whole numbers as `items`, but returned {np.asarray(listed.items)}.",
    )
    _require(
        listed.labels is None
        or (np.shape(listed.labels) == (rows,) and np.isfinite(listed.labels).all()),
        f"{method} must return one finite label per row, or None, but returned "
        f"{described(listed.labels)}.",
    )
    longest = float(np.linalg.norm(listed.xs, axis=1).max())
    _require(
        longest <= radius * ROUNDING,  # also False for NaN
        f"{method} must return examples no longer than {radius:g}, but one has length "
        f"{longest:.6g}.",
    )


def _check_listed(name: str, pool: AbstractPool, width: int, radius: float) -> None:
    """Check candidates, draws, and what the pool cannot teach."""

    def draw(seed: int = 1) -> Candidates:
        return pool.draw(6, width, _rng(seed))

    _require(
        pool.directions is None or np.allclose(np.linalg.norm(pool.directions, axis=1), 1.0),
        f"{name}.directions must have length 1: directions / lengths[:, None].",
    )
    drawn = draw()
    _check_candidates(f"{name}.draw", drawn, width, 1.0 if pool.rescalable else radius, count=6)
    if pool.rescalable:
        _require(
            np.allclose(np.linalg.norm(drawn.xs, axis=1), 1.0),
            f"{name}.draw must return unit directions, as the pool is re-scalable.",
        )
    _answers_alike(f"{name}.draw", drawn, draw, between=lambda: draw(2))
    listed = pool.candidates(radius)
    rows: Any = np.eye(width) if pool.synthesises else drawn.xs
    for method, some in (("draw", drawn), ("candidates", listed)):
        _require(
            some is None or (some.labels is None) == (pool.labels is None),
            f"{name}.{method} must return labels exactly if the pool has `labels`.",
        )
    if listed is not None:
        _check_candidates(f"{name}.candidates", listed, width, radius)
        rows = listed.xs
        for x, item in zip(drawn.xs, drawn.items, strict=True):
            _require(
                _contains(rows[np.asarray(listed.items) == item], x),
                f"{name}.draw must return examples of the pool, but item {item} is not among its "
                "`candidates`, or is another example there.",
            )
    untaught = pool.untaught(width)
    _require(
        np.ndim(untaught) == 2
        and np.shape(untaught)[0] == width
        and np.allclose(untaught.T @ untaught, np.eye(untaught.shape[1]), atol=1e-6)
        and np.allclose(rows @ untaught, 0.0, atol=1e-6)
        and (listed is None or np.linalg.matrix_rank(rows) + untaught.shape[1] >= width),
        f"{name}.untaught must return an orthonormal basis, ({width}, number), of the directions "
        f"that no item contains, but returned {described(untaught)}.",
    )
