"""Iterative machine teaching: the omniscient and the surrogate teacher.

W. Liu, B. Dai, A. Humayun, C. Tay, C. Yu, L. B. Smith, J. M. Rehg, L. Song: *Iterative Machine
Teaching*, ICML 2017, sections 4 and 5. A gradient step moves a student by

    |w - eta s x - w*|^2 - |w - w*|^2 = eta^2 |s x|^2 - 2 eta <w - w*, s x>

with ``s`` the slope of the loss, ``w`` the state, ``w*`` the target and ``eta`` the rate. The
*omniscient* teacher minimises this. The *surrogate* teacher does not know ``w``, only the loss, and
minimises an upper bound: the loss is convex, so ``<w - w*, s x> >= loss(w) - loss(w*)``.

Here each expression is the mean over the students of a class. Checks: on the squared loss the
omniscient example is that of ``ClassroomTeacher("best")``; the surrogate example is the same where
all items have one length; for one student and linear regression the squared distance falls by
``(1 - eta R^2)^2`` and by 1/4 per round, with ``R`` the longest example.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Floats
from homeroom.classroom import Example
from homeroom.moments import Observation
from homeroom.teachers.pool import GreedyRule, PoolTeacher
from homeroom.teachers.published.pool_items import (
    AbstractPoolTeacher,
    LabelledItems,
    list_examples,
    measure_scores,
)

NODES, WEIGHTS = np.polynomial.legendre.leggauss(6)
"""Points and weights of Gauss quadrature: a difference of losses is the integral of a slope."""


@dataclass(frozen=True)
class OmniscientTeacher(AbstractPoolTeacher):
    """Shows the example after which the class is closest to the target.

    Parameters
    ----------
    pool
        Where examples come from; any vector unless given.
    """

    @property
    def needs_students(self) -> bool:  # type: ignore[override]  # for labels of the pool
        return self.rule is None

    @property
    def rule(self) -> GreedyRule | None:
        return None if self.pool.labels is not None else GreedyRule(self.pool, "best")

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example | None:
        return PoolTeacher(self.pool, "best").choose(seen, rng)


@dataclass(frozen=True)
class SurrogateTeacher(AbstractPoolTeacher):
    """Shows the example that is best by a bound which needs only the students' losses.

    Parameters
    ----------
    pool
        Where examples come from; any vector unless given.
    """

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example | None:
        if seen.loss.is_quadratic and self.pool.labels is None:
            # Half of s^2 instead of s^2: as if the squares of the rates were twice as large.
            doubled = seen.seen_with(
                squared_rates=2.0 * seen.rates * seen.rates, gentle=0.5 * seen.gentle_g
            )
            return GreedyRule(self.pool, "best").choose(doubled)
        listed = list_examples(self.pool, seen)
        bounds = bound_changes(seen, listed)
        best = int(bounds.argmin())
        return listed.example(seen, best) if bounds[best] < 0.0 else None


def bound_changes(seen: Observation, listed: LabelledItems) -> Floats:
    """Return ``mean_j eta_j^2 |s_j x|^2 - 2 eta_j (loss_j - loss*)`` for each example.

    Cost: O(students * examples * (dimensions + outputs)).
    """
    outputs, labels = seen.loss.outputs, listed.labels
    scores = measure_scores(_arrays.to_host(seen.states), listed.xs, outputs)
    right = measure_scores(seen.target[None, :], listed.xs, outputs)
    # The loss is the integral of its slope along the line from the right scores to the scores.
    losses, away = np.zeros(scores.shape[:2]), scores - right
    for node, weight in zip(NODES, WEIGHTS, strict=True):
        slopes = seen.loss.slopes(right + 0.5 * (1.0 + node) * away, labels)
        losses += 0.5 * weight * _dot(slopes, away, outputs)
    slopes = seen.loss.slopes(scores, labels)
    rates = _arrays.to_host(seen.rates)[:, None]
    lengths = (listed.xs * listed.xs).sum(axis=1)
    bounds: Floats = (
        rates * (rates * lengths * _dot(slopes, slopes, outputs) - 2.0 * losses)
    ).mean(axis=0)
    return bounds


def _dot(left: Floats, right: Floats, outputs: int) -> Floats:
    """Return the product of each student's numbers for each example, summed over outputs."""
    return left * right if outputs == 1 else np.vecdot(left, right)
