"""The exact engine: it computes every student, without a Python loop over students.

A round costs O(students * dimensions): the moment matrices are not rebuilt from the students, which
would be O(students * dimensions^2), but kept up to date. Student j has the gap ``e_j`` (state minus
target) and the rate ``eta_j``; the moments are ``A = mean(eta e e')`` and ``B = mean(eta^2 e e')``.
With ``p_j = <e_j, x>`` an example moves ``e_j`` by ``-eta_j p_j x``, hence

    |e|^2 <- |e|^2 - eta p (2 p - |x|^2 eta p)
    A <- A - x a' - a x',   a = B x - x <c, x> / 2
    B <- B - x b' - b x',   b = c - x mean(eta^4 p^2) / 2,   c = mean(eta^3 p e)

With several outputs a student has several gap vectors with one rate, and each mean over students
sums over them.

One pass over the students per round, in blocks that stay in the cache. To limit rounding, all of
this is recomputed from the students after ``REFRESH_ROUNDS`` rounds, or when the error has fallen
far below its highest value since it was last recomputed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats
from homeroom.classroom import Classroom, Example, project
from homeroom.engines.replay import (
    LONG,
    TOLERANCE,
)
from homeroom.learners import SILENCE, AbstractLearner
from homeroom.learners.learners import check_step
from homeroom.moments import Moments, Observation
from homeroom.moments.rounding import GapRounding, bound_one_round, off_by
from homeroom.observers import Outcome

REFRESH_ROUNDS = 256
"""After this many rounds everything is computed again from the students."""

_REFRESH_FALL = {64: 1e-3, 32: 1e-1}
"""By bits of a number: the fraction to which the error may fall before all is recomputed.

