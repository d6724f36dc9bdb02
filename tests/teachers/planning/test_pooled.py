"""Plans over a pool."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from homeroom import AverageGoal, Ball, Classroom, DirectionPool, ItemPool
from homeroom._arrays import Floats
from homeroom.moments import sketch_of
from homeroom.pools import AbstractPool
from homeroom.teachers.planning.pooled import (
    Exchange,
    Picks,
    PoolItems,
    plan_over_pool,
)
from homeroom.teachers.planning.population import Population
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


def random_items(number: int, dimensions: int, seed: int, *, free: bool = False) -> PoolItems:
    xs = np.random.default_rng(seed).standard_normal((number, dimensions))
    if free:
        xs /= np.linalg.norm(xs, axis=1, keepdims=True)
    return PoolItems(xs, np.arange(number), free, 4.0)


def left_by(room: Classroom, xs: Floats) -> float:
    gaps = room.gaps
    for x in xs:
        gaps = gaps - (room.rates * (gaps @ x))[:, None] * x
    return float((gaps**2).sum(axis=1).mean())


@pytest.mark.parametrize("free", [False, True])
def test_a_pass_knows_what_the_lesson_leaves(free: bool) -> None:
    room = make_room(students=12, dimensions=3)
    pool_items = random_items(8, 3, 0, free=free)
    exchange = Exchange(sketch_of(room), pool_items)
    picks, without, _ = exchange.improve(Picks(np.arange(6), np.ones(6)))
    xs = picks.xs(pool_items)
    assert exchange.measure_error(picks) == pytest.approx(left_by(room, xs), rel=1e-9)
    for place in range(6):
        assert without[place] == pytest.approx(
            left_by(room, np.delete(xs, place, axis=0)), rel=1e-3
        )
    assert exchange.measure_error(picks.without(2)) == pytest.approx(without[2], rel=1e-3)


@pytest.mark.parametrize("free", [False, True])
def test_after_convergence_no_other_item_is_better_at_any_place(free: bool) -> None:
    room = make_room(students=12, dimensions=3)
    pool_items = random_items(8, 3, 1, free=free)
    picks, *_ = Exchange(sketch_of(room), pool_items).improve(Picks(np.arange(5), np.ones(5)))
    best = left_by(room, picks.xs(pool_items))
    for place, row in itertools.product(range(5), range(8)):
        for scale in np.linspace(0.1, 2.0, 20) if free else [1.0]:
            xs = picks.xs(pool_items).copy()
            xs[place] = scale * pool_items.xs[row]
            assert left_by(room, xs) >= best * (1 - 1e-3)


def planned(
    room: Classroom,
    simulation: Simulation,
    pool: AbstractPool,
    *,
    at_most: int,
    budget: float = 1e10,
    limits: StudentLimits | None = None,
) -> Floats:
    goal = AverageGoal(0.1)
    request = Request(
        goal,
        room.example_radius**2,
        polish=True,
        at_most=at_most,
        limits=limits or StudentLimits.at_start(room.gaps, room.rates, goal, 0.0),
        pool=pool,
        budget=budget,
    )
    population = Population(simulation.representatives, room.students, lambda: sketch_of(room))
    xs, items = plan_over_pool(population, request, np.random.default_rng(0))
    if isinstance(pool, ItemPool):
        np.testing.assert_array_equal(pool.items[items], xs)
    return xs


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("rounds", [2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_with_few_rounds_it_finds_the_best_of_all_lessons(
    seed: int,
    rounds: int,
) -> None:
    """All 6^2, 6^3 or 6^4 lessons are tried: the plan is the best of them."""
    room = make_room(students=5, dimensions=3, seed=seed)
    simulation = make_simulation(room)
    items = np.random.default_rng(seed).standard_normal((6, 3))
    items *= np.linspace(0.8, 1.9, 6)[:, None] / np.linalg.norm(items, axis=1, keepdims=True)
    every = itertools.product(range(6), repeat=rounds)
    best = min(simulation.score(items[list(lesson)]) for lesson in every)
    xs = planned(room, simulation, ItemPool(items), at_most=rounds)
    assert simulation.score(xs) <= best * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_it_finds_the_shortest_of_all_lessons(seed: int) -> None:
    room = make_room(0.5, students=6, dimensions=2, seed=seed)
    simulation = make_simulation(room)
    angles = np.random.default_rng(seed).uniform(0.0, np.pi, 5)
    items = np.linspace(1.2, 1.9, 5)[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    xs = planned(room, simulation, ItemPool(items), at_most=60)
    assert simulation.score(xs) <= 0.1
    assert 3 <= len(xs) <= 7, "the test would say little, or take too long"
    shorter = itertools.product(range(5), repeat=len(xs) - 1)
    assert min(simulation.score(items[list(lesson)]) for lesson in shorter) > 0.1


def test_directions_are_scaled_within_the_radius() -> None:
    room = make_room(0.9, students=20, dimensions=4)
    simulation = make_simulation(room)
    pool = DirectionPool(np.random.default_rng(0).standard_normal((15, 4)))
    first = planned(room, simulation, pool, at_most=200, budget=0.0)
    xs = planned(room, simulation, pool, at_most=200)
    assert simulation.score(first) <= 0.1
    assert simulation.score(xs) <= 0.1
    assert len(xs) < len(first)
    assert np.linalg.norm(xs, axis=1).max() <= room.example_radius * (1 + 1e-9)


@pytest.mark.parametrize("at_most", [4, 200])
@pytest.mark.parametrize("free", [True, False])
def test_no_student_passes_their_limits(
    *,
    free: bool,
    at_most: int,
) -> None:
    units = np.random.default_rng(0).standard_normal((20, 2))
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    items = np.concatenate([0.5 * units, 1.9 * units])
    pool = DirectionPool(units) if free else ItemPool(items)
    room = make_room_with_one_fast()
    simulation, limits = make_simulation(room), make_limits(room, AverageGoal(0.1))
    for within, passed in ((limits, False), (make_limits(room), True)):
        xs = planned(room, simulation, pool, at_most=at_most, budget=1e9, limits=within)
        most = (np.array(replay(room, xs)) / limits.squared).max()
        assert (most > 1.0 + 1e-9) == passed


def test_only_items_that_are_short_enough_are_used() -> None:
    pool_items = PoolItems.of(ItemPool([[1.0, 0.0], [0.0, 3.0]]), longest=2.0)
    assert pool_items is not None
    np.testing.assert_array_equal(pool_items.numbers, [0])
    assert PoolItems.of(Ball(), 2.0) is None
