"""Limits on students' distances during a lesson."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom import AverageGoal, Classroom
from homeroom._arrays import Floats
from homeroom.teachers.planning.axes import Axes
from homeroom.teachers.planning.transients import (
    ClassLimits,
    StudentLimits,
)
from tests.teachers.planning.small_classes import make_limits, make_room, make_simulation, replay


def longest_first(room: Classroom) -> Floats:
    return Axes(make_simulation(room).representatives, 4.0).draft(14)[::-1]


def limits_of_class(room: Classroom, within: float = 0.0) -> ClassLimits:
    rates = room.rates
    return ClassLimits(float(rates.min()), float(rates.max()), room.dimensions, within)


def test_the_worst_transient_is_that_of_a_plain_replay() -> None:
    room = make_room(4.9, students=15, dimensions=3)
    xs = longest_first(room)
    along = np.array(replay(room, xs))
    expected = float(np.sqrt((along / along[0]).max()))
    assert expected > 3.0
    assert make_limits(room).worst_transient(xs) == pytest.approx(expected, rel=1e-9)


def test_gentle_first_keeps_all_students_where_they_are_or_closer() -> None:
    for seed in range(5):
        room = make_room(4.9, seed=seed)
        xs = Axes(make_simulation(room).representatives, 4.0).draft(25)
        assert make_limits(room).worst_transient(xs) <= 1.0 + 1e-9


def test_of_a_class_it_is_what_no_student_can_be_above() -> None:
    """The norm of the lesson so far is an upper limit, and some state attains it."""
    room = make_room(4.9, students=15, dimensions=3)
    xs = np.random.default_rng(0).standard_normal((9, 3))
    limit = limits_of_class(room).worst_transient(xs)
    assert make_limits(room).worst_transient(xs) <= limit
    rate, worst = float(room.rates.max()), 0.0
    for direction in np.random.default_rng(1).standard_normal((2000, 3)):
        gap = direction / np.linalg.norm(direction)
        for x in xs:
            gap = gap - rate * (gap @ x) * x
            worst = max(worst, float(np.linalg.norm(gap)))
    assert 0.8 * limit <= worst <= limit * (1 + 1e-9)


@pytest.mark.parametrize("longer", [False, True])
@pytest.mark.parametrize("within", [0.0, 0.1])
def test_a_lesson_within_limits_keeps_them_at_all_rates_in_the_range(
    *,
    within: float,
    longer: bool,
) -> None:
    room = make_room(4.9, students=15, dimensions=3)
    xs = longest_first(room)
    limits = make_limits(room, AverageGoal(0.1), within)
    kept, found = limits.walk(4.0).keep(xs, longer=longer)
    assert len(kept) > len(xs) if longer else len(kept) == len(xs)
    assert len(found.rates)
    for factor in np.linspace(1.0 - within, 1.0 + within, 5):
        there = Classroom(room.states, factor * room.rates, room.target)
        assert (np.array(replay(there, kept)) / limits.squared).max() <= 1.0 + 1e-12
    assert (np.array(replay(room, xs)) / limits.squared).max() > 1.1


@pytest.mark.parametrize("within", [0.0, 0.1])
def test_a_class_is_kept_for_any_student_of_its_rates(within: float) -> None:
    room = make_room(4.9, students=15, dimensions=3)
    xs = longest_first(room)
    limits = limits_of_class(room, within)
    wider = ClassLimits(limits.slowest * (1 - within), limits.fastest * (1 + within), 3, 0.0)
    assert wider.worst_transient(xs) > 3.0
    for longer in (False, True):
        kept, found = limits.walk(4.0).keep(xs, longer=longer)
        assert wider.worst_transient(kept) <= 1.0 + 1e-3
        assert len(found.rates)


def test_a_lesson_that_only_exact_numbers_allow_is_changed() -> None:
    """The first example leaves nothing, so that thirty long ones do no harm but by rounding."""
    gaps, rates = np.array([[1.0, 0.0]]), np.array([3.0])
    xs = np.array([[1.0, 0.0]] * 31) * np.append(np.sqrt(1.0 / 3.0), np.full(30, 2.0))[:, None]
    limits = StudentLimits.at_start(gaps, rates, AverageGoal(0.1), within=0.0)
    kept, found = limits.walk(4.0).keep(xs)
    assert (np.vecdot(kept, kept) < np.vecdot(xs, xs) - 1e-6).sum() > 20
    assert found.backward.all()
