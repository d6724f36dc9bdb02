"""A plan: every example of a lesson, and what it is expected to do."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.goals import AbstractGoal
from homeroom.pools import AbstractPool, Ball
from homeroom.teachers.planning.aim import Aim
from homeroom.teachers.planning.audience import Audience
from homeroom.teachers.planning.axes import Axes
from homeroom.teachers.planning.compose import Composer
from homeroom.teachers.planning.draft import Draft
from homeroom.teachers.planning.pooled import planned_over_pool
from homeroom.teachers.planning.rehearsal import Rehearsal
from homeroom.teachers.planning.shorten import BUDGET, Desk
from homeroom.teachers.planning.transients import AbstractLimits, worst_transient

LITTLE_LONGER = 1.05
"""A lesson that gets no longer than this by a closer look is not made from scratch."""

LAST = 0.3
"""The part of the work that a lesson may take that a last, closer look has to put right."""


@dataclass(frozen=True, eq=False)
class Plan:
    """Every example of a lesson, in the order to show them.

    Parameters
    ----------
    xs
        Shape ``(rounds, dimensions)``.
    items
        Which item of a pool each is; -1 if it was made up.
    expected
        The class's mean squared distance at the start and after each of them, as expected.
    worst_transient
        How far a student is expected to be at the worst, relative to their distance at the start;
        an upper limit where students are not known one by one.
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
    """What is asked of a plan.

    Parameters
    ----------
    goal
        When the class is done.
    ceiling
        No squared length is above this.
    polish
        Whether the examples are moved together in the end, or exchanged.
    at_most
        How many rounds there may be.
    limits
        How far students may be on the way.
    pool
        Where examples come from.
    budget
        Multiplications to spend.
    report
        Called with how much of the work is done, and the rounds of the draft at hand.
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
    whom: Audience, request: Request, rng: np.random.Generator, known: Floats | None = None
) -> Plan:
    """Return a plan for a class.

    Parameters
    ----------
    whom
        The class.
    request
        What is asked for.
    rng
        Where random directions come from.
    known
        What is left of an older plan, to begin with; shape ``(rounds, dimensions)``.
    """
    if isinstance(request.pool, Ball):
        return _made_up(whom, request, rng, known)
    return _from_pool(whom, request, rng)


def _made_up(
    whom: Audience, request: Request, rng: np.random.Generator, known: Floats | None
) -> Plan:
    """Return a plan with any examples, made in the coordinates of the class's own directions."""
    directions = Axes(whom.stand_ins, request.ceiling).directions
    inside = whom.along(directions)
    composer = _composer(inside, request, directions, rng)
    draft = composer.first_draft(request.at_most)
    if request.polish and len(draft.xs):
        draft = _polished(composer, draft, None if known is None else known @ directions.T)
    if inside.finer is not None or request.limits.finer is not None:
        last = replace(
            request,
            limits=request.limits.finer or request.limits,
            budget=LAST * request.budget,
        )
        composer = _composer(inside.finer or inside, last, directions, rng)
        draft = _checked(composer, draft, request)
    made_up = np.full(len(draft.xs), -1, dtype=np.int64)
    return _plan(whom.finer or whom, request, draft.xs @ directions, made_up)


def _from_pool(whom: Audience, request: Request, rng: np.random.Generator) -> Plan:
    """Return a plan with items of a pool."""
    best = whom.finer or whom
    xs, items = planned_over_pool(
        best.sketch,
        _rehearsal(best, request),
        request.pool,
        limits=request.limits,
        longest=math.sqrt(request.ceiling),
        at_most=request.at_most,
        budget=request.budget if request.polish else 0.0,
        rng=rng,
        report=request.report,
    )
    return _plan(best, request, xs, items)


def _rehearsal(whom: Audience, request: Request) -> Rehearsal:
    return Rehearsal(whom.stand_ins, Aim.of(request.goal, whom.stand_ins, whom.students))


def _composer(
    whom: Audience, request: Request, directions: Floats, rng: np.random.Generator
) -> Composer:
    longest = math.sqrt(request.ceiling)
    limits = request.limits.along(directions)
    desk = Desk(
        _rehearsal(whom, request),
        longest,
        limits,
        at_most=request.at_most,
        budget=request.budget,
        report=request.report,
    )
    return Composer(desk, Axes(whom.stand_ins, request.ceiling), rng)


def _polished(composer: Composer, first: Draft, known: Floats | None) -> Draft:
    if not first.reached:
        return composer.best_of_length(first)
    if known is not None:
        return composer.renewed(known, first)
    return composer.shortest(first)


def _checked(composer: Composer, draft: Draft, request: Request) -> Draft:
    """Return the lesson as a closer look sees it, put right if that sees less of the goal."""
    again = composer.desk.draft(draft.xs, longer=draft.reached)
    if (again.reached and len(again.xs) <= len(draft.xs)) or not draft.reached:
        return again
    if not again.reached or len(again.xs) > LITTLE_LONGER * len(draft.xs):
        again = min(again, composer.first_draft(request.at_most), key=lambda one: one.rank)
    return composer.renewed(again.xs, again) if request.polish else again


def _plan(whom: Audience, request: Request, xs: Floats, items: Ints) -> Plan:
    rehearsal = _rehearsal(whom, request)
    along = list(rehearsal.squared_along(xs))
    return Plan(
        xs=xs,
        items=items,
        expected=np.array([rehearsal.aim.mean(squared) for squared in along]),
        worst_transient=worst_transient(request.limits, xs),
        reached=rehearsal.aim.reached(along[-1]),
    )
