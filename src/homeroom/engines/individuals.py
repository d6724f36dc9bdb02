"""Individual lessons, all students at once: in closed form, or round by round."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from homeroom import _arrays
from homeroom._arrays import Array, Floats, Ints
from homeroom.classroom import Classroom
from homeroom.classroom.room import stays_in_ball
from homeroom.engines.replay import LONG, MAY_MOVE_AWAY, TOLERANCE
from homeroom.learners import AbstractLearner
from homeroom.learners.learners import take_step
from homeroom.learners.losses import example_width, label_shape
from homeroom.moments import Observation
from homeroom.moments.rounding import added_by_a_round
from homeroom.observers import NOISELESS, AbstractExaminer, AbstractObserver, Outcome
from homeroom.observers.base import looked
from homeroom.teachers import AbstractTeacher, AbstractTutor, Choices
from homeroom.teachers.base import check_choices


def has_closed_form(
    teacher: AbstractTeacher,
    learner: AbstractLearner,
    observer: AbstractObserver,
    room: Classroom | None = None,
) -> bool:
    """Return whether each student alone moves straight to the target (a closed form).

    With several outputs, a student reaches the target in one direction after the other. That path
    is not straight, so no student of the class ``room`` may reach the edge of the ball of states.
    There is no closed form with an observer that examines, as its estimates decide when a student
    is done.
    """
    rule = teacher.greedy
    if room is not None and room.outputs > 1 and not stays_in_ball(room):
        return False
    return (
        rule is not None
        and rule.pool.synthesises
        and not teacher.own_labels
        and observer.error_bounds == NOISELESS
        and not isinstance(observer, AbstractExaminer)
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
        The fraction of the distance that remains after each example, ``1 - rate * g``.
    rounds
        How many examples each student is shown.
    estimates
        A bound on the rounding error of each final squared distance.
    axes
        With several outputs, what is taught in each direction.
    """

    distances: Floats
    g: Floats
    shrink: Floats
    rounds: Ints
    estimates: Floats
    axes: GapAxes | None = None

    @property
    def left(self) -> Floats:
        """Each student's squared distance at the end."""
        if self.axes is None:
            left: Floats = self.distances * self.shrink ** (2.0 * self.rounds)
            return left
        sums: Floats = self.axes.left(self.shrink).sum(axis=1)
        return sums


class GapAxes(NamedTuple):
    """The singular values of each student's gap ``E``, and how often each is taught.

    ``E`` is state minus target, a matrix with one row per output. An example along a right singular
    vector multiplies its singular value by ``shrink``, and leaves the others as they are.
    ``squares`` has the squared singular values, shape ``(students, axes)``, ``directions`` the
    vectors, ``(students, axes, dimensions)``, and ``counts`` the number of examples along each,
    ``(students, axes)``.
    """

    squares: Floats
    directions: Floats
    counts: Ints

    def left(self, shrink: Floats) -> Floats:
        """Return the squared singular values at the end, shape ``(students, axes)``."""
        left: Floats = self.squares * shrink[:, None] ** (2.0 * self.counts)
        return left

    def gaps_after(self, gaps: Floats, shrink: Floats) -> Floats:
        """Return the gaps at the end, given those at the start, one row per student."""
        vectors = gaps.reshape(len(gaps), -1, self.directions.shape[2])
        answers = vectors @ self.directions.transpose(0, 2, 1)  # (students, outputs, axes)
        gone = 1.0 - shrink[:, None] ** self.counts.astype(np.float64)
        after: Floats = vectors - (answers * gone[:, None, :]) @ self.directions
        return after.reshape(gaps.shape)


def straight_lessons(room: Classroom, enough: float, max_rounds: int) -> Straight:
    """Return the individual lessons of all students in one vectorised expression.

    ``rounds = ceil(log(enough / |e|^2) / log((1 - rate g)^2))``, with the squared length of the
    examples ``g = min(1 / rate, example_radius^2)`` and the gap ``e`` at the start. With several
    outputs the best example is along the singular vector of a gap's largest singular value, and
    :func:`taught_in_turn` counts the examples.

    Parameters
    ----------
    room
        The class.
    enough
        The squared distance at which a student is done.
    max_rounds
        The limit for each student.
    """
    distances = _arrays.to_host(room.squared_distances)
    rates = _arrays.to_host(room.rates)
    g = np.minimum(1.0 / rates, room.example_radius**2)
    # A student whose best length is within the ball reaches the target with one example.
    shrink = np.where(rates * room.example_radius**2 >= 1.0, 0.0, 1.0 - rates * g)
    if room.outputs > 1:
        return _along_axes(room.flat, g, shrink, enough, max_rounds)
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


