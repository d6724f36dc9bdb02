"""A plan: every example of a lesson, and what it is expected to do."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.goals import AbstractGoal
from homeroom.pools import AbstractPool, Ball
from homeroom.teachers.planning.axes import Axes
from homeroom.teachers.planning.objective import Objective
from homeroom.teachers.planning.pooled import planned_over_pool
from homeroom.teachers.planning.population import Population
from homeroom.teachers.planning.search import BUDGET, Drafter, PlanDraft, PlanSearch
from homeroom.teachers.planning.simulation import Simulation
from homeroom.teachers.planning.transients import AbstractLimits, worst_transient

LITTLE_LONGER = 1.05
"""A lesson is made from scratch if the last check makes it longer than this factor."""

LAST = 0.3
"""The fraction of the budget for correcting a lesson after the last check."""


@dataclass(frozen=True, eq=False)
class LessonPlan:
    """Every example of a lesson, in the order to show them.

    Parameters
    ----------
    xs
        Shape ``(rounds, dimensions)``.
    items
        The item of a pool that each is; -1 if it was synthesised.
    expected
        The class's mean squared distance at the start and after each of them, as expected.
    worst_transient
        The largest expected distance of a student, relative to their distance at the start; an
        upper bound if students are not observed one by one.
    reached
        Whether the goal is expected to be reached.
    """

    xs: Floats
    items: Ints
    expected: Floats
    worst_transient: float
    reached: bool

    @property
    def rounds(self) -> int:
        """How many examples there are."""
        return len(self.xs)


@dataclass(frozen=True, eq=False)
class Request:
    """What a plan must satisfy.

    Parameters
    ----------
    goal
        When the class is done.
    ceiling
        No squared length is above this.
    polish
        Whether all examples are optimised together in the end; items of a pool are exchanged.
    at_most
        How many rounds there may be.
    limits
        How far students may be during the lesson.
    pool
        Where examples come from.
    budget
        The number of multiplications to spend.
    report
        Called with the part of the work that is done, and the rounds of the current draft.
    """

    goal: AbstractGoal
    ceiling: float
    polish: bool
    at_most: int
    limits: AbstractLimits
    pool: AbstractPool = field(default_factory=Ball)
    budget: float = BUDGET
    report: Callable[[float, int], None] = lambda _share, _rounds: None


def plan_for(
    whom: Population, request: Request, rng: np.random.Generator, known: Floats | None = None
) -> LessonPlan:
    """Return a plan for a class.

    Parameters
    ----------
    whom
        The class.
    request
        What the plan must satisfy.
    rng
        Draws random directions.
    known
        The rest of an older plan, to start from; shape ``(rounds, dimensions)``.
    """
    if request.pool.synthesises:
        return _made_up(whom, request, rng, known)
    return _from_pool(whom, request, rng)


def _made_up(
    whom: Population, request: Request, rng: np.random.Generator, known: Floats | None
) -> LessonPlan:
    """Return a plan with synthesised examples.

    It is made in the coordinates of the class's principal directions, and checked at the end with
    more representatives or more rates (``finer``) if there are any. ``known`` has the rest of an
    older plan.
    """
    directions = Axes(whom.representatives, request.ceiling).directions
    inside = whom.along(directions)
    if not _simulation(inside, request).objective.can_be_polished:
        request = replace(request, polish=False)
    search = _search(inside, request, directions, rng)
    draft = search.first_draft(request.at_most)
    if request.polish and len(draft.xs):
        draft = _polished(search, draft, None if known is None else known @ directions.T)
    if inside.finer is not None or request.limits.finer is not None:
        last = replace(
            request,
            limits=request.limits.finer or request.limits,
            budget=LAST * request.budget,
        )
        search = _search(inside.finer or inside, last, directions, rng)
        draft = _checked(search, draft, request)
    synthesised = np.full(len(draft.xs), -1, dtype=np.int64)
    return _plan(whom.finer or whom, request, draft.xs @ directions, synthesised)


def _from_pool(whom: Population, request: Request, rng: np.random.Generator) -> LessonPlan:
    """Return a plan with items of a pool, made again if a finer check finds it too long."""
    best = whom.finer or whom
    planned = partial(
        planned_over_pool,
        best.sketch,
        _simulation(best, request),
        request.pool,
        longest=math.sqrt(request.ceiling),
        at_most=request.at_most,
        rng=rng,
        report=request.report,
    )
    budget = request.budget if request.polish else 0.0
    xs, items = planned(limits=request.limits, budget=budget)
    finer = request.limits.finer
    if finer is not None and not np.array_equal(finer.walk(request.ceiling).keep(xs)[0], xs):
        xs, items = planned(limits=finer, budget=LAST * budget)
    return _plan(best, request, xs, items)


def _simulation(whom: Population, request: Request) -> Simulation:
    """Return the simulation of lessons for a class with the requested goal."""
    return Simulation(
        whom.representatives, Objective.of(request.goal, whom.representatives, whom.students)
    )


def _search(
    whom: Population, request: Request, directions: Floats, rng: np.random.Generator
) -> PlanSearch:
    """Return the search for a plan, in the coordinates of some directions."""
    longest = math.sqrt(request.ceiling)
    limits = request.limits.along(directions)
    drafter = Drafter(
        _simulation(whom, request),
        longest,
        limits,
        at_most=request.at_most,
        budget=request.budget,
        report=request.report,
    )
    return PlanSearch(drafter, Axes(whom.representatives, request.ceiling), rng)


def _polished(search: PlanSearch, first: PlanDraft, known: Floats | None) -> PlanDraft:
    """Return the best lesson that the search finds, from a first draft or an older plan."""
    if not first.reached:
        return search.best_of_length(first)
    if known is not None:
        return search.renewed(known, first)
    return search.shortest(first)


def _checked(search: PlanSearch, draft: PlanDraft, request: Request) -> PlanDraft:
    """Return the lesson after a check at more rates or nodes, corrected if necessary.

    ``search`` is the one with more rates or nodes.
    """
    again = search.drafter.draft(draft.xs, longer=draft.reached)
    if (again.reached and len(again.xs) <= len(draft.xs)) or not draft.reached:
        return again
    if not again.reached or len(again.xs) > LITTLE_LONGER * len(draft.xs):
        again = min(again, search.first_draft(request.at_most), key=lambda one: one.rank)
    return search.renewed(again.xs, again) if request.polish else again


def _plan(whom: Population, request: Request, xs: Floats, items: Ints) -> LessonPlan:
    """Return examples as a plan, with what they are expected to do."""
    simulation = _simulation(whom, request)
    along = list(simulation.squared_along(xs))
    return LessonPlan(
        xs=xs,
        items=items,
        expected=np.array([simulation.objective.mean(squared) for squared in along]),
        worst_transient=worst_transient(request.limits, xs),
        reached=simulation.objective.reached(along[-1]),
    )
