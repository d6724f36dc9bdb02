"""A plan: every example of a lesson, and what it is expected to do."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.pools import Ball
from homeroom.teachers.planning.axes import Axes
from homeroom.teachers.planning.pooled import plan_over_pool
from homeroom.teachers.planning.population import Population
from homeroom.teachers.planning.request import Request
from homeroom.teachers.planning.search import PlanDraft, PlanSearch, best_of

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


def make_plan(
    population: Population,
    request: Request,
    rng: np.random.Generator,
    rest: Floats | None = None,
) -> LessonPlan:
    """Return a plan for a class.

    Parameters
    ----------
    population
        The class.
    request
        What the plan must satisfy.
    rng
        Draws random directions.
    rest
        The rest of an older plan, to start from; shape ``(rounds, dimensions)``.
    """
    best = population.finer or population
    if request.pool.synthesises:
        xs = _synthesise(population, replace(request, pool=Ball()), rng, rest)
        items = np.full(len(xs), -1, dtype=np.int64)
    else:
        xs, items = _choose_items(best, request, rng)
    simulation = best.simulate(request.goal)
    squared = list(simulation.squared_along(xs))
    return LessonPlan(
        xs=xs,
        items=items,
        expected=np.array([simulation.objective.mean(after) for after in squared]),
        worst_transient=request.limits.worst_transient(xs),
        reached=simulation.objective.is_reached(squared[-1]),
    )


def _synthesise(
    population: Population, request: Request, rng: np.random.Generator, rest: Floats | None
) -> Floats:
    """Return the examples of a plan, synthesised.

    It is made in the coordinates of the class's principal directions, and checked at the end with
    more representatives or more rates (``finer``) if there are any.
    """
    directions = Axes(population.representatives, request.ceiling).directions
    inside, limits = population.along(directions), request.limits.along(directions)
    search = PlanSearch(inside, replace(request, limits=limits), rng)
    draft = search.make_first_draft()
    if request.polish and len(draft.xs):
        if not draft.reached:
            draft = search.find_closest(draft)
        elif rest is not None:
            draft = search.renew(rest @ directions.T, draft)
        else:
            draft = search.find_shortest(draft)
    if inside.finer is not None or limits.finer is not None:
        last = replace(request, limits=limits.finer or limits, budget=LAST * request.budget)
        draft = _check(PlanSearch(inside.finer or inside, last, rng), draft)
    xs: Floats = draft.xs @ directions
    return xs


def _check(search: PlanSearch, draft: PlanDraft) -> PlanDraft:
    """Return the lesson after a check at more rates or nodes, corrected if necessary.

    ``search`` is the one with more rates or nodes.
    """
    again = search.drafter.draft(draft.xs, longer=draft.reached)
    if (again.reached and len(again.xs) <= len(draft.xs)) or not draft.reached:
        return again
    if not again.reached or len(again.xs) > LITTLE_LONGER * len(draft.xs):
        again = best_of(again, search.make_first_draft())
    return search.renew(again.xs, again) if search.request.polish else again


def _choose_items(
    population: Population, request: Request, rng: np.random.Generator
) -> tuple[Floats, Ints]:
    """Return the examples of a plan from a pool and their items.

    They are chosen again if a finer check finds an example too long.
    """
    if not request.polish:
        request = replace(request, budget=0.0)
    xs, items = plan_over_pool(population, request, rng)
    finer = request.limits.finer
    if finer is not None and not np.array_equal(finer.walk(request.ceiling).keep(xs)[0], xs):
        request = replace(request, limits=finer, budget=LAST * request.budget)
        xs, items = plan_over_pool(population, request, rng)
    return xs, items
