"""What is worked out of a model beforehand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import savgol_filter

from homeroom.handwriting.letters import model_letter
from homeroom.handwriting.scores.frame import STEPS, WINDOW, frame_of, smoothing


@pytest.mark.parametrize("letter", ["f", "t"])
def test_waves_have_nothing_of_an_affine_map(letter: str) -> None:
    basis = frame_of(model_letter(letter)).basis
    np.testing.assert_allclose(basis[:, :3].T @ basis[:, 3:], 0.0, atol=1e-9)


def test_the_smoother_keeps_cubics_and_takes_tremor_away() -> None:
    frame = frame_of(model_letter("f"))
    at = np.linspace(-1.0, 1.0, len(frame.points))
    np.testing.assert_allclose(frame.smoother @ (at**3 - at), at**3 - at, atol=1e-9)
    tremor = np.sin(2 * np.pi * 12 * at)
    inside = slice(12, -12)
    assert np.abs(frame.smoother @ tremor)[inside].max() < 0.35


@pytest.mark.parametrize("count", [1, 2, 3, 4, 6, 24, 25, 26, 120])
def test_the_smoother_is_that_of_another_library(count: int) -> None:
    window = min(WINDOW, (count - 1) // 2 * 2 + 1)
    theirs = savgol_filter(np.eye(count), window, min(3, window - 1), axis=0)
    np.testing.assert_allclose(smoothing(count), theirs, atol=1e-12)


def test_slopes_are_the_derivative_within_each_stroke() -> None:
    frame = frame_of(model_letter("t"))
    first = int(frame.counts[0])
    slopes = frame.slopes[:, 1]
    np.testing.assert_allclose(slopes[:first], np.gradient(frame.points.real[:first]))
    np.testing.assert_allclose(slopes[first:], np.gradient(frame.points.real[first:]))


def test_gliding_leaves_the_ends_of_strokes_where_they_are() -> None:
    frame = frame_of(model_letter("t"))
    assert len(frame.steps) == STEPS
    first = int(frame.counts[0])
    for step in frame.steps:
        np.testing.assert_allclose(step.sines[[0, first - 1, first, -1]], 0.0, atol=1e-12)


def test_a_frame_is_made_once() -> None:
    model = model_letter("f")
    assert frame_of(model) is frame_of(model)
    assert frame_of(model) is not frame_of(model, joined=True)
