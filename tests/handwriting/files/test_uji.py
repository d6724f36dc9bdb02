from __future__ import annotations

import numpy as np
import pytest

from homeroom.handwriting import Ink, Stroke
from homeroom.handwriting.files.uji import Uji

FORMAT = Uji()
TEXT = """\
// UJI: 100 units per millimetre
// ASCII char: ;
WORD ; trn_UJI_W03-01
  NUMSTROKES 2
  POINTS 3 # 541 1001 540 987 530 -977
  POINTS 1 # 518 1227
// Non-ASCII char: ntilde
WORD ñ tst_UPV_W18-02
  NUMSTROKES 1
  POINTS 1 # 7 8.5
"""


@pytest.mark.parametrize("text", [TEXT, TEXT.replace("\n", "\r\n")])
def test_words_are_letters_and_sessions_are_writers(text: str) -> None:
    assert FORMAT.recognises(text)
    semicolon, tilde = FORMAT.read(text)
    assert (semicolon.letter, semicolon.writer) == (";", "trn_UJI_W03")
    assert (tilde.letter, tilde.writer) == ("ñ", "tst_UPV_W18")
    first, dot = semicolon.strokes
    np.testing.assert_array_equal(first.points, [[541, 1001], [540, 987], [530, -977]])
    np.testing.assert_array_equal(dot.points, [[518, 1227]])


def test_many_comments_are_looked_over_quickly() -> None:
    assert not FORMAT.recognises("// // // // // // // // // // // // // // // // // " * 50)


def test_tries_are_counted() -> None:
    ink = Ink((Stroke([[1, 2.5]]),), letter="a", writer="Ada")
    text = "".join(FORMAT.write([ink, Ink(ink.strokes, letter="a"), ink]))
    assert "WORD a Ada-01\n  NUMSTROKES 1\n  POINTS 1 # 1 2.5\nWORD a\n" in text
    assert "WORD a Ada-02\n" in text


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("WORD\n", r"line 1 must be WORD, the letter and the session"),
        ("WORD a b c\n", r"line 1 must be WORD, the letter and the session"),
        ("WORD a x-01\n", r"line 1 must be followed by NUMSTROKES and their number"),
        ("WORD a x-01\nNUMSTROKES\n", r"line 1 must be followed by NUMSTROKES"),
        ("WORD a x-01\nNUMSTROKES x\n", r"NUMSTROKES in line 2 must be a count"),
        ("WORD a x\nNUMSTROKES 2\nPOINTS 1 # 1 2\n", r"line 2 announces 2 strokes, but 1 follow"),
        ("WORD a x\nNUMSTROKES 0\n", r"the letter in line 1: `strokes` must hold at least one"),
        ("WORD a x\nNUMSTROKES 1\nPOINTS 0 #\n", r"A stroke must have at least one point"),
        ("WORD a x\nNUMSTROKES 1\nPOINTS 1 1 2\n", r"line 3 must be POINTS, their number, #, and"),
        ("WORD a x\nNUMSTROKES 1\nPOINTS 2 # 1 2\n", r"line 3 announces 2 points, .* has 2 num"),
        ("WORD a x\nNUMSTROKES 1\nPOINTS 1 # 1 b\n", r"line 3 must hold numbers, but has 'b'"),
        ("WORD a x\nNUMSTROKES 1\nPOINTS 1 # 1 nan\n", r"`points` must be finite"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        FORMAT.read(text)


@pytest.mark.parametrize(("letter", "writer"), [(None, None), ("a b", None), ("a", "Ada Byron")])
def test_names_of_several_words_cannot_be_written(letter: str | None, writer: str | None) -> None:
    ink = Ink((Stroke([[0, 0]]),), letter, writer)
    with pytest.raises(ValueError, match=r"UJI text needs every (letter|writer) as one word, but"):
        list(FORMAT.write([ink]))
