from __future__ import annotations

import numpy as np
import pytest

from homeroom.handwriting import Ink, Stroke
from homeroom.handwriting.files.unipen import Unipen

FORMAT = Unipen()
UJI = """\
.VERSION 1.0
.COMMENT letters of the first collection
.COORD X Y
.WRITER_ID w01
.LEXICON "a" "i"
.SEGMENT CHARACTER 0 ? "a"
.COMMENT 1
.DT 100
.PEN_DOWN
  556 800
  548 801
.PEN_UP
.DT 100
.SEGMENT CHARACTER 1-2 ? "i"
.PEN_DOWN
10 20
15 25
.PEN_UP
99 99
.PEN_DOWN
30 40
.PEN_UP
"""


def test_strokes_follow_their_letter() -> None:
    assert FORMAT.recognises(UJI)
    a, i = FORMAT.read(UJI)
    assert (a.letter, a.writer, i.letter, i.writer) == ("a", "w01", "i", "w01")
    np.testing.assert_array_equal(a.points, [[556, 800], [548, 801]])
    np.testing.assert_array_equal(i.points, [[10, 20], [15, 25], [30, 40]])
    assert len(i.strokes) == 2


def test_times_are_in_milliseconds_and_pressures_are_fractions() -> None:
    text = (
        '.COORD X Y T P\n.SEGMENT CHARACTER 0 ? "a"\n'
        ".PEN_DOWN\n0 0 100 256\n1 1 110 900\n.PEN_UP\n.PEN_DOWN\n0 0 0 512\n"
    )
    (ink,) = FORMAT.read(text)
    first, second = ink.strokes
    np.testing.assert_array_equal(first.times, [0.1, 0.11])
    np.testing.assert_array_equal(first.pressures, [0.25, 900 / 1024])
    np.testing.assert_array_equal(second.times, [0.11])
    np.testing.assert_array_equal(second.pressures, [0.5])


def test_a_file_without_segments_is_one_letter() -> None:
    (ink,) = FORMAT.read(".PEN_DOWN\n0 0\n.PEN_UP\n.PEN_DOWN\n1 1\n.PEN_UP\n")
    assert repr(ink) == "Ink(2 strokes, 2 points)"


def test_labels_may_have_quotes() -> None:
    inks = [Ink((Stroke([[0, 0]]),), letter=letter) for letter in ('"', "\\", 'a "b" c')]
    again = FORMAT.read("".join(FORMAT.write(inks)))
    assert [ink.letter for ink in again] == ['"', "\\", 'a "b" c']


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('.SEGMENT CHARACTER 0 ? "a"\n.SEGMENT CHARACTER 1 ? "b"\n', r"must follow its .SEGMENT"),
        (
            '.INCLUDE x.dat\n.SEGMENT CHARACTER 0 ? "a"\n',
            r"store letters and strokes separately cannot",
        ),
        (".COORD T P\n", r".COORD in line 1 must name X and Y"),
        (
            ".PEN_DOWN\n1 2 3\n.PEN_UP\n",
            r"the stroke in line 1 must have 2 numbers per line \(X Y\)",
        ),
        (".PEN_DOWN\n1 b\n.PEN_UP\n", r"the stroke in line 1 must be numbers, but contains 'b'"),
        ('.SEGMENT CHARACTER 0 ? "a"\n.PEN_DOWN\n.PEN_UP\n', r"line 2 must have at least one"),
        (".PEN_DOWN\n1 nan\n.PEN_UP\n", r"the stroke in line 1: `points` must be finite"),
    ],
    ids=str,
)
def test_an_invalid_file_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        FORMAT.read(text)
