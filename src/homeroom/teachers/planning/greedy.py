"""The classroom teacher's lesson, step by step. A plan is never longer than this lesson."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Floats, Ints
from homeroom.learners import Squared
from homeroom.moments import Moments, Observation
from homeroom.moments.representatives import Representatives
from homeroom.pools import Pick
from homeroom.teachers.planning.request import Request
from homeroom.teachers.planning.simulation import Simulation
from homeroom.teachers.planning.transients import CLOSE, GENTLER, LONG, WITHIN, AbstractWalk
from homeroom.teachers.pool import NOTHING, GreedyRule

MOST_GUARDED = 3000
"""A lesson with examples that may move a student away is given up after this many rounds."""


class GreedyLesson(NamedTuple):
    """Examples in order, their items (-1: synthesised), and whether they reach the goal."""

    xs: Floats
    items: Ints
    reached: bool


def teach_greedily(
    simulation: Simulation, request: Request, magnitude: str, longest: float, at_most: int
) -> GreedyLesson:
    """Return what the classroom teacher shows this class until it reaches its goal.

    Parameters
    ----------
    simulation, request
        The class, and what the lesson must satisfy.
    magnitude
        As for :class:`~homeroom.PoolTeacher`.
    longest
        No example is longer than this.
    at_most
        How many rounds there may be.
    """
    rows, objective = simulation.representatives, simulation.objective
    rule, walk = GreedyRule(request.pool, magnitude), request.limits.walk(longest**2)
    if longest > request.safe_length:
        at_most = min(at_most, MOST_GUARDED)
    xs, items, gaps = list[Floats](), list[int](), rows.gaps
    reached = objective.is_reached(np.vecdot(gaps, gaps))
    while not reached and len(xs) < at_most:
        pick = pick_within(_observe(rows, gaps, longest), rule, walk)
        if not pick.help > NOTHING:
            break
        x = math.sqrt(pick.g) * pick.direction
        walk.show(x)
        xs.append(x)
        items.append(-1 if pick.item is None else pick.item)
        gaps = _arrays.move_gaps(gaps, rows.rates, x)
        reached = objective.is_reached(np.vecdot(gaps, gaps))
    shown = np.array(xs).reshape(len(xs), rows.dimensions)
    return GreedyLesson(shown, np.array(items, dtype=np.int64), reached)


def pick_within(seen: Observation, rule: GreedyRule, walk: AbstractWalk) -> Pick:
    """Return what the classroom teacher shows next, shorter if the limits require it.

    ``walk`` is the class at this point of the lesson, with limits on how far students may be. An
    example that is much too long is postponed for one that suits the students it would move away.
    From a pool whose items cannot be scaled, shorter items are tried until one keeps the limits.
    """
    pick, scalable = rule.pick(seen), rule.pool.rescalable
    while pick.g * walk.reach > LONG and math.isfinite(pick.help):
        cap = walk.cap(pick.direction, pick.g)
        if cap >= pick.g:
            return pick
        if scalable and cap < CLOSE * pick.g:
            relief = walk.relief(pick.direction, pick.g)
            return pick._replace(g=walk.cap(pick.direction, relief))
        if not scalable:
            cap = max(GENTLER * pick.g, min(2.0 / walk.reach, WITHIN * pick.g))
        pick = rule.pick(replace(seen, example_radius=math.sqrt(cap)))
        if scalable:
            return pick._replace(g=walk.cap(pick.direction, pick.g))
    return pick


def _observe(rows: Representatives, gaps: Floats, longest: float) -> Observation:
    """Return an observation that has only moments, for a class whose rows now have these gaps."""
    rates, weights = (
        _arrays.for_each_vector(part, rows.outputs) for part in (rows.rates, rows.weights)
    )
    vectors = _arrays.split_rows(gaps, rows.dimensions)
    weighed = (weights * rates)[:, None] * vectors
    quadratic = weighed.T @ (rates[:, None] * vectors)
    moments = Moments(weighed.T @ vectors, quadratic, 1.0 / rows.fastest)
    return Observation(
        target=np.zeros(rows.dimensions),
        example_radius=longest,
        state_radius=math.inf,
        loss=Squared(),
        gaps=np.zeros((0, rows.dimensions)),
        rates=np.zeros(0),
        kept=moments,
    )
