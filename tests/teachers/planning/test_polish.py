"""All examples moved together."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from homeroom import AverageGoal, Classroom
from homeroom._arrays import Floats
from homeroom.moments.representatives import StandIns
from homeroom.teachers.planning.aim import Aim
from homeroom.teachers.planning.axes import Axes
from homeroom.teachers.planning.polish import polish
from homeroom.teachers.planning.rehearsal import Rehearsal
from homeroom.teachers.planning.transients import Watched


def test_polishing_leaves_less_and_keeps_the_limits(
    make_room: Callable[..., Classroom], make_rehearsal: Callable[..., Rehearsal]
) -> None:
    rehearsal = make_rehearsal(make_room())
    start = Axes(rehearsal.stand_ins, 4.0).draft(12)
    longest = 1.6
    found = polish(rehearsal, start, longest, steps=100)
    shorter = np.minimum(1.0, longest / np.linalg.norm(start, axis=1))
    assert (shorter < 1.0).any()
    assert found.value < rehearsal.score(shorter[:, None] * start)
    assert rehearsal.score(found.xs) == pytest.approx(found.value, rel=1e-9)
    assert (np.linalg.norm(found.xs, axis=1) <= longest * (1 + 1e-12)).all()


def test_watched_rows_stay_within_their_limits(
    make_room: Callable[..., Classroom],
    make_rehearsal: Callable[..., Rehearsal],
    replay: Callable[[Classroom, Floats], list[Floats]],
) -> None:
    """The longest first: without the limits, polishing leaves students far away on the way."""
    room = make_room(4.9, students=15, dimensions=3)
    rehearsal = make_rehearsal(room)
    start = Axes(rehearsal.stand_ins, 4.0).draft(14)[::-1]
    first = room.squared_distances
    rows = Watched(room.gaps, room.rates, first, np.zeros(room.students))
    farthest = []
    for watched in (None, rows):
        xs = polish(rehearsal, start, 2.0, steps=200, watched=watched).xs
        farthest.append(float((np.array(replay(room, xs)) / first).max()))
    assert farthest[0] > 4.0
    assert farthest[1] < 1.1


def test_it_stops_when_it_is_enough(
    make_room: Callable[..., Classroom], make_rehearsal: Callable[..., Rehearsal]
) -> None:
    rehearsal = make_rehearsal(make_room())
    start = Axes(rehearsal.stand_ins, 4.0).draft(12)
    longest = 2.0
    enough = 0.97 * rehearsal.score(start)
    short = polish(rehearsal, start, longest, steps=500, enough=enough)
    long = polish(rehearsal, start, longest, steps=500)
    assert long.value < short.value < enough
    assert short.tried < long.tried
    assert polish(rehearsal, start, longest, steps=500, enough=1e9).tried == 1


def test_a_lesson_that_leaves_nothing_is_found() -> None:
    """One student is at the target after one example: the logarithm must not mind."""
    rows = StandIns(
        np.array([[3.0, 4.0]]), np.array([0.5]), np.ones(1), np.ones(1, dtype=bool), 0.5
    )
    rehearsal = Rehearsal(rows, Aim.of(AverageGoal(0.1), rows, 1))
    found = polish(rehearsal, np.array([[0.5, 1.0]]), 2.0, steps=200)
    assert found.value < 1e-12 * 25
    np.testing.assert_allclose(found.xs[0] @ found.xs[0], 2.0, rtol=1e-5)
