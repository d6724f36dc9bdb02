"""How a map lies on the page."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import procrustes

from homeroom.crowd.align import canonical, disparity, onto
from homeroom.crowd.fitting.point import Point


def some(seed: int = 0, d: int = 2) -> Point:
    rng = np.random.default_rng(seed)
    stretch = np.arange(d, 0, -1.0)
    return Point(
        rng.standard_normal((30, d)) * stretch, rng.standard_normal((9, d)) + 0.3, np.zeros(9)
    )


def any_turn(d: int, seed: int = 3) -> np.ndarray:
    turn: np.ndarray = np.linalg.qr(np.random.default_rng(seed).standard_normal((d, d)))[0]
    return turn


@pytest.mark.parametrize("d", [1, 2, 3])
def test_however_a_map_is_turned_it_comes_to_lie_the_same_way(d: int) -> None:
    point = some(d=d)
    mine = point.turn(canonical(point))
    for seed in range(4):
        other = point.turn(any_turn(d, seed))
        np.testing.assert_allclose(other.turn(canonical(other)).items, mine.items, atol=1e-9)


def test_the_first_axis_is_the_longest_and_points_to_yes() -> None:
    point = some()
    turned = point.turn(canonical(point))
    lengths = (turned.items**2).sum(axis=0)
    assert lengths[0] > lengths[1]
    assert (turned.people.sum(axis=0) > 0).all()
    assert turned.items[:, 0] @ turned.items[:, 1] == pytest.approx(0.0, abs=1e-9)


def test_where_people_weigh_an_axis_both_ways_the_items_longer_tail_decides() -> None:
    items = np.array([[3.0], [-1.0], [-1.0], [-1.0]])
    people = np.array([[1.0], [-1.0]])
    for sign in (-1, 1):
        point = Point(sign * items, people, np.zeros(2))
        np.testing.assert_array_equal(point.turn(canonical(point)).items, items)


def test_onto_undoes_a_turn() -> None:
    rows = some().items
    np.testing.assert_allclose(rows @ any_turn(2) @ onto(rows @ any_turn(2), rows), rows)


def test_no_turn_brings_rows_closer() -> None:
    rng = np.random.default_rng(0)
    rows, other = rng.standard_normal((2, 20, 2))
    best = ((rows @ onto(rows, other) - other) ** 2).sum()
    for angle in np.linspace(0, 2 * np.pi, 90):
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        for mirror in (np.eye(2), np.diag([1.0, -1.0])):
            assert ((rows @ turn @ mirror - other) ** 2).sum() >= best - 1e-9


def test_disparity_is_that_of_another_library() -> None:
    rng = np.random.default_rng(0)
    rows, other = rng.standard_normal((2, 20, 3))
    assert disparity(rows, other) == pytest.approx(procrustes(rows, other)[2], rel=1e-12)


def test_items_that_all_lie_in_one_place_are_wholly_different_from_any_map() -> None:
    assert disparity(np.zeros((5, 2)), some().items[:5]) == 1.0
