"""The classroom teacher's lesson on paper."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest

from homeroom import Ball, Classroom, ClassroomTeacher, DirectionPool, PoolTeacher, teach
from homeroom.teachers.planning.greedy import greedy
from homeroom.teachers.planning.rehearsal import Rehearsal


@pytest.mark.parametrize("magnitude", ["static", "dynamic", "joint"])
def test_it_is_what_the_classroom_teacher_shows(
    magnitude: str, make_room: Callable[..., Classroom], make_rehearsal: Callable[..., Rehearsal]
) -> None:
    room = make_room(0.9)
    rehearsal = make_rehearsal(room)
    shown = greedy(rehearsal.stand_ins, rehearsal.aim, Ball(), magnitude, longest=2.0, at_most=1000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        record = teach(room, teacher=ClassroomTeacher(magnitude))
    assert shown.reached
    assert len(shown.xs) == record.rounds
    np.testing.assert_allclose(shown.xs, record.examples.xs, atol=1e-6)
    assert (shown.items == -1).all()


def test_it_stops_at_the_limit_and_when_nothing_helps(
    make_room: Callable[..., Classroom], make_rehearsal: Callable[..., Rehearsal]
) -> None:
    rehearsal = make_rehearsal(make_room())
    rows, aim = rehearsal.stand_ins, rehearsal.aim
    short = greedy(rows, aim, Ball(), "joint", longest=2.0, at_most=3)
    assert len(short.xs) == 3
    assert not short.reached
    one_way = DirectionPool(np.eye(5)[:1])
    stuck = greedy(rows, aim, one_way, "static", longest=2.0, at_most=100_000)
    assert not stuck.reached
    assert len(stuck.xs) < 100_000


def test_from_a_pool_it_names_the_items(
    make_room: Callable[..., Classroom], make_rehearsal: Callable[..., Rehearsal]
) -> None:
    room = make_room()
    pool = DirectionPool(np.random.default_rng(0).standard_normal((30, 5)))
    rehearsal = make_rehearsal(room)
    shown = greedy(rehearsal.stand_ins, rehearsal.aim, pool, "static", longest=2.0, at_most=1000)
    record = teach(room, teacher=PoolTeacher(pool))
    np.testing.assert_array_equal(shown.items, record.examples.items)
