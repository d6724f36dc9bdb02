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
from homeroom.engines.replay import LONG, MAY_MOVE_AWAY, TOLERANCE
from homeroom.learners import AbstractLearner
from homeroom.learners.learners import take_step
from homeroom.moments import Observation
from homeroom.moments.rounding import added_by_a_round
from homeroom.observers import NOISELESS, AbstractObserver, Outcome
from homeroom.teachers import AbstractTeacher, AbstractTutor, Choices
from homeroom.teachers.base import check_choices


def can_be_straight(
    teacher: AbstractTeacher, learner: AbstractLearner, observer: AbstractObserver
) -> bool:
    """Return whether each student alone moves straight to the target (a closed form)."""
    rule = teacher.greedy
    return (
        rule is not None
        and rule.pool.synthesises
        and not teacher.own_labels
        and observer.error_bounds == NOISELESS
        and learner.shrinks_gaps
    )


@dataclass(frozen=True, eq=False)
class Straight:
    """Individual lessons in closed form: gaps keep their direction, and only their length shrinks.

    Parameters
    ----------
    distances
        The squared distances at the start, shape ``(students,)``.
    g
        The squared magnitude of each student's examples.
    shrink
        The fraction of the distance that each example leaves, ``1 - rate * g``.
    rounds
        How many examples each student is shown.
    estimates
        How far rounding may put each final squared distance off.
    """

    distances: Floats
    g: Floats
    shrink: Floats
    rounds: Ints
    estimates: Floats


def straight_lessons(room: Classroom, enough: float, max_rounds: int) -> Straight:
    """Return the individual lessons of all students in one vectorised expression.

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
    # A student whose best length is within the ball reaches the target with one example.
    shrink = np.where(rates * room.example_radius**2 >= 1.0, 0.0, 1.0 - rates * g)
    with np.errstate(divide="ignore", invalid="ignore"):
        needed = np.ceil(np.log(enough / distances) / np.log(shrink**2))
    needed = np.where(shrink == 0.0, 1.0, needed)
    # A rate so small that 1 - rate * g is 1: the student never reaches the goal.
    needed = np.where(shrink == 1.0, np.inf, needed)
    needed = np.where(distances <= enough, 0.0, np.maximum(needed, 1.0))
    # The logarithms may be off by one where the distance is just at the limit: check, and correct.
    one_less = np.maximum(needed - 1.0, 0.0)
    needed = np.where(distances * shrink ** (2.0 * one_less) <= enough, one_less, needed)
    needed = np.where(distances * shrink ** (2.0 * needed) > enough, needed + 1.0, needed)
    rounds = np.minimum(needed, max_rounds)
    left = distances * shrink ** (2.0 * rounds)
    unit = float(_arrays.namespace(room.states).finfo(room.states.dtype).eps)
    few, across = 4.0 * unit, room.dimensions > 1
    off = _off_by(left, distances, shrink, rounds, few=few, across=across)
    doubtful = (left <= enough) & (left + off > enough) & (off > TOLERANCE * left)
    if doubtful.any():  # one more example, if there may be one
        rounds = np.where(doubtful, np.minimum(rounds + 1.0, max_rounds), rounds)
        left = distances * shrink ** (2.0 * rounds)
        off = _off_by(left, distances, shrink, rounds, few=few, across=across)
    return Straight(distances, g, shrink, rounds.astype(np.int64), off)


def _off_by(
    left: Floats, start: Floats, shrink: Floats, rounds: Floats, *, few: float, across: bool
) -> Floats:
    """Return bounds on the rounding errors of squared distances.

    Parameters
    ----------
    left, start
        The squared distances after so many rounds, and before.
    shrink, rounds
        The fraction of the distance that a round leaves, and the number of rounds.
    few
        The relative rounding error of a factor, and of the direction of an example.
    across
        Whether gaps have components orthogonal to the example, which do not change.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = rounds / shrink
        # sqrt(left * along) = left * rounds / shrink, with along = left * (rounds / shrink)^2
        off = few * left * (2.0 + ratio * (2.0 + few * ratio))
    off = np.where(shrink > 0.0, off, few**2 * start)
    return np.where(rounds > 0, off + few**2 * start if across else off, 2.0 * few * left)


