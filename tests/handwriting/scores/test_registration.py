"""Resampled letters, model frames, and registration."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import savgol_filter

from homeroom.handwriting import Ink, Stroke
from homeroom.handwriting.letters import model_letter
from homeroom.handwriting.resample import by_length
from homeroom.handwriting.scores.registration import (
    SMOOTHING_WINDOW,
    STEPS,
    TRACE_POINTS,
    ModelFrame,
    Points,
    frame_of,
    multiply,
    points_per_stroke,
    register,
    smoothing_matrix,
    standardise,
    stroke_lines,
    trace_letters,
)


def test_a_stroke_is_traced_evenly_along_its_length() -> None:
    """The independent implementation in ``resample`` agrees."""
    ink = model_letter("f")
    found = trace_letters([stroke_lines(ink)], np.array([TRACE_POINTS]))[:, 0]
    expected = by_length(ink, TRACE_POINTS)
    np.testing.assert_allclose(np.column_stack([found.real, found.imag]), expected, atol=1e-9)


def test_many_letters_are_read_as_each_alone() -> None:
    inks = [Ink((Stroke([[0, 0], [k, 1]]), Stroke([[2, 2], [2, 3], [5, k]]))) for k in (1, 4, 9)]
    counts = np.array([5, TRACE_POINTS - 5])
    together = trace_letters([stroke_lines(ink) for ink in inks], counts)
    alone = [trace_letters([stroke_lines(ink)], counts)[:, 0] for ink in inks]
    np.testing.assert_allclose(together.T, alone, atol=1e-9)


def test_a_dot_among_the_strokes_keeps_its_place() -> None:
    ink = Ink((Stroke([[0, 0], [0, 4]]), Stroke([[7, 8]]), Stroke([[1, 1], [1, 1]])))
    found = trace_letters([stroke_lines(ink)], np.array([6, 5, 5]))[:, 0]
    assert (found[6:11] == 7 + 8j).all()
    assert (found[11:] == 1 + 1j).all()


def test_points_are_shared_by_length_but_short_strokes_get_some() -> None:
    counts = points_per_stroke(stroke_lines(model_letter("i")))
    assert counts.sum() == TRACE_POINTS
    assert counts.min() == 5


def test_joined_strokes_are_one_line() -> None:
    parts = stroke_lines(model_letter("t"), joined=True)
    assert len(parts) == 1
    assert len(parts[0]) == len(model_letter("t").points)


def test_the_standard_size_is_an_rms_radius_of_one() -> None:
    points = trace_letters([stroke_lines(model_letter("a"))], np.array([TRACE_POINTS]))
    found, radius = standardise(7e-200 * points + 3e-199j)
    np.testing.assert_allclose(np.abs(found.mean(axis=0)), 0.0, atol=1e-12)
    np.testing.assert_allclose((np.abs(found) ** 2).mean(axis=0), 1.0)
    np.testing.assert_allclose(radius, 7e-200 * standardise(points)[1])


@pytest.mark.parametrize("letter", ["f", "t"])
def test_waves_are_orthogonal_to_affine_maps(letter: str) -> None:
    basis = frame_of(model_letter(letter)).basis
    np.testing.assert_allclose(basis[:, :3].T @ basis[:, 3:], 0.0, atol=1e-9)


def test_the_smoother_keeps_cubics_and_removes_tremor() -> None:
    frame = frame_of(model_letter("f"))
    at = np.linspace(-1.0, 1.0, len(frame.points))
    np.testing.assert_allclose(frame.smoother @ (at**3 - at), at**3 - at, atol=1e-9)
    tremor = np.sin(2 * np.pi * 12 * at)
    inside = slice(12, -12)
    assert np.abs(frame.smoother @ tremor)[inside].max() < 0.35


@pytest.mark.parametrize("count", [1, 2, 3, 4, 6, 24, 25, 26, 120])
def test_the_smoother_is_that_of_another_library(count: int) -> None:
    window = min(SMOOTHING_WINDOW, (count - 1) // 2 * 2 + 1)
    theirs = savgol_filter(np.eye(count), window, min(3, window - 1), axis=0)
    np.testing.assert_allclose(smoothing_matrix(count), theirs, atol=1e-12)


def test_slopes_are_the_derivative_within_each_stroke() -> None:
    frame = frame_of(model_letter("t"))
    first = int(frame.counts[0])
    slopes = frame.slopes[:, 1]
    np.testing.assert_allclose(slopes[:first], np.gradient(frame.points.real[:first]))
    np.testing.assert_allclose(slopes[first:], np.gradient(frame.points.real[first:]))


def test_gliding_keeps_the_ends_of_strokes() -> None:
    frame = frame_of(model_letter("t"))
    assert len(frame.steps) == STEPS
    first = int(frame.counts[0])
    for step in frame.steps:
        np.testing.assert_allclose(step.sines[[0, first - 1, first, -1]], 0.0, atol=1e-12)


def test_a_frame_is_made_once() -> None:
    model = model_letter("f")
    assert frame_of(model) is frame_of(model)
    assert frame_of(model) is not frame_of(model, joined=True)


@pytest.fixture
def frame() -> ModelFrame:
    return frame_of(model_letter("f"))


def test_the_model_lies_on_itself(frame: ModelFrame) -> None:
    fit = register(frame.points[:, None], frame)
    np.testing.assert_allclose(fit.maps[0], np.eye(2), atol=1e-9)
    np.testing.assert_allclose(np.abs(fit.form), 0.0, atol=1e-9)
    np.testing.assert_allclose(fit.tremor, 0.0, atol=1e-9)


def test_an_affine_map_is_found(frame: ModelFrame) -> None:
    matrix = np.array([[1.1, -0.2], [0.15, 0.9]])
    moved = frame.points.view(np.float64).reshape(-1, 2) @ matrix.T
    fit = register(np.ascontiguousarray(moved).view(np.complex128), frame)
    np.testing.assert_allclose(fit.maps[0], matrix, atol=0.02)


def _unevenly(points: Points) -> Points:
    """The same line, read at positions that are ahead in the middle."""
    at = np.linspace(0.0, 1.0, len(points))
    places = at + 0.04 * np.sin(np.pi * at)
    read: Points = np.interp(places, at, points)
    return read


def test_places_glide_to_where_they_belong(frame: ModelFrame) -> None:
    """Uneven reading of the same line is almost undone: the form is the same."""
    uneven = _unevenly(frame.points)
    before = np.sqrt((np.abs(uneven - frame.points) ** 2).mean())
    fit = register(uneven[:, None], frame)
    after = np.sqrt((np.abs(fit.form) ** 2).mean())
    assert before > 0.1
    assert after < 0.25 * before


def test_letters_do_not_depend_on_their_neighbours(frame: ModelFrame) -> None:
    rng = np.random.default_rng(0)
    noise = 0.02 * rng.standard_normal((len(frame.points), 3, 2)).view(np.complex128)[..., 0]
    points = frame.points[:, None] + noise
    together = register(points, frame)
    for k in range(3):
        alone = register(np.ascontiguousarray(points[:, k : k + 1]), frame)
        np.testing.assert_allclose(together.maps[k], alone.maps[0], atol=1e-9)


def test_a_real_matrix_acts_on_complex_points() -> None:
    points = np.array([[1 + 2j, 3j], [4.0, 5 - 1j]])
    np.testing.assert_allclose(multiply(np.array([[1.0, 2.0]]), points), [[9 + 2j, 10 + 1j]])
