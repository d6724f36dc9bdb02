"""Plans over a pool, against brute force."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from homeroom import Classroom
from homeroom._arrays import Floats
from homeroom.moments import sketch_of
from homeroom.teachers.planning.exchange import Exchange, Picks, Shelf, shaken


def shelf_of_items(number: int, dimensions: int, seed: int, *, free: bool = False) -> Shelf:
    xs = np.random.default_rng(seed).standard_normal((number, dimensions))
    if free:
        xs /= np.linalg.norm(xs, axis=1, keepdims=True)
    return Shelf(xs, np.arange(number), free, 4.0)


def left_by(room: Classroom, xs: Floats) -> float:
    gaps = room.gaps
    for x in xs:
        gaps = gaps - (room.rates * (gaps @ x))[:, None] * x
    return float((gaps**2).sum(axis=1).mean())


@pytest.mark.parametrize("free", [False, True])
def test_a_pass_knows_what_the_lesson_leaves(
    free: bool, make_room: Callable[..., Classroom]
) -> None:
    room = make_room(students=12, dimensions=3)
    shelf = shelf_of_items(8, 3, 0, free=free)
    exchange = Exchange(sketch_of(room), shelf)
    picks, without, _ = exchange.improved(Picks(np.arange(6), np.ones(6)))
    xs = picks.xs(shelf)
    assert exchange.left_by(picks) == pytest.approx(left_by(room, xs), rel=1e-9)
    for place in range(6):
        assert without[place] == pytest.approx(
            left_by(room, np.delete(xs, place, axis=0)), rel=1e-3
        )
    assert exchange.left_by(picks.without(2)) == pytest.approx(without[2], rel=1e-3)


@pytest.mark.parametrize("free", [False, True])
def test_at_rest_no_other_item_is_better_anywhere(
    free: bool, make_room: Callable[..., Classroom]
) -> None:
    room = make_room(students=12, dimensions=3)
    shelf = shelf_of_items(8, 3, 1, free=free)
    picks, *_ = Exchange(sketch_of(room), shelf).improved(Picks(np.arange(5), np.ones(5)))
    best = left_by(room, picks.xs(shelf))
    for place, row in itertools.product(range(5), range(8)):
        for scale in np.linspace(0.1, 2.0, 20) if free else [1.0]:
            xs = picks.xs(shelf).copy()
            xs[place] = scale * shelf.xs[row]
            assert left_by(room, xs) >= best * (1 - 1e-3)


def test_lengths_are_free_only_up_to_the_ceiling(make_room: Callable[..., Classroom]) -> None:
    shelf = Shelf(np.eye(3), np.arange(3), True, 1.5)
    room = make_room(students=12, dimensions=3)
    picks, *_ = Exchange(sketch_of(room), shelf).improved(Picks(np.arange(3), np.ones(3)))
    assert (picks.scales**2 <= 1.5 + 1e-12).all()


def test_shaking_draws_places_anew_or_changes_their_order() -> None:
    shelf, picks = shelf_of_items(50, 3, 0), Picks(np.arange(10), np.ones(10))
    lessons = [shaken(picks, shelf, np.random.default_rng(seed)).rows for seed in range(20)]
    assert all((rows != picks.rows).any() for rows in lessons)
    same_items = [sorted(rows) == list(range(10)) for rows in lessons]
    assert any(same_items)
    assert not all(same_items)
