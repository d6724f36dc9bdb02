"""Steps along the class's own directions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from homeroom import Classroom
from homeroom.moments.representatives import StandIns
from homeroom.teachers.planning.axes import Axes
from homeroom.teachers.planning.rehearsal import Rehearsal


def test_the_expected_error_is_what_the_steps_leave(
    make_room: Callable[..., Classroom], make_rehearsal: Callable[..., Rehearsal]
) -> None:
    """Steps along orthogonal directions do not meet, so that errors simply add up."""
    room = make_room()
    rehearsal = make_rehearsal(room)
    axes = Axes(rehearsal.stand_ins, 4.0)
    for rounds in (1, 4, 11, 20):
        assert rehearsal.score(axes.draft(rounds)) == pytest.approx(axes.errors[rounds], rel=1e-9)


def test_gentle_steps_come_first_and_none_is_too_long(
    make_room: Callable[..., Classroom], make_rehearsal: Callable[..., Rehearsal]
) -> None:
    axes = Axes(make_rehearsal(make_room(4.9)).stand_ins, 4.0)
    lengths = np.linalg.norm(axes.draft(30), axis=1)
    assert (np.diff(lengths) >= -1e-12).all()
    assert lengths.max() <= 2.0 + 1e-12


def test_each_step_goes_where_it_helps_most(
    make_room: Callable[..., Classroom], make_rehearsal: Callable[..., Rehearsal]
) -> None:
    """No other way to give out so many steps, one more or less each, leaves less."""
    axes = Axes(make_rehearsal(make_room(dimensions=3)).stand_ins, 4.0)
    axes.grow(8)
    counts = axes.counts(8)
    best = sum(axes._best(axis, int(count)).left for axis, count in enumerate(counts))
    for gives in range(3):
        for takes in range(3):
            other = counts.copy()
            other[gives] -= 1
            other[takes] += 1
            if other.min() >= 0:
                left = sum(axes._best(axis, int(count)).left for axis, count in enumerate(other))
                assert best <= left + 1e-12


def test_students_who_differ_in_two_directions_have_two_axes() -> None:
    rng = np.random.default_rng(0)
    gaps = rng.standard_normal((20, 2)) @ rng.standard_normal((2, 7))
    rows = StandIns(gaps, np.full(20, 0.3), np.full(20, 0.05), np.ones(20, dtype=bool), 0.3)
    axes = Axes(rows, 4.0)
    assert axes.directions.shape == (2, 7)
    axes.grow(5)
    assert axes.errors[2] < 1e-25  # one rate: one step for each direction leaves nothing
    assert len(axes.draft(9)) <= 4


def test_scattered_steps_have_the_same_lengths(
    make_room: Callable[..., Classroom], make_rehearsal: Callable[..., Rehearsal]
) -> None:
    axes = Axes(make_rehearsal(make_room()).stand_ins, 4.0)
    scattered = axes.scattered(12, np.random.default_rng(0))
    np.testing.assert_allclose(
        np.linalg.norm(scattered, axis=1), np.linalg.norm(axes.draft(12), axis=1)
    )
