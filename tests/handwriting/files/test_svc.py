from __future__ import annotations

import numpy as np
import pytest

from homeroom.handwriting import Ink, Stroke
from homeroom.handwriting.files.svc import Svc

FORMAT = Svc()
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
    assert FORMAT.recognises(TEXT)
    (ink,) = FORMAT.read(TEXT)
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
        ("1\n0 b 0 1 0 0 0\n", r"the second column must hold numbers, but has 'b'"),
        ("1\n0 0 0 b 0 0 0\n", r"the fourth column must hold numbers, but has 'b'"),
        ("1\nnan 0 0 1 0 0 0\n", r"a stroke: `points` must be finite"),
        ("1\n0 0 nan 1 0 0 0\n", r"a stroke: `times` must be finite"),
        ("1\n0 0 0 1 0 0 -5\n", r"a stroke: `pressures` must be from 0 to 1, but point 0 has -5"),
        ("2\n0 0 9 1 0 0 0\n0 0 8 1 0 0 0\n", r"a stroke: `times` must never decrease"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        FORMAT.read(text)


def test_only_one_timed_letter_can_be_written() -> None:
    timed, untimed = Ink((Stroke([[0, 0]], [0.0]),)), Ink((Stroke([[0, 0]]),))
    for inks in ([timed, timed], [untimed]):
        with pytest.raises(ValueError, match=r"A .svc file holds one letter with its times; write"):
            list(FORMAT.write(inks))


def test_a_written_file_says_when_the_pen_leaves() -> None:
    ink = Ink((Stroke([[1, 2], [3, 4]], [0.0, 0.0125], [0.5, 1.0]),))
    assert "".join(FORMAT.write([ink])) == (
        "3\n1 2 0 1 0 900 0.5\n3 4 12.5 1 0 900 1\n3 4 12.5 0 0 900 0\n"
    )
