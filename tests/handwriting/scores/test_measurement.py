"""Stroke orders, errors of the rotation, and measurements of letters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from homeroom._arrays import Floats
from homeroom.handwriting import Ink, Stroke
from homeroom.handwriting.generators import Kinematic, Ranges
from homeroom.handwriting.letters import forms_of, model_letter
from homeroom.handwriting.resample import by_length
from homeroom.handwriting.scores import measurement
from homeroom.handwriting.scores.measurement import (
    PRIOR_VARIANCES,
    Reading,
    StrokeOrder,
    Tracer,
    best_orders,
    corrected_turns,
    map_covariance,
    measure,
    order_flags,
    read,
    read_together,
    shows_turn,
    stroke_orders,
)
from homeroom.handwriting.scores.registration import Points, Registration, frame_of, stroke_lines


def written(letter: str, n: int = 60) -> list[list[Points]]:
    inks = Kinematic().write(letter, Ranges().draw(n, (3, ord(letter))), 1)
    return [stroke_lines(ink) for ink in inks]


def flags(letters: list[list[Points]], letter: str) -> list[tuple[bool, bool]]:
    every, best, _ = best_orders(letters, frame_of(model_letter(letter)))
    pairs = zip(
        order_flags(best, every, "mirrored"), order_flags(best, every, "reversed"), strict=True
    )
    return [(bool(mirrored), bool(backwards)) for mirrored, backwards in pairs]


def test_a_letter_of_one_stroke_can_be_read_in_four_ways_and_of_two_in_sixteen() -> None:
    assert [len(stroke_orders(strokes)) for strokes in (1, 2, 3, 4)] == [4, 16, 96, 4]
    assert stroke_orders(2)[0] == StrokeOrder((0, 1), (False, False), mirrored=False)


@pytest.mark.parametrize("letter", list("afgmst5"))
@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("backwards", [False, True])
def test_stroke_orders_are_recognised(letter: str, mirrored: bool, backwards: bool) -> None:
    """Even with random knobs, almost no letter is misread."""
    letters = written(letter)
    if backwards:
        letters = [[stroke[::-1] for stroke in one[::-1]] for one in letters]
    if mirrored:
        letters = [[-stroke.conj() for stroke in one] for one in letters]
    right = [found == (mirrored, backwards) for found in flags(letters, letter)]
    assert np.mean(right) >= 0.97


def test_a_crossbar_first_or_from_the_right_is_recognised() -> None:
    frame = frame_of(model_letter("t"))
    stem, bar = stroke_lines(model_letter("t"))
    for given, expected in (
        ([bar, stem], StrokeOrder((1, 0), (False, False), mirrored=False)),
        ([stem, bar[::-1]], StrokeOrder((0, 1), (False, True), mirrored=False)),
    ):
        every, best, points = best_orders([given], frame)
        assert every[best[0]] == expected
        usual = best_orders([[stem, bar]], frame)[2]
        np.testing.assert_allclose(points, usual, atol=1e-9)


def test_a_mirrored_zero_is_a_zero_from_the_other_side() -> None:
    letters = [[-stroke.conj() for stroke in one] for one in written("0")]
    assert flags(letters, "0").count((False, True)) >= 55


def test_a_narrow_letter_has_a_larger_error_than_a_wide_one() -> None:
    narrow, wide = (map_covariance(frame_of(model_letter(letter)))[0, 0] for letter in "1m")
    assert narrow > 20 * wide


def test_in_a_narrow_letter_a_rotation_looks_like_the_opposite_slant() -> None:
    covariance = map_covariance(frame_of(model_letter("1")))
    correlation = covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
    assert correlation < -0.95


def test_a_perfect_form_needs_no_correction() -> None:
    turn = np.array([0.3])
    found = corrected_turns(turn, np.array([[0.2, 0.1]]), np.zeros(1), np.eye(3))
    np.testing.assert_array_equal(found, turn)


def test_a_large_covariance_turns_slant_into_rotation() -> None:
    """If the errors of rotation and shear are correlated, an unusual shear is a rotation.

    With nothing else known, the two share it in proportion to their usual variances.
    """
    covariance = np.array([[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    found = corrected_turns(np.zeros(1), np.array([[0.3, 0.0]]), np.array([1e6]), covariance)
    turn, shear, _ = np.diag(PRIOR_VARIANCES)
    np.testing.assert_allclose(found, 0.3 * turn / (turn + shear), atol=1e-6)


def test_a_form_that_barely_shows_a_rotation_gives_an_estimate_near_zero() -> None:
    found = corrected_turns(np.array([0.5]), np.zeros((1, 2)), np.array([100.0]), np.eye(3))
    np.testing.assert_allclose(found, 0.0, atol=0.01)


def test_a_ring_shows_no_rotation_and_an_oval_does() -> None:
    round_, oval = (model_letter(letter, "print") for letter in "o0")
    assert not shows_turn(frame_of(round_))
    assert shows_turn(frame_of(oval))


def test_strokes_in_any_order_are_put_in_order_before_they_are_joined() -> None:
    """An A in three strokes, bar first and the left one upwards, against an A in two strokes."""
    model = model_letter("A", "print")
    left, right, bar = model_letter("A", "print in three strokes").strokes
    shuffled = Ink((bar, Stroke(left.points[::-1]), right))
    assert read([shuffled], model).form[0] < 0.1


def test_where_nothing_fits_a_turn_is_still_within_a_half_circle() -> None:
    covariance = np.array([[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    found = corrected_turns(np.array([3.0]), np.array([[1e4, 0.0]]), np.array([1e6]), covariance)
    np.testing.assert_allclose(found, 3.0 + np.pi / 4 - 2 * np.pi)


FRAME = frame_of(model_letter("f"))


def fitted(matrix: Floats, form: float = 0.0, tremor: float = 0.0) -> Registration:
    count = len(FRAME.points)
    swing = np.where(np.arange(count) % 2, 1.0, -1.0)
    return Registration(matrix[None], np.full((count, 1), form + 0j), tremor * swing[:, None])


@pytest.mark.parametrize("degrees", [-50.0, 0.0, 20.0])
def test_rotation_and_slant_are_distinguished(degrees: float) -> None:
    turn = np.radians(degrees)
    rotate = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    found = measure(fitted(rotate @ [[1.1, -0.2], [0.0, 1.0]]), [FRAME])
    np.testing.assert_allclose(np.degrees(found.turn), degrees, atol=1e-9)
    np.testing.assert_allclose(found.shear, 0.2, atol=1e-9)
    np.testing.assert_allclose(found.form, 0.0, atol=1e-9)


def test_measures_do_not_depend_on_the_letters_size() -> None:
    small, large = (
        measure(fitted(size * np.eye(2), form=0.1 * size, tremor=0.01 * size), [FRAME])
        for size in (0.5, 3.0)
    )
    np.testing.assert_allclose(small.form, large.form)
    np.testing.assert_allclose(small.tremor, large.tremor)
    np.testing.assert_allclose(small.form, 0.1)


@pytest.mark.parametrize(
    ("matrix", "distorted"),
    [
        ([[1.0, -0.4], [0.0, 1.0]], False),
        ([[1.0, -1.0], [0.0, 1.0]], True),
        ([[1.5, 0.0], [0.0, 1.0]], False),
        ([[3.0, 0.0], [0.0, 1.0]], True),
    ],
)
def test_slant_and_width_are_style_up_to_a_point(matrix: Floats, distorted: bool) -> None:
    form = measure(fitted(np.array(matrix)), [FRAME]).form[0]
    assert (form > 0.1) == distorted
    assert (form == 0.0) != distorted


def test_a_third_of_the_line_may_be_corners_without_being_tremor() -> None:
    fit = fitted(np.eye(2))
    fit.tremor[: len(FRAME.points) // 3] = 0.5
    assert measure(fit, [FRAME]).tremor[0] == 0.0


def test_a_straight_model_has_a_turn_but_no_slant() -> None:
    line = frame_of(Ink((Stroke([[0, 0], [0, 3]]),)))
    fit = Registration(
        np.array([[[0.0, -0.5], [0.0, 0.5]]]), 0j * line.points[:, None], np.zeros((112, 1))
    )
    found = measure(fit, [line])
    np.testing.assert_allclose(np.degrees(found.turn), 45.0)
    np.testing.assert_allclose([found.shear[0], found.form[0]], 0.0, atol=1e-12)


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
def test_the_density_of_the_recording_barely_matters(points: int) -> None:
    inks = Kinematic().write("f", Ranges().draw(60))
    again = [Ink((Stroke(by_length(ink, points)),)) for ink in inks]
    gaps = read(again, model_letter("f")).table - read(inks, model_letter("f")).table
    assert np.abs(gaps).mean() < 0.02


def test_letters_with_other_strokes_are_compared_as_one_line() -> None:
    stem, bar = model_letter("t").strokes
    one = Ink((Stroke(np.concatenate([stem.points, bar.points])),))
    found = read([model_letter("t"), one, model_letter("t")], model_letter("t"))
    np.testing.assert_array_equal(found.table, np.zeros((3, 3)))


def test_the_order_of_letters_is_kept_for_any_number_of_strokes() -> None:
    turned = Kinematic().write("t", Ranges(distortion=0, shakiness=0, rotation=30).draw(1))[0]
    joined = Ink((Stroke(turned.points),))
    angles = np.degrees(read([joined, model_letter("t"), turned], model_letter("t")).turn)
    np.testing.assert_allclose(angles, [30, 0, 30], atol=2)


@pytest.mark.parametrize("letter", ["f", "m", "7"])
@pytest.mark.parametrize("height", [40, 80])
def test_rounding_to_pixels_is_not_taken_for_tremor(letter: str, height: int) -> None:
    inks = Kinematic().write(letter, Ranges(shakiness=0.35).draw(60))
    fine = read(inks, model_letter(letter)).table[:, 2]
    coarse = read([rounded(ink, height / 3) for ink in inks], model_letter(letter)).table[:, 2]
    assert abs(np.median(coarse) - np.median(fine)) < 0.12


def test_a_mirrored_letter_that_leans_to_the_left_has_a_negative_angle() -> None:
    right = Kinematic().write("f", Ranges(distortion=0, shakiness=0, rotation=25).draw(1))[0]
    left = right.moved(np.diag([-1.0, 1.0]), np.zeros(2))
    found = read([left], model_letter("f"))
    assert found.mirrored[0]
    np.testing.assert_allclose(np.degrees(found.turn), -25, atol=2)


def test_letters_in_blocks_have_the_same_scores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inks = [*Kinematic().write("t", Ranges().draw(7)), model_letter("f")] * 2
    whole = read(inks, model_letter("t")).table
    monkeypatch.setattr(measurement, "IN_MEMORY", 3)
    np.testing.assert_allclose(read(inks, model_letter("t")).table, whole, atol=1e-9)


@pytest.mark.parametrize("letter", ["a", "ä", "t", "E"])
def test_a_few_letters_are_registered_to_all_models_at_once(letter: str) -> None:
    """With one and with several strokes, whose models have different numbers of points."""
    forms = list(forms_of(letter).values())
    tracer = Tracer(Kinematic(forms[-1]).write(letter, Ranges().draw(2)), mirror=False)
    parts = [part for form in forms for part in tracer.along(form)]
    for together, part in zip(read_together(parts), parts, strict=True):
        for name in Reading.__dataclass_fields__:
            np.testing.assert_allclose(
                getattr(together, name), getattr(part.read(), name), atol=1e-4, err_msg=name
            )


def test_the_smallest_letters_have_scores_too() -> None:
    tiny = model_letter("f").moved(1e-300 * np.eye(2), np.zeros(2))
    np.testing.assert_allclose(read([tiny], model_letter("f")).table, 0.0, atol=1e-6)


@pytest.mark.parametrize("points", [[[3, 3], [3, 4]], [[0, 0], [1e99, 1], [5, 9e99]]])
def test_the_angle_is_always_finite(points: list[list[float]]) -> None:
    found = read([Ink((Stroke(points),))], model_letter("f"))
    assert np.abs(np.degrees(found.turn)) <= 180
    assert np.isfinite(found.table).all()


def test_scores_are_computed_once() -> None:
    found = read([model_letter("f")], model_letter("f"))
    assert found.table is found.table


@pytest.mark.parametrize("first", [True, False])
def test_an_accidental_touch_is_ignored(first: bool) -> None:
    ink = Kinematic().write("f", Ranges().draw(1))[0]
    line, touch = Stroke(ink.points), Stroke([[5.0, 5.0], [5.01, 5.0]])
    touched = Ink((touch, line) if first else (line, touch))
    model = model_letter("f")
    np.testing.assert_array_equal(read([touched], model).table, read([ink], model).table)


def test_a_surplus_line_counts() -> None:
    model = model_letter("f")
    crossed = Ink((*model.strokes, Stroke([[-1.0, -1.0], [2.0, -1.0]])))
    assert read([crossed], model).table[0, 0] > 0.5


def test_the_dot_that_a_model_has_is_kept() -> None:
    body, dot = model_letter("i").strokes
    lower = Ink((body, Stroke(dot.points[:1] + np.array([0.0, 1.0]))))
    assert read([lower], model_letter("i")).table[0, 0] > 0.2
