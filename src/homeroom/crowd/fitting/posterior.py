"""How probable a map is given the answers: the probit likelihood and the priors that fix the rest.

Without priors a map could be shifted, stretched or sheared at will, people with it, and no answer
would become more or less probable. Gaussian priors around zero leave only turns and mirrors::

    x_i ~ N(0, I)    w_j ~ N(0, 1/4 I)    tau_j ~ N(0, 1)    P(yes) = Phi(<w_j, x_i> - tau_j)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from homeroom._arrays import Floats
from homeroom.crowd.fitting.point import Point
from homeroom.crowd.fitting.probit import probit
from homeroom.crowd.fitting.table import Part, Table


class Prior(NamedTuple):
    """Standard deviations of what is expected before any answer.

    Only the product of the first two matters for the answers; a small one keeps people from being
    more certain than their few answers show. 0.5 was chosen on one real crowd, by its held-out
    answers, and on simulated ones, by their maps; from 0.4 to 0.6 it makes hardly any difference.
    """

    items: float = 1.0
    people: float = 0.5
    thresholds: float = 1.0

    def line(self, dimensions: int) -> Floats:
        """Return the precisions of a person's ``(w, tau)``, shape ``(d + 1,)``."""
        return np.append(np.full(dimensions, self.people**-2), self.thresholds**-2)

    def penalty(self, point: Point) -> Point:
        """Return the priors' pull, the gradient of their part of the loss."""
        return Point(
            point.items / self.items**2,
            point.people / self.people**2,
            point.thresholds / self.thresholds**2,
        )


@dataclass(frozen=True, eq=False)
class Posterior:
    """The loss that the best map makes least: less the log of likelihood times prior."""

    table: Table
    prior: Prior = Prior()

    def loss(self, point: Point) -> tuple[float, Floats]:
        """Return the loss and its gradient, flat. O(answers * d), in parts that fit the cache."""
        pull = self.prior.penalty(point)
        total = 0.5 * float(pull.flat() @ point.flat())
        for part in self.table.parts:
            said = probit(part.signs * certainty(part, point))
            total -= float(said.log_probability.sum())
            slopes = part.sums(part.signs * said.slope)
            pull.items[...] -= slopes.of_items(point.people[part.rows])
            pull.people[part.rows] -= slopes.of_people(point.items)
            pull.thresholds[part.rows] += slopes.totals()
        return total, pull.flat()

    def blocks(self, point: Point) -> tuple[Floats, Floats]:
        """Return the second derivatives within each item, and within each person's ``(w, tau)``.

        Shapes ``(items, d, d)`` and ``(people, d + 1, d + 1)``; always positive definite.
        """
        d = point.dimensions
        features = _products(point.features)
        of_people = np.zeros((self.table.people, (d + 1) ** 2))
        of_items = np.zeros((self.table.items, d * d))
        for part in self.table.parts:
            said = probit(part.signs * certainty(part, point))
            bends = part.sums(said.curvature)
            of_people[part.rows] = bends.of_people(features)
            of_items += bends.of_items(_products(point.people[part.rows]))
        of_items += np.eye(d).ravel() / self.prior.items**2
        of_people += np.diag(self.prior.line(d)).ravel()
        return (
            of_items.reshape(self.table.items, d, d),
            of_people.reshape(self.table.people, d + 1, d + 1),
        )

    def mean_log_loss(self, point: Point) -> float:
        """Return the mean of ``-log P(answer)``."""
        return -sum(
            float(probit(part.signs * certainty(part, point)).log_probability.sum())
            for part in self.table.parts
        ) / len(self.table)


def certainty(part: Part, point: Point) -> Floats:
    """Return ``<w, x> - tau`` for each answer."""
    certain = part.products(point.people[part.rows], point.items)
    certain -= point.thresholds[part.rows].take(part.person)
    return certain


def inverses(blocks: Floats) -> Floats:
    """Return the inverse of each block, shape ``(..., d, d)``."""
    return np.asarray(np.linalg.inv(blocks), dtype=np.float64)


def _products(rows: Floats) -> Floats:
    """Return each row's outer product with itself, flat."""
    return (rows[:, :, None] * rows[:, None, :]).reshape(len(rows), -1)
