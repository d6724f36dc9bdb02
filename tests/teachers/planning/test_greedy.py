"""The classroom teacher's lesson, as a plan."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from homeroom import (
    AverageGoal,
    Ball,
    ClassroomTeacher,
    ItemPool,
    teach,
)
from homeroom.pools import AbstractPool
from homeroom.teachers.planning.greedy import GreedyLesson, teach_greedily
from homeroom.teachers.planning.request import Request
from homeroom.teachers.planning.simulation import Simulation
from homeroom.teachers.planning.transients import StudentLimits
from tests.teachers.planning.small_classes import (
    make_limits,
    make_room,
    make_room_with_one_fast,
    make_simulation,
    replay,
)


def taught(
    simulation: Simulation,
    limits: StudentLimits,
    pool: AbstractPool,
    magnitude: str,
    at_most: int = 1000,
) -> GreedyLesson:
    goal = simulation.objective.goal
    request = Request(goal, 4.0, polish=False, at_most=at_most, limits=limits, pool=pool)
    return teach_greedily(simulation, request, magnitude, 2.0, at_most)


@pytest.mark.parametrize("magnitude", ["static", "dynamic", "joint"])
def test_it_is_what_the_classroom_teacher_shows(
    magnitude: str,
) -> None:
    room = make_room(0.9)
    simulation = make_simulation(room)
    shown = taught(simulation, make_limits(room), Ball(), magnitude)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        record = teach(room, teacher=ClassroomTeacher(magnitude))
    assert shown.reached
    assert len(shown.xs) == record.rounds
    np.testing.assert_allclose(shown.xs, record.examples.xs, atol=1e-6)
    assert (shown.items == -1).all()


@pytest.mark.parametrize("fixed", [True, False])
def test_within_limits_no_student_passes_theirs(
    fixed: bool,
) -> None:
    room = make_room_with_one_fast()
    simulation, limits = make_simulation(room), make_limits(room, AverageGoal(0.1))
    units = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
    pool = ItemPool(np.concatenate([0.4 * units, 1.8 * units])) if fixed else Ball()
    free = make_limits(room)
    for limit, kept in ((free, False), (limits, True)):
        xs = taught(simulation, limit, pool, "joint", at_most=60).xs
        most = (np.array(replay(room, xs)) / limits.squared).max()
        assert (most <= 1.0 + 1e-9) == kept
