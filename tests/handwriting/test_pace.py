"""Letters in time and in place."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom.handwriting.generators import generate
from homeroom.handwriting.ink import Ink, Stroke
from homeroom.handwriting.letters import model_letter
from homeroom.handwriting.pace import paced, placed, times_of
from homeroom.handwriting.resample import by_length


def test_times_of_its_own_are_kept_from_zero_on() -> None:
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
    """About a second; the pen is slower where the line bends more; dots are written, too."""
    ink = paced(model_letter(letter))
    assert ink.timed
    times = np.concatenate([times_of(stroke) for stroke in ink])
    assert (np.diff(times) >= 0).all()
    assert 0.5 < times[-1] < 3.0
    assert len(ink.strokes) == len(model_letter(letter).strokes)


def test_slower_in_a_bend() -> None:
    turn = np.linspace(0, np.pi, 40)
    bend = np.column_stack([np.sin(turn), 1 - np.cos(turn)]) * 0.2
    line = np.column_stack([np.linspace(-3, 0, 40)[:-1], np.zeros(39)])
    (stroke,) = paced(Ink((Stroke(np.concatenate([line, bend])),)))
    speed = np.hypot(*np.diff(stroke.points, axis=0).T) / np.diff(times_of(stroke))
    straight, bent = (stroke.points[1:, 0] < -0.5), (stroke.points[1:, 1] > 0.1)
    assert np.median(speed[bent]) < 0.7 * np.median(speed[straight])


def test_times_that_stand_still_count_as_none() -> None:
    ink = Ink((Stroke([[0, 0], [1, 0], [2, 1]], times=[3.0, 3.0, 3.0]),))
    assert times_of(paced(ink).strokes[0])[-1] > 0.1


def test_a_letter_is_placed_where_the_model_is_and_as_large() -> None:
    """By the centre and the RMS radius of points that lie evenly on the line."""
    model = model_letter("f")
    (ink,) = generate("f", 1, seed=3)
    far = ink.moved(7.0 * np.eye(2), np.array([900.0, -50.0]))
    own, wanted = by_length(placed(far, model)), by_length(model)
    np.testing.assert_allclose(own.mean(axis=0), wanted.mean(axis=0), atol=1e-9)
    np.testing.assert_allclose(
        ((own - own.mean(axis=0)) ** 2).sum(), ((wanted - wanted.mean(axis=0)) ** 2).sum()
    )
