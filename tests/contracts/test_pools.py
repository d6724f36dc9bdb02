"""The contract of every registered pool."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest

from homeroom import (
    Ball,
    Classroom,
    DirectionPool,
    ItemPool,
    PoolTeacher,
    RandomTeacher,
    Record,
    _plugins,
    teach,
)
from homeroom._arrays import Floats
from homeroom.moments import moments_of
from homeroom.pools import AbstractPool
from homeroom.testing import check_pool

ITEMS = np.random.default_rng(2).standard_normal((9, 4)) * 0.5
# Name: how to build it, in coordinates rotated by q.
POOLS: dict[str, Callable[[Floats], AbstractPool]] = {
    "ball": lambda q: Ball(),
    "directions": lambda q: DirectionPool(ITEMS @ q),
    "items": lambda q: ItemPool(ITEMS @ q),
}
every_pool = pytest.mark.parametrize("name", _plugins.names("pools"))
SAME = np.eye(4)


def test_every_registered_pool_is_checked() -> None:
    assert set(POOLS) == set(_plugins.names("pools"))


@every_pool
def test_it_passes_the_public_check(name: str, room: Classroom) -> None:
    check_pool(POOLS[name](SAME), room=room)


@every_pool
def test_rotating_the_space_rotates_the_pick(name: str, room: Classroom, rotation: Floats) -> None:
    pick = POOLS[name](SAME).best(moments_of(room.gaps, room.rates), 1.5)
    turned = POOLS[name](rotation).best(moments_of(room.gaps @ rotation, room.rates), 1.5)
    assert abs(turned.direction @ (pick.direction @ rotation)) == pytest.approx(1.0)
    assert (turned.g, turned.help) == pytest.approx((pick.g, pick.help))
    assert turned.item == pick.item


@every_pool
def test_draws_are_the_same_with_the_same_seed_and_differ_otherwise(name: str) -> None:
    pool = POOLS[name](SAME)
    once, again, other = (pool.draw(6, 4, np.random.default_rng(seed)) for seed in (1, 1, 2))
    np.testing.assert_array_equal(once.xs, again.xs)
    np.testing.assert_array_equal(once.items, again.items)
    assert (once.xs != other.xs).any()


@every_pool
def test_draws_of_a_rescalable_pool_have_length_one(name: str) -> None:
    pool = POOLS[name](SAME)
    lengths = np.linalg.norm(pool.draw(50, 4, np.random.default_rng(0)).xs, axis=1)
    if pool.rescalable:
        np.testing.assert_allclose(lengths, 1.0)
    else:
        assert set(lengths.round(9)) <= set(np.linalg.norm(ITEMS, axis=1).round(9))


@every_pool
def test_candidates_are_items_within_the_radius(name: str) -> None:
    pool = POOLS[name](SAME)
    listed = pool.fit(4, 2.0).candidates(2.0)
    if listed is None:
        assert name == "ball"
        return
    assert np.linalg.norm(listed.xs, axis=1).max() <= 2.0 * (1 + 1e-9)
    cosines = (listed.xs * ITEMS[listed.items]).sum(axis=1)
    lengths = np.linalg.norm(listed.xs, axis=1) * np.linalg.norm(ITEMS[listed.items], axis=1)
    np.testing.assert_allclose(cosines, lengths)


@every_pool
@pytest.mark.parametrize("teacher", [PoolTeacher, RandomTeacher])
def test_both_teachers_with_a_pool_use_it(
    name: str,
    teacher: Callable[[AbstractPool], PoolTeacher | RandomTeacher],
    room: Classroom,
    same_after_saving: Callable[[Record], None],
) -> None:
    pool = POOLS[name](SAME)
    record = teach(room, teacher=teacher(pool), max_rounds=8)
    assert record.errors[-1] < record.errors[0]
    shown = record.examples
    if name == "ball":
        assert (shown.items == -1).all()
    else:
        units = ITEMS / np.linalg.norm(ITEMS, axis=1, keepdims=True)
        lengths = np.linalg.norm(shown.xs, axis=1)
        np.testing.assert_allclose((shown.xs * units[shown.items]).sum(axis=1), lengths)
    same_after_saving(record)


@every_pool
def test_it_describes_itself_in_plain_json(name: str) -> None:
    described = _plugins.describe(POOLS[name](SAME))
    assert json.loads(json.dumps(described, allow_nan=False)) == described
    assert described["name"] == name


def test_short_texts_build_what_needs_no_array_and_explain_the_rest() -> None:
    assert _plugins.make("pools", "ball") == Ball()
    for name in ("directions", "items"):
        with pytest.raises(ValueError, match=rf"'{name}' cannot be read: .*{name} takes {name}"):
            _plugins.make("pools", name)
