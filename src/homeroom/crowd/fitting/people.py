"""People on a map whose items stay where they are: newcomers, starts, and experts."""

from __future__ import annotations

import numpy as np

from homeroom._arrays import Floats
from homeroom.crowd.fitting.point import Point
from homeroom.crowd.fitting.posterior import Posterior, Prior, certainty, inverses
from homeroom.crowd.fitting.probit import probit
from homeroom.crowd.fitting.table import Table

STEPS = 60
SMALL = 1e-10


def people_on(items: Floats, table: Table, prior: Prior = Prior()) -> tuple[Floats, Floats]:
    """Return the best ``(w, tau)`` of each person, and its covariance, with the items fixed.

    Newton's method for everybody at once; a person whose step made things worse takes half of
    it. The loss is convex, so that there is one best line for each person.

    Returns
    -------
    lines
        Shape ``(people, d + 1)``: the weights, then the threshold.
    covariances
        Shape ``(people, d + 1, d + 1)``.
    """
    posterior = Posterior(table, prior)
    d = items.shape[1]
    lines = np.zeros((table.people, d + 1))
    share = np.ones(table.people)
    loss, step = _step(posterior, items, lines)
    for _ in range(STEPS):
        trial = lines - share[:, None] * step
        trial_loss, trial_step = _step(posterior, items, trial)
        better = trial_loss <= loss + SMALL * (1 + loss)
        lines[better], loss[better] = trial[better], trial_loss[better]
        step[better] = trial_step[better]
        share = np.where(better, 1.0, share / 2)
        if np.abs(share[:, None] * step).max(initial=0.0) < SMALL:
            break
    return lines, inverses(posterior.blocks(_point(items, lines))[1])


def _step(posterior: Posterior, items: Floats, lines: Floats) -> tuple[Floats, Floats]:
    """Return everybody's loss, and the step of Newton's method that would lower it."""
    table, prior = posterior.table, posterior.prior
    point = _point(items, lines)
    pull = lines * prior.line(items.shape[1])
    loss: Floats = 0.5 * (pull * lines).sum(axis=1)
    for part in table.parts:
        said = probit(part.signs * certainty(part, point))
        loss[part.rows] -= part.sums(said.log_probability).totals()
        pull[part.rows] -= part.sums(part.signs * said.slope).of_people(point.features)
    _, bends = posterior.blocks(point)
    return loss, (inverses(bends) @ pull[:, :, None])[:, :, 0]


def _point(items: Floats, lines: Floats) -> Point:
    return Point(items, lines[:, :-1], lines[:, -1])
