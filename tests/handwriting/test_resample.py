from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from homeroom.handwriting import Ink, Stroke, by_length, model_letter, normalised
from homeroom.handwriting.resample import corners, evenly_spaced, smooth_curve, without_tremor


def ring(points: int) -> np.ndarray:
    angles = np.linspace(0, 2 * np.pi, points)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def test_a_corner_stays_where_it_is() -> None:
    line = smooth_curve(np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]))
    assert np.abs(line - [1.0, 0.0]).sum(axis=1).min() == 0.0
    np.testing.assert_array_equal(line[[0, -1]], [[0, 0], [1, 1]])


def test_a_curve_has_no_corners() -> None:
    line = smooth_curve(ring(13)[:10])
    assert not corners(line)
    assert np.abs(np.hypot(*line.T) - 1).max() < 0.05


def test_a_ring_closes_smoothly() -> None:
    vertices = ring(13)
    vertices[-1] = vertices[0]
    line = smooth_curve(vertices)
    np.testing.assert_allclose(line[0], line[-1], atol=1e-9)
    first, last = line[1] - line[0], line[-1] - line[-2]
    cosine = first @ last / np.hypot(*first) / np.hypot(*last)
    assert cosine > 0.999


def test_a_long_step_stays_straight() -> None:
    vertices = np.array([[0.0, 0.0], [0.2, 0.1], [0.3, 0.3], [0.3, 3.0], [0.4, 3.2], [0.6, 3.3]])
    line = smooth_curve(vertices)
    middle = line[(line[:, 1] > 0.8) & (line[:, 1] < 2.5)]
    assert np.abs(middle[:, 0] - 0.3).max() < 0.03


def test_repeated_vertices_count_once() -> None:
    once = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    np.testing.assert_array_equal(smooth_curve(once[[0, 1, 1, 2]]), smooth_curve(once))


def test_points_are_even_between_corners() -> None:
    line = evenly_spaced(np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.5]]), 0.1)
    np.testing.assert_allclose(np.hypot(*np.diff(line, axis=0).T), 0.1)
    assert len(line) == 16


def test_tremor_is_smoothed_and_the_ends_stay() -> None:
    x = np.linspace(0, 2, 400)
    wave = 0.03 * np.sin(2 * np.pi * x / 0.05)
    line = without_tremor(np.stack([x, wave], axis=1), 0.02)
    assert np.abs(line[:, 1]).max() < 0.3 * np.abs(wave).max()
    np.testing.assert_allclose(line[[0, -1]], [[0, 0], [2, wave[-1]]], atol=1e-12)


@pytest.mark.parametrize("points", [[[1.0, 2.0]], [[0.0, 0.0], [0.001, 0.0]]])
def test_the_shortest_lines_can_be_smoothed(points: list[list[float]]) -> None:
    line = without_tremor(np.array(points), 0.02)
    np.testing.assert_allclose(line[[0, -1]], np.array(points)[[0, -1]], atol=1e-12)


LINES = arrays(np.float64, st.tuples(st.integers(2, 30), st.just(2)), elements=st.floats(-99, 99))


def test_points_are_even_along_the_line() -> None:
    points = by_length(model_letter("l"), 200)
    steps = np.hypot(*np.diff(points, axis=0).T)
    assert steps.max() / steps.min() < 1.01


@given(line=LINES, points=st.integers(2, 50))
def test_the_ends_are_kept(line: np.ndarray, points: int) -> None:
    if np.abs(np.diff(line, axis=0)).sum() < 1e-6:
        return
    resampled = by_length(Ink((Stroke(line),)), points)
    assert resampled.shape == (points, 2)
    np.testing.assert_allclose(resampled[[0, -1]], line[[0, -1]], atol=1e-9)


def test_the_density_of_the_recording_makes_no_difference() -> None:
    line = model_letter("e").strokes[0].points
    between = (line[:-1] + line[1:]) / 2
    denser = np.empty((2 * len(line) - 1, 2))
    denser[::2], denser[1::2] = line, between
    again = by_length(Ink((Stroke(np.repeat(denser, 2, axis=0)),)))
    np.testing.assert_allclose(again, by_length(Ink((Stroke(line),))), atol=1e-12)


def test_no_point_lies_between_strokes() -> None:
    ink = Ink((Stroke([[0, 0], [1, 0]]), Stroke([[9, 0], [10, 0]])))
    x = by_length(ink, 101)[:, 0]
    assert not ((x > 1) & (x < 9)).any()
    assert (x <= 1).sum() in (50, 51)


def test_a_dot_next_to_a_line_gets_no_point() -> None:
    line = Stroke([[0, 0], [0, 4]])
    with_dot = Ink((line, Stroke([[0, -3]])))
    np.testing.assert_array_equal(by_length(with_dot, 9)[:-1], by_length(Ink((line,)), 9)[:-1])


@pytest.mark.parametrize("points", [[[1, 1]], [[1, 1], [1, 1]]])
def test_a_pen_that_never_moves_is_refused(points: list[list[float]]) -> None:
    with pytest.raises(ValueError, match=r"at least two different points, .* the pen never moves"):
        by_length(Ink((Stroke(points),)))


def test_fewer_than_two_points_are_refused() -> None:
    with pytest.raises(ValueError, match="`points` must be at least 2"):
        by_length(model_letter("l"), 1)


def test_normalising_forgets_place_and_size() -> None:
    points = by_length(model_letter("k"))
    normal = normalised(points)
    np.testing.assert_allclose(normal.mean(axis=0), 0.0, atol=1e-12)
    assert (normal**2).sum(axis=1).mean() == pytest.approx(1.0)
    np.testing.assert_allclose(normalised(7 * points - 3), normal, atol=1e-12)


def test_many_letters_are_normalised_at_once() -> None:
    several = np.stack([by_length(model_letter(letter)) for letter in "abc"])
    for one, whole in zip(several, normalised(several), strict=True):
        np.testing.assert_allclose(normalised(one), whole)


def test_points_in_one_place_cannot_be_normalised() -> None:
    with pytest.raises(ValueError, match="`points` must not all be equal"):
        normalised(np.ones((5, 2)))
