from __future__ import annotations

import json
import string
from pathlib import Path

import numpy as np
import pytest

from homeroom.handwriting import LETTERS, Ink, Stroke, letters, model_from, model_letter


def font_lines(letter: str) -> list[list[tuple[float, float]]]:
    return [[(x / 9, (y - 9) / 9) for x, y in line] for line in letters.font_lines()[letter]]


def test_the_letters_come_with_their_acknowledgement_and_licence() -> None:
    text = json.loads((Path(letters.__file__).parent / "hershey.json").read_text("utf-8"))
    assert "A. V. Hershey" in text["acknowledgement"]
    assert "James Hurt" in text["acknowledgement"]
    assert "MIT License" in text["licence"]


@pytest.mark.parametrize("letter", letters.LETTERS)
def test_no_line_of_the_font_is_lost(letter: str) -> None:
    """Every vertex of the font is in a stroke, except for its square dots."""
    ours = np.concatenate(letters.font_strokes(letter))
    lines = font_lines(letter)[1:] if letter in "ij" else font_lines(letter)
    for vertex in (vertex for line in lines for vertex in line):
        assert np.abs(ours - vertex).sum(axis=1).min() < 1e-12


@pytest.mark.parametrize("letter", "abcdefghklmnopqrsuvwyz01236789")
def test_a_connected_letter_is_one_stroke(letter: str) -> None:
    assert len(letters.font_strokes(letter)) == 1


@pytest.mark.parametrize("letter", "ij")
def test_the_dot_comes_last(letter: str) -> None:
    body, dot = letters.font_strokes(letter)
    assert dot[:, 1].max() < body[:, 1].min()


def test_the_bar_comes_last() -> None:
    for letter in "t5":
        *_, bar = letters.font_strokes(letter)
        assert len(bar) == 2
        assert bar[0, 1] == bar[1, 1]
        assert bar[0, 0] < bar[1, 0]


def test_round_letters_are_counterclockwise() -> None:
    """The area enclosed by the first turn is negative, as y grows downwards."""
    for letter in "acdgoq069":
        turn = letters.font_strokes(letter)[0][:12]
        x, y = (turn - turn.mean(axis=0)).T
        assert (x * np.roll(y, -1) - np.roll(x, -1) * y).sum() < 0, letter


def test_seven_starts_at_the_left() -> None:
    (seven,) = letters.font_strokes("7")
    assert seven[0, 0] < seven[1, 0]
    assert seven[-1, 1] == 0.0


X_HIGH = "acemnouvwx"


def test_lower_case_and_digits_are_shipped() -> None:
    assert set(LETTERS) == set(string.ascii_lowercase + string.digits)


@pytest.mark.parametrize("letter", LETTERS)
def test_a_model_letter_is_fine_and_even(letter: str) -> None:
    ink = model_letter(letter)
    assert ink.letter == letter
    assert not ink.timed
    for stroke in ink:
        steps = np.hypot(*np.diff(stroke.points, axis=0).T)
        assert steps.max() < 0.03
        assert steps.min() > 0.005


@pytest.mark.parametrize("letter", X_HIGH)
def test_small_letters_stand_on_the_line_and_are_one_x_height(letter: str) -> None:
    low, high = model_letter(letter).points[:, 1].max(), model_letter(letter).points[:, 1].min()
    assert low == pytest.approx(0.0, abs=0.05)
    assert high == pytest.approx(-1.0, abs=0.05)


def test_ascenders_go_up_and_descenders_down() -> None:
    for letter in "bdfhkl":
        assert model_letter(letter).points[:, 1].min() < -2.2
    for letter in "fgjpqyz":
        assert model_letter(letter).points[:, 1].max() > 1.2


def test_letters_of_cursive_end_to_the_right() -> None:
    """The next letter can be joined to them."""
    for letter in string.ascii_lowercase:
        if letter not in "ijtx":
            stroke = model_letter(letter).strokes[0]
            assert stroke.points[-1, 0] == pytest.approx(stroke.points[:, 0].max(), abs=0.02)


def test_a_model_letter_is_made_once() -> None:
    assert model_letter("q") is model_letter("q")


@pytest.mark.parametrize("letter", ["", "fé", "flower", "42", "é", 7])
def test_letters_that_do_not_ship_are_refused(letter: object) -> None:
    with pytest.raises(
        ValueError, match=r"must be one of abc.*789.*XYZ.*, but is .* model_from\(ink\)"
    ):
        model_letter(letter)  # type: ignore[arg-type]


def test_a_drawn_letter_gets_the_place_of_the_shipped_one() -> None:
    shipped = model_letter("g")
    drawn = shipped.moved(40.0 * np.eye(2), np.array([300.0, 500.0]))
    model = model_from(drawn)
    for end in (np.min, np.max):
        assert end(model.points[:, 1]) == pytest.approx(end(shipped.points[:, 1]), abs=0.02)
    assert model.points[:, 0].min() == pytest.approx(0.0, abs=0.02)
    assert model.letter == "g"


def test_a_drawn_letter_loses_its_tremor() -> None:
    rng = np.random.default_rng(0)
    shipped = model_letter("l")
    shaky = Ink((Stroke(shipped.points + rng.normal(0, 0.02, shipped.points.shape)),), letter="l")
    calm = model_from(shaky)

    def roughness(ink: Ink) -> float:
        return float(np.abs(np.diff(ink.points, n=2, axis=0)).mean())

    assert roughness(calm) < 0.1 * roughness(shaky)


def test_a_letter_that_does_not_ship_stands_on_the_baseline() -> None:
    model = model_from(Ink((Stroke([[5, 30], [9, 10]], [0.0, 1.0]), Stroke([[7, 20]])), letter="ł"))
    assert not model.timed
    assert len(model.strokes) == 2
    low, high = model.points.min(axis=0), model.points.max(axis=0)
    np.testing.assert_allclose([*low, high[1]], [0.0, -1.0, 0.0], atol=1e-9)


def test_a_dash_can_be_a_model() -> None:
    model = model_from(Ink((Stroke([[5, 5], [9, 5]]),)))
    np.testing.assert_allclose(np.ptp(model.points, axis=0), [1.0, 0.0], atol=1e-9)


def test_a_dot_cannot_be_a_model() -> None:
    with pytest.raises(ValueError, match=r"at least two different points, .* pen never moves"):
        model_from(Ink((Stroke([[5, 5], [5, 5]]),)))
