"""The final error of a lesson, its gradient, and polishing."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom import AverageGoal, EveryoneGoal
from homeroom.goals import DistanceGoal
from homeroom.teachers.planning.axes import Axes
from homeroom.teachers.planning.simulation import Excess, polish
from homeroom.teachers.planning.transients import Watched
from tests.teachers.planning.small_classes import make_room, make_simulation, replay


@pytest.mark.parametrize("rounds", [0, 1, 7, 8, 9, 23])
def test_a_lesson_leaves_what_a_plain_replay_leaves(
    rounds: int,
) -> None:
    room = make_room(2.0, students=13, dimensions=4)
    simulation = make_simulation(room)
    xs = np.random.default_rng(1).standard_normal((rounds, 4))
    along = replay(room, xs)
    np.testing.assert_allclose(list(simulation.squared_along(xs)), along, rtol=1e-9)
    assert simulation.score(xs) == pytest.approx(along[-1].mean(), rel=1e-9)
    np.testing.assert_allclose(simulation.squared_after(xs), along[-1], rtol=1e-9)
    np.testing.assert_allclose((simulation.gaps_after(xs) ** 2).sum(axis=1), along[-1], rtol=1e-9)


@pytest.mark.parametrize("goal", [AverageGoal(0.1), EveryoneGoal(0.3)])
@pytest.mark.parametrize("rounds", [1, 8, 19])
def test_the_slope_is_that_of_small_differences(
    rounds: int,
    goal: DistanceGoal,
) -> None:
    simulation = make_simulation(make_room(0.9, students=11, dimensions=3), goal)
    rng = np.random.default_rng(2)
    xs = 0.7 * rng.standard_normal((rounds, 3))
    _, slope = simulation.value_and_slope(xs)
    for _ in range(5):
        step = rng.standard_normal(xs.shape)
        ahead, behind = (simulation.value_and_slope(xs + h * step)[0] for h in (1e-5, -1e-5))
        assert float((slope * step).sum()) == pytest.approx((ahead - behind) / 2e-5, rel=1e-5)


@pytest.mark.parametrize("rounds", [1, 8, 19])
def test_the_excess_counts_every_round_and_its_slope_is_that_of_small_differences(
    rounds: int,
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


def test_polishing_leaves_less_and_keeps_the_limits() -> None:
    simulation = make_simulation(make_room())
    start = Axes(simulation.representatives, 4.0).draft(12)
    longest = 1.6
    found = polish(simulation, start, longest, steps=100)
    shorter = np.minimum(1.0, longest / np.linalg.norm(start, axis=1))
    assert (shorter < 1.0).any()
    assert found.value < simulation.score(shorter[:, None] * start)
    assert simulation.score(found.xs) == pytest.approx(found.value, rel=1e-9)
    assert (np.linalg.norm(found.xs, axis=1) <= longest * (1 + 1e-12)).all()


def test_watched_rows_stay_within_their_limits() -> None:
    """The longest first: unlimited, students would be far away during the lesson."""
    room = make_room(4.9, students=15, dimensions=3)
    simulation = make_simulation(room)
    start = Axes(simulation.representatives, 4.0).draft(14)[::-1]
    first = room.squared_distances
    rows = Watched(room.gaps, room.rates, first, np.zeros(room.students))
    farthest = []
    for watched in (None, rows):
        xs = polish(simulation, start, 2.0, steps=200, watched=watched).xs
        farthest.append(float((np.array(replay(room, xs)) / first).max()))
    assert farthest[0] > 4.0
    assert farthest[1] < 1.1
