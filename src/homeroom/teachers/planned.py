"""The teacher who plans the whole lesson before the first example."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from homeroom import _checks
from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom.classroom import Classroom, Example
from homeroom.learners import AbstractLoss, Squared
from homeroom.moments import Observation
from homeroom.pools import AbstractPool, Ball
from homeroom.teachers.base import AbstractPlanner, AbstractTeacher, AbstractTutor, Choices, Task
from homeroom.teachers.magnitude import as_example, greatest_g
from homeroom.teachers.planning.audience import audience, limits_for
from homeroom.teachers.planning.chance import rounds_with_drift
from homeroom.teachers.planning.course import MOST_PLANS, Course
from homeroom.teachers.planning.greedy import best_within
from homeroom.teachers.planning.plan import Plan, Request, plan_for
from homeroom.teachers.planning.shorten import BUDGET
from homeroom.teachers.planning.transients import AbstractLimits
from homeroom.teachers.pool import PoolTeacher

WITHIN = 1.0 - 1e-12
"""How much of the greatest safe length is used: rounding must not push anybody away."""

AGAIN = 0.1
"""How much of the work a new plan may take: it begins with what is left of the old one."""


@dataclass(frozen=True)
class PlannedTeacher(AbstractTeacher, AbstractTutor, AbstractPlanner):
    """The teacher who plans the whole lesson, so that it is as short as can be.

    The classroom teacher takes the best next step. This one chooses all examples together: lengths
    that together suit every rate (Gauss nodes), along the class's own directions, all of them then
    moved until as few as possible reach the goal. The gentlest come first, so that fast students
    are close by the time the long ones come. She watches the class on the way, and plans again when
    it does not go as expected. A plan is never longer than the classroom teacher's lesson.

    Parameters
    ----------
    safe
        Never an example so long that any student could move away from the target.
    rates_within
        By which part the rates may be off: the true ones are in ``rates * (1 +- rates_within)``.
        For all of them, no student is taken farther from the target than the farthest was at the
        start, nor more than twice as far as they were themselves (or than the goal allows). With
        0 the rates are taken to be exact, and the plan is shorter.
    polish
        Whether the examples are moved together in the end: fewer rounds, for seconds of planning.
    pool
        Where examples may come from: a :class:`DirectionPool`, an :class:`ItemPool`, or a pool of
        your own; any vector unless given. Items of a pool come in the order that does most, not
        gentlest first.

    Examples
    --------
    >>> from homeroom import Classroom, ClassroomTeacher, teach
    >>> room = Classroom.sample(students=40, dimensions=5, rates=(0.1, 1.0))
    >>> for teacher in (ClassroomTeacher(), ClassroomTeacher("joint", safe=True), PlannedTeacher()):
    ...     print(teach(room, teacher=teacher).rounds)
    30
    17
    13
    """

    safe: bool = False
    polish: bool = True
    pool: AbstractPool = field(default_factory=Ball)
    rates_within: float = 0.1

    def __post_init__(self) -> None:
        _checks.yes_or_no(self.safe, "safe")
        _checks.yes_or_no(self.polish, "polish")
        _ = self._by_steps

    @property
    def _by_steps(self) -> PoolTeacher:
        """The teacher who chooses the best next example from the same pool."""
        return PoolTeacher(self.pool, "joint", self.safe, self.rates_within)

    def prepare(self, room: Classroom, loss: AbstractLoss) -> PlannedTeacher:
        if not isinstance(loss, Squared):
            raise InputError(
                "PlannedTeacher goes with the squared loss, where it is known in advance what an "
                f"example does, but the loss is {type(loss).__name__}. Use ClassroomTeacher()."
            )
        if self.pool.labels is not None:
            raise InputError(
                "PlannedTeacher goes with the target's own answers, but the pool has labels of its "
                "own. Use PoolTeacher(pool)."
            )
        return replace(self, pool=self._by_steps.prepare(room, loss).pool)

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example | None:
        """Return the best next example, for whoever follows no plan."""
        return self._by_steps.choose(seen, rng)

    def choose_each(self, seen: Observation, rng: np.random.Generator) -> Choices:
        return self._by_steps.choose_each(seen, rng)

    def follow(
        self, course: Course | None, seen: Observation, task: Task, rng: np.random.Generator
    ) -> tuple[Example | None, Course]:
        if course is None:
            limits = limits_for(seen, task.goal, self.rates_within)
            course = Course.beginning(self._plan(seen, task, rng, limits), seen, limits)
        elif not course.step_by_step:
            course = self._on_track(course.looked(seen), seen, task, rng)
        if course.step_by_step or course.is_over:
            return self._next_best(course, seen, rng), course
        return course.next(seen)

    def _next_best(
        self, course: Course, seen: Observation, rng: np.random.Generator
    ) -> Example | None:
        """Return the best next example that moves no student away.

        If a pool's items are all too long for that, one that keeps the limits of the lesson.
        """
        example = replace(self._by_steps, safe=True).choose(seen, rng)
        if example is not None or self.safe or self.pool.rescalable:
            return example
        walk = course.limits_now(seen).walk(seen.example_radius**2)
        return as_example(seen, best_within(seen, self.pool, "static", walk))

    def told(self, course: Course) -> dict[str, Any]:
        return course.in_words()

    def _on_track(
        self, course: Course, seen: Observation, task: Task, rng: np.random.Generator
    ) -> Course:
        """Return the course, with a new plan or without one where the old one is no good."""
        too_long = not self.pool.rescalable and course.must_be_shorter(seen)
        if course.off or course.is_over or too_long:
            if course.plans >= MOST_PLANS or course.is_blurred(seen):
                return course.ended()
            plan = self._plan(seen, task, rng, course.limits_now(seen), course.left)
            course = course.renewed(plan, seen)
            return course if self._lasts(course, seen, task) else course.ended()
        if course.is_to_be_weighed() and not self._lasts(course, seen, task):
            return course.ended()
        return course

    def _lasts(self, course: Course, seen: Observation, task: Task) -> bool:
        """Tell whether the rest of the plan beats going step by step, as much as students drift."""
        if not course.drift > 0.0:
            return True
        needs = partial(
            rounds_with_drift,
            audience(seen, task.goal).sketch(),
            drift=course.drift,
            goal=task.goal,
            pool=self.pool,
            longest=math.sqrt(min(self._ceiling(seen), course.limits.safe_g)),
            at_most=3 * course.first.rounds,
        )
        return needs(course.left) <= needs(course.left[:0])

    def _plan(
        self,
        seen: Observation,
        task: Task,
        rng: np.random.Generator,
        limits: AbstractLimits,
        known: Floats | None = None,
    ) -> Plan:
        request = Request(
            goal=task.goal,
            ceiling=self._ceiling(seen),
            polish=self.polish,
            at_most=task.rounds_left,
            limits=limits,
            pool=self.pool,
            budget=BUDGET if known is None else AGAIN * BUDGET,
            report=task.report,
        )
        return plan_for(audience(seen, task.goal), request, rng, known)

    def _ceiling(self, seen: Observation) -> float:
        """Return the greatest squared length, for what is asked and what is known."""
        ceiling = greatest_g(seen, safe=self.safe, rates_within=self.rates_within)
        return ceiling if ceiling == seen.example_radius**2 else WITHIN * ceiling
