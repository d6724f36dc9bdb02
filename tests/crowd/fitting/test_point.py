"""One map among all."""

from __future__ import annotations

import numpy as np

from homeroom.crowd.fitting.point import Point

RNG = np.random.default_rng(0)
POINT = Point(RNG.random((4, 2)), RNG.random((3, 2)), RNG.random(3))


def test_a_map_survives_being_laid_flat() -> None:
    again = POINT.like(POINT.flat())
    for mine, theirs in zip(again, POINT, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_certainty_is_the_product_less_the_threshold() -> None:
    expected = POINT.people[2] @ POINT.items[1] - POINT.thresholds[2]
    assert POINT.certainty(np.array(2), np.array(1)) == expected
    assert (POINT.lines @ POINT.features.T)[2, 1] == np.float64(expected)


def test_a_turn_changes_no_answer() -> None:
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    turned = POINT.turn(turn)
    np.testing.assert_allclose(
        turned.lines @ turned.features.T, POINT.lines @ POINT.features.T, atol=1e-15
    )
