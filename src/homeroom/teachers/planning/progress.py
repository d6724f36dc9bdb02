"""How far a lesson is in its plan, and whether the class still follows it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Floats
from homeroom.classroom import Example
from homeroom.moments import Observation
from homeroom.teachers.planning.plan import LessonPlan
from homeroom.teachers.planning.transients import Limits

TRACKED = 4096
"""The number of students, at most, whose states are compared with the plan's expectation."""

OFF = 0.3
"""The class is off its plan if students are farther than this from where they should be.

It is a mean squared distance, relative to the class's error, on top of random noise.
"""

RESTLESS = 0.1
"""With more noise than this, relative to the class's error, no further plan is made."""

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
    limits: Limits
    first: LessonPlan
    plans: int
    off: bool = False
    step_by_step: bool = False

    @classmethod
    def begin(cls, plan: LessonPlan, seen: Observation, limits: Limits) -> PlanProgress:
        """Return the progress at the start of a lesson."""
        now = track(seen)
        return cls(plan, 0, now, now, 0.0, limits, plan, 1)

    def renew(self, plan: LessonPlan, seen: Observation) -> PlanProgress:
        """Return the progress at the start of another plan."""
        now, plans = track(seen), self.plans + 1
        return replace(self, plan=plan, shown=0, believed=now, next_seen=now, plans=plans)

    @property
    def is_over(self) -> bool:
        """Whether everything was shown."""
        return self.shown >= self.plan.rounds

    @property
    def rest(self) -> Floats:
        """The examples that were not shown yet."""
        return self.plan.xs[self.shown :]

    def next_x(self, seen: Observation) -> Floats:
        """Return the next example, shorter if students are not where they should be."""
        return self.limits.move_to(seen).shorten_first(self.plan.xs[self.shown])

    def must_shorten(self, seen: Observation) -> bool:
        """Return whether the next example is too long for where students are."""
        if self.is_over:
            return False
        return not np.array_equal(self.next_x(seen), self.plan.xs[self.shown])

    def compare(self, seen: Observation) -> PlanProgress:
        """Return the progress with ``unrest`` and ``off`` as observed now."""
        now = track(seen)
        if len(self.believed):
            unrest, surprise = _mean_square(now - self.next_seen), _mean_square(now - self.believed)
            off = surprise > OFF * _mean_square(self.believed) + 2.0 * unrest
            return replace(self, unrest=unrest, off=off)
        # A sketch; or a class that was handed over to the exact engine, which has students.
        error = _mean_square(now) if seen.sketch is None else seen.sketch.fine.error
        expected = float(self.plan.expected[self.shown])
        off = abs(error - expected) > OFF * expected
        return replace(self, off=off, believed=now, next_seen=now)

    def is_noisy(self, seen: Observation) -> bool:
        """Return whether observations are too noisy for another plan."""
        return self.unrest > RESTLESS * _mean_square(track(seen))

    def next(self, seen: Observation) -> tuple[Example, PlanProgress]:
        """Return the next example, and the progress after it."""
        x, item = self.next_x(seen), int(self.plan.items[self.shown])
        believed, next_seen = self.believed, self.next_seen
        if len(believed):
            rates = _select_rows(seen.rates)
            believed = _arrays.move_gaps(believed, rates, x)
            next_seen = _arrays.move_gaps(track(seen), rates, x)
        example = seen.example(x, item=None if item < 0 else item)
        after = replace(self, shown=self.shown + 1, believed=believed, next_seen=next_seen)
        return example, after

    def describe(self) -> dict[str, Any]:
        """Return what a record states about it."""
        first = self.first
        return {
            "rounds": first.rounds,
            "expected_error": float(first.expected[-1]),
            "worst_transient": first.worst_transient,
            "expected_to_reach_the_goal": first.reached,
            "plans": self.plans,
        }


def track(seen: Observation) -> Floats:
    """Return a copy of the gaps of the students who are followed."""
    return np.array(_select_rows(seen.gaps))


def _select_rows(array: Any) -> Floats:
    """Return every n-th row, so that there are at most ``TRACKED``."""
    step = max(1, -(-array.shape[0] // TRACKED))
    return _arrays.to_host(array[::step, ...])


def _mean_square(rows: Floats) -> float:
    return float(np.vecdot(rows, rows).mean()) if len(rows) else 0.0
