from __future__ import annotations

import numpy as np
import pytest

from homeroom.handwriting import smooth


def ring(points: int) -> np.ndarray:
    angles = np.linspace(0, 2 * np.pi, points)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def test_a_corner_stays_where_it_is() -> None:
    line = smooth.through(np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]))
    assert np.abs(line - [1.0, 0.0]).sum(axis=1).min() == 0.0
    np.testing.assert_array_equal(line[[0, -1]], [[0, 0], [1, 1]])


def test_a_curve_has_no_corners() -> None:
    line = smooth.through(ring(13)[:10])
    assert not smooth.corners(line)
    assert np.abs(np.hypot(*line.T) - 1).max() < 0.05


def test_a_ring_closes_smoothly() -> None:
    vertices = ring(13)
    vertices[-1] = vertices[0]
    line = smooth.through(vertices)
    np.testing.assert_allclose(line[0], line[-1], atol=1e-9)
    first, last = line[1] - line[0], line[-1] - line[-2]
    cosine = first @ last / np.hypot(*first) / np.hypot(*last)
    assert cosine > 0.999


def test_a_long_step_stays_straight() -> None:
    vertices = np.array([[0.0, 0.0], [0.2, 0.1], [0.3, 0.3], [0.3, 3.0], [0.4, 3.2], [0.6, 3.3]])
    line = smooth.through(vertices)
    middle = line[(line[:, 1] > 0.8) & (line[:, 1] < 2.5)]
    assert np.abs(middle[:, 0] - 0.3).max() < 0.03


def test_repeated_vertices_count_once() -> None:
    once = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    np.testing.assert_array_equal(smooth.through(once[[0, 1, 1, 2]]), smooth.through(once))


def test_points_are_even_between_corners() -> None:
    line = smooth.evenly(np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.5]]), 0.1)
    np.testing.assert_allclose(np.hypot(*np.diff(line, axis=0).T), 0.1)
    assert len(line) == 16


def test_trembling_is_calmed_and_the_ends_stay() -> None:
    x = np.linspace(0, 2, 400)
    wave = 0.03 * np.sin(2 * np.pi * x / 0.05)
    line = smooth.calmed(np.stack([x, wave], axis=1), 0.02)
    assert np.abs(line[:, 1]).max() < 0.3 * np.abs(wave).max()
    np.testing.assert_allclose(line[[0, -1]], [[0, 0], [2, wave[-1]]], atol=1e-12)


@pytest.mark.parametrize("points", [[[1.0, 2.0]], [[0.0, 0.0], [0.001, 0.0]]])
def test_the_shortest_lines_can_be_calmed(points: list[list[float]]) -> None:
    line = smooth.calmed(np.array(points), 0.02)
    np.testing.assert_allclose(line[[0, -1]], np.array(points)[[0, -1]], atol=1e-12)
