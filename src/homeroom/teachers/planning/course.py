"""Where a lesson is in its plan, and whether the class still follows it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Floats
from homeroom.classroom import Example
from homeroom.moments import Observation
from homeroom.teachers.planning.plan import Plan
from homeroom.teachers.planning.transients import AbstractLimits, StudentLimits

TRACKED = 4096
"""Students who are followed one by one, to see whether the class goes where the plan expects it."""

OFF = 0.3
"""The class is off its plan when students are this far from where they should be.

In squared distance, for one of the class's error; what chance alone does is allowed on top.
"""

RESTLESS = 0.1
"""Where chance blurs more of the class's error than this, a plan for the rest is not worth it."""

PROBE = 4
"""After so many rounds of a plan it is known how much the students drift."""

FELT = 0.05
"""Less drift than this, for one of the error at the end, makes no difference."""

MOST_PLANS = 20
"""After so many plans in one lesson, it goes on step by step."""


@dataclass(frozen=True, eq=False)
class Course:
    """A plan, how much of it was shown, and where the class should be by now.

    Parameters
    ----------
    plan
        What is shown.
    shown
        How many of its examples were shown.
    believed
        The gaps that some students should have now, by the plan; shape ``(tracked, dimensions)``.
    next_seen
        The gaps they should have by where they were seen a round ago.
    unrest
        How far they are from there, in mean squared distance: what chance does in a round.
    drift
        How much of that adds up from round to round: what students drift, not what is seen wrongly.
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

    plan: Plan
    shown: int
    believed: Floats
    next_seen: Floats
    unrest: float
    drift: float
    limits: AbstractLimits
    first: Plan
    plans: int
    off: bool = False
    step_by_step: bool = False

    @classmethod
    def beginning(cls, plan: Plan, seen: Observation, limits: AbstractLimits) -> Course:
        """Return the course at the beginning of a lesson."""
        now = tracked(seen)
        return cls(plan, 0, now, now, 0.0, 0.0, limits, plan, 1)

    def renewed(self, plan: Plan, seen: Observation) -> Course:
        """Return the course at the beginning of another plan."""
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
        """Return how far students may be, from where they are now."""
        if not isinstance(self.limits, StudentLimits):
            return self.limits
        return self.limits.now(_arrays.small(seen.gaps), _arrays.small(seen.rates))

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

    def looked(self, seen: Observation) -> Course:
        """Return the course once it was seen where the class really is."""
        if not len(self.believed):
            return self._looked_at_all(seen)
        now, expected = tracked(seen), _mean_square(self.believed)
        jump = now - self.next_seen
        unrest, surprise = _mean_square(jump), _mean_square(now - self.believed)
        off = surprise > OFF * expected + 2.0 * unrest
        return replace(self, unrest=unrest, off=off, drift=self._drift(jump, surprise))

    def _looked_at_all(self, seen: Observation) -> Course:
        """Return the course once the class was seen, but nobody in particular: a sketch."""
        expected = float(self.plan.expected[self.shown])
        now = tracked(seen)  # if students are to be seen after all, they are followed from now on
        error = _mean_square(now) if seen.sketch is None else seen.sketch().error
        off = abs(error - expected) > OFF * expected
        return replace(self, off=off, believed=now, next_seen=now)

    def _drift(self, jump: Floats, surprise: float) -> float:
        """Return what students drift in a round.

        What is seen wrongly does not add up; what comes of wrong rates is along the example.
        """
        if self.shown < 2:
            return self.drift
        x = self.plan.xs[self.shown - 1]
        unrest, along = _mean_square(jump), float(((jump @ x) ** 2).mean() / (x @ x))
        adds_up = max(surprise - unrest, 0.0) / (self.shown - 1)
        return min(adds_up, max(unrest - along, 0.0))

    def ended(self) -> Course:
        """Return the course without a plan, for the rest of the lesson."""
        return replace(self, step_by_step=True)

    def is_blurred(self, seen: Observation) -> bool:
        """Tell whether so much of what is seen is chance that planning on is not worth it."""
        return self.unrest > RESTLESS * _mean_square(tracked(seen))

    def is_to_be_weighed(self) -> bool:
        """Tell whether now is the time to ask if chance leaves the plan worth following."""
        return self.shown == PROBE and self.drift * len(self.left) > FELT * self.plan.expected[-1]

    def next(self, seen: Observation) -> tuple[Example, Course]:
        """Return the next example, and the course after it."""
        x, item = self.next_x(seen), int(self.plan.items[self.shown])
        believed, next_seen = self.believed, self.next_seen
        if len(believed):
            rates = _tracked_rows(seen.rates)
            believed, next_seen = _moved(believed, rates, x), _moved(tracked(seen), rates, x)
        example = seen.example(x, item=None if item < 0 else item)
        after = replace(self, shown=self.shown + 1, believed=believed, next_seen=next_seen)
        return example, after

    def in_words(self) -> dict[str, Any]:
        """Return what a record says about it."""
        first = self.first
        return {
            "rounds": first.rounds,
            "expected_error": float(first.expected[-1]),
            "worst_transient": first.worst_transient,
            "expected_to_reach_the_goal": first.reached,
            "plans": self.plans,
        }


def tracked(seen: Observation) -> Floats:
    """Return the gaps of the students who are followed one by one; a copy."""
    return np.array(_tracked_rows(seen.gaps))


def _tracked_rows(array: Any) -> Floats:
    step = max(1, -(-array.shape[0] // TRACKED))
    return _arrays.small(array[::step, ...])


def _moved(gaps: Floats, rates: Floats, x: Floats) -> Floats:
    moved: Floats = gaps - (rates * (gaps @ x))[:, None] * x
    return moved


def _mean_square(rows: Floats) -> float:
    return float(np.vecdot(rows, rows).mean()) if len(rows) else 0.0
