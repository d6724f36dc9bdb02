"""The classroom teacher's lesson, one step after the other: a plan is never longer than that."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.learners import Squared
from homeroom.moments import Moments, Observation
from homeroom.moments.representatives import StandIns
from homeroom.pools import AbstractPool, Pick
from homeroom.teachers.magnitude import NOTHING, best_pick
from homeroom.teachers.planning.aim import Aim


class Shown(NamedTuple):
    """Examples in their order, the items they are (-1: made up), and whether they do."""

    xs: Floats
    items: Ints
    reached: bool


def greedy(
    stand_ins: StandIns,
    aim: Aim,
    pool: AbstractPool,
    magnitude: str,
    *,
    longest: float,
    at_most: int,
) -> Shown:
    """Return what the classroom teacher would show this class, until it reaches its goal.

    Parameters
    ----------
    stand_ins, aim
        The class, and when it is done.
    pool, magnitude
        As for :class:`~homeroom.PoolTeacher`.
    longest
        No example is longer than this.
    at_most
        How many rounds there may be.
    """
    xs: list[Floats] = []
    items: list[int] = []
    gaps = stand_ins.gaps
    reached = aim.reached(np.vecdot(gaps, gaps))
    while not reached and len(xs) < at_most:
        pick = best_next(_moments(stand_ins, gaps), pool, magnitude, longest)
        if not pick.help > NOTHING:
            break
        x = math.sqrt(pick.g) * pick.direction
        xs.append(x)
        items.append(-1 if pick.item is None else pick.item)
        gaps = gaps - (stand_ins.rates * (gaps @ x))[:, None] * x
        reached = aim.reached(np.vecdot(gaps, gaps))
    return Shown(
        np.array(xs).reshape(len(xs), gaps.shape[1]), np.array(items, dtype=np.int64), reached
    )


def best_next(moments: Moments, pool: AbstractPool, magnitude: str, longest: float) -> Pick:
    """Return what the classroom teacher would show next, who needs only the class's moments."""
    dimensions = len(moments.linear)
    seen = Observation(
        target=np.zeros(dimensions),
        example_radius=longest,
        state_radius=math.inf,
        loss=Squared(),
        gaps=np.zeros((0, dimensions)),
        rates=np.zeros(0),
        ready=lambda: moments,
    )
    return best_pick(seen, pool, magnitude, safe=False)


def _moments(stand_ins: StandIns, gaps: Floats) -> Moments:
    weighed = (stand_ins.weights * stand_ins.rates)[:, None] * gaps
    quadratic = weighed.T @ (stand_ins.rates[:, None] * gaps)
    return Moments(weighed.T @ gaps, quadratic, 1.0 / stand_ins.fastest)
