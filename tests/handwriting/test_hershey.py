from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from homeroom.handwriting import hershey


def font_lines(letter: str) -> list[list[tuple[float, float]]]:
    return [[(x / 9, (y - 9) / 9) for x, y in line] for line in hershey.font_lines()[letter]]


def test_the_letters_come_with_their_acknowledgement_and_licence() -> None:
    text = json.loads((Path(hershey.__file__).parent / "hershey.json").read_text("utf-8"))
    assert "A. V. Hershey" in text["acknowledgement"]
    assert "James Hurt" in text["acknowledgement"]
    assert "MIT License" in text["licence"]


@pytest.mark.parametrize("letter", hershey.LETTERS)
def test_no_line_of_the_font_is_lost(letter: str) -> None:
    """Every vertex that the font has is in a stroke (but for its square dots)."""
    ours = np.concatenate(hershey.strokes(letter))
    lines = font_lines(letter)[1:] if letter in "ij" else font_lines(letter)
    for vertex in (vertex for line in lines for vertex in line):
        assert np.abs(ours - vertex).sum(axis=1).min() < 1e-12


@pytest.mark.parametrize("letter", "abcdefghklmnopqrsuvwyz01236789")
def test_a_connected_letter_is_one_stroke(letter: str) -> None:
    assert len(hershey.strokes(letter)) == 1


@pytest.mark.parametrize("letter", "ij")
def test_the_dot_comes_last(letter: str) -> None:
    body, dot = hershey.strokes(letter)
    assert dot[:, 1].max() < body[:, 1].min()


def test_the_bar_comes_last() -> None:
    for letter in "t5":
        *_, bar = hershey.strokes(letter)
        assert len(bar) == 2
        assert bar[0, 1] == bar[1, 1]
        assert bar[0, 0] < bar[1, 0]


def test_round_letters_go_against_the_clock() -> None:
    """The area that the first turn encloses is negative where y grows downwards."""
    for letter in "acdgoq069":
        turn = hershey.strokes(letter)[0][:12]
        x, y = (turn - turn.mean(axis=0)).T
        assert (x * np.roll(y, -1) - np.roll(x, -1) * y).sum() < 0, letter


def test_seven_starts_at_the_left() -> None:
    (seven,) = hershey.strokes("7")
    assert seven[0, 0] < seven[1, 0]
    assert seven[-1, 1] == 0.0
