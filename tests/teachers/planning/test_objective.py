"""The objective of a plan."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom import AverageGoal, EveryoneGoal
from homeroom.goals import AbstractGoal
from homeroom.moments.representatives import Representatives
from homeroom.teachers.planning.objective import Objective


def objective(goal: AbstractGoal, *, counted: bool = True) -> Objective:
    rows = Representatives(
        np.zeros((3, 1)), np.ones(3), np.full(3, 1 / 3), np.full(3, counted), fastest=1.0
    )
    return Objective.of(goal, rows, students=3 if counted else 300)


SQUARED = np.array([0.01, 0.04, 0.16])


def test_the_average_goal_is_on_the_mean() -> None:
    of_all = objective(AverageGoal(0.1))
    assert of_all.score(SQUARED) == pytest.approx(0.07)
    assert of_all.reached(SQUARED)
    assert of_all.smooth(SQUARED)[0] == pytest.approx(0.07)


def test_the_everyone_goal_is_on_the_farthest() -> None:
    of_all = objective(EveryoneGoal(0.3))
    assert of_all.score(SQUARED) == pytest.approx(0.16)
    assert of_all.limit == pytest.approx(0.09)
    assert not of_all.reached(SQUARED)


def test_the_smooth_farthest_is_never_below_it() -> None:
    value, slope = objective(EveryoneGoal(0.3)).smooth(SQUARED)
    assert 0.16 <= value <= 0.16 * 3 ** (1 / 8)
    assert slope.argmax() == 2


def test_the_farthest_representative_is_bounded_by_the_sum() -> None:
    of_all = objective(EveryoneGoal(0.3), counted=False)
    assert of_all.score(SQUARED) == pytest.approx(300 * 0.07)
    assert of_all.smooth(SQUARED)[0] == pytest.approx(300 * 0.07)


def test_the_slope_is_zero_for_a_class_at_the_target() -> None:
    value, slope = objective(EveryoneGoal(0.3)).smooth(np.zeros(3))
    assert value == 0.0
    np.testing.assert_array_equal(slope, np.zeros(3))
