"""The parameters of a map, and rotations of it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import procrustes

from homeroom.crowd.fitting.parameters import (
    MapParameters,
    canonical_rotation,
    disparity,
    rotation_onto,
)

RNG = np.random.default_rng(0)
POINT = MapParameters(RNG.random((4, 2)), RNG.random((3, 2)), RNG.random(3))


def test_a_map_survives_flattening() -> None:
    again = POINT.like(POINT.flat())
    for mine, theirs in zip(again, POINT, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_certainty_is_the_product_minus_the_threshold() -> None:
    expected = POINT.people[2] @ POINT.items[1] - POINT.thresholds[2]
    assert POINT.certainty(np.array(2), np.array(1)) == expected
    assert (POINT.lines @ POINT.features.T)[2, 1] == np.float64(expected)


def test_a_rotation_changes_no_answer() -> None:
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    turned = POINT.rotate(turn)
    np.testing.assert_allclose(
        turned.lines @ turned.features.T, POINT.lines @ POINT.features.T, atol=1e-15
    )


def some(seed: int = 0, d: int = 2) -> MapParameters:
    rng = np.random.default_rng(seed)
    stretch = np.arange(d, 0, -1.0)
    return MapParameters(
        rng.standard_normal((30, d)) * stretch, rng.standard_normal((9, d)) + 0.3, np.zeros(9)
    )


def any_turn(d: int, seed: int = 3) -> np.ndarray:
    turn: np.ndarray = np.linalg.qr(np.random.default_rng(seed).standard_normal((d, d)))[0]
    return turn


@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_canonical_rotation_does_not_depend_on_the_rotation_before(d: int) -> None:
    point = some(d=d)
    mine = point.rotate(canonical_rotation(point))
    for seed in range(4):
        other = point.rotate(any_turn(d, seed))
        np.testing.assert_allclose(
            other.rotate(canonical_rotation(other)).items, mine.items, atol=1e-9
        )


def test_the_first_axis_is_the_longest_and_points_to_yes() -> None:
    point = some()
    turned = point.rotate(canonical_rotation(point))
    lengths = (turned.items**2).sum(axis=0)
    assert lengths[0] > lengths[1]
    assert (turned.people.sum(axis=0) > 0).all()
    assert turned.items[:, 0] @ turned.items[:, 1] == pytest.approx(0.0, abs=1e-9)


def test_where_weights_cancel_the_items_longer_tail_decides() -> None:
    items = np.array([[3.0], [-1.0], [-1.0], [-1.0]])
    people = np.array([[1.0], [-1.0]])
    for sign in (-1, 1):
        point = MapParameters(sign * items, people, np.zeros(2))
        np.testing.assert_array_equal(point.rotate(canonical_rotation(point)).items, items)


def test_rotation_onto_undoes_a_rotation() -> None:
    rows = some().items
    np.testing.assert_allclose(rows @ any_turn(2) @ rotation_onto(rows @ any_turn(2), rows), rows)


def test_no_rotation_brings_rows_closer() -> None:
    rng = np.random.default_rng(0)
    rows, other = rng.standard_normal((2, 20, 2))
    best = ((rows @ rotation_onto(rows, other) - other) ** 2).sum()
    for angle in np.linspace(0, 2 * np.pi, 90):
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        for mirror in (np.eye(2), np.diag([1.0, -1.0])):
            assert ((rows @ turn @ mirror - other) ** 2).sum() >= best - 1e-9


def test_disparity_is_that_of_another_library() -> None:
    rng = np.random.default_rng(0)
    rows, other = rng.standard_normal((2, 20, 3))
    assert disparity(rows, other) == pytest.approx(procrustes(rows, other)[2], rel=1e-12)


def test_items_in_one_place_have_disparity_one_to_any_map() -> None:
    assert disparity(np.zeros((5, 2)), some().items[:5]) == 1.0
