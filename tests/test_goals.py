"""When a lesson is over."""

import math
from typing import Any

import pytest

from homeroom import AverageGoal, EveryoneGoal
from homeroom.goals import AbstractGoal, ClassProgress


def test_the_average_goal_is_on_the_mean_squared_distance() -> None:
    goal: AbstractGoal = AverageGoal(0.04)
    assert goal.reached(mean_squared=0.04, farthest=9.0)
    assert not goal.reached(mean_squared=math.nextafter(0.04, 1), farthest=0.0)


def test_the_everyone_goal_is_on_the_farthest_distance_not_squared() -> None:
    goal: AbstractGoal = EveryoneGoal(0.2)
    assert goal.reached(mean_squared=9.0, farthest=0.2)
    assert not goal.reached(mean_squared=0.0, farthest=math.nextafter(0.2, 1))


def test_alone_both_goals_are_on_the_squared_distance() -> None:
    """One student: average means |e|^2 <= eps, everyone means |e|^2 <= eps^2."""
    assert AverageGoal(0.2).alone == 0.2
    assert EveryoneGoal(0.2).alone == pytest.approx(0.04)


def test_a_lesson_with_nan_distances_is_never_over() -> None:
    goals: tuple[AbstractGoal, ...] = (AverageGoal(), EveryoneGoal())
    assert not any(goal.reached(math.nan, math.nan) for goal in goals)


@pytest.mark.parametrize("goal", [AverageGoal, EveryoneGoal])
@pytest.mark.parametrize("eps", [0.0, -1.0, math.nan, math.inf])
def test_eps_must_be_positive(goal: Any, eps: float) -> None:
    with pytest.raises(
        ValueError, match=r"`eps` must be positive and finite, but is .*Try eps=0\.1"
    ):
        goal(eps)


@pytest.mark.parametrize("eps", ["0.1", None, True, [0.1], 10**400])
def test_eps_must_be_a_number(eps: Any) -> None:
    with pytest.raises(TypeError, match="`eps` must be a number, but is"):
        AverageGoal(eps)


def test_a_goal_of_0_1_may_have_a_default_for_the_farthest_student() -> None:
    class Mean(AverageGoal):
        def reached(self, mean_squared: float, farthest: float = 0.0) -> bool:  # type: ignore[override]
            return mean_squared <= self.eps

    goal: AbstractGoal = Mean(0.1)
    assert goal.reached(ClassProgress(0.05, 3.0))
    assert not goal.reached(0.5, 0.6)