Rounding leaves an error of about 1e-16 (1e-8) of the largest values of the matrices and distances,
so they stay right to about 1e-13 (1e-7) of their own value.
"""


class ExactClass:
    """A class of simulated students.

    Parameters
    ----------
    room
        The class; it is not changed.
    learner
        How the students change.
    rng
        The source of randomness for the learner.
    """

    def __init__(self, room: Classroom, learner: AbstractLearner, rng: np.random.Generator) -> None:
        self.room = room = room.flat
        self.learner = learner
        self.rng = rng
        self._by_gradients = learner.noise == SILENCE
        self.negative_rates = 0
        self.fastest = float(_arrays.namespace(room.rates).max(room.rates))
        self.error = math.nan
        """The class's mean squared distance to the target."""
        self.farthest = math.nan
        """The distance of the farthest student to the target."""
        self._target: Floats = _arrays.to_host(room.target)
        self._rates = room.rates
        self._outputs = room.outputs
        # No student is outside the ball while all are this close to the target.
        self._clearance = room.state_radius - math.sqrt(float(self._target @ self._target))
        self._xp = _arrays.namespace(room.states)
        self._squares = self._rates * self._rates
        # Of each gap vector: a student has one for each output.
        self._vector_rates = _arrays.for_each_vector(self._rates, self._outputs)
        self._vector_squares = _arrays.for_each_vector(self._squares, self._outputs)
        self._fall = _REFRESH_FALL[self._xp.finfo(room.states.dtype).bits]
        self._blocks = _arrays.blocks_of(room.states)
        self._history = RoundingHistory(room)
        self._uncertainty: RoundingBounds | None = None
        self._memory = learner.begin(room)
        self._seen: Observation | None = None
        """What was observed last, if the students have not changed since."""
        self._restart(room.gaps)

    @property
    def size(self) -> int:
        """How many students there are."""
        return self.room.students

    @property
    def states(self) -> Array:
        """The students' states now, one row per student."""
        return self._gaps + _arrays.like(self._target, self._gaps)

    @property
    def squared_distances(self) -> Array:
        """Each student's squared distance to the target, shape ``(students,)``."""
        return self._xp.maximum(self._squared, 0.0 * self._squared)

    @property
    def uncertainty(self) -> RoundingBounds:
        """Bounds on the rounding errors of ``error`` and ``farthest``.

        Not computed for students who learn at random or with a loss other than the squared one.
        Cost: O(rounds * dimensions).
        """
        if not self._by_gradients:
            return CERTAIN
        if self._uncertainty is None:
            with np.errstate(over="ignore", invalid="ignore"):
                self._uncertainty = self._history.uncertainty(self._gaps, self.error, self.farthest)
        return self._uncertainty

    def is_lost(self) -> bool:
        """Return whether rounding errors are so large that the computed states are meaningless."""
        return self._by_gradients and self._history.is_lost(self.error)

    def look(self, shown: Sequence[int] = ()) -> Observation:
        """Return the true class, without noise, and the items that it was shown."""
        seen = self._seen = Observation(
            target=self._target,
            example_radius=self.room.example_radius,
            state_radius=self.room.state_radius,
            loss=self.learner.loss,
            gaps=self._gaps,
            rates=self._rates,
            kept=self._moments,
            shown=shown,
            outputs=max(self._outputs, self.learner.loss.outputs),
        )
        return seen

    def learn(self, example: Example) -> Outcome:
        """Show the students an example; they change."""
        # The closed form applies where the label is the target's own.
        if self._by_gradients and has_own_label(example, self._target):
            self._shrink(example.x)
            return Outcome(self._rates, example)
        scale = self.error + float(self._target @ self._target)  # states, not gaps, are rounded
        length = float(example.x @ example.x)
        self._history.add(example.x, length, scale)
        before = self.states
        step = self.learner.step(before, self._rates, self._memory, example, self.rng)
        check_step(self.learner, step, before, self._rates)
        states, self._memory = project(step.states, self.room.state_radius), step.memory
        if step.rates is not self._rates:
            self.negative_rates += int(self._xp.count_nonzero(step.rates < 0))
        self._restart(states - _arrays.like(self._target, states))
        return Outcome(step.rates, example)

    def put(self, states: Array) -> Outcome:
        """Take states from outside, such as those of real students."""
        given = self.room.with_states(
            Classroom(
                states, self.room.rates, self.room.target, state_radius=self.room.state_radius
            ).states
        )
        self._history = RoundingHistory(given)
        self._restart(given.gaps)
        return Outcome(self._rates)

    def settle(self) -> None:
        """Compute the distances again from the students, without accumulated rounding errors."""
        self._squared = _arrays.sum_squares(self._gaps)
        self._measure()

    def _restart(self, gaps: Array) -> None:
        """Start again from these gaps; the engine may modify them."""
        self._gaps = _arrays.by_rows(gaps)
        self._moments: Moments | None = None
        self._seen = None
        self.settle()
        self._rounds_since = 0
        self._highest = self.error

    def _measure(self) -> None:
        """Update the error and the farthest distance from the squared distances."""
        self._uncertainty = None
        if type(self._squared) is np.ndarray:  # in half the time of np.mean and np.max
            mean = float(np.add.reduce(self._squared)) / self._squared.shape[0]
            most = float(np.maximum.reduce(self._squared))
        else:
            mean, most = float(self._xp.mean(self._squared)), float(self._xp.max(self._squared))
        # The order counts: max(nan, 0.0) is nan, max(0.0, nan) would be 0.0.
        self.error = max(mean, 0.0)
        self.farthest = math.sqrt(max(most, 0.0))

    def _shrink(self, x: Floats) -> None:
        """Move every gap by ``-eta <e, x> x``. O(students * outputs * dimensions), one pass."""
        # Moments are kept once a teacher has used them. In another form they are computed again.
        used = None if self._seen is None else self._seen.known_moments
        kept, outputs = used if isinstance(used, Moments) else self._moments, self._outputs
        vectors = self._gaps if outputs == 1 else _arrays.split_rows(self._gaps, len(x))
        here = _arrays.like(x, self._gaps)
        length = float(x @ x)
        self._history.add(x, length, self.error)
        third, fourth = np.zeros(len(x)), 0.0
        for rows in self._blocks:
            own = rows if outputs == 1 else slice(outputs * rows.start, outputs * rows.stop)
            block = vectors[own, :]
            answer = block @ here
            move = self._vector_rates[own] * answer
            if kept is not None:
                weighed = self._vector_squares[own] * move  # eta^3 p
                third += _arrays.to_host(weighed @ block)
                fourth += float(weighed @ move)
            fallen = move * (2.0 * answer - length * move)
            if outputs > 1:
                fallen = _arrays.over_vectors(fallen, outputs)
            self._squared = _arrays.subtract(self._squared, rows, fallen)
            vectors = _arrays.subtract_outer(vectors, own, move, here)
        self._gaps = vectors if outputs == 1 else _arrays.flat_again(vectors, self._gaps)
        self._seen = self._moments = None
        if kept is not None:
            students = self._gaps.shape[0]
            self._moments = _update_moments(kept, x, third / students, fourth / students)
        self._measure()
        self._guard()

    def _guard(self) -> None:
        """Put students back into the ball of states; compute all again if rounding may add up."""
        if self.farthest * (1 + 1e-6) > self._clearance:
            states = self.states
            inside = project(states, self.room.state_radius)
            if inside is not states:
                self._restart(inside - _arrays.like(self._target, inside))
                return
        self._rounds_since += 1
        self._highest = max(self._highest, self.error)
        if self._rounds_since >= REFRESH_ROUNDS or self.error < self._fall * self._highest:
            self._restart(self._gaps)


def has_own_label(example: Example, target: Floats) -> bool:
    """Return whether an example's label is the target's own answer, up to rounding."""
    if len(target) == len(example.x):
        right = float(target @ example.x)
        return bool(abs(example.y - right) <= 1e-9 * (1.0 + abs(right)))
    answers = _arrays.answers_of(target, example.x)
    return bool((np.abs(example.y - answers) <= 1e-9 * (1.0 + np.abs(answers))).all())