@dataclass(frozen=True, eq=False)
class Tutored:
    """The results of individual lessons: one row per example, students one after the other.

    Parameters
    ----------
    rounds
        How many examples each student was shown, shape ``(students,)``.
    stuck
        Whether a student's lesson ended because no example helped.
    errors
        The squared distance before, and after each example: ``rounds + 1`` numbers per student.
    xs, ys, items
        The examples, ``rounds`` per student; ``items`` is -1 where an example was synthesised.
    states
        The states at the end, shape ``(students, dimensions)``.
    counts
        Counts of notable events, by name.
    estimates
        How far rounding may put each final squared distance off; 0 where it is not followed, as
        for students who learn at random or with another loss than the squared one.
    """

    rounds: Ints
    stuck: npt.NDArray[np.bool_]
    errors: Floats
    xs: Floats
    ys: Floats
    items: Ints
    states: Array
    counts: dict[str, int]
    estimates: Floats


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
    """Teach every student alone, all in parallel.

    Cost of a round: that of ``teacher.choose_each``, plus O(students * dimensions). Once half of
    the students are done, the others continue without them. Where observer or learner keep a memory
    of all students, all are simulated until the last is done.
    """
    for_teacher, for_observer, for_learner = rngs
    xp = _arrays.namespace(room.states)
    target = _arrays.small(room.target)
    students, states, memory = room.students, room.states, observer.begin(room)
    carried = learner.begin(room)
    distances = _arrays.small(room.squared_distances)
    active = distances > enough
    stuck = np.zeros(students, dtype=bool)
    log = _Log(distances)
    rounding = _Rounding(room, learner)
    leavers = _Leavers(students)
    counts: dict[str, int] = {}
    for number in range(max_rounds):
        if not active.any():
            break
        progress(number, 1.0 - float(active.sum()) / students)
        if memory is None and carried is None and 2 * active.sum() < len(active):
            staying = np.flatnonzero(active)
            states, room = leavers.part(states, active), room.subset(staying)
            active, distances = active[staying], distances[staying]
        seen = observer.observe(_truth(room, learner, states, target), memory, for_observer)
        memory = memory if seen.memory is None else seen.memory
        choices = teacher.choose_each(seen, for_teacher)
        lengths = check_choices(f"{type(teacher).__name__}.choose_each", choices, seen, active)
        xs, ys, _ = choices
        helped = _arrays.to_numpy(xp.any(xs != 0.0, axis=1)) & active
        stuck[leavers.present[active & ~helped]] = True
        step = take_step(
            learner,
            states,
            room.rates,
            xs,
            ys,
            state_radius=room.state_radius,
            rng=for_learner,
            memory=carried,
        )
        carried = step.memory
        moving = _arrays.like_mask(helped, states)
        states = xp.where(moving[:, None], step.states, states)
        gaps = states - room.target
        reach = _arrays.small(room.rates) * lengths
        before, distances = distances, _arrays.small(xp.sum(gaps * gaps, axis=1))
        log.add(leavers.present, helped, choices, distances)
        memory = observer.remember(memory, Outcome(step.rates))
        _count(counts, seen, step.rates, helped)
        if learner.loss.is_quadratic:
            _add(counts, MAY_MOVE_AWAY, int(((reach > LONG) & helped).sum()))
        rounding.add(leavers.present[helped], reach[helped], before[helped])
        farther = distances > enough
        farther |= rounding.leaves_doubt(leavers.present, distances, enough)
        active = helped & farther & np.isfinite(distances)
    return log.sorted(stuck, leavers.together(states), counts, rounding)


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


class _Rounding:
    """A bound on each student's rounding error that does not use directions.

    ``spread`` is the mean squared rounding error of a gap. Students who learn at random or with
    another loss than the squared one are not followed.
    """

    def __init__(self, room: Classroom, learner: AbstractLearner) -> None:
        info = _arrays.namespace(room.states).finfo(room.states.dtype)
        self._unit = float(info.eps) if learner.shrinks_gaps else 0.0
        target = _arrays.small(room.target)
        self._around = float(target @ target)  # states, not gaps, are rounded
        self._spread = np.zeros(room.students)

    def add(self, who: Ints, reach: Floats, before: Floats) -> None:
        """Note an example for some students: ``rate * |x|^2``, and the squared distances before."""
        if self._unit:
            growth = np.maximum(1.0, (1.0 - reach) ** 2)
            added = self._unit**2 * added_by_a_round(1.0, reach, before + self._around)
            self._spread[who] = growth * self._spread[who] + added

    def off_by(self, who: Ints, distances: Floats) -> Floats:
        """Return how far off squared distances may be."""
        spread = self._spread[who]
        off: Floats = 2.0 * np.sqrt(distances * spread) + spread + 8.0 * self._unit * distances
        return off

    def leaves_doubt(self, who: Ints, distances: Floats, enough: float) -> npt.NDArray[np.bool_]:
        """Return who may be farther than enough, but may be shown not to be in more rounds."""
        off = self.off_by(who, distances)
        doubt = (off > TOLERANCE * distances) & (distances + off > enough)
        return doubt & (self._spread[who] < enough)


class _Leavers:
    """Students who are done and no longer passed over, kept until the last is done."""

    def __init__(self, students: int) -> None:
        self.present = np.arange(students)
        """The numbers of the students who are still taught, one per row of the class."""
        self._gone: list[Ints] = []
        self._states: list[Array] = []

    def part(self, states: Array, staying: npt.NDArray[np.bool_]) -> Array:
        """Return the states of the students who stay, and keep those of the others."""
        self._gone.append(self.present[~staying])
        self._states.append(_arrays.take_rows(states, np.flatnonzero(~staying)))
        self.present = self.present[staying]
        return _arrays.take_rows(states, np.flatnonzero(staying))

    def together(self, states: Array) -> Array:
        """Return the states of all students, in the order of the class."""
        if not self._gone:
            return states
        together = _arrays.namespace(states).concat([*self._states, states])
        order = np.argsort(np.concatenate([*self._gone, self.present]))
        return _arrays.take_rows(together, order)


class _Log:
    """Examples round by round; sorted by student at the end."""

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
        self,
        stuck: npt.NDArray[np.bool_],
        states: Array,
        counts: dict[str, int],
        rounding: _Rounding,
    ) -> Tutored:
        students = len(self.start)
        everyone = np.arange(students)
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
                estimates=rounding.off_by(everyone, self.start),
            )
        columns = zip(*self.parts, strict=True)
        who, xs, ys, items, errors = (np.concatenate(column) for column in columns)
        order = np.argsort(who, kind="stable")
        rounds = np.bincount(who, minlength=students)
        # Each student's row of errors begins with the distance at the start.
        first = np.cumsum(rounds + 1) - (rounds + 1)
        all_errors = np.empty(len(who) + students)
        is_first = np.zeros(len(all_errors), dtype=bool)
        is_first[first] = True
        all_errors[is_first], all_errors[~is_first] = self.start, errors[order]
        estimates = rounding.off_by(everyone, all_errors[first + rounds])
        return Tutored(
            rounds, stuck, all_errors, xs[order], ys[order], items[order], states, counts, estimates
        )
