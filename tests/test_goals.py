"""When a lesson is over."""

import math

import pytest

from homeroom import AverageGoal, EveryoneGoal
from homeroom.goals import AbstractGoal, ClassProgress


def test_the_average_goal_is_on_the_mean_squared_distance() -> None:
    goal: AbstractGoal = AverageGoal(0.04)
    assert goal.reached(ClassProgress(0.04, 9.0))
    assert not goal.reached(ClassProgress(math.nextafter(0.04, 1), 0.0))


def test_the_everyone_goal_is_on_the_farthest_distance_not_squared() -> None:
    goal: AbstractGoal = EveryoneGoal(0.2)
    assert goal.reached(ClassProgress(9.0, 0.2))
    assert not goal.reached(ClassProgress(0.0, math.nextafter(0.2, 1)))


def test_alone_both_goals_are_on_the_squared_distance() -> None:
    """One student: average means |e|^2 <= eps, everyone means |e|^2 <= eps^2."""
    assert AverageGoal(0.2).limit == 0.2
    assert EveryoneGoal(0.2).limit == pytest.approx(0.04)


def test_a_lesson_with_nan_distances_is_never_over() -> None:
    goals: tuple[AbstractGoal, ...] = (AverageGoal(), EveryoneGoal())
    assert not any(goal.reached(ClassProgress(math.nan, math.nan)) for goal in goals)
