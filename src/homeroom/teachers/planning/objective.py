"""What a plan must achieve, as one number to minimise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.goals import DistanceGoal
from homeroom.moments.representatives import Representatives

MARGIN = 1.0 + 1e-8
"""A plan reaches the goal with this much to spare, so that rounding does not decide."""


@dataclass(frozen=True, eq=False)
class Objective:
    """What the squared distances at the end of a lesson must satisfy: a score below a limit.

    Rows are students, or representatives of more students. The score is the goal's own where rows
    are students. Where they are representatives, it is the mean squared distance, scaled so that it
    is at the limit where the mean is enough for so many students. ``squared`` has each row's
    squared distance, shape ``(rows,)``.

    Parameters
    ----------
    goal
        When the class is done.
    weights
        The weight of each row in the class's mean, shape ``(rows,)``.
    student_rows
        The numbers of the rows that are students; empty if all rows are representatives.
    students
        How many students the rows represent.
    """

    goal: DistanceGoal
    weights: Floats
    student_rows: Ints
    students: int

    @classmethod
    def of(cls, goal: DistanceGoal, representatives: Representatives, students: int) -> Objective:
        """Return the objective for these rows."""
        rows = np.flatnonzero(representatives.counted)
        return cls(goal, representatives.weights, rows, students)

    @property
    def limit(self) -> float:
        """The largest :meth:`score` that reaches the goal."""
        return self.goal.limit

    def mean(self, squared: Floats) -> float:
        """Return the class's mean squared distance."""
        return float(self.weights @ squared)

    def score(self, squared: Floats) -> float:
        """Return the number that the goal limits."""
        if self._scale is not None:
            return self._scale * self.mean(squared)
        return self.goal.score(squared[self.student_rows])

    def is_reached(self, squared: Floats) -> bool:
        """Return whether the goal holds, by more than rounding."""
        return MARGIN * self.score(squared) <= self.limit

    def smooth(self, squared: Floats) -> tuple[float, Floats]:
        """Return a smooth upper bound of the score, and its slope in each squared distance."""
        if self._scale is not None:
            return self.score(squared), self._scale * self.weights
        smooth = self.goal.smooth_score(squared[self.student_rows])
        slope = np.zeros_like(squared)
        slope[self.student_rows] = smooth[1]
        return smooth[0], slope

    @property
    def _scale(self) -> float | None:
        """The factor from the mean to the score; ``None`` where the score is the goal's own."""
        if self.goal.power == 1.0:
            return 1.0
        if len(self.student_rows):
            return None
        return self.limit / self.goal.enough_mean(self.students)
