"""Individual lessons, all students at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from homeroom import _arrays
from homeroom._arrays import Array, Floats, Ints
from homeroom.classroom import Classroom
from homeroom.engines.overshoot import LONG, MAY_MOVE_AWAY
from homeroom.learners import AbstractLearner, Squared
from homeroom.moments import Observation
from homeroom.observers import AbstractObserver, ExactObserver, Outcome
from homeroom.teachers import AbstractTeacher, AbstractTutor, Choices, ClassroomTeacher


def can_be_straight(
    teacher: AbstractTeacher, learner: AbstractLearner, observer: AbstractObserver
) -> bool:
    """Tell whether every student alone walks straight to the target, so that a formula will do."""
    return (
        isinstance(teacher, ClassroomTeacher)
        and isinstance(observer, ExactObserver)
        and learner.shrinks_gaps
    )


@dataclass(frozen=True, eq=False)
class Straight:
    """Individual lessons in closed form: each student keeps her direction and shrinks her distance.

    Parameters
    ----------
    distances
        The squared distances at the start, shape ``(students,)``.
    g
        The squared magnitude of each student's examples.
    shrink
        What each example leaves of her distance, ``1 - rate * g``.
    rounds
        How many examples she is shown.
    """

    distances: Floats
    g: Floats
    shrink: Floats
    rounds: Ints


def straight_lessons(room: Classroom, enough: float, max_rounds: int) -> Straight:
    """Return everybody's individual lesson: one vectorised expression, however many students.

    ``rounds = ceil(log(enough / |e|^2) / log((1 - rate g)^2))``, ``g = min(1 / rate,
    example_radius^2)``.

    Parameters
    ----------
    room
        The class.
    enough
        The squared distance at which a student is done.
    max_rounds
        The limit for each student.
    """
    distances = _arrays.small(room.squared_distances)
    rates = _arrays.small(room.rates)
    g = np.minimum(1.0 / rates, room.example_radius**2)
    # A student whose best length fits the ball learns all there is from one example.
    shrink = np.where(rates * room.example_radius**2 >= 1.0, 0.0, 1.0 - rates * g)
    with np.errstate(divide="ignore", invalid="ignore"):
        needed = np.ceil(np.log(enough / distances) / np.log(shrink**2))
    needed = np.where(shrink == 0.0, 1.0, needed)
    # A rate so small that 1 - rate * g is 1: she never gets there.
    needed = np.where(shrink == 1.0, np.inf, needed)
    needed = np.where(distances <= enough, 0.0, np.maximum(needed, 1.0))
    # The logarithms may be off by one where the distance lands on the limit: look, and put right.
    one_less = np.maximum(needed - 1.0, 0.0)
    needed = np.where(distances * shrink ** (2.0 * one_less) <= enough, one_less, needed)
    needed = np.where(distances * shrink ** (2.0 * needed) > enough, needed + 1.0, needed)
    return Straight(distances, g, shrink, np.minimum(needed, max_rounds).astype(np.int64))


@dataclass(frozen=True, eq=False)
class Tutored:
    """What individual lessons left behind, a row for each example, students one after the other.

    Parameters
    ----------
    rounds
        How many examples each student was shown, shape ``(students,)``.
    stuck
        Whether her lesson ended because nothing helped any more.
    errors
        Her squared distance before, and after each example: ``rounds + 1`` numbers a student.
    xs, ys, items
        The examples, ``rounds`` a student; ``items`` is -1 where an example was made up.
    states
        Everybody's state at the end, shape ``(students, dimensions)``.
    counts
        What is worth saying, as counts by name.
    """

    rounds: Ints
    stuck: npt.NDArray[np.bool_]
    errors: Floats
    xs: Floats
    ys: Floats
    items: Ints
    states: Array
    counts: dict[str, int]


def tutored_lessons(
    room: Classroom,
    *,
    teacher: AbstractTutor,
    learner: AbstractLearner,
    observer: AbstractObserver,
    enough: float,
    max_rounds: int,
    rngs: tuple[np.random.Generator, np.random.Generator, np.random.Generator],
    progress: Callable[[int, float], None] = lambda _round, _share: None,
) -> Tutored:
    """Teach every student alone, all in step.

    Cost of a round: that of ``teacher.choose_each``, plus O(students * dimensions). Once half of
    the students are done, the others go on without them; but where the observer keeps a memory,
    which has all students in it, all are passed over until the last is done.
    """
    for_teacher, for_observer, for_learner = rngs
    xp = _arrays.namespace(room.states)
    target = _arrays.small(room.target)
    students, states, memory = room.students, room.states, observer.begin(room)
    distances = _arrays.small(room.squared_distances)
    active = distances > enough
    stuck = np.zeros(students, dtype=bool)
    log = _Log(distances)
    leavers = _Leavers(students)
    counts: dict[str, int] = {}
    for number in range(max_rounds):
        if not active.any():
            break
        progress(number, 1.0 - float(active.sum()) / students)
        if memory is None and 2 * active.sum() < len(active):
            staying = np.flatnonzero(active)
            states, room = leavers.part(states, active), room.subset(staying)
            active = active[staying]
        seen = observer.observe(_truth(room, learner, states, target), memory, for_observer)
        choices = teacher.choose_each(seen, for_teacher)
        xs, ys, _ = choices
        helped = _arrays.to_numpy(xp.any(xs != 0.0, axis=1)) & active
        stuck[leavers.present[active & ~helped]] = True
        step = learner.step(
            states, room.rates, xs, ys, state_radius=room.state_radius, rng=for_learner
        )
        moving = _arrays.like_mask(helped, states)
        states = xp.where(moving[:, None], step.states, states)
        gaps = states - room.target
        distances = _arrays.small(xp.sum(gaps * gaps, axis=1))
        log.add(leavers.present, helped, choices, distances)
        memory = observer.remember(memory, Outcome(step.rates))
        _count(counts, seen, step.rates, helped)
        if isinstance(learner.loss, Squared):
            too_long = _arrays.to_numpy(room.rates * xp.sum(xs * xs, axis=1) > LONG)
            _add(counts, MAY_MOVE_AWAY, int((too_long & helped).sum()))
        active = helped & (distances > enough) & np.isfinite(distances)
    return log.sorted(stuck, leavers.together(states), counts)


def _truth(room: Classroom, learner: AbstractLearner, states: Array, target: Floats) -> Observation:
    return Observation(
        target=target,
        example_radius=room.example_radius,
        state_radius=room.state_radius,
        loss=learner.loss,
        gaps=states - room.target,
        rates=room.rates,
    )


def _count(
    counts: dict[str, int], seen: Observation, rates: Array, helped: npt.NDArray[np.bool_]
) -> None:
    for name, number in seen.notes.items():
        counts[name] = counts.get(name, 0) + number
    _add(counts, "negative rates drawn", int((_arrays.to_numpy(rates)[helped] < 0).sum()))


def _add(counts: dict[str, int], name: str, number: int) -> None:
    if number:
        counts[name] = counts.get(name, 0) + number


class _Leavers:
    """Those who are done and no longer passed over: they wait here until the last is done."""

    def __init__(self, students: int) -> None:
        self.present = np.arange(students)
        """The numbers of those still there, a row of the class each."""
        self._gone: list[Ints] = []
        self._states: list[Array] = []

    def part(self, states: Array, staying: npt.NDArray[np.bool_]) -> Array:
        """Return the states of those who stay, and keep the others'."""
        self._gone.append(self.present[~staying])
        self._states.append(_arrays.take_rows(states, np.flatnonzero(~staying)))
        self.present = self.present[staying]
        return _arrays.take_rows(states, np.flatnonzero(staying))

    def together(self, states: Array) -> Array:
        """Return everybody's states again, in the order of the class."""
        if not self._gone:
            return states
        everybody = _arrays.namespace(states).concat([*self._states, states])
        order = np.argsort(np.concatenate([*self._gone, self.present]))
        return _arrays.take_rows(everybody, order)


