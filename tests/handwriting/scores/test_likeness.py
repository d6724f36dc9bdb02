"""Backward and mirror writing."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom.handwriting.generators import Kinematic, Ranges
from homeroom.handwriting.letters import model_letter
from homeroom.handwriting.scores.frame import frame_of
from homeroom.handwriting.scores.likeness import Way, best_ways, told, ways
from homeroom.handwriting.scores.tracing import Points, lines


def written(letter: str, n: int = 60) -> list[list[Points]]:
    inks = Kinematic().write(letter, Ranges().draw(n, (3, ord(letter))), 1)
    return [lines(ink) for ink in inks]


def flags(letters: list[list[Points]], letter: str) -> list[tuple[bool, bool]]:
    every, best, _ = best_ways(letters, frame_of(model_letter(letter)))
    pairs = zip(told(best, every, "mirrored"), told(best, every, "reversed"), strict=True)
    return [(bool(mirrored), bool(backwards)) for mirrored, backwards in pairs]


def test_a_letter_of_one_stroke_can_be_read_in_four_ways_and_of_two_in_sixteen() -> None:
    assert [len(ways(strokes)) for strokes in (1, 2, 3)] == [4, 16, 4]
    assert ways(2)[0] == Way((0, 1), (False, False), mirrored=False)


@pytest.mark.parametrize("letter", list("afgmst5"))
@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("backwards", [False, True])
def test_ways_of_writing_are_recognised(letter: str, mirrored: bool, backwards: bool) -> None:
    """Every knob is drawn at random, and still hardly a letter is taken for what it is not."""
    letters = written(letter)
    if backwards:
        letters = [[stroke[::-1] for stroke in one[::-1]] for one in letters]
    if mirrored:
        letters = [[-stroke.conj() for stroke in one] for one in letters]
    right = [found == (mirrored, backwards) for found in flags(letters, letter)]
    assert np.mean(right) >= 0.97


def test_a_crossbar_first_or_from_the_right_is_read_as_it_was_meant() -> None:
    frame = frame_of(model_letter("t"))
    stem, bar = lines(model_letter("t"))
    for given, expected in (
        ([bar, stem], Way((1, 0), (False, False), mirrored=False)),
        ([stem, bar[::-1]], Way((0, 1), (False, True), mirrored=False)),
    ):
        every, best, points = best_ways([given], frame)
        assert every[best[0]] == expected
        usual = best_ways([[stem, bar]], frame)[2]
        np.testing.assert_allclose(points, usual, atol=1e-9)


def test_the_mirror_image_of_a_nought_is_a_nought_from_the_other_side() -> None:
    letters = [[-stroke.conj() for stroke in one] for one in written("0")]
    assert flags(letters, "0").count((False, True)) >= 55