def _along_axes(
    room: Classroom, g: Floats, shrink: Floats, enough: float, max_rounds: int
) -> Straight:
    """Return the lessons for several outputs: one singular value decomposition per student.

    ``g`` and ``shrink`` are those of :class:`Straight`; the rest as for :func:`straight_lessons`.
    """
    gaps = _arrays.to_host(room.gaps).reshape(room.students, room.outputs, room.dimensions)
    _, values, directions = np.linalg.svd(gaps, full_matrices=False)
    squares, axes = values**2, directions.shape[1]
    signs = _arrays.signs(directions.reshape(-1, room.dimensions)).reshape(-1, axes, 1)
    counts = taught_in_turn(squares, shrink, enough, max_rounds)
    few = 4.0 * float(_arrays.namespace(room.states).finfo(room.states.dtype).eps)
    alone = GapAxes(squares, signs * directions, counts)
    doubtful = _doubtful(alone, shrink, enough, few) & (counts.sum(axis=1) < max_rounds)
    if doubtful.any():  # one more example
        top = alone.left(shrink).argmax(axis=1)
        counts[doubtful, top[doubtful]] += 1
    distances, rounds = squares.sum(axis=1), counts.sum(axis=1)
    return Straight(distances, g, shrink, rounds, _off_along(alone, shrink, few), alone)


def _doubtful(alone: GapAxes, shrink: Floats, enough: float, few: float) -> npt.NDArray[np.bool_]:
    """Return which students seem done, but may be farther than ``enough`` because of rounding.

    ``few`` is the relative rounding error of a factor, as for :func:`_off_by`.
    """
    left, off = alone.left(shrink).sum(axis=1), _off_along(alone, shrink, few)
    doubtful: npt.NDArray[np.bool_] = (left <= enough) & (left + off > enough)
    doubtful &= off > TOLERANCE * left
    return doubtful


def _off_along(alone: GapAxes, shrink: Floats, few: float) -> Floats:
    """Return bounds on the rounding errors of the squared distances at the end.

    The computed decomposition is exact for a gap that differs in the last digits.
    """
    left, start = alone.left(shrink), alone.squares.sum(axis=1)
    rounds, across = alone.counts.astype(np.float64), alone.squares.shape[1] > 1
    off = _off_by(left, alone.squares, shrink[:, None], rounds, few=few, across=across).sum(axis=1)
    both: Floats = off + 2.0 * few * np.sqrt(left.sum(axis=1) * start) + few**2 * start
    return both


def taught_in_turn(squares: Floats, shrink: Floats, enough: float, max_rounds: int) -> Ints:
    """Return how often each of several values is taught until their sum is small enough.

    Each example multiplies the largest value by ``shrink^2``. So the examples correspond to the
    largest of all numbers ``square * shrink^(2 n)``, those above a level that is found by
    bisection.

    Parameters
    ----------
    squares
        The values of each student, shape ``(students, values)``.
    shrink
        Shape ``(students,)``, from 0 to 1.
    enough
        The sum at which a student is done.
    max_rounds
        The limit for each student.

    Returns
    -------
    Ints
        Shape ``(students, values)``. Cost: about 100 times O(students * values).

    Examples
    --------
    >>> taught_in_turn(np.array([[4.0, 1.0]]), np.array([0.5]), enough=0.5, max_rounds=100)
    array([[2, 1]])
    """
    fraction = (shrink**2)[:, None]
    counts = np.zeros(squares.shape)
    active = (squares.sum(axis=1) > enough) & (max_rounds > 0)
    never = active & (fraction[:, 0] >= 1.0)
    counts[never, 0] = max_rounds  # nothing changes, however many examples there are
    slowly = np.flatnonzero(active & ~never & (fraction[:, 0] > 0.0))
    if len(slowly):
        counts[slowly] = _above_level(squares[slowly], fraction[slowly], enough, max_rounds)
    active &= ~never
    while active.any():  # the last few, whose levels are equal up to rounding
        values = squares * fraction**counts
        active &= (values.sum(axis=1) > enough) & (counts.sum(axis=1) < max_rounds)
        rows = np.flatnonzero(active)
        counts[rows, values[rows].argmax(axis=1)] += 1.0
    return counts.astype(np.int64)


def _above_level(squares: Floats, fraction: Floats, enough: float, max_rounds: int) -> Floats:
    """Return how many numbers ``square * fraction^n`` are above a level, shape of ``squares``.

    It is the lowest level at which these examples are not enough yet, and fewer than
    ``max_rounds``. The caller adds the last ones.
    """
    with np.errstate(divide="ignore"):  # of a value that is zero
        logs, step = np.log(squares), np.log(fraction)
    # Levels are logarithms. At the low one every value is so small that the student is done.
    low = np.full((len(squares), 1), np.log(enough / squares.shape[1]))
    high = logs.max(axis=1, keepdims=True)

    def counts_above(level: Floats) -> Floats:
        return np.maximum(np.ceil((level - logs) / step), 0.0)

    for _ in range(100):
        middle = 0.5 * (low + high)
        counts = counts_above(middle)
        short = (squares * fraction**counts).sum(axis=1) > enough
        more = (short & (counts.sum(axis=1) < max_rounds))[:, None]
        low, high = np.where(more, low, middle), np.where(more, middle, high)
    return counts_above(high)


