"""What a plan must achieve, as one number to minimise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError
from homeroom.goals import AbstractGoal
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
    own
        The numbers of the rows that are students; empty if all rows are representatives.
    students
        How many students the rows represent.
    """

    goal: AbstractGoal
    weights: Floats
    own: Ints
    students: int

    @classmethod
    def of(cls, goal: AbstractGoal, representatives: Representatives, students: int) -> Objective:
        """Return the objective for these rows; raise if the goal cannot be planned for."""
        check_goal(goal)
        own = np.flatnonzero(representatives.counted)
        if not len(own) and goal.enough_mean(students) is None:
            raise InputError(
                f"A plan for {students} students is made on representatives of them, and "
                f"{type(goal).__name__} has no mean squared distance that is enough for all: "
                "let enough_mean(students) return one, or use ClassroomTeacher()."
            )
        return cls(goal, representatives.weights, own, students)

    @property
    def limit(self) -> float:
        """The largest :meth:`score` that reaches the goal."""
        return self.goal.alone

    def mean(self, squared: Floats) -> float:
        """Return the class's mean squared distance."""
        return float(self.weights @ squared)

    def score(self, squared: Floats) -> float:
        """Return the number that the goal limits."""
        if self._scale is not None:
            return self._scale * self.mean(squared)
        score = self.goal.score(squared[self.own])
        assert score is not None
        return score

    def reached(self, squared: Floats) -> bool:
        """Return whether the goal holds, by more than rounding."""
        return MARGIN * self.score(squared) <= self.limit

    @property
    def can_be_polished(self) -> bool:
        """Whether the score has slopes, by which all examples can be improved together."""
        return self._scale is not None or self.goal.smooth_score(np.ones(1)) is not None

    def smooth(self, squared: Floats) -> tuple[float, Floats]:
        """Return a smooth upper bound of the score, and its slope in each squared distance."""
        if self._scale is not None:
            return self.score(squared), self._scale * self.weights
        smooth = self.goal.smooth_score(squared[self.own])
        assert smooth is not None
        slope = np.zeros_like(squared)
        slope[self.own] = smooth[1]
        return smooth[0], slope

    @property
    def _scale(self) -> float | None:
        """The factor from the mean to the score; ``None`` where the score is the goal's own."""
        if self.goal.mean_is_enough:
            return 1.0
        if len(self.own):
            return None
        enough = self.goal.enough_mean(self.students)
        assert enough is not None
        return self.limit / enough


def check_goal(goal: AbstractGoal) -> None:
    """Refuse a goal that cannot be planned for."""
    if not goal.mean_is_enough and goal.score(np.zeros(1)) is None:
        raise InputError(
            f"PlannedTeacher needs to know what {type(goal).__name__} minimises: let "
            "score(squared_distances) return the number that must be at most `alone`, or use "
            "ClassroomTeacher()."
        )
