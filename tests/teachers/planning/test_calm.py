"""How far anybody is thrown off on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from homeroom import Classroom
from homeroom._arrays import Floats
from homeroom.teachers.planning.axes import Axes
from homeroom.teachers.planning.calm import CALM, gentler, worst_transient
from homeroom.teachers.planning.rehearsal import Rehearsal


def test_the_worst_transient_is_that_of_a_plain_replay(
    make_room: Callable[..., Classroom],
    make_rehearsal: Callable[..., Rehearsal],
    replay: Callable[[Classroom, Floats], list[Floats]],
) -> None:
    room = make_room(4.9, students=15, dimensions=3)
    xs = Axes(make_rehearsal(room).stand_ins, 4.0).draft(14)[::-1]  # the longest first
    along = np.array(replay(room, xs))
    expected = float(np.sqrt((along / along[0]).max()))
    assert expected > 3.0
    assert worst_transient(make_rehearsal(room), xs) == pytest.approx(expected, rel=1e-9)


def test_gentle_first_keeps_everybody(
    make_room: Callable[..., Classroom], make_rehearsal: Callable[..., Rehearsal]
) -> None:
    for seed in range(5):
        rehearsal = make_rehearsal(make_room(4.9, seed=seed))
        assert worst_transient(rehearsal, Axes(rehearsal.stand_ins, 4.0).draft(25)) <= CALM


def test_without_students_it_is_what_nobody_can_be_above(
    make_room: Callable[..., Classroom], make_rehearsal: Callable[..., Rehearsal]
) -> None:
    """The norm of the lesson so far is an upper limit, and some state attains it."""
    room = make_room(4.9, students=15, dimensions=3)
    rehearsal = make_rehearsal(room)
    xs = np.random.default_rng(0).standard_normal((9, 3))
    nobody = np.zeros(room.students, dtype=bool)
    blurred = Rehearsal(replace(rehearsal.stand_ins, counted=nobody), rehearsal.aim)
    limit = worst_transient(blurred, xs)
    assert worst_transient(rehearsal, xs) <= limit
    rate, worst = float(room.rates.max()), 0.0
    for direction in np.random.default_rng(1).standard_normal((2000, 3)):
        gap = direction / np.linalg.norm(direction)
        for x in xs:
            gap = gap - rate * (gap @ x) * x
            worst = max(worst, float(np.linalg.norm(gap)))
    assert 0.8 * limit <= worst <= limit * (1 + 1e-9)


def test_gentler_limits_hold_back_only_those_who_throw_somebody_off(
    make_room: Callable[..., Classroom], make_rehearsal: Callable[..., Rehearsal]
) -> None:
    room = make_room(4.9, students=15, dimensions=3)
    rehearsal = make_rehearsal(room)
    xs = Axes(rehearsal.stand_ins, 4.0).draft(14)[::-1]
    longest = np.full(14, 2.0)
    limits = gentler(rehearsal, xs, longest)
    assert (limits < longest).any()
    assert (limits >= np.sqrt(2.0 / room.rates.max()) - 1e-12).all()
    calm = Axes(rehearsal.stand_ins, 4.0).draft(14)
    np.testing.assert_array_equal(gentler(rehearsal, calm, longest), longest)
