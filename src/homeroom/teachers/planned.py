"""The teacher that plans the whole lesson before the first example."""

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
from homeroom.learners import AbstractLoss
from homeroom.moments import Observation
from homeroom.pools import AbstractPool, Ball
from homeroom.teachers.base import AbstractPlanner, AbstractTeacher, AbstractTutor, Choices, Task
from homeroom.teachers.classroom import as_example, greatest_g
from homeroom.teachers.planning.greedy import best_within
from homeroom.teachers.planning.objective import check_goal
from homeroom.teachers.planning.plan import LessonPlan, Request, plan_for
from homeroom.teachers.planning.population import limits_for, population_of
from homeroom.teachers.planning.progress import MOST_PLANS, PlanProgress, rounds_with_drift
from homeroom.teachers.planning.search import BUDGET
from homeroom.teachers.planning.transients import AbstractLimits
from homeroom.teachers.pool import PoolTeacher

WITHIN = 1.0 - 1e-12
"""The fraction of the greatest safe squared length that is used, to allow for rounding."""

AGAIN = 0.1
"""The fraction of the work that a new plan may take, as it starts from the rest of the old one."""


@dataclass(frozen=True)
class PlannedTeacher(AbstractTeacher, AbstractTutor, AbstractPlanner):
    """Plans the whole lesson, to make it as short as possible.

    The classroom teacher shows the best next example. This teacher chooses all examples
    together. It starts from examples along the principal directions of the class, whose lengths
    suit all rates (Gauss nodes), and optimises them until as few as possible reach the goal. During
    the lesson the class is compared with the plan, and a new plan is made when they differ. In no
    round is a student farther from the target than the farthest was at the start, nor more than
    twice as far as they were themselves (or than the goal allows, if that is more).

    Parameters
    ----------
    safe
        Never show an example so long that a student could move away from the target.
    polish
        Whether all examples are optimised together in the end: fewer rounds, but seconds of
        planning.
    pool
        Where examples may come from: a :class:`DirectionPool`, an :class:`ItemPool`, or a pool of
        your own; any vector unless given.
    rates_within
        The relative error of the rates: the true ones are in
        ``rates * (1 +- rates_within)``. The limits above, and ``safe``, hold for all of them. With
        0 the rates are taken as exact: plans may be shorter, and are never longer than the better
        of the classroom teacher's static and safe dynamic lessons.

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
    def assumes(self) -> str:
        return "gradient"

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"moments"})

    @property
    def own_labels(self) -> bool:
        return self.pool.labels is not None

    @property
    def _by_steps(self) -> PoolTeacher:
        """A teacher that chooses the best next example from the same pool."""
        return PoolTeacher(self.pool, "joint", self.safe, self.rates_within)

    def prepare(self, room: Classroom, loss: AbstractLoss) -> PlannedTeacher:
        if not loss.is_quadratic:
            raise InputError(
                "PlannedTeacher needs the squared loss, where it is known in advance what an "
                f"example does, but the loss is {type(loss).__name__} (`is_quadratic` is False). "
                "Use ClassroomTeacher()."
            )
        if self.pool.labels is not None:
            raise InputError(
                "PlannedTeacher needs the target's own answers, but the pool has labels of its "
                "own. Use PoolTeacher(pool)."
            )
        return replace(self, pool=self._by_steps.prepare(room, loss).pool)

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example | None:
        """Return the best next example, without a plan."""
        return self._by_steps.choose(seen, rng)

    def choose_each(self, seen: Observation, rng: np.random.Generator) -> Choices:
        return self._by_steps.choose_each(seen, rng)

    def follow(
        self, course: PlanProgress | None, seen: Observation, task: Task, rng: np.random.Generator
    ) -> tuple[Example | None, PlanProgress]:
        progress = course
        if progress is None:
            check_goal(task.goal)
            limits = limits_for(seen, task.goal, self.rates_within)
            progress = PlanProgress.beginning(self._plan(seen, task, rng, limits), seen, limits)
        elif not progress.step_by_step:
            progress = self._on_track(progress.compared(seen), seen, task, rng)
        if progress.step_by_step or progress.is_over:
            return self._next_best(progress, seen, rng), progress
        return progress.next(seen)

    def _next_best(
        self, progress: PlanProgress, seen: Observation, rng: np.random.Generator
    ) -> Example | None:
        """Return the best next example that moves no student away.

        If a pool's items are all too long for that, one that keeps the limits of the lesson.
        """
        example = replace(self._by_steps, safe=True).choose(seen, rng)
        if example is not None or self.safe or self.pool.rescalable:
            return example
        # The class as it is now, to check which examples keep the limits.
        walk = progress.limits_now(seen).walk(seen.example_radius**2)
        return as_example(seen, best_within(seen, self.pool, "static", walk))

    def describe(self, course: PlanProgress) -> dict[str, Any]:
        return course.as_values()

    def _on_track(
        self, progress: PlanProgress, seen: Observation, task: Task, rng: np.random.Generator
    ) -> PlanProgress:
        """Return the progress, with a new plan if the old one does not fit the class any more.

        It has no plan at all (``ended``) if a new one is not worth it: after too many plans, with
        noisy observations, or with a strong drift.
        """
        too_long = not self.pool.rescalable and progress.must_be_shorter(seen)
        if progress.off or progress.is_over or too_long:
            if progress.plans >= MOST_PLANS or progress.is_noisy(seen):
                return progress.ended()
            plan = self._plan(seen, task, rng, progress.limits_now(seen), progress.left)
            progress = progress.renewed(plan, seen)
            return progress if self._lasts(progress, seen, task) else progress.ended()
        if progress.drift_matters() and not self._lasts(progress, seen, task):
            return progress.ended()
        return progress

    def _lasts(self, progress: PlanProgress, seen: Observation, task: Task) -> bool:
        """Return whether the rest of the plan takes no more rounds than choosing step by step.

        ``progress.drift`` is what random moves of the students add to the mean squared distance per
        round. A long plan may not be worth following then.
        """
        if not progress.drift > 0.0:
            return True
        needs = partial(
            rounds_with_drift,
            population_of(seen, task.goal).sketch(),
            drift=progress.drift,
            goal=task.goal,
            pool=self.pool,
            longest=math.sqrt(min(self._ceiling(seen), progress.limits.safe_g)),
            at_most=3 * progress.first.rounds,
        )
        return needs(progress.left) <= needs(progress.left[:0])  # [:0]: no planned examples

    def _plan(
        self,
        seen: Observation,
        task: Task,
        rng: np.random.Generator,
        limits: AbstractLimits,
        known: Floats | None = None,
    ) -> LessonPlan:
        """Return a new plan for the observed class.

        ``limits`` state how far students may move away. ``known`` has the examples of an old plan
        that were not shown yet; the search starts from them.
        """
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
        return plan_for(population_of(seen, task.goal), request, rng, known)

    def _ceiling(self, seen: Observation) -> float:
        """Return the greatest squared length that an example may have."""
        ceiling = greatest_g(seen, safe=self.safe, rates_within=self.rates_within)
        return ceiling if ceiling == seen.example_radius**2 else WITHIN * ceiling
