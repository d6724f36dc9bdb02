"""What the whole class says about a student of whom little is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from homeroom._arrays import Floats
from homeroom.observers.quizzing.bank import Belief

WEIGHT = 8.0
"""How many students what was assumed of the class's covariance counts for."""


@dataclass(frozen=True, eq=False)
class ClassPrior:
    """How the class's states are spread before the lesson.

    Parameters
    ----------
    mean, covariance
        Shapes ``(dimensions,)`` and ``(dimensions, dimensions)``.
    radius
        ``E|w|^2`` is never believed to be more than its square. Answers alone tell directions much
        better than lengths: without this limit the scale runs away.
    """

    mean: Floats
    covariance: Floats
    radius: float

    @classmethod
    def round(cls, dimensions: int, radius: float) -> ClassPrior:
        """Return the prior of a class of which nothing is known but the radius."""
        return cls(np.zeros(dimensions), radius**2 / dimensions * np.eye(dimensions), radius)

    def belief(self, students: int) -> Belief:
        """Return what is believed of students who have not answered yet."""
        shape = (students, *self.covariance.shape)
        return Belief(
            np.tile(self.mean, (students, 1)), np.broadcast_to(self.covariance, shape).copy()
        )

    def refitted(self, belief: Belief, honesty: Floats) -> ClassPrior:
        """Return the prior that fits what is believed of everybody (the M-step of EM).

        The mean is drawn to zero with the weight of one student, the covariance to
        ``radius^2 / dimensions`` times the identity with the weight of eight: weaker, it collapses.
        """
        heard, dimensions = float(honesty.sum()), len(self.mean)
        mean = honesty @ belief.means / (heard + 1.0)
        apart = belief.means - mean
        assumed = WEIGHT * self.radius**2 / dimensions * np.eye(dimensions)
        unsure = (honesty @ belief.covariances.reshape(len(honesty), -1)).reshape(assumed.shape)
        covariance = (assumed + unsure + (honesty[:, None] * apart).T @ apart) / (WEIGHT + heard)
        size = float(covariance.trace() + mean @ mean)
        if size > self.radius**2:
            covariance *= self.radius**2 / size
            mean *= self.radius / np.sqrt(size)
        return ClassPrior(mean, covariance, self.radius)