class _Log:
    """Rows of examples as they come, round by round; sorted by student at the end."""

    def __init__(self, distances: Floats) -> None:
        self.start = distances
        self.parts: list[tuple[Any, ...]] = []

    def add(
        self,
        present: Ints,
        shown: npt.NDArray[np.bool_],
        choices: Choices,
        distances: Floats,
    ) -> None:
        rows = np.flatnonzero(shown)
        self.parts.append(
            (
                present[rows],
                _arrays.small(_arrays.take_rows(choices.xs, rows)),
                _arrays.small(_arrays.take_rows(choices.ys, rows)),
                choices.items[rows],
                distances[rows],
            )
        )

    def sorted(
        self, stuck: npt.NDArray[np.bool_], states: Array, counts: dict[str, int]
    ) -> Tutored:
        students = len(self.start)
        if not self.parts:
            empty = np.zeros(0)
            return Tutored(
                rounds=np.zeros(students, dtype=np.int64),
                stuck=stuck,
                errors=self.start,
                xs=np.zeros((0, states.shape[1])),
                ys=empty,
                items=empty.astype(np.int64),
                states=states,
                counts=counts,
            )
        columns = zip(*self.parts, strict=True)
        who, xs, ys, items, errors = (np.concatenate(column) for column in columns)
        order = np.argsort(who, kind="stable")
        rounds = np.bincount(who, minlength=students)
        # Each student's row of errors begins with where she started.
        first = np.cumsum(rounds + 1) - (rounds + 1)
        all_errors = np.empty(len(who) + students)
        is_first = np.zeros(len(all_errors), dtype=bool)
        is_first[first] = True
        all_errors[is_first], all_errors[~is_first] = self.start, errors[order]
        return Tutored(
            rounds, stuck, all_errors, xs[order], ys[order], items[order], states, counts
        )
