"""How far a lesson is in its plan, and whether the class still follows it.

A plan cannot foresee random drift. A teacher who takes the best next step reacts to it. If students
drift a lot, that is worth more than what a plan saves: :func:`rounds_with_drift` compares the two.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Floats
from homeroom.classroom import Example
from homeroom.goals import AbstractGoal
from homeroom.learners import Noise
from homeroom.moments import Observation, Sketch
from homeroom.pools import AbstractPool
from homeroom.teachers.planning.greedy import best_next
from homeroom.teachers.planning.plan import LessonPlan
from homeroom.teachers.planning.transients import AbstractLimits, StudentLimits

TRACKED = 4096
"""The number of students, at most, whose states are compared with the plan's expectation."""

OFF = 0.3
"""The class is off its plan if students are farther than this from where they should be.

It is a mean squared distance, relative to the class's error, on top of random noise.
"""

RESTLESS = 0.1
"""With more noise than this, relative to the class's error, no further plan is made."""

PROBE = 4
"""The number of rounds of a plan after which the students' drift is known."""

FELT = 0.05
"""Less drift than this, relative to the error at the end, makes no difference."""

MOST_PLANS = 20
"""After this many plans, a lesson continues step by step."""


@dataclass(frozen=True, eq=False)
class PlanProgress:
    """A plan, how much of it was shown, and where the class should be now.

    Parameters
    ----------
    plan
        What is shown.
    shown
        How many of its examples were shown.
    believed
        The gaps that some students should have by the plan, shape ``(tracked, dimensions)``.
    next_seen
        The gaps they should have, given those observed in the last round and the example shown.
    unrest
        The mean squared difference between ``next_seen`` and what is observed: a round's noise.
    drift
        The part of ``unrest`` that adds up from round to round. Noisy observations do not.
    limits
        How far students may be in this lesson.
    first
        The plan at the start of the lesson.
    plans
        How many plans were made so far.
    off
        Whether the class no longer follows the plan.
    step_by_step
        Whether no plan is followed any more.
    """

    plan: LessonPlan
    shown: int
    believed: Floats
    next_seen: Floats
    unrest: float
    drift: float
    limits: AbstractLimits
    first: LessonPlan
    plans: int
    off: bool = False
    step_by_step: bool = False

    @classmethod
    def beginning(cls, plan: LessonPlan, seen: Observation, limits: AbstractLimits) -> PlanProgress:
        """Return the progress at the start of a lesson."""
        now = tracked(seen)
        return cls(plan, 0, now, now, 0.0, 0.0, limits, plan, 1)

    def renewed(self, plan: LessonPlan, seen: Observation) -> PlanProgress:
        """Return the progress at the start of another plan."""
        now, plans = tracked(seen), self.plans + 1
        return replace(self, plan=plan, shown=0, believed=now, next_seen=now, plans=plans)

    @property
    def is_over(self) -> bool:
        """Whether everything was shown."""
        return self.shown >= self.plan.rounds

    @property
    def left(self) -> Floats:
        """What was not shown yet."""
        return self.plan.xs[self.shown :]

    def limits_now(self, seen: Observation) -> AbstractLimits:
        """Return the limits, with the students where they are now."""
        if not isinstance(self.limits, StudentLimits):
            return self.limits
        return self.limits.now(_arrays.to_host(seen.gaps), _arrays.to_host(seen.rates))

    def next_x(self, seen: Observation) -> Floats:
        """Return the next example, shorter if students are not where they should be."""
        x: Floats = self.plan.xs[self.shown]
        if not isinstance(self.limits, StudentLimits):
            return x
        return self.limits_now(seen).walk(float(x @ x)).shortened(x)

    def must_be_shorter(self, seen: Observation) -> bool:
        """Return whether the next example is too long for where students are."""
        if self.is_over:
            return False
        return not np.array_equal(self.next_x(seen), self.plan.xs[self.shown])

    def compared(self, seen: Observation) -> PlanProgress:
        """Return the progress with ``unrest``, ``off`` and ``drift`` as observed now."""
        if not len(self.believed):
            return self._compared_as_sketch(seen)
        now, expected = tracked(seen), _mean_square(self.believed)
        jump = now - self.next_seen
        unrest, surprise = _mean_square(jump), _mean_square(now - self.believed)
        off = surprise > OFF * expected + 2.0 * unrest
        return replace(self, unrest=unrest, off=off, drift=self._drift(jump, surprise))

    def _compared_as_sketch(self, seen: Observation) -> PlanProgress:
        """Return the progress after comparing a sketch with the plan."""
        expected = float(self.plan.expected[self.shown])
        now = tracked(seen)  # a class that was handed over to the exact engine
        error = _mean_square(now) if seen.sketch is None else seen.sketch().error
        off = abs(error - expected) > OFF * expected
        return replace(self, off=off, believed=now, next_seen=now)

    def _drift(self, jump: Floats, surprise: float) -> float:
        """Return the drift of a round, as a mean squared distance.

        It is at most what adds up from round to round, which noise in observations does not. And
        it is at most the part of the jump across the example, as wrong rates move students along
        it. ``jump`` is the difference between what is observed and ``next_seen``, ``surprise`` the
        mean squared difference from what the plan expects.
        """
        if self.shown < 2:
            return self.drift
        x = self.plan.xs[self.shown - 1]
        answers = _arrays.split_rows(jump, len(x)) @ x
        unrest, along = _mean_square(jump), float((answers @ answers) / len(jump) / (x @ x))
        adds_up = max(surprise - unrest, 0.0) / (self.shown - 1)
        return min(adds_up, max(unrest - along, 0.0))

    def ended(self) -> PlanProgress:
        """Return the progress without a plan, for the rest of the lesson."""
        return replace(self, step_by_step=True)

    def is_noisy(self, seen: Observation) -> bool:
        """Return whether observations are too noisy for another plan."""
        return self.unrest > RESTLESS * _mean_square(tracked(seen))

    def drift_matters(self) -> bool:
        """Return whether the drift is known now, and large enough to question the plan."""
        return self.shown == PROBE and self.drift * len(self.left) > FELT * self.plan.expected[-1]

    def next(self, seen: Observation) -> tuple[Example, PlanProgress]:
        """Return the next example, and the progress after it."""
        x, item = self.next_x(seen), int(self.plan.items[self.shown])
        believed, next_seen = self.believed, self.next_seen
        if len(believed):
            rates = _tracked_rows(seen.rates)
            believed = _arrays.moved(believed, rates, x)
            next_seen = _arrays.moved(tracked(seen), rates, x)
        example = seen.example(x, item=None if item < 0 else item)
        after = replace(self, shown=self.shown + 1, believed=believed, next_seen=next_seen)
        return example, after

    def as_values(self) -> dict[str, Any]:
        """Return what a record states about it."""
        first = self.first
        return {
            "rounds": first.rounds,
            "expected_error": float(first.expected[-1]),
            "worst_transient": first.worst_transient,
            "expected_to_reach_the_goal": first.reached,
            "plans": self.plans,
        }


