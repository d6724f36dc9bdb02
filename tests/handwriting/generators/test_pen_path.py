"""The path of the pen, natural times, and letters placed on a model."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom._arrays import Floats
from homeroom.handwriting.generators import generate
from homeroom.handwriting.generators.pen_path import (
    CORNER,
    DENSE,
    PenPath,
    paced,
    placed,
    smooth_line,
    times_of,
)
from homeroom.handwriting.ink import Ink, Stroke
from homeroom.handwriting.letters import LETTERS, model_letter
from homeroom.handwriting.resample import by_length, corners


def ellipse(points: int = 40) -> Floats:
    angle = np.linspace(0.0, 2 * np.pi, points)
    return np.column_stack([2.0 * np.cos(angle), np.sin(angle)])


def test_a_smooth_line_goes_through_the_points() -> None:
    line = smooth_line(ellipse())
    gaps = np.linalg.norm(ellipse()[:, None] - line[None], axis=2).min(axis=1)
    assert gaps.max() < 0.03
    steps = np.linalg.norm(np.diff(line, axis=0), axis=1)
    np.testing.assert_allclose(steps, steps.mean(), rtol=1e-3)


def test_corners_stay_corners() -> None:
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    assert corners(square, CORNER) == [1, 2]
    line = smooth_line(square)
    assert np.linalg.norm(line - square[1], axis=1).min() < 1e-2
    np.testing.assert_allclose(np.abs(line - 0.5).max(axis=1), 0.5, atol=1e-2)


def test_repeated_points_and_dots_are_handled() -> None:
    assert np.isfinite(smooth_line(np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 2.0]]))).all()
    np.testing.assert_array_equal(
        smooth_line(np.array([[3.0, 4.0]])), np.full((DENSE, 2), [3.0, 4.0])
    )


def test_speed_follows_the_two_thirds_power_law() -> None:
    """On an ellipse, away from its ends: log speed falls by a third of log curvature."""
    path = PenPath.of(Ink((Stroke(ellipse(200)),)))
    inside = path.places[0][30:-30]
    step = np.gradient(inside, axis=0)
    turn = np.gradient(step, axis=0)
    speed = np.hypot(*step.T)
    bend = np.abs(step[:, 0] * turn[:, 1] - step[:, 1] * turn[:, 0]) / speed**3
    slope = np.polyfit(np.log(bend)[3:-3], np.log(speed)[3:-3], 1)[0]
    assert slope == pytest.approx(-1 / 3, abs=0.08)


def test_the_pen_starts_and_stops_slowly() -> None:
    for letter in "fmt":
        speed = np.linalg.norm(np.diff(PenPath.of(model_letter(letter)).places, axis=1), axis=2)
        assert (speed[:, [0, -1]] < 0.5 * speed.mean(axis=1, keepdims=True)).all()


@pytest.mark.parametrize("letter", LETTERS)
def test_letters_take_about_a_second(letter: str) -> None:
    path = PenPath.of(model_letter(letter))
    assert 1.0 < path.seconds.sum() < 1.6
    assert path.pauses[0] == 0.0
    assert (path.pauses[1:] > 0.08).all()
    assert (np.diff(path.along.ravel()) >= -1e-12).all()
    assert path.along[0, 0] == 0.0
    assert path.along[-1, -1] == pytest.approx(1.0)


def test_even_points_are_even() -> None:
    path = PenPath.of(model_letter("f"))
    steps = np.linalg.norm(np.diff(path.even, axis=0), axis=1)
    uneven = np.abs(steps / np.median(steps) - 1.0) > 0.05
    assert uneven.mean() < 0.02  # but for the corner
    centred = path.even - path.even.mean(axis=0)
    assert path.radius == pytest.approx(np.sqrt((centred**2).sum() / len(centred)))


def test_a_dot_has_no_path() -> None:
    with pytest.raises(ValueError, match="A single dot has no path"):
        PenPath.of(Ink((Stroke([[1, 2]]),)))


def test_recorded_times_are_kept_and_start_at_zero() -> None:
    ink = Ink((Stroke([[0, 0], [1, 0], [3, 0]], times=[5.0, 5.1, 5.4]),))
    (stroke,) = paced(ink)
    np.testing.assert_allclose(times_of(stroke), [0.0, 0.1, 0.4])
    np.testing.assert_array_equal(stroke.points, ink.strokes[0].points)


def test_a_long_pause_between_strokes_is_cut_short() -> None:
    strokes = [Stroke([[0, 0], [1, 0]], times=[t, t + 1]) for t in (0.0, 1.2, 60.0)]
    starts = [times_of(stroke)[0] for stroke in paced(Ink(tuple(strokes)))]
    np.testing.assert_allclose(starts, [0.0, 1.2, 2.7])


@pytest.mark.parametrize("letter", ["f", "i", "o"])
def test_a_letter_without_times_gets_natural_ones(letter: str) -> None:
    """About a second, slower where the line bends; dots are included."""
    ink = paced(model_letter(letter))
    assert ink.timed
    times = np.concatenate([times_of(stroke) for stroke in ink])
    assert (np.diff(times) >= 0).all()
    assert 0.5 < times[-1] < 3.0
    assert len(ink.strokes) == len(model_letter(letter).strokes)


def test_the_pen_is_slower_in_a_bend() -> None:
    turn = np.linspace(0, np.pi, 40)
    bend = np.column_stack([np.sin(turn), 1 - np.cos(turn)]) * 0.2
    line = np.column_stack([np.linspace(-3, 0, 40)[:-1], np.zeros(39)])
    (stroke,) = paced(Ink((Stroke(np.concatenate([line, bend])),)))
    speed = np.hypot(*np.diff(stroke.points, axis=0).T) / np.diff(times_of(stroke))
    straight, bent = (stroke.points[1:, 0] < -0.5), (stroke.points[1:, 1] > 0.1)
    assert np.median(speed[bent]) < 0.7 * np.median(speed[straight])


def test_constant_times_count_as_unknown() -> None:
    ink = Ink((Stroke([[0, 0], [1, 0], [2, 1]], times=[3.0, 3.0, 3.0]),))
    assert times_of(paced(ink).strokes[0])[-1] > 0.1


def test_a_letter_is_placed_where_the_model_is_and_as_large() -> None:
    """By centre and RMS radius of evenly spaced points."""
    model = model_letter("f")
    (ink,) = generate("f", 1, seed=3)
    far = ink.moved(7.0 * np.eye(2), np.array([900.0, -50.0]))
    own, wanted = by_length(placed(far, model)), by_length(model)
    np.testing.assert_allclose(own.mean(axis=0), wanted.mean(axis=0), atol=1e-9)
    np.testing.assert_allclose(
        ((own - own.mean(axis=0)) ** 2).sum(), ((wanted - wanted.mean(axis=0)) ** 2).sum()
    )
