"""The way of the pen."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom._arrays import Floats
from homeroom.handwriting import Ink, Stroke
from homeroom.handwriting.generators.path import DENSE, Path, corners, smooth
from homeroom.handwriting.letters import LETTERS, model_letter


def ellipse(points: int = 40) -> Floats:
    angle = np.linspace(0.0, 2 * np.pi, points)
    return np.column_stack([2.0 * np.cos(angle), np.sin(angle)])


def test_a_smooth_line_goes_through_the_points() -> None:
    line = smooth(ellipse())
    gaps = np.linalg.norm(ellipse()[:, None] - line[None], axis=2).min(axis=1)
    assert gaps.max() < 0.03
    steps = np.linalg.norm(np.diff(line, axis=0), axis=1)
    np.testing.assert_allclose(steps, steps.mean(), rtol=1e-3)


def test_corners_stay_corners() -> None:
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    assert corners(square).tolist() == [1, 2]
    line = smooth(square)
    assert np.linalg.norm(line - square[1], axis=1).min() < 1e-2
    np.testing.assert_allclose(np.abs(line - 0.5).max(axis=1), 0.5, atol=1e-2)


def test_points_that_repeat_and_dots_are_no_trouble() -> None:
    assert np.isfinite(smooth(np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 2.0]]))).all()
    np.testing.assert_array_equal(smooth(np.array([[3.0, 4.0]])), np.full((DENSE, 2), [3.0, 4.0]))


def test_speed_follows_the_two_thirds_power_law() -> None:
    """On an ellipse, away from its ends: log speed falls by a third of log curvature."""
    path = Path.of(Ink((Stroke(ellipse(200)),)))
    inside = path.places[0][30:-30]
    step = np.gradient(inside, axis=0)
    turn = np.gradient(step, axis=0)
    speed = np.hypot(*step.T)
    bend = np.abs(step[:, 0] * turn[:, 1] - step[:, 1] * turn[:, 0]) / speed**3
    slope = np.polyfit(np.log(bend)[3:-3], np.log(speed)[3:-3], 1)[0]
    assert slope == pytest.approx(-1 / 3, abs=0.08)


def test_the_pen_starts_and_stops_slowly() -> None:
    for letter in "fmt":
        speed = np.linalg.norm(np.diff(Path.of(model_letter(letter)).places, axis=1), axis=2)
        assert (speed[:, [0, -1]] < 0.5 * speed.mean(axis=1, keepdims=True)).all()


@pytest.mark.parametrize("letter", LETTERS)
def test_letters_take_about_a_second(letter: str) -> None:
    path = Path.of(model_letter(letter))
    assert 1.0 < path.seconds.sum() < 1.6
    assert path.pauses[0] == 0.0
    assert (path.pauses[1:] > 0.08).all()
    assert (np.diff(path.along.ravel()) >= -1e-12).all()
    assert path.along[0, 0] == 0.0
    assert path.along[-1, -1] == pytest.approx(1.0)


def test_even_points_are_even() -> None:
    path = Path.of(model_letter("f"))
    steps = np.linalg.norm(np.diff(path.even, axis=0), axis=1)
    uneven = np.abs(steps / np.median(steps) - 1.0) > 0.05
    assert uneven.mean() < 0.02  # but for the corner
    centred = path.even - path.even.mean(axis=0)
    assert path.radius == pytest.approx(np.sqrt((centred**2).sum() / len(centred)))


def test_a_dot_is_no_way() -> None:
    with pytest.raises(ValueError, match="A single dot cannot be written along"):
        Path.of(Ink((Stroke([[1, 2]]),)))
