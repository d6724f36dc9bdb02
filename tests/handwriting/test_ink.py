from __future__ import annotations

import numpy as np
import pytest

from homeroom.handwriting import Ink, Stroke


def test_ink_does_not_change_with_what_it_was_made_of() -> None:
    points = np.zeros((2, 2))
    stroke = Stroke(points)
    points[0] = 7.0
    assert not stroke.points.any()
    with pytest.raises(ValueError, match="read-only"):
        stroke.points[0] = 7.0


def test_one_point_is_ink() -> None:
    ink = Ink((Stroke([[3, 4]]),))
    assert ink.length == 0.0
    assert repr(ink) == "Ink(1 stroke, 1 point)"


def test_gaps_between_strokes_have_no_length() -> None:
    ink = Ink((Stroke([[0, 0], [3, 4]]), Stroke([[100, 0], [100, 1]])))
    assert ink.length == 6.0
    np.testing.assert_array_equal(ink.points, [[0, 0], [3, 4], [100, 0], [100, 1]])


def test_ink_is_timed_only_if_every_stroke_is() -> None:
    timed, untimed = Stroke([[0, 0], [1, 1]], [0.0, 0.5]), Stroke([[0, 0]])
    assert Ink((timed,)).timed
    assert Ink((timed,)).duration == 0.5
    assert not Ink((timed, untimed)).timed
    assert Ink((timed, untimed)).duration is None


def test_moving_keeps_times_and_names() -> None:
    ink = Ink((Stroke([[1, 2]], [0.5], [0.25]),), letter="i", writer="Ada")
    moved = ink.moved(np.array([[0.0, -1.0], [1.0, 0.0]]), np.array([10.0, 0.0]))
    np.testing.assert_array_equal(moved.points, [[8.0, 1.0]])
    assert (moved.letter, moved.writer, moved.duration) == ("i", "Ada", 0.0)
    assert moved.strokes[0].pressures is not None


def test_strokes_come_in_order() -> None:
    strokes = (Stroke([[0, 0]]), Stroke([[1, 1]]))
    assert tuple(Ink(strokes)) == strokes
