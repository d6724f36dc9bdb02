"""How well a turn can be told."""

from __future__ import annotations

import numpy as np

from homeroom.handwriting.letters import model_letter
from homeroom.handwriting.scores.doubt import corrected, doubt
from homeroom.handwriting.scores.frame import frame_of


def test_a_narrow_letter_leaves_more_doubt_than_a_wide_one() -> None:
    narrow, wide = (doubt(frame_of(model_letter(letter)))[0, 0] for letter in "1m")
    assert narrow > 20 * wide


def test_in_a_narrow_letter_a_turn_looks_like_a_slant_the_other_way() -> None:
    covariance = doubt(frame_of(model_letter("1")))
    correlation = covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
    assert correlation < -0.95


def test_nothing_is_corrected_where_the_form_is_the_models() -> None:
    turn = np.array([0.3])
    found = corrected(turn, np.array([[0.2, 0.1]]), np.zeros(1), np.eye(3))
    np.testing.assert_array_equal(found, turn)


def test_much_doubt_turns_all_slant_into_turn() -> None:
    """If turn and shear err together, an unusual shear is a turn in truth."""
    covariance = np.array([[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    found = corrected(np.zeros(1), np.array([[0.3, 0.0]]), np.array([1e6]), covariance)
    np.testing.assert_allclose(found, 0.3, atol=1e-6)


def test_where_nothing_fits_a_turn_is_still_within_a_half_circle() -> None:
    covariance = np.array([[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    found = corrected(np.array([3.0]), np.array([[1e4, 0.0]]), np.array([1e6]), covariance)
    np.testing.assert_allclose(found, 3.0 + np.pi / 4 - 2 * np.pi)
