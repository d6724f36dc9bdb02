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
from homeroom.pools import AbstractPool, Pick
from homeroom.teachers.classroom import NOTHING, best_pick
from homeroom.teachers.planning.objective import Objective
from homeroom.teachers.planning.transients import CLOSE, GENTLER, LONG, WITHIN, AbstractWalk


class GreedyLesson(NamedTuple):
    """Examples in order, their items (-1: synthesised), and whether they reach the goal."""

    xs: Floats
    items: Ints
    reached: bool


def greedy(
    representatives: Representatives,
    objective: Objective,
    pool: AbstractPool,
    magnitude: str,
    *,
    longest: float,
    at_most: int,
    walk: AbstractWalk,
) -> GreedyLesson:
    """Return what the classroom teacher shows this class until it reaches its goal.

    Parameters
    ----------
    representatives, objective
        The class, and when it is done.
    pool, magnitude
        As for :class:`~homeroom.PoolTeacher`.
    longest
        No example is longer than this.
    at_most
        How many rounds there may be.
    walk
        The class during the lesson, which limits the lengths.
    """
    xs: list[Floats] = []
    items: list[int] = []
    gaps = representatives.gaps
    reached = objective.reached(np.vecdot(gaps, gaps))
    while not reached and len(xs) < at_most:
        seen = _seen(_moments(representatives, gaps), longest)
        pick = best_within(seen, pool, magnitude, walk)
        if not pick.help > NOTHING:
            break
        x = math.sqrt(pick.g) * pick.direction
        walk.show(x)
        xs.append(x)
        items.append(-1 if pick.item is None else pick.item)
        gaps = _arrays.moved(gaps, representatives.rates, x)
        reached = objective.reached(np.vecdot(gaps, gaps))
    return GreedyLesson(
        np.array(xs).reshape(len(xs), representatives.dimensions),
        np.array(items, dtype=np.int64),
        reached,
    )


def best_within(seen: Observation, pool: AbstractPool, magnitude: str, walk: AbstractWalk) -> Pick:
    """Return what the classroom teacher shows next, shorter if the limits require it.

    ``walk`` is the class at this point of the lesson, with limits on how far students may be. An
    example that is much too long is postponed for one that suits the students it would move away.
    From a pool whose items cannot be scaled, shorter items are tried until one keeps the limits.
    """
    pick = best_pick(seen, pool, magnitude, safe=False)
    while pick.g * walk.reach > LONG and math.isfinite(pick.help):
        cap = walk.cap(pick.direction, pick.g)
        if cap >= pick.g:
            return pick
        if pool.rescalable and cap < CLOSE * pick.g:
            own = walk.relief(pick.direction, pick.g)
            return pick._replace(g=walk.cap(pick.direction, own))
        if pool.rescalable:
            seen = replace(seen, example_radius=math.sqrt(cap))
            pick = best_pick(seen, pool, magnitude, safe=False)
            return pick._replace(g=walk.cap(pick.direction, pick.g))
        shorter = max(GENTLER * pick.g, min(2.0 / walk.reach, WITHIN * pick.g))
        seen = replace(seen, example_radius=math.sqrt(shorter))
        pick = best_pick(seen, pool, magnitude, safe=False)
    return pick


def best_next(moments: Moments, pool: AbstractPool, magnitude: str, longest: float) -> Pick:
    """Return what the classroom teacher shows next, from the class's moments alone."""
    return best_pick(_seen(moments, longest), pool, magnitude, safe=False)


def _seen(moments: Moments, longest: float) -> Observation:
    """Return an observation that has only moments, for a class without students."""
    dimensions = len(moments.linear)
    return Observation(
        target=np.zeros(dimensions),
        example_radius=longest,
        state_radius=math.inf,
        loss=Squared(),
        gaps=np.zeros((0, dimensions)),
        rates=np.zeros(0),
        ready=lambda: moments,
    )


def _moments(representatives: Representatives, gaps: Floats) -> Moments:
    """Return the moments of a class whose representatives now have these gaps."""
    rates = _arrays.for_each_vector(representatives.rates, representatives.outputs)
    weights = _arrays.for_each_vector(representatives.weights, representatives.outputs)
    vectors = _arrays.split_rows(gaps, representatives.dimensions)
    weighed = (weights * rates)[:, None] * vectors
    quadratic = weighed.T @ (rates[:, None] * vectors)
    return Moments(weighed.T @ vectors, quadratic, 1.0 / representatives.fastest)
