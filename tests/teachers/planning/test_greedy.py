"""The classroom teacher's lesson, as a plan."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest

from homeroom import (
    AverageGoal,
    Ball,
    Classroom,
    ClassroomTeacher,
    DirectionPool,
    ItemPool,
    PoolTeacher,
    teach,
)
from homeroom._arrays import Floats
from homeroom.teachers.planning.greedy import greedy
from homeroom.teachers.planning.simulation import Simulation
from homeroom.teachers.planning.transients import StudentLimits


@pytest.mark.parametrize("magnitude", ["static", "dynamic", "joint"])
def test_it_is_what_the_classroom_teacher_shows(
    magnitude: str,
    make_room: Callable[..., Classroom],
    make_simulation: Callable[..., Simulation],
    make_limits: Callable[..., StudentLimits],
) -> None:
    room = make_room(0.9)
    simulation = make_simulation(room)
    shown = greedy(
        simulation.representatives,
        simulation.objective,
        Ball(),
        magnitude,
        longest=2.0,
        at_most=1000,
        walk=make_limits(room).walk(4.0),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        record = teach(room, teacher=ClassroomTeacher(magnitude))
    assert shown.reached
    assert len(shown.xs) == record.rounds
    np.testing.assert_allclose(shown.xs, record.examples.xs, atol=1e-6)
    assert (shown.items == -1).all()


def test_it_stops_at_the_limit_and_when_nothing_helps(
    make_room: Callable[..., Classroom],
    make_simulation: Callable[..., Simulation],
    make_limits: Callable[..., StudentLimits],
) -> None:
    room = make_room()
    simulation, walk = make_simulation(room), make_limits(room).walk(4.0)
    rows, objective = simulation.representatives, simulation.objective
    short = greedy(rows, objective, Ball(), "joint", longest=2.0, at_most=3, walk=walk)
    assert len(short.xs) == 3
    assert not short.reached
    one_way = DirectionPool(np.eye(5)[:1])
    stuck = greedy(rows, objective, one_way, "static", longest=2.0, at_most=100_000, walk=walk)
    assert not stuck.reached
    assert len(stuck.xs) < 100_000


def test_from_a_pool_it_names_the_items(
    make_room: Callable[..., Classroom],
    make_simulation: Callable[..., Simulation],
    make_limits: Callable[..., StudentLimits],
) -> None:
    room = make_room()
    pool = DirectionPool(np.random.default_rng(0).standard_normal((30, 5)))
    simulation = make_simulation(room)
    shown = greedy(
        simulation.representatives,
        simulation.objective,
        pool,
        "static",
        longest=2.0,
        at_most=1000,
        walk=make_limits(room).walk(4.0),
    )
    record = teach(room, teacher=PoolTeacher(pool))
    np.testing.assert_array_equal(shown.items, record.examples.items)


@pytest.mark.parametrize("fixed", [True, False])
def test_within_limits_no_student_passes_theirs(
    fixed: bool,
    one_fast: Classroom,
    make_simulation: Callable[..., Simulation],
    make_limits: Callable[..., StudentLimits],
    replay: Callable[[Classroom, Floats], list[Floats]],
) -> None:
    room = one_fast
    simulation, limits = make_simulation(room), make_limits(room, AverageGoal(0.1))
    units = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
    pool = ItemPool(np.concatenate([0.4 * units, 1.8 * units])) if fixed else Ball()
    free = make_limits(room)
    for limit, kept in ((free, False), (limits, True)):
        xs = greedy(
            simulation.representatives,
            simulation.objective,
            pool,
            "joint",
            longest=2.0,
            at_most=60,
            walk=limit.walk(4.0),
        ).xs
        most = (np.array(replay(room, xs)) / limits.squared).max()
        assert (most <= 1.0 + 1e-9) == kept
