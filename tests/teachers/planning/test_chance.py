"""How long lessons take when students drift."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from homeroom import AverageGoal, Ball, Classroom, ClassroomTeacher, LangevinLearner, teach
from homeroom._arrays import Floats
from homeroom.moments import sketch_of
from homeroom.teachers.planning.chance import rounds_with_drift


def needed(room: Classroom, drift: float, xs: Floats, at_most: int = 500) -> int:
    return rounds_with_drift(
        sketch_of(room),
        xs,
        drift,
        AverageGoal(0.1),
        Ball(),
        longest=room.example_radius,
        at_most=at_most,
    )


def test_without_drift_it_is_the_classroom_teachers_lesson(
    make_room: Callable[..., Classroom],
) -> None:
    room = make_room(0.15)
    record = teach(room, teacher=ClassroomTeacher("joint"))
    assert needed(room, 0.0, np.zeros((0, 5))) == record.rounds
    assert needed(room, 0.0, record.examples.xs[:7]) == record.rounds


def test_with_drift_it_is_what_langevin_students_take_on_average(
    make_room: Callable[..., Classroom],
) -> None:
    room = make_room(0.15, students=2000)
    beta = 150.0
    drift = 2.0 / beta * float(room.rates.mean()) * 5
    record = teach(
        room, teacher=ClassroomTeacher("joint"), learner=LangevinLearner(beta), engine="exact"
    )
    quiet = teach(room, teacher=ClassroomTeacher("joint")).rounds
    assert needed(room, drift, np.zeros((0, 5))) == pytest.approx(record.rounds, abs=1)
    assert record.rounds > quiet


def test_where_it_never_ends_counting_does(make_room: Callable[..., Classroom]) -> None:
    assert needed(make_room(), 10.0, np.zeros((0, 5)), at_most=30) == 30