def _off_by(
    left: Floats, start: Floats, shrink: Floats, rounds: Floats, *, few: float, across: bool
) -> Floats:
    """Return bounds on the rounding errors of squared distances.

    Parameters
    ----------
    left, start
        The squared distances after so many rounds, and before.
    shrink, rounds
        The fraction of the distance that remains after a round, and the number of rounds.
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
        A bound on the rounding error of each final squared distance; 0 where rounding is not
        tracked, as for students who learn at random or with a loss other than the squared one.
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

    ``enough`` is the squared distance at which a student is done. ``rngs`` are the generators of
    the teacher, the observer and the learner. ``progress`` is called with the number of the round
    and the share of students who are done.
    """
    for_teacher, for_observer, for_learner = rngs
    xp = _arrays.namespace(room.states)
    target = _arrays.to_host(room.target)
    students, states, memory = room.students, room.states, observer.begin(room)
    carried = learner.begin(room)  # the learner's memory
    distances = _arrays.to_host(room.squared_distances)
    active = distances > enough
    stuck = np.zeros(students, dtype=bool)
    log = _Log(distances, room, learner)
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
        truth = _truth(room, learner, states, target)
        seen, memory = looked(observer, truth, memory, for_observer)
        choices = teacher.choose_each(seen, for_teacher)
        lengths = check_choices(f"{type(teacher).__name__}.choose_each", choices, seen, active)
        xs, ys, _ = choices
        # Students who are taught in this round: no zero example, and not done yet.
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
        reach = _arrays.to_host(room.rates) * lengths
        before, distances = distances, _arrays.to_host(xp.sum(gaps * gaps, axis=1))
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
    """Return the true states and rates as an observation."""
    return Observation(
        target=target,
        example_radius=room.example_radius,
        state_radius=room.state_radius,
        loss=learner.loss,
        gaps=states - room.target,
        rates=room.rates,
        outputs=max(room.outputs, learner.loss.outputs),
    )


def _count(
    counts: dict[str, int], seen: Observation, rates: Array, helped: npt.NDArray[np.bool_]
) -> None:
    """Add a round's notes, and its negative rates, to the counts."""
    for name, number in seen.notes.items():
        counts[name] = counts.get(name, 0) + number
    _add(counts, "negative rates drawn", int((_arrays.to_numpy(rates)[helped] < 0).sum()))


def _add(counts: dict[str, int], name: str, number: int) -> None:
    if number:
        counts[name] = counts.get(name, 0) + number


class _Rounding:
    """Bounds on each student's rounding error that do not depend on the directions of examples.

    ``_spread`` bounds the mean square of the rounding error of each student's gap. Rounding is not
    tracked for students who learn at random or with a loss other than the squared one.
    """

    def __init__(self, room: Classroom, learner: AbstractLearner) -> None:
        info = _arrays.namespace(room.states).finfo(room.states.dtype)
        self._unit = float(info.eps) if learner.shrinks_gaps else 0.0
        target = _arrays.to_host(room.target)
        self._around = float(target @ target)  # states, not gaps, are rounded
        self._spread = np.zeros(room.students)

    def add(self, who: Ints, reach: Floats, before: Floats) -> None:
        """Note an example for some students: ``rate * |x|^2``, and the squared distances before."""
        if self._unit:
            growth = np.maximum(1.0, (1.0 - reach) ** 2)
            added = self._unit**2 * added_by_a_round(1.0, reach, before + self._around)
            self._spread[who] = growth * self._spread[who] + added

    def off_by(self, who: Ints, distances: Floats) -> Floats:
        """Return bounds on the rounding errors of some students' squared distances."""
        spread = self._spread[who]
        off: Floats = 2.0 * np.sqrt(distances * spread) + spread + 8.0 * self._unit * distances
        return off

    def leaves_doubt(self, who: Ints, distances: Floats, enough: float) -> npt.NDArray[np.bool_]:
        """Return which students may be farther than ``enough``, but more rounds may settle it."""
        off = self.off_by(who, distances)
        doubt = (off > TOLERANCE * distances) & (distances + off > enough)
        return doubt & (self._spread[who] < enough)


class _Leavers:
    """The final states of students who are done, kept until the last one is done."""

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

    def __init__(self, distances: Floats, room: Classroom, learner: AbstractLearner) -> None:
        self.start = distances
        self.width = example_width(room, learner.loss)
        self.label = label_shape(learner.loss, max(room.outputs, learner.loss.outputs))
        self.parts: list[tuple[Any, ...]] = []

    def add(
        self,
        present: Ints,
        shown: npt.NDArray[np.bool_],
        choices: Choices,
        distances: Floats,
    ) -> None:
        """Note a round: the students' numbers, who was taught, their examples and distances."""
        rows = np.flatnonzero(shown)
        self.parts.append(
            (
                present[rows],
                _arrays.to_host(_arrays.take_rows(choices.xs, rows)),
                _arrays.to_host(_arrays.take_rows(choices.ys, rows)),
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
        """Return the results of all rounds, one student after the other."""
        students = len(self.start)
        everyone = np.arange(students)
        if not self.parts:
            return Tutored(
                rounds=np.zeros(students, dtype=np.int64),
                stuck=stuck,
                errors=self.start,
                xs=np.zeros((0, self.width)),
                ys=np.zeros((0, *self.label)),
                items=np.zeros(0, dtype=np.int64),
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
