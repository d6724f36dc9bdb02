"""The contract of every registered grouping."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from homeroom import (
    AsGiven,
    AtRandom,
    BestGroups,
    ByKnowledge,
    ByRate,
    Classroom,
    Individuals,
    Record,
    WholeClass,
    _plugins,
    teach,
)
from homeroom._arrays import Floats, Ints
from homeroom.groups import AbstractGrouping
from homeroom.testing import check_grouping

LABELS = ["c", "a", "a", "b", "c", "a", "b"]
# Name: the short text (none if it needs an array), and what it builds.
GROUPINGS: dict[str, tuple[str | None, AbstractGrouping]] = {
    "whole": ("whole", WholeClass()),
    "individuals": ("individuals", Individuals()),
    "by-rate": ("by-rate", ByRate()),
    "by-knowledge": ("by-knowledge:k=2", ByKnowledge(k=2)),
    "at-random": ("at-random:k=3", AtRandom(k=3)),
    "as-given": (None, AsGiven(LABELS)),
    "best": ("best:lam=2.0", BestGroups(lam=2.0)),
}
every_grouping = pytest.mark.parametrize("name", _plugins.names("groups"))


def split(grouping: AbstractGrouping, room: Classroom) -> Ints:
    return grouping.split(room, np.random.default_rng(10))


def together(groups: Ints) -> Any:
    """Return which students share a group, whatever the numbers of the groups."""
    return groups[:, None] == groups[None, :]


def test_every_registered_grouping_is_checked() -> None:
    assert set(GROUPINGS) == set(_plugins.names("groups"))


@every_grouping
def test_it_passes_the_public_check(name: str, room: Classroom) -> None:
    check_grouping(GROUPINGS[name][1], room=room)
    assert split(GROUPINGS[name][1], room).dtype == np.int64


@every_grouping
def test_the_order_of_the_students_does_not_matter(name: str, room: Classroom, order: Any) -> None:
    grouping, shuffled = GROUPINGS[name][1], GROUPINGS[name][1]
    if name == "at-random":
        pytest.skip("draws at random, one after the other")
    if name == "as-given":
        shuffled = AsGiven([LABELS[who] for who in order])
    expected = together(split(grouping, room))[np.ix_(order, order)]
    np.testing.assert_array_equal(together(split(shuffled, room.subset(order))), expected)


@every_grouping
def test_rotating_the_space_changes_no_group(
    name: str,
    room: Classroom,
    rotation: Floats,
    rotate: Callable[[Classroom, Floats], Classroom],
) -> None:
    grouping = GROUPINGS[name][1]
    np.testing.assert_array_equal(split(grouping, rotate(room, rotation)), split(grouping, room))


@every_grouping
def test_other_libraries_and_precisions_give_the_same_groups(
    name: str, room: Classroom, library: Any, move: Callable[..., Classroom]
) -> None:
    grouping = GROUPINGS[name][1]
    for dtype in ("float64", "float32"):
        np.testing.assert_array_equal(
            split(grouping, move(room, library, dtype)), split(grouping, room)
        )


@every_grouping
def test_its_record_survives_saving(
    name: str, room: Classroom, same_after_saving: Callable[[Record], None]
) -> None:
    same_after_saving(teach(room, groups=GROUPINGS[name][1], max_rounds=5))


@every_grouping
def test_it_is_described_by_its_name_and_built_from_its_text(name: str) -> None:
    text, grouping = GROUPINGS[name]
    assert _plugins.describe(grouping)["name"] == name
    if text is not None:
        assert _plugins.make("groups", text) == grouping