def _update_moments(kept: Moments, x: Floats, third: Floats, fourth: float) -> Moments:
    """Return the moments after the example: two rank-two updates, O(dimensions^2).

    ``third`` is ``c = mean(eta^3 p e)`` of the module's formulas, ``fourth`` ``mean(eta^4 p^2)``.
    """
    column = x[:, None]
    first = column * (kept.quadratic @ x - (0.5 * float(third @ x)) * x)
    second = column * (third - (0.5 * fourth) * x)
    # Each change is added to its transpose first, which keeps the matrices symmetric.
    linear = kept.linear - (first + first.T)
    return Moments(linear, kept.quadratic - (second + second.T), kept.gentle)


_REPLAY_ABOVE = {64: TOLERANCE, 32: 1e-2}
"""By bits of a number: a lesson is replayed if rounding may be a larger fraction of its error."""

_ARRIVED = 1e-24
"""Rounding below this fraction of the initial error is no reason to replay either."""

_LOOK_EVERY = 16
"""Every so many rounds it is checked whether a lesson is lost to rounding."""

_LOST = 1e6
"""A lesson whose rounding errors are this many times the error at the start is given up."""


class RoundingBounds(NamedTuple):
    """Bounds on the errors of a class's mean squared distance and its greatest distance."""

    error: float
    farthest: float


CERTAIN = RoundingBounds(0.0, 0.0)
"""No errors, or errors that are not tracked."""


class RoundingHistory:
    """The examples shown to a class, and the rounding errors they may have caused.

    Parameters
    ----------
    start
        The class before the first example.
    """

    def __init__(self, start: Classroom) -> None:
        self._start = start
        xp = _arrays.namespace(start.states)
        self._precision = xp.finfo(start.states.dtype)
        self._unit = float(self._precision.eps)
        self._fastest = float(xp.max(start.rates))
        self._xs: list[Floats] = []
        self._scales: list[float] = []
        self._longest = 0.0
        self._rounding: GapRounding | None = None

    @property
    def xs(self) -> Floats:
        """What was shown, shape ``(rounds, dimensions)``."""
        return np.array(self._xs).reshape(-1, self._start.dimensions)

    @property
    def grows(self) -> bool:
        """Whether an example was so long that rounding errors may have grown."""
        return self._fastest * self._longest > LONG

    def add(self, x: Floats, g: float, scale: float) -> None:
        """Note an example, its squared length, and the mean squared length of what it moved."""
        self._xs.append(x)
        self._scales.append(scale)
        self._longest = max(self._longest, g)

    def is_lost(self, error: float) -> bool:
        """Return whether rounding errors are far larger than the class's error ever was.

        From then on every example is chosen for a class that does not exist. Checked every
        ``_LOOK_EVERY`` rounds, once rounding errors may have grown.
        """
        if len(self._xs) % _LOOK_EVERY or not self.grows:
            return False
        with np.errstate(over="ignore", invalid="ignore"):
            return not self._propagate_errors() <= max(_LOST * self._scales[0], 10.0 * error)

    def uncertainty(self, gaps: Array, error: float, farthest: float) -> RoundingBounds:
        """Return bounds on the errors of these results.

        Parameters
        ----------
        gaps
            The students' gaps as computed.
        error, farthest
            The mean squared distance and the greatest distance that were reported.
        """
        if not math.isfinite(error):
            return RoundingBounds(math.inf, math.inf)
        mean = float(_arrays.namespace(gaps).mean(_arrays.sum_squares(gaps)))
        # How far the distances, which are updated in every round, have drifted from the gaps.
        drift = abs(mean - error) + 8.0 * self._unit * error
        above = _REPLAY_ABOVE[self._precision.bits] * error
        enough = max(above, _ARRIVED * self._scales[0]) if self._scales else above
        spread = math.inf if self.grows else self._add_errors()
        if not off_by(error, spread) + drift <= enough:
            spread = self._propagate_errors()
        off = off_by(error, spread) + drift
        students = gaps.shape[0]
        return _numbers(
            off, math.sqrt(students * spread) + bound_distance(farthest, students * drift)
        )

    def _add_errors(self) -> float:
        """Return the mean squared rounding error of a gap, if errors neither grow nor shrink."""
        g = np.vecdot(self.xs, self.xs)
        added = bound_one_round(self._fastest, g, np.array(self._scales))
        return self._unit**2 * float(added.sum())

    def _propagate_errors(self) -> float:
        """Return the mean squared rounding error of a gap, propagated through the lesson.

        More accurate than ``_add_errors``, and the only one that applies if errors grow.
        """
        if self._rounding is None:
            rates = _arrays.to_host(self._start.rates)
            self._rounding = GapRounding(rates, self._start.dimensions, self._unit)
        new = slice(self._rounding.rounds, None)
        self._rounding.show(self.xs[new], np.array(self._scales[new]))
        return self._rounding.spread


def bound_distance(distance: float, off: float) -> float:
    """Return a bound on the error of a distance, given one for its square."""
    return min(math.sqrt(off), off / distance) if distance > 0.0 else math.sqrt(off)


def _numbers(error: float, farthest: float) -> RoundingBounds:
    """Return the two bounds, infinite instead of NaN."""
    return RoundingBounds(*(math.inf if math.isnan(part) else part for part in (error, farthest)))
