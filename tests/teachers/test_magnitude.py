from __future__ import annotations

import numpy as np
import pytest

from homeroom import (
    Ball,
    Classroom,
    ClassroomTeacher,
    GradientLearner,
    RateHistory,
    StochasticRateLearner,
    teach,
)
from homeroom.engines import ExactClass
from homeroom.moments import Observation
from homeroom.teachers.magnitude import best_pick


def look(room: Classroom) -> Observation:
    return ExactClass(room, GradientLearner(), np.random.default_rng(0)).look()


def two(radius: float) -> Classroom:
    """One slow student far away, one fast student near."""
    return Classroom([[4.0, 0.0], [0.0, 1.0]], [0.1, 1.0], [0.0, 0.0], example_radius=radius)


def test_static_is_best_for_the_fastest_student() -> None:
    assert best_pick(look(two(9.0)), Ball(), "static", safe=False).g == pytest.approx(1.0)


def test_dynamic_weighs_the_distances() -> None:
    # (0.1 * 16 + 1 * 1) / (0.01 * 16 + 1 * 1)
    assert best_pick(look(two(9.0)), Ball(), "dynamic", safe=False).g == pytest.approx(2.6 / 1.16)


def test_joint_is_best_for_the_student_it_helps() -> None:
    """The slow student matters most, along the first axis alone: so it is their best length."""
    pick = best_pick(look(two(9.0)), Ball(), "joint", safe=False)
    assert pick.g == pytest.approx(10.0)
    np.testing.assert_allclose(pick.direction, [1.0, 0.0], atol=1e-12)
    assert pick.help == pytest.approx(8.0)


def test_the_ball_and_safety_cut_the_length() -> None:
    assert best_pick(look(two(1.2)), Ball(), "joint", safe=False).g == pytest.approx(1.44)
    assert best_pick(look(two(9.0)), Ball(), "joint", safe=True).g == pytest.approx(2.0)
    assert best_pick(look(two(9.0)), Ball(), "dynamic", safe=True).g == pytest.approx(2.0)
    off = best_pick(look(two(9.0)), Ball(), "dynamic", safe=True, rates_within=0.25)
    assert off.g == pytest.approx(1.6)


@pytest.mark.parametrize("magnitude", ["static", "dynamic", "joint"])
@pytest.mark.parametrize("weights", ["history", "known"])
def test_random_rates_always_limit_the_magnitude(magnitude: str, weights: str) -> None:
    """g <= min_j 2 eta_j / (sigma^2 + eta_j^2), Eq. 11 of the paper, safe or not."""
    room = Classroom.sample(students=30, dimensions=3, rates=(0.05, 0.9), example_radius=5.0)
    record = teach(
        room,
        teacher=ClassroomTeacher(magnitude),
        learner=StochasticRateLearner(0.05),
        observer=RateHistory(0.05, weights=weights),
        max_rounds=40,
    )
    limit = (2 * room.rates / (0.05**2 + room.rates**2)).min()
    assert (record.examples.xs**2).sum(axis=1).max() <= limit * (1 + 1e-9)
