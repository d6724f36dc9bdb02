"""The posterior probability of a map: a probit likelihood, and Gaussian priors.

Without priors a map could be shifted, scaled or sheared together with its annotators, and no
answer would become more or less probable. Gaussian priors around zero leave only rotations and
reflections::

    x_i ~ N(0, I)    w_j ~ N(0, 1/4 I)    tau_j ~ N(0, 1)    P(yes) = Phi(<w_j, x_i> - tau_j)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import erfcx

from homeroom._arrays import Floats
from homeroom.crowd.fitting.answer_table import AnswerBlock, AnswerTable
from homeroom.crowd.fitting.parameters import MapParameters

_LARGEST = 35.0
"""Beyond this ``Phi(z)`` is one to the last bit, and ``erfcx(-z / sqrt 2)`` would overflow."""


class Probit(NamedTuple):
    """The log probability of each answer at ``z``, positive where the model expects the answer."""

    log_probability: Floats
    """``log Phi(z)``."""
    slope: Floats
    """Its derivative ``phi(z) / Phi(z)``."""
    curvature: Floats
    """Minus its second derivative: ``slope * (slope + z)``, between 0 and 1."""


def probit(z: Floats) -> Probit:
    """Return how probable answers are, accurate from certain (0) to impossible (-1e7).

    With ``e = erfcx(-z / sqrt 2)``: ``log Phi(z) = log(e / 2) - z^2 / 2``, and
    ``phi(z) / Phi(z) = sqrt(2 / pi) / e``.

    >>> probit(np.array([0.0])).log_probability, probit(np.array([-1e5])).slope
    (array([-0.69314718]), array([100000.00001]))
    """
    z = np.minimum(z, _LARGEST)
    e = erfcx(z * -math.sqrt(0.5))
    slope = math.sqrt(2 / math.pi) / e
    log_probability = np.log(0.5 * e)
    log_probability -= 0.5 * z * z
    return Probit(log_probability, slope, slope * (slope + z))


class Prior(NamedTuple):
    """Standard deviations of the prior distributions.

    Only the product of the first two matters for the answers. A small one keeps annotators from
    being more certain than their few answers show. 0.5 was chosen on one real crowd, by its
    held-out answers, and on simulated ones, by their maps; from 0.4 to 0.6 the results barely
    differ.
    """

    items: float = 1.0
    people: float = 0.5
    thresholds: float = 1.0

    def line_precisions(self, dimensions: int) -> Floats:
        """Return the precisions of an annotator's ``(w, tau)``, shape ``(d + 1,)``."""
        return np.append(np.full(dimensions, self.people**-2), self.thresholds**-2)

    def gradient(self, found: MapParameters) -> MapParameters:
        """Return the gradient of the priors' part of the loss."""
        return MapParameters(
            found.items / self.items**2,
            found.people / self.people**2,
            found.thresholds / self.thresholds**2,
        )


@dataclass(frozen=True, eq=False)
class Posterior:
    """The loss to minimize: minus the log of likelihood times prior."""

    table: AnswerTable
    prior: Prior = Prior()

    def loss(self, found: MapParameters) -> tuple[float, Floats]:
        """Return the loss and its gradient as a vector. O(answers * d), block by block."""
        gradient = self.prior.gradient(found)
        total = 0.5 * float(gradient.flat() @ found.flat())
        for block in self.table.blocks:
            answers = probit(block.signs * certainty(block, found))
            total -= float(answers.log_probability.sum())
            slopes = block.sums(block.signs * answers.slope)
            gradient.items[...] -= slopes.of_items(found.people[block.rows])
            gradient.people[block.rows] -= slopes.of_people(found.items)
            gradient.thresholds[block.rows] += slopes.totals()
        return total, gradient.flat()

    def hessian_blocks(self, found: MapParameters) -> tuple[Floats, Floats]:
        """Return the second derivatives within each item, and within each line ``(w, tau)``.

        Shapes ``(items, d, d)`` and ``(people, d + 1, d + 1)``; always positive definite.
        """
        d = found.dimensions
        features = _outer_products(found.features)
        of_people = np.zeros((self.table.people, (d + 1) ** 2))
        of_items = np.zeros((self.table.items, d * d))
        for block in self.table.blocks:
            answers = probit(block.signs * certainty(block, found))
            curvatures = block.sums(answers.curvature)
            of_people[block.rows] = curvatures.of_people(features)
            of_items += curvatures.of_items(_outer_products(found.people[block.rows]))
        of_items += np.eye(d).ravel() / self.prior.items**2
        of_people += np.diag(self.prior.line_precisions(d)).ravel()
        return (
            of_items.reshape(self.table.items, d, d),
            of_people.reshape(self.table.people, d + 1, d + 1),
        )

    def mean_log_loss(self, found: MapParameters) -> float:
        """Return the mean of ``-log P(answer)``."""
        return -sum(
            float(probit(block.signs * certainty(block, found)).log_probability.sum())
            for block in self.table.blocks
        ) / len(self.table)


def certainty(block: AnswerBlock, found: MapParameters) -> Floats:
    """Return ``<w, x> - tau`` for each answer."""
    certain = block.products(found.people[block.rows], found.items)
    certain -= found.thresholds[block.rows].take(block.person)
    return certain


def inverses(blocks: Floats) -> Floats:
    """Return the inverse of each matrix, shape ``(..., d, d)``."""
    return np.asarray(np.linalg.inv(blocks), dtype=np.float64)


def _outer_products(rows: Floats) -> Floats:
    """Return the outer product of each row with itself, flat."""
    return (rows[:, :, None] * rows[:, None, :]).reshape(len(rows), -1)
