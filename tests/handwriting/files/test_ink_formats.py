"""Formats of research collections, read by ``benchmarks/ink_formats.py``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.ink_formats import (
    read_letters,
    read_omniglot,
    read_shapes,
    read_uji,
    read_unipen,
)

PLAIN = "2\n3\n0 1 2 10 11 12\n5 6 7 15 16 17\n"
HEADED = "nb_sample:\n2\nnb_pts:\n3\nref:\n0 1 2 10 11 12\n...\n5 6 7 15 16 17\n"
UJI = """\
// UJI: 100 units per millimetre
// ASCII char: ;
WORD ; trn_UJI_W03-01
  NUMSTROKES 2
  POINTS 3 # 541 1001 540 987 530 -977
  POINTS 1 # 518 1227
WORD ñ tst_UPV_W18-02
  NUMSTROKES 1
  POINTS 1 # 7 8.5
"""
OMNIGLOT = "START\n1,-2,0\n3,-4,20\nBREAK\n5,-6,60\n5,-7,55\nBREAK\n"
UNIPEN = """\
.VERSION 1.0
.COORD X Y
.WRITER_ID w01
.LEXICON "a" "i"
.SEGMENT CHARACTER 0 ? "a"
.DT 100
.PEN_DOWN
  556 800
  548 801
.PEN_UP
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


def test_shapes_have_all_x_before_all_y_and_the_reference_is_not_read() -> None:
    first, second = read_shapes(PLAIN)
    np.testing.assert_array_equal(first.points, [[0, 10], [1, 11], [2, 12]])
    np.testing.assert_array_equal(second.points, [[5, 15], [6, 16], [7, 17]])
    (only,) = read_shapes(HEADED)
    np.testing.assert_array_equal(only.points, second.points)


def test_words_of_uji_text_are_letters_and_sessions_are_writers() -> None:
    semicolon, tilde = read_uji(UJI)
    assert (semicolon.letter, semicolon.writer) == (";", "trn_UJI_W03")
    assert (tilde.letter, tilde.writer) == ("ñ", "tst_UPV_W18")
    first, dot = semicolon.strokes
    np.testing.assert_array_equal(first.points, [[541, 1001], [540, 987], [530, -977]])
    np.testing.assert_array_equal(dot.points, [[518, 1227]])


def test_omniglot_strokes_end_with_a_break() -> None:
    (ink,) = read_omniglot(OMNIGLOT)
    first, second = ink.strokes
    np.testing.assert_array_equal(first.points, [[1, -2], [3, -4]])
    np.testing.assert_array_equal(first.times, [0.0, 0.02])
    np.testing.assert_array_equal(second.times, [0.06, 0.06])  # the clock went back


def test_unipen_strokes_follow_their_letter() -> None:
    a, i = read_unipen(UNIPEN)
    assert (a.letter, a.writer, i.letter, i.writer) == ("a", "w01", "i", "w01")
    np.testing.assert_array_equal(a.points, [[556, 800], [548, 801]])
    np.testing.assert_array_equal(i.points, [[10, 20], [15, 25], [30, 40]])
    assert len(i.strokes) == 2


def test_times_of_unipen_are_in_milliseconds_and_pressures_are_fractions() -> None:
    text = (
        '.COORD X Y T P\n.SEGMENT CHARACTER 0 ? "a"\n'
        ".PEN_DOWN\n0 0 100 256\n1 1 110 900\n.PEN_UP\n.PEN_DOWN\n0 0 0 512\n"
    )
    (ink,) = read_unipen(text)
    first, second = ink.strokes
    np.testing.assert_array_equal(first.times, [0.1, 0.11])
    np.testing.assert_array_equal(first.pressures, [0.25, 900 / 1024])
    np.testing.assert_array_equal(second.times, [0.11])
    np.testing.assert_array_equal(second.pressures, [0.5])


STROKES = ".COORD X Y\n.PEN_DOWN\n0 0\n0 9\n.PEN_UP\n5 5\n.PEN_DOWN\n-3 4\n3 4\n4 4\n.PEN_UP\n"
LABELS = """\
.SEGMENT WORD 0-2 OK "t"
.SEGMENT CHARACTER 0,2:0-2:1 OK "t"
.SEGMENT CHARACTER 2:1-2:2 OK "-"
"""


@pytest.mark.parametrize("text", [STROKES + LABELS, LABELS + STROKES])
def test_letters_of_unipen_may_refer_to_strokes_by_number(text: str) -> None:
    """The path in the air is stroke 1; words are left out if there are characters."""
    t, dash = read_unipen(text)
    assert (t.letter, dash.letter) == ("t", "-")
    np.testing.assert_array_equal(t.points, [[0, 0], [0, 9], [-3, 4], [3, 4]])
    np.testing.assert_array_equal(dash.points, [[3, 4], [4, 4]])


def test_included_files_are_in_the_folder_or_in_a_folder_include_above(tmp_path: Path) -> None:
    """UNIPEN's own collection has labels in ``data/1c/aga`` and strokes in ``include/aga/data``."""
    labels, strokes = tmp_path / "data" / "1c" / "aga", tmp_path / "include" / "aga" / "data"
    labels.mkdir(parents=True)
    strokes.mkdir(parents=True)
    (strokes / "ink.dat").write_text(STROKES)
    (strokes / "nested.dat").write_text(".INCLUDE aga/data/ink.dat\n")
    (labels / "here.dat").write_text(STROKES)
    for name in ("aga/data/ink.dat", "aga/data/nested.dat", "here.dat"):
        (labels / "a.dat").write_text(f".VERSION 1.0\n.INCLUDE {name}\n{LABELS}")
        assert [ink.letter for ink in read_letters(labels / "a.dat")] == ["t", "-"]
    (tmp_path / "secret.dat").write_text(STROKES)
    for name in ("../secret.dat", "a.dat"):
        (labels / "a.dat").write_text(f".VERSION 1.0\n.INCLUDE {name}\n{LABELS}")
        with pytest.raises(ValueError, match="include"):
            read_letters(labels / "a.dat")


@pytest.mark.parametrize(
    ("text", "y"),
    [(PLAIN, 10), (HEADED, 15), (UJI, 1001), (OMNIGLOT, 2), (UNIPEN, 800)],
    ids=["plain", "headed", "uji", "omniglot", "unipen"],
)
def test_the_content_determines_the_format(tmp_path: Path, text: str, y: float) -> None:
    (tmp_path / "x.ink").write_text(text, encoding="utf-8")
    first, *_ = read_letters(tmp_path / "x.ink", letter="?")
    assert first.points[0, 1] == y
    assert first.letter is not None


def test_an_unreadable_letter_is_left_out_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "f.dat").write_text("3\n2\n0 3 0 4\n0 3 0 x\n0 3 0 4\n")
    reported: list[str] = []
    assert len(read_letters(tmp_path / "f.dat", letter="f", leave_out=reported.append)) == 2
    assert ["letter 2" in one for one in reported] == [True]
    with pytest.raises(ValueError, match="letter 2"):
        read_letters(tmp_path / "f.dat", letter="f")