def tracked(seen: Observation) -> Floats:
    """Return a copy of the gaps of the students who are followed."""
    return np.array(_tracked_rows(seen.gaps))


def _tracked_rows(array: Any) -> Floats:
    """Return every n-th row, so that there are at most ``TRACKED``."""
    step = max(1, -(-array.shape[0] // TRACKED))
    return _arrays.to_host(array[::step, ...])


def _mean_square(rows: Floats) -> float:
    return float(np.vecdot(rows, rows).mean()) if len(rows) else 0.0


def rounds_with_drift(
    sketch: Sketch,
    xs: Floats,
    drift: float,
    goal: AbstractGoal,
    pool: AbstractPool,
    *,
    longest: float,
    at_most: int,
) -> int:
    """Return how many rounds a lesson takes on average, with students who drift.

    It shows the given examples, and then the best next ones until the goal is reached.

    Parameters
    ----------
    sketch
        The class.
    xs
        The examples shown first.
    drift
        What drift adds to the class's mean squared distance per round.
    goal
        When the class is done.
    pool
        Where further examples come from.
    longest
        The greatest length of further examples.
    at_most
        Where to stop counting.
    """
    scale = float(sketch.nodes @ sketch.weights) * sketch.matrices.shape[1]
    noise = Noise(heat=drift / scale)
    for number in range(at_most):
        error = sketch.error
        if goal.reached(error, math.sqrt(max(sketch.students * error, 0.0))):
            return number
        if number < len(xs):
            x = xs[number]
        else:
            pick = best_next(sketch.moments, pool, "joint", longest)
            x = math.sqrt(pick.g) * pick.direction
        sketch = sketch.after(x, noise)
    return at_most
