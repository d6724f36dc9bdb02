"""What a plan is to achieve, as one number that can be made small."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.goals import AbstractGoal, EveryoneGoal
from homeroom.moments.representatives import StandIns

SHARPNESS = 8
"""The power that stands for the greatest distance: smooth, and at most N^(1/8) times too large."""

MARGIN = 1.0 + 1e-8
"""A plan reaches the goal with this much to spare, so that rounding does not decide."""


@dataclass(frozen=True, eq=False)
class Aim:
    """What is asked of the squared distances at the end of a lesson.

    Parameters
    ----------
    goal
        When the class is done.
    weights
        What each row counts in the class's mean, shape ``(rows,)``.
    own
        Which rows are students themselves; empty where nobody can be told apart.
    students
        How many students the rows stand for.
    """

    goal: AbstractGoal
    weights: Floats
    own: Ints
    students: int

    @classmethod
    def of(cls, goal: AbstractGoal, stand_ins: StandIns, students: int) -> Aim:
        """Return the aim for these rows."""
        return cls(goal, stand_ins.weights, np.flatnonzero(stand_ins.counted), students)

    @property
    def limit(self) -> float:
        """What :meth:`score` must not be above."""
        return self.goal.alone

    @property
    def _is_on_the_farthest(self) -> bool:
        return isinstance(self.goal, EveryoneGoal)

    def mean(self, squared: Floats) -> float:
        """Return the class's mean squared distance."""
        return float(self.weights @ squared)

    def farthest(self, squared: Floats) -> float:
        """Return the distance of the farthest student, or what it cannot be above."""
        if len(self.own):
            return math.sqrt(float(squared[self.own].max()))
        return math.sqrt(max(self.students * self.mean(squared), 0.0))

    def score(self, squared: Floats) -> float:
        """Return the number that the goal is on."""
        return self.farthest(squared) ** 2 if self._is_on_the_farthest else self.mean(squared)

    def reached(self, squared: Floats) -> bool:
        """Return whether the goal holds, by more than rounding."""
        return self.goal.reached(MARGIN * self.mean(squared), MARGIN * self.farthest(squared))

    def smooth(self, squared: Floats) -> tuple[float, Floats]:
        """Return a smooth stand-in for the score, and its slope in each squared distance.

        For the mean it is the score itself; for the farthest, ``(sum |e_j|^2p)^(1/p)``, never below
        it.
        """
        if not self._is_on_the_farthest:
            return self.mean(squared), self.weights
        if not len(self.own):
            return self.students * self.mean(squared), self.students * self.weights
        own = squared[self.own]
        top, slope = float(own.max()), np.zeros_like(squared)
        if not top > 0.0:
            return 0.0, slope
        shares = (own / top) ** (SHARPNESS - 1)
        total = float(shares @ (own / top))
        slope[self.own] = shares * total ** (1 / SHARPNESS - 1)
        return top * total ** (1 / SHARPNESS), slope
