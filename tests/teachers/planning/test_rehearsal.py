"""What a whole lesson leaves, and its slope."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from homeroom import AverageGoal, Classroom, EveryoneGoal
from homeroom._arrays import Floats
from homeroom.goals import AbstractGoal
from homeroom.teachers.planning.rehearsal import Excess, Rehearsal
from homeroom.teachers.planning.transients import Watched


@pytest.mark.parametrize("rounds", [0, 1, 7, 8, 9, 23])
def test_a_lesson_leaves_what_a_plain_replay_leaves(
    rounds: int,
    make_room: Callable[..., Classroom],
    make_rehearsal: Callable[..., Rehearsal],
    replay: Callable[[Classroom, Floats], list[Floats]],
) -> None:
    room = make_room(2.0, students=13, dimensions=4)
    rehearsal = make_rehearsal(room)
    xs = np.random.default_rng(1).standard_normal((rounds, 4))
    along = replay(room, xs)
    np.testing.assert_allclose(list(rehearsal.squared_along(xs)), along, rtol=1e-9)
    assert rehearsal.score(xs) == pytest.approx(along[-1].mean(), rel=1e-9)
    np.testing.assert_allclose(rehearsal.squared_after(xs), along[-1], rtol=1e-9)
    np.testing.assert_allclose((rehearsal.gaps_after(xs) ** 2).sum(axis=1), along[-1], rtol=1e-9)


@pytest.mark.parametrize("goal", [AverageGoal(0.1), EveryoneGoal(0.3)])
@pytest.mark.parametrize("rounds", [1, 8, 19])
def test_the_slope_is_that_of_small_differences(
    rounds: int,
    goal: AbstractGoal,
    make_room: Callable[..., Classroom],
    make_rehearsal: Callable[..., Any],
) -> None:
    rehearsal = make_rehearsal(make_room(0.9, students=11, dimensions=3), goal)
    rng = np.random.default_rng(2)
    xs = 0.7 * rng.standard_normal((rounds, 3))
    _, slope = rehearsal.value_and_slope(xs)
    for _ in range(5):
        step = rng.standard_normal(xs.shape)
        ahead, behind = (rehearsal.value_and_slope(xs + h * step)[0] for h in (1e-5, -1e-5))
        assert float((slope * step).sum()) == pytest.approx((ahead - behind) / 2e-5, rel=1e-5)


@pytest.mark.parametrize("rounds", [1, 8, 19])
def test_the_excess_counts_every_round_and_its_slope_is_that_of_small_differences(
    rounds: int,
    make_room: Callable[..., Classroom],
    replay: Callable[[Classroom, Floats], list[Floats]],
) -> None:
    room = make_room(4.9, students=7, dimensions=3)
    limits = 0.3 * room.squared_distances
    excess = Excess(Watched(room.gaps, room.rates, limits, np.zeros(7)))
    rng = np.random.default_rng(2)
    xs = 0.9 * rng.standard_normal((rounds, 3))
    value, slope = excess.value_and_slope(xs)
    along = np.array(replay(room, xs)[1:])
    over = np.log(np.maximum(along / room.squared_distances, 1.0))
    assert value == pytest.approx(float((over**2).sum()), rel=1e-6)
    for _ in range(5):
        step = rng.standard_normal(xs.shape)
        ahead, behind = (excess.value_and_slope(xs + h * step)[0] for h in (1e-6, -1e-6))
        assert float((slope * step).sum()) == pytest.approx((ahead - behind) / 2e-6, rel=1e-4)
