from __future__ import annotations

import numpy as np
import pytest

from homeroom.handwriting import Ink, Stroke, model_letter
from homeroom.handwriting.files.text_formats import Omniglot, Shapes, Svc, Uji

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


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("text", [PLAIN, HEADED])
def test_the_number_of_letters_may_differ_by_one(text: str, count: int) -> None:
    """Some programs count the reference, and some do not."""
    changed = text.replace("2\n", f"{count}\n", 1)
    assert len(FORMAT.read(changed)) == len(FORMAT.read(text))


def test_both_are_recognised() -> None:
    assert FORMAT.recognises(PLAIN)
    assert FORMAT.recognises(HEADED)
    assert not FORMAT.recognises("2\n0 1 2 1 0 0 0\n")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("3\n3\n0 1 2 10 11 12\n", r"it announces 3 letters, but has 1"),
        ("1\n3\n0 1 2 10 11\n", r"letter 1 must have 3 x values and 3 y values, but has 5 num"),
        ("1\n2\n0 x 2 3\n", r"letter 1 must be numbers, but contains 'x'"),
        ("1\n2\n0 nan 2 3\n", r"letter 1: `points` must be finite, but point 1 has \[nan, 3.0\]"),
        ("x\n2\n0 1 2 3\n", r"each of its counts must be a count such as 70, but is 'x'"),
        ("nb_sample:\n2\nnb_pts:\n3\n", r"its headings must be `nb_sample:`, `nb_pts:` and `ref:"),
        ("1\n0\n0\n", r"letter 1 must have 0 x values"),
    ],
    ids=str,
)
def test_an_invalid_file_is_refused(text: str, sentence: str) -> None:
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
    with pytest.raises(ValueError, match="one-stroke letters with the same number of points; re"):
        list(FORMAT.write(inks))


SVC_FORMAT = Svc()
TEXT = """\
6
4034 7509 354642400 1 1190 720 10852
4150 7582 354642408 1 1170 690 16384
4150 7582 354642416 0 1170 690 0
4200 7600 354642423 0 1170 690 0
4300 7700 354642431 1 1130 650 8192
4300 7710 354642438 1 1130 650 8192
"""


def test_strokes_are_where_the_pen_touches() -> None:
    assert SVC_FORMAT.recognises(TEXT)
    (ink,) = SVC_FORMAT.read(TEXT)
    first, second = ink.strokes
    np.testing.assert_array_equal(first.points, [[4034, 7509], [4150, 7582]])
    np.testing.assert_array_equal(second.points, [[4300, 7700], [4300, 7710]])
    np.testing.assert_array_equal(first.times, [354642.4, 354642.408])
    np.testing.assert_array_equal(first.pressures, [10852 / 16384, 1])
    np.testing.assert_array_equal(second.pressures, [0.5, 0.5])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("2\n0 0 0 1 0 0 0\n", r"it announces 2 samples, but has 1"),
        ("x\n0 0 0 1 0 0 0\n", r"its first line must be a count"),
        ("1\n0 0 0 1\n", r"each sample must have x, y, time, touching, azimuth, altitude and pre"),
        ("1\n0 0 0 0 0 0 0\n", r"the pen never touches the paper"),
        ("1\n0 b 0 1 0 0 0\n", r"the second column must be numbers, but contains 'b'"),
        ("1\n0 0 0 b 0 0 0\n", r"the fourth column must be numbers, but contains 'b'"),
        ("1\nnan 0 0 1 0 0 0\n", r"a stroke: `points` must be finite"),
        ("1\n0 0 nan 1 0 0 0\n", r"a stroke: `times` must be finite"),
        ("1\n0 0 0 1 0 0 -5\n", r"a stroke: `pressures` must be from 0 to 1, but point 0 has -5"),
        ("2\n0 0 9 1 0 0 0\n0 0 8 1 0 0 0\n", r"a stroke: `times` must never decrease"),
    ],
    ids=str,
)
def test_an_invalid_svc_file_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        SVC_FORMAT.read(text)


def test_only_one_timed_letter_can_be_written() -> None:
    timed, untimed = Ink((Stroke([[0, 0]], [0.0]),)), Ink((Stroke([[0, 0]]),))
    for inks in ([timed, timed], [untimed]):
        with pytest.raises(ValueError, match=r"A .svc file contains one letter with times; write"):
            list(SVC_FORMAT.write(inks))


