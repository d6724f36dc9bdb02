"""Measuring letters, however they were written."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from homeroom.handwriting import Ink, Stroke
from homeroom.handwriting.generators import Kinematic, Ranges
from homeroom.handwriting.letters import model_letter
from homeroom.handwriting.resample import by_length
from homeroom.handwriting.scores import reading
from homeroom.handwriting.scores.reading import read


def rounded(ink: Ink, pixels: float) -> Ink:
    strokes = (replace(stroke, points=np.rint(pixels * stroke.points)) for stroke in ink)
    return replace(ink, strokes=tuple(strokes))


def test_place_and_size_do_not_count() -> None:
    inks = Kinematic().write("a", Ranges().draw(40))
    moved = [ink.moved(37.5 * np.eye(2), np.array([-300.0, 12.0])) for ink in inks]
    np.testing.assert_allclose(
        read(moved, model_letter("a")).table, read(inks, model_letter("a")).table, atol=1e-9
    )


@pytest.mark.parametrize("points", [60, 400])
def test_it_hardly_matters_how_densely_the_pen_was_recorded(points: int) -> None:
    inks = Kinematic().write("f", Ranges().draw(60))
    again = [Ink((Stroke(by_length(ink, points)),)) for ink in inks]
    gaps = read(again, model_letter("f")).table - read(inks, model_letter("f")).table
    assert np.abs(gaps).mean() < 0.02


def test_letters_with_other_strokes_are_compared_as_one_line() -> None:
    stem, bar = model_letter("t").strokes
    one = Ink((Stroke(np.concatenate([stem.points, bar.points])),))
    found = read([model_letter("t"), one, model_letter("t")], model_letter("t"))
    np.testing.assert_array_equal(found.table, np.zeros((3, 3)))


def test_the_order_of_letters_is_kept_whatever_their_strokes() -> None:
    turned = Kinematic().write("t", Ranges(distortion=0, shakiness=0, rotation=30).draw(1))[0]
    joined = Ink((Stroke(turned.points),))
    angles = np.degrees(read([joined, model_letter("t"), turned], model_letter("t")).turn)
    np.testing.assert_allclose(angles, [30, 0, 30], atol=2)


@pytest.mark.parametrize("letter", ["f", "m", "7"])
@pytest.mark.parametrize("height", [40, 80])
def test_the_stairs_of_coarse_pixels_are_not_taken_for_tremor(letter: str, height: int) -> None:
    inks = Kinematic().write(letter, Ranges(shakiness=0.35).draw(60))
    fine = read(inks, model_letter(letter)).table[:, 2]
    coarse = read([rounded(ink, height / 3) for ink in inks], model_letter(letter)).table[:, 2]
    assert abs(np.median(coarse) - np.median(fine)) < 0.12


def test_a_mirrored_letter_that_leans_to_the_left_says_so() -> None:
    right = Kinematic().write("f", Ranges(distortion=0, shakiness=0, rotation=25).draw(1))[0]
    left = right.moved(np.diag([-1.0, 1.0]), np.zeros(2))
    found = read([left], model_letter("f"))
    assert found.mirrored[0]
    np.testing.assert_allclose(np.degrees(found.turn), -25, atol=2)


def test_letters_in_blocks_are_read_as_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    inks = [*Kinematic().write("t", Ranges().draw(7)), model_letter("f")] * 2
    whole = read(inks, model_letter("t")).table
    monkeypatch.setattr(reading, "IN_MEMORY", 3)
    np.testing.assert_allclose(read(inks, model_letter("t")).table, whole, atol=1e-9)


def test_the_smallest_letters_have_scores_too() -> None:
    tiny = model_letter("f").moved(1e-300 * np.eye(2), np.zeros(2))
    np.testing.assert_allclose(read([tiny], model_letter("f")).table, 0.0, atol=1e-6)


@pytest.mark.parametrize("points", [[[3, 3], [3, 4]], [[0, 0], [1e99, 1], [5, 9e99]]])
def test_whatever_was_drawn_the_angle_is_one(points: list[list[float]]) -> None:
    found = read([Ink((Stroke(points),))], model_letter("f"))
    assert np.abs(np.degrees(found.turn)) <= 180
    assert np.isfinite(found.table).all()


def test_scores_are_worked_out_once() -> None:
    found = read([model_letter("f")], model_letter("f"))
    assert found.table is found.table


@pytest.mark.parametrize("first", [True, False])
def test_a_touch_of_the_pen_is_no_stroke(first: bool) -> None:
    ink = Kinematic().write("f", Ranges().draw(1))[0]
    line, touch = Stroke(ink.points), Stroke([[5.0, 5.0], [5.01, 5.0]])
    touched = Ink((touch, line) if first else (line, touch))
    model = model_letter("f")
    np.testing.assert_array_equal(read([touched], model).table, read([ink], model).table)


def test_a_line_too_many_counts() -> None:
    model = model_letter("f")
    crossed = Ink((*model.strokes, Stroke([[-1.0, -1.0], [2.0, -1.0]])))
    assert read([crossed], model).table[0, 0] > 0.5


def test_the_dot_that_a_model_has_is_kept() -> None:
    body, dot = model_letter("i").strokes
    lower = Ink((body, Stroke(dot.points[:1] + np.array([0.0, 1.0]))))
    assert read([lower], model_letter("i")).table[0, 0] > 0.2
