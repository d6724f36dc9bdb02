"""The shortest lesson over a pool, against all lessons there are."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from homeroom import AverageGoal, Ball, Classroom, DirectionPool, ItemPool
from homeroom._arrays import Floats
from homeroom.moments import sketch_of
from homeroom.pools import AbstractPool
from homeroom.teachers.planning.exchange import PASSES, Exchange, Picks
from homeroom.teachers.planning.pooled import planned_over_pool, shelf_of
from homeroom.teachers.planning.rehearsal import Rehearsal
from homeroom.teachers.planning.transients import StudentLimits


def planned(
    room: Classroom,
    rehearsal: Rehearsal,
    pool: AbstractPool,
    *,
    at_most: int,
    budget: float = 1e10,
    limits: StudentLimits | None = None,
) -> Floats:
    xs, items = planned_over_pool(
        lambda: sketch_of(room),
        rehearsal,
        pool,
        limits=limits or StudentLimits.at_start(room.gaps, room.rates, AverageGoal(0.1), 0.0),
        longest=room.example_radius,
        at_most=at_most,
        budget=budget,
        rng=np.random.default_rng(0),
        report=lambda _share, _rounds: None,
    )
    if isinstance(pool, ItemPool):
        np.testing.assert_array_equal(pool.items[items], xs)
    return xs


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("rounds", [2, 3, 4])
def test_with_few_rounds_no_lesson_of_all_comes_closer(
    seed: int,
    rounds: int,
    make_room: Callable[..., Classroom],
    make_rehearsal: Callable[..., Rehearsal],
) -> None:
    """All 6^2, 6^3 or 6^4 lessons are tried: the plan is the best of them."""
    room = make_room(students=5, dimensions=3, seed=seed)
    rehearsal = make_rehearsal(room)
    items = np.random.default_rng(seed).standard_normal((6, 3))
    items *= np.linspace(0.8, 1.9, 6)[:, None] / np.linalg.norm(items, axis=1, keepdims=True)
    every = itertools.product(range(6), repeat=rounds)
    best = min(rehearsal.score(items[list(lesson)]) for lesson in every)
    xs = planned(room, rehearsal, ItemPool(items), at_most=rounds)
    assert rehearsal.score(xs) <= best * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_no_shorter_lesson_of_all_reaches_the_goal(
    seed: int, make_room: Callable[..., Classroom], make_rehearsal: Callable[..., Rehearsal]
) -> None:
    room = make_room(0.5, students=6, dimensions=2, seed=seed)
    rehearsal = make_rehearsal(room)
    angles = np.random.default_rng(seed).uniform(0.0, np.pi, 5)
    items = np.linspace(1.2, 1.9, 5)[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    xs = planned(room, rehearsal, ItemPool(items), at_most=60)
    assert rehearsal.score(xs) <= 0.1
    assert 3 <= len(xs) <= 7, "the test would say little, or take too long"
    shorter = itertools.product(range(5), repeat=len(xs) - 1)
    assert min(rehearsal.score(items[list(lesson)]) for lesson in shorter) > 0.1


def test_every_pass_is_counted_as_work(
    make_room: Callable[..., Classroom],
    make_rehearsal: Callable[..., Rehearsal],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What a plan takes is at most its budget, and the passes that were under way."""
    room = make_room(4.9, students=40, dimensions=4)
    pool = DirectionPool(np.random.default_rng(0).standard_normal((40, 4)))
    work: list[float] = []
    there_and_back = Exchange._there_and_back

    def counted(self: Exchange, picks: Picks) -> tuple[Picks, Floats, float]:
        work.append(self.cost(len(picks.rows)))
        return there_and_back(self, picks)

    monkeypatch.setattr(Exchange, "_there_and_back", counted)
    for at_most in (200, 5):  # the goal is reached, or not
        work.clear()
        planned(room, make_rehearsal(room), pool, at_most=at_most, budget=1e8)
        assert 1e8 < sum(work) <= 1e8 + PASSES * max(work)


def test_directions_are_scaled_within_the_radius(
    make_room: Callable[..., Classroom], make_rehearsal: Callable[..., Rehearsal]
) -> None:
    room = make_room(0.9, students=20, dimensions=4)
    rehearsal = make_rehearsal(room)
    pool = DirectionPool(np.random.default_rng(0).standard_normal((15, 4)))
    first = planned(room, rehearsal, pool, at_most=200, budget=0.0)
    xs = planned(room, rehearsal, pool, at_most=200)
    assert rehearsal.score(first) <= 0.1
    assert rehearsal.score(xs) <= 0.1
    assert len(xs) < len(first)
    assert np.linalg.norm(xs, axis=1).max() <= room.example_radius * (1 + 1e-9)


@pytest.mark.parametrize("at_most", [4, 200])
@pytest.mark.parametrize("free", [True, False])
def test_no_student_passes_their_limits(
    *,
    free: bool,
    at_most: int,
    one_fast: Classroom,
    make_rehearsal: Callable[..., Rehearsal],
    make_limits: Callable[..., StudentLimits],
    replay: Callable[[Classroom, Floats], list[Floats]],
) -> None:
    units = np.random.default_rng(0).standard_normal((20, 2))
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    items = np.concatenate([0.5 * units, 1.9 * units])
    pool = DirectionPool(units) if free else ItemPool(items)
    rehearsal, limits = make_rehearsal(one_fast), make_limits(one_fast, AverageGoal(0.1))
    for within, passed in ((limits, False), (make_limits(one_fast), True)):
        xs = planned(one_fast, rehearsal, pool, at_most=at_most, budget=1e9, limits=within)
        most = (np.array(replay(one_fast, xs)) / limits.squared).max()
        assert (most > 1.0 + 1e-9) == passed


def test_a_pool_that_cannot_teach_everything_is_used_as_far_as_it_goes(
    make_room: Callable[..., Classroom], make_rehearsal: Callable[..., Rehearsal]
) -> None:
    room = make_room(students=10, dimensions=3)
    xs = planned(room, make_rehearsal(room), ItemPool(np.eye(3)[:2]), at_most=12)
    assert 0 < len(xs) <= 12


def test_a_shelf_holds_what_is_short_enough() -> None:
    shelf = shelf_of(ItemPool([[1.0, 0.0], [0.0, 3.0]]), longest=2.0)
    assert shelf is not None
    np.testing.assert_array_equal(shelf.numbers, [0])
    assert shelf_of(Ball(), 2.0) is None
