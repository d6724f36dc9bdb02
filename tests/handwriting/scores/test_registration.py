"""Laying letters onto a model."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom.handwriting.letters import model_letter
from homeroom.handwriting.scores.frame import Frame, frame_of
from homeroom.handwriting.scores.registration import register, times
from homeroom.handwriting.scores.tracing import Points


@pytest.fixture
def frame() -> Frame:
    return frame_of(model_letter("f"))


def test_the_model_lies_on_itself(frame: Frame) -> None:
    fit = register(frame.points[:, None], frame)
    np.testing.assert_allclose(fit.maps[0], np.eye(2), atol=1e-9)
    np.testing.assert_allclose(np.abs(fit.form), 0.0, atol=1e-9)
    np.testing.assert_allclose(fit.tremor, 0.0, atol=1e-9)


def test_an_affine_map_is_found(frame: Frame) -> None:
    matrix = np.array([[1.1, -0.2], [0.15, 0.9]])
    moved = frame.points.view(np.float64).reshape(-1, 2) @ matrix.T
    fit = register(np.ascontiguousarray(moved).view(np.complex128), frame)
    np.testing.assert_allclose(fit.maps[0], matrix, atol=0.02)


def _unevenly(points: Points) -> Points:
    """The same line, read at places that run ahead in the middle."""
    at = np.linspace(0.0, 1.0, len(points))
    places = at + 0.04 * np.sin(np.pi * at)
    read: Points = np.interp(places, at, points)
    return read


def test_places_glide_to_where_they_belong(frame: Frame) -> None:
    """Reading the same line unevenly is nearly undone: it is no other form."""
    uneven = _unevenly(frame.points)
    before = np.sqrt((np.abs(uneven - frame.points) ** 2).mean())
    fit = register(uneven[:, None], frame)
    after = np.sqrt((np.abs(fit.form) ** 2).mean())
    assert before > 0.1
    assert after < 0.25 * before


def test_letters_do_not_depend_on_their_neighbours(frame: Frame) -> None:
    rng = np.random.default_rng(0)
    noise = 0.02 * rng.standard_normal((len(frame.points), 3, 2)).view(np.complex128)[..., 0]
    points = frame.points[:, None] + noise
    together = register(points, frame)
    for k in range(3):
        alone = register(np.ascontiguousarray(points[:, k : k + 1]), frame)
        np.testing.assert_allclose(together.maps[k], alone.maps[0], atol=1e-9)


def test_a_real_matrix_acts_on_complex_points() -> None:
    points = np.array([[1 + 2j, 3j], [4.0, 5 - 1j]])
    np.testing.assert_allclose(times(np.array([[1.0, 2.0]]), points), [[9 + 2j, 10 + 1j]])
