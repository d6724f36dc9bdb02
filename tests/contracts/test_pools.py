"""The contract of every registered pool."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

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
from tests.bad_input import refuse

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
    assert _plugins.describe(POOLS[name](SAME))["name"] == name


@every_pool
def test_rotating_the_space_rotates_the_pick(name: str, room: Classroom, rotation: Floats) -> None:
    pick = POOLS[name](SAME).best(moments_of(room.gaps, room.rates), 1.5)
    turned = POOLS[name](rotation).best(moments_of(room.gaps @ rotation, room.rates), 1.5)
    assert abs(turned.direction @ (pick.direction @ rotation)) == pytest.approx(1.0)
    assert (turned.g, turned.help) == pytest.approx((pick.g, pick.help))
    assert turned.item == pick.item


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


def test_short_texts_build_what_needs_no_array_and_explain_the_rest() -> None:
    assert _plugins.make("pools", "ball") == Ball()
    for name in ("directions", "items"):
        refuse(partial(_plugins.make, "pools", name), name)
