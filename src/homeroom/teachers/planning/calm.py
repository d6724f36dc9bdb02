"""How far anybody is thrown off on the way, and how to prevent it.

An example of squared length ``g`` throws a student of rate ``r`` away from the target, for a while,
where ``r g > 2``. Gentle examples first: by the time the long ones come, the fast students have
next to nothing left to be thrown.
"""

from __future__ import annotations

import numpy as np

from homeroom._arrays import Floats
from homeroom.moments.representatives import StandIns
from homeroom.teachers.planning.rehearsal import Rehearsal

CALM = 1.0 + 1e-9
"""Up to this times her first distance, nobody has moved away."""


def worst_transient(rehearsal: Rehearsal, xs: Floats) -> float:
    """Return how far anybody ever is, for one of her distance at the start.

    Where rows stand for students who cannot be told apart, it is what no student of any state can
    be above: the norm of what the lesson so far does to a student of that rate.
    """
    if rehearsal.stand_ins.counted.any():
        return float(np.sqrt(_ratios(rehearsal, xs).max(initial=1.0)))
    return _worst_norm(rehearsal.stand_ins, xs)


def gentler(rehearsal: Rehearsal, xs: Floats, longest: Floats) -> Floats:
    """Return new limits for the lengths, that keep everybody who is thrown off now.

    Until the moment a student is farthest off, no example may be so long that she moves away.
    """
    ratios = _ratios(rehearsal, xs)
    lengths, limits = np.linalg.norm(xs, axis=1), longest.copy()
    rates = rehearsal.stand_ins.rates[rehearsal.aim.own]
    for who in np.flatnonzero(ratios.max(axis=0) > CALM**2):
        own = np.sqrt(2.0 / rates[who])
        until = np.arange(len(xs)) < int(ratios[:, who].argmax())
        too_long = until & (lengths > own)
        limits[too_long] = np.minimum(limits[too_long], own)
    return limits


def _ratios(rehearsal: Rehearsal, xs: Floats) -> Floats:
    """Return each student's squared distance after each round, for one at the start."""
    own = rehearsal.aim.own
    along = np.array([squared[own] for squared in rehearsal.squared_along(xs)])
    ratios: Floats = along / np.where(along[0] > 0.0, along[0], 1.0)
    return ratios


def _worst_norm(stand_ins: StandIns, xs: Floats) -> float:
    """Return the greatest norm of ``P_t(r)`` over the rounds and the rates of the rows."""
    rates = np.unique(stand_ins.rates)
    so_far = np.broadcast_to(np.eye(xs.shape[1]), (len(rates), xs.shape[1], xs.shape[1]))
    worst = 1.0
    for x in xs:
        so_far = so_far - (rates[:, None] * x)[:, :, None] * (x @ so_far)[:, None, :]
        worst = max(worst, float(np.linalg.norm(so_far, ord=2, axis=(1, 2)).max()))
    return worst
