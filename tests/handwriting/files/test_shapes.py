from __future__ import annotations

import numpy as np
import pytest

from homeroom.handwriting import Ink, Stroke, model_letter
from homeroom.handwriting.files.shapes import Shapes

FORMAT = Shapes()
PLAIN = "2\n3\n0 1 2 10 11 12\n5 6 7 15 16 17\n"
HEADED = "nb_sample:\n2\nnb_pts:\n3\nref:\n0 1 2 10 11 12\n...\n5 6 7 15 16 17\n"


def test_all_x_come_before_all_y() -> None:
    first, second = FORMAT.read(PLAIN)
    np.testing.assert_array_equal(first.points, [[0, 10], [1, 11], [2, 12]])
    np.testing.assert_array_equal(second.points, [[5, 15], [6, 16], [7, 17]])


def test_the_reference_is_not_read() -> None:
    (only,) = FORMAT.read(HEADED)
    np.testing.assert_array_equal(only.points, [[5, 15], [6, 16], [7, 17]])


def test_both_are_recognised() -> None:
    assert FORMAT.recognises(PLAIN)
    assert FORMAT.recognises(HEADED)
    assert not FORMAT.recognises("2\n0 1 2 1 0 0 0\n")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("3\n3\n0 1 2 10 11 12\n", r"it announces 3 letters, but has 1"),
        ("1\n3\n0 1 2 10 11\n", r"letter 1 must have 3 x values and 3 y values, but has 5 num"),
        ("1\n2\n0 x 2 3\n", r"letter 1 must hold numbers, but has 'x'"),
        ("1\n2\n0 nan 2 3\n", r"letter 1: `points` must be finite, but point 1 has \[nan, 3.0\]"),
        ("x\n2\n0 1 2 3\n", r"each of its counts must be a count such as 70, but is 'x'"),
        ("nb_sample:\n2\nnb_pts:\n3\n", r"its headings must be `nb_sample:`, `nb_pts:` and `ref:"),
        ("1\n0\n0\n", r"letter 1 must have 0 x values"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        FORMAT.read(text)


@pytest.mark.parametrize(
    "inks",
    [
        [model_letter("a"), model_letter("b")],
        [model_letter("i")],
        [Ink((Stroke([[0, 0]]), Stroke([[1, 1]])))],
    ],
)
def test_only_equal_strokes_can_be_written(inks: list[Ink]) -> None:
    with pytest.raises(ValueError, match="letters of one stroke with equally many points each; re"):
        list(FORMAT.write(inks))
