"""The teacher that plans the whole lesson before the first example."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from homeroom import _checks
from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom.classroom import Classroom, Example
from homeroom.goals import AbstractGoal, DistanceGoal
from homeroom.learners import AbstractLearner, AbstractLoss
from homeroom.moments import Observation
from homeroom.pools import AbstractPool, Ball
from homeroom.teachers.base import AbstractTeacher, Report
from homeroom.teachers.planning.greedy import pick_within
from homeroom.teachers.planning.plan import LessonPlan, make_plan
from homeroom.teachers.planning.population import observe_population, set_limits
from homeroom.teachers.planning.progress import MOST_PLANS, PlanProgress
from homeroom.teachers.planning.request import BUDGET, Request
from homeroom.teachers.planning.transients import Limits
from homeroom.teachers.pool import GreedyRule, PoolTeacher, show_pick

WITHIN = 1.0 - 1e-12
"""The fraction of the greatest safe squared length that is used, to allow for rounding."""

AGAIN = 0.1
"""The fraction of the work that a new plan may take, as it starts from the rest of the old one."""


@dataclass(frozen=True, eq=False)
class PlanMemory:
    """What a planner must achieve, and how far the lesson is in its plan.

    Parameters
    ----------
    goal, rounds_left
        When the lesson is over.
    report
        Called during planning.
    progress
        The plan and the position in it; ``None`` before the first round.
    """

    goal: DistanceGoal
    rounds_left: int
    report: Report
    progress: PlanProgress | None = None


@dataclass(frozen=True)
class PlannedTeacher(AbstractTeacher):
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

    needs_students = False

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

    def begin(
        self,
        learner: AbstractLearner,
        goal: AbstractGoal,
        max_rounds: int,
        report: Report = lambda _share, _rounds: None,
    ) -> PlanMemory:
        if learner.noise is None:
            name = type(learner).__name__
            _checks.warn(
                f"PlannedTeacher plans with gradient steps, but {name} declares no `noise`, so "
                "that students may not do as planned. If their expected step is a gradient step of "
                f"the squared loss, let `noise` of {name} return a Noise(...); else try "
                "teacher=ClassroomTeacher()."
            )
        if not isinstance(goal, DistanceGoal):
            raise InputError(
                f"PlannedTeacher needs a goal on distances, such as AverageGoal, but "
                f"{type(goal).__name__} is none (`DistanceGoal`). Use ClassroomTeacher()."
            )
        return PlanMemory(goal, max_rounds, report)

    def next(
        self, seen: Observation, memory: PlanMemory, rng: np.random.Generator
    ) -> tuple[Example | None, PlanMemory]:
        progress = memory.progress
        if progress is None:
            limits = set_limits(seen, memory.goal, self.rates_within)
            progress = PlanProgress.begin(self._plan(seen, memory, rng, limits), seen, limits)
        elif not progress.step_by_step:
            progress = self._revise(progress.compare(seen), seen, memory, rng)
        if progress.step_by_step or progress.is_over:
            example = self._choose_within(progress, seen, rng)
        else:
            example, progress = progress.next(seen)
        return example, replace(memory, progress=progress, rounds_left=memory.rounds_left - 1)

    def _choose_within(
        self, progress: PlanProgress, seen: Observation, rng: np.random.Generator
    ) -> Example | None:
        """Return the best next example that moves no student away.

        If a pool's items are all too long for that, one that keeps the limits of the lesson.
        """
        example = replace(self._by_steps, safe=True).choose(seen, rng)
        if example is not None or self.safe or self.pool.rescalable:
            return example
        # The class as it is now, to check which examples keep the limits.
        walk = progress.limits.move_to(seen).walk(seen.example_radius**2)
        return show_pick(seen, pick_within(seen, GreedyRule(self.pool), walk))

    def describe_plan(self, memory: PlanMemory) -> dict[str, Any] | None:
        return None if memory.progress is None else memory.progress.describe()

    def _revise(
        self,
        progress: PlanProgress,
        seen: Observation,
        memory: PlanMemory,
        rng: np.random.Generator,
    ) -> PlanProgress:
        """Return the progress, with a new plan if the old one does not fit the class any more.

        After too many plans, or with noisy observations, the lesson continues step by step.
        """
        too_long = not self.pool.rescalable and progress.must_shorten(seen)
        if not (progress.off or progress.is_over or too_long):
            return progress
        if progress.plans >= MOST_PLANS or progress.is_noisy(seen):
            return replace(progress, step_by_step=True)
        plan = self._plan(seen, memory, rng, progress.limits.move_to(seen), progress.rest)
        return progress.renew(plan, seen)

    def _plan(
        self,
        seen: Observation,
        memory: PlanMemory,
        rng: np.random.Generator,
        limits: Limits,
        rest: Floats | None = None,
    ) -> LessonPlan:
        """Return a new plan for the observed class.

        ``limits`` state how far students may move away. ``rest`` has the examples of an old plan
        that were not shown yet; the search starts from them.
        """
        longest = GreedyRule(self.pool, "joint", self.safe, self.rates_within).limit_g(seen)
        request = Request(
            goal=memory.goal,
            ceiling=longest if longest == seen.example_radius**2 else WITHIN * longest,
            polish=self.polish,
            at_most=memory.rounds_left,
            limits=limits,
            pool=self.pool,
            budget=BUDGET if rest is None else AGAIN * BUDGET,
            report=memory.report,
        )
        return make_plan(observe_population(seen, memory.goal), request, rng, rest)