def test_a_written_file_states_when_the_pen_leaves() -> None:
    ink = Ink((Stroke([[1, 2], [3, 4]], [0.0, 0.0125], [0.5, 1.0]),))
    assert "".join(SVC_FORMAT.write([ink])) == (
        "3\n1 2 0 1 0 900 0.5\n3 4 12.5 1 0 900 1\n3 4 12.5 0 0 900 0\n"
    )


UJI_FORMAT = Uji()
UJI_TEXT = """\
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


@pytest.mark.parametrize("text", [UJI_TEXT, UJI_TEXT.replace("\n", "\r\n")])
def test_words_are_letters_and_sessions_are_writers(text: str) -> None:
    assert UJI_FORMAT.recognises(text)
    semicolon, tilde = UJI_FORMAT.read(text)
    assert (semicolon.letter, semicolon.writer) == (";", "trn_UJI_W03")
    assert (tilde.letter, tilde.writer) == ("ñ", "tst_UPV_W18")
    first, dot = semicolon.strokes
    np.testing.assert_array_equal(first.points, [[541, 1001], [540, 987], [530, -977]])
    np.testing.assert_array_equal(dot.points, [[518, 1227]])


def test_many_comments_are_skipped_quickly() -> None:
    assert not UJI_FORMAT.recognises("// // // // // // // // // // // // // // // // // " * 50)


def test_tries_are_counted() -> None:
    ink = Ink((Stroke([[1, 2.5]]),), letter="a", writer="Ada")
    text = "".join(UJI_FORMAT.write([ink, Ink(ink.strokes, letter="a"), ink]))
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
        ("WORD a x\nNUMSTROKES 0\n", r"the letter in line 1: `strokes` must contain at least one"),
        ("WORD a x\nNUMSTROKES 1\nPOINTS 0 #\n", r"A stroke must have at least one point"),
        ("WORD a x\nNUMSTROKES 1\nPOINTS 1 1 2\n", r"line 3 must be POINTS, their number, #, and"),
        ("WORD a x\nNUMSTROKES 1\nPOINTS 2 # 1 2\n", r"line 3 announces 2 points, .* has 2 num"),
        ("WORD a x\nNUMSTROKES 1\nPOINTS 1 # 1 b\n", r"line 3 must be numbers, but contains 'b'"),
        ("WORD a x\nNUMSTROKES 1\nPOINTS 1 # 1 nan\n", r"`points` must be finite"),
    ],
    ids=str,
)
def test_invalid_uji_text_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        UJI_FORMAT.read(text)


@pytest.mark.parametrize(("letter", "writer"), [(None, None), ("a b", None), ("a", "Ada Byron")])
def test_names_of_several_words_cannot_be_written(letter: str | None, writer: str | None) -> None:
    ink = Ink((Stroke([[0, 0]]),), letter, writer)
    with pytest.raises(ValueError, match=r"UJI text needs every (letter|writer) as one word, but"):
        list(UJI_FORMAT.write([ink]))


OMNIGLOT = "START\n1,-2,0\n3,-4,20\nBREAK\n5,-6,60\n5,-7,55\nBREAK\n"


def test_omniglot_strokes_end_with_a_break() -> None:
    form = Omniglot()
    assert form.recognises(OMNIGLOT)
    (ink,) = form.read(OMNIGLOT)
    first, second = ink.strokes
    np.testing.assert_array_equal(first.points, [[1, -2], [3, -4]])
    np.testing.assert_array_equal(first.times, [0.0, 0.02])
    np.testing.assert_array_equal(second.times, [0.06, 0.06])  # the clock went back
    assert form.y_up
    (again,) = form.read("".join(form.write([ink])))
    np.testing.assert_array_equal(again.points, ink.points)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("START\n1,2\nBREAK\n", r"the stroke in line 2 must have x, y and a time per line"),
        ("START\n1,b,3\nBREAK\n", r"the stroke in line 2 must be numbers, but contains 'b'"),
        ("START\n1,2,3\nBREAK\nSTART\n1,2,3\n", r"must have START once"),
    ],
)
def test_invalid_omniglot_text_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Omniglot().read(text)


def test_omniglot_text_holds_one_letter_with_times() -> None:
    with pytest.raises(ValueError, match="one letter with times"):
        "".join(Omniglot().write([model_letter("f")]))
