from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from homeroom.handwriting import Ink, Stroke
from homeroom.handwriting.files import read_ink
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
        ('.SEGMENT CHARACTER 0 ? "a"\n.SEGMENT CHARACTER 1 ? "b"\n', r"line 1 has no stroke"),
        (
            '.PEN_DOWN\n1 2\n.PEN_UP\n.SEGMENT CHARACTER 0-1 ? "a"\n',
            r"line 4 must name strokes of the file, 0 to 0, but has '0-1'",
        ),
        (
            ".PEN_DOWN\n1 2\n.PEN_UP\n" * 2000 + '.SEGMENT CHARACTER 0-1999 ? "a"\n' * 1000,
            r"refer to more than 1,000,000 strokes",
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


STROKES = """\
.COORD X Y
.PEN_DOWN
0 0
0 9
.PEN_UP
5 5
.PEN_DOWN
-3 4
3 4
4 4
.PEN_UP
"""
LABELS = """\
.SEGMENT WORD 0-2 OK "t"
.SEGMENT CHARACTER 0,2:0-2:1 OK "t"
.SEGMENT CHARACTER 2:1-2:2 OK "-"
"""


@pytest.mark.parametrize("text", [STROKES + LABELS, LABELS + STROKES])
def test_letters_may_refer_to_strokes_by_number(text: str) -> None:
    """The path in the air is stroke 1; words are left out if there are characters."""
    t, dash = FORMAT.read(text)
    assert (t.letter, dash.letter) == ("t", "-")
    np.testing.assert_array_equal(t.points, [[0, 0], [0, 9], [-3, 4], [3, 4]])
    np.testing.assert_array_equal(dash.points, [[3, 4], [4, 4]])


def test_a_pen_that_is_lifted_without_a_path_is_not_a_stroke() -> None:
    labels = '.SEGMENT CHARACTER 0 OK "l"\n.SEGMENT CHARACTER 1 OK "-"\n'
    line, dash = FORMAT.read(STROKES.replace("5 5\n", "") + labels)
    np.testing.assert_array_equal(line.points, [[0, 0], [0, 9]])
    np.testing.assert_array_equal(dash.points, [[-3, 4], [3, 4], [4, 4]])


def test_included_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "ink.dat").write_text(STROKES)
    (tmp_path / "labels.unipen").write_text(f".INCLUDE data/ink.dat\n{LABELS}")
    assert [ink.letter for ink in read_ink(tmp_path / "labels.unipen")] == ["t", "-"]


def test_included_files_are_found_in_a_folder_include_above(tmp_path: Path) -> None:
    """UNIPEN's own collection has labels in ``data/1c/aga`` and strokes in ``include/aga/data``."""
    labels, strokes = tmp_path / "data" / "1c" / "aga", tmp_path / "include" / "aga" / "data"
    labels.mkdir(parents=True)
    strokes.mkdir(parents=True)
    (strokes / "ink.dat").write_text(STROKES)
    (strokes / "nested.dat").write_text(".INCLUDE aga/data/ink.dat\n")
    for name in ("ink.dat", "nested.dat"):
        (labels / "a.dat").write_text(f".VERSION 1.0\n.INCLUDE aga/data/{name}\n{LABELS}")
        assert [ink.letter for ink in read_ink(labels / "a.dat")] == ["t", "-"]
    (tmp_path / "secret.dat").write_text(STROKES)
    (labels / "a.dat").write_text(f".VERSION 1.0\n.INCLUDE ../secret.dat\n{LABELS}")
    with pytest.raises(ValueError, match=r"must be in the folder of the file, or below it"):
        read_ink(labels / "a.dat")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("../secret.dat", r"must be in the folder of the file, or below it"),
        ("/etc/hostname", r"must be in the folder of the file, or below it"),
        ("link.dat", r"must be in the folder of the file, or below it"),
        ("nothing.dat", r"the included file 'nothing\.dat' does not exist"),
        ("\0", r"zero bytes|invalid name"),
        ("a.unipen", r"more than 1000 files, or more than 8 deep: a file may not include itself"),
    ],
)
def test_a_harmful_include_is_refused(tmp_path: Path, name: str, sentence: str) -> None:
    (tmp_path / "secret.dat").write_text(STROKES)
    folder = tmp_path / "ink"
    folder.mkdir()
    (folder / "link.dat").symlink_to(tmp_path / "secret.dat")
    (folder / "a.unipen").write_text(f".VERSION 1.0\n.INCLUDE {name}\n{STROKES}")
    with pytest.raises(ValueError, match=sentence):
        read_ink(folder / "a.unipen")


def test_included_files_count_towards_the_limit_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "b.dat").write_text(STROKES)
    (tmp_path / "a.unipen").write_text(".INCLUDE b.dat\n" * 50)
    with pytest.raises(ValueError, match=r"more than the limit of"):
        read_ink(tmp_path / "a.unipen", max_bytes=2000)
