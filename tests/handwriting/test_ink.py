from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from homeroom.handwriting import Ink, Stroke
from homeroom.handwriting.ink import MAX_POINTS


def test_ink_does_not_change_with_what_it_was_made_of() -> None:
    points = np.zeros((2, 2))
    stroke = Stroke(points)
    points[0] = 7.0
    assert not stroke.points.any()
    with pytest.raises(ValueError, match="read-only"):
        stroke.points[0] = 7.0


def test_one_point_is_ink() -> None:
    ink = Ink((Stroke([[3, 4]]),))
    assert ink.length == 0.0
    assert repr(ink) == "Ink(1 stroke, 1 point)"


def test_gaps_between_strokes_have_no_length() -> None:
    ink = Ink((Stroke([[0, 0], [3, 4]]), Stroke([[100, 0], [100, 1]])))
    assert ink.length == 6.0
    np.testing.assert_array_equal(ink.points, [[0, 0], [3, 4], [100, 0], [100, 1]])


def test_ink_is_timed_only_if_every_stroke_is() -> None:
    timed, untimed = Stroke([[0, 0], [1, 1]], [0.0, 0.5]), Stroke([[0, 0]])
    assert Ink((timed,)).timed
    assert Ink((timed,)).duration == 0.5
    assert not Ink((timed, untimed)).timed
    assert Ink((timed, untimed)).duration is None


def test_moving_keeps_times_and_names() -> None:
    ink = Ink((Stroke([[1, 2]], [0.5], [0.25]),), letter="i", writer="Ada")
    moved = ink.moved(np.array([[0.0, -1.0], [1.0, 0.0]]), np.array([10.0, 0.0]))
    np.testing.assert_array_equal(moved.points, [[8.0, 1.0]])
    assert (moved.letter, moved.writer, moved.duration) == ("i", "Ada", 0.0)
    assert moved.strokes[0].pressures is not None


def test_strokes_come_in_order() -> None:
    strokes = (Stroke([[0, 0]]), Stroke([[1, 1]]))
    assert tuple(Ink(strokes)) == strokes


BAD_STROKES: list[tuple[dict[str, Any], str]] = [
    ({"points": []}, r"A stroke must have at least one point, but has none: leave it out"),
    ({"points": np.empty((0, 2))}, r"at least one point, but has none"),
    ({"points": np.array(7.0)}, r"but has shape \(\)"),
    ({"points": [1, 2]}, r"`points` must have shape \(points, 2\).* but has shape \(2,\)"),
    ({"points": [[1, 2, 3]]}, r"but has shape \(1, 3\)"),
    ({"points": [[0, 0], [np.nan, 1]]}, r"`points` must be finite, but point 1 has \[nan, 1.0\]"),
    ({"points": [[np.inf, 0]]}, r"must be finite, but point 0 has"),
    ({"points": [[1e101, 0]]}, r"must lie within 1e\+100 of the origin, but one is .* 1e\+101"),
    ({"times": [0.0]}, r"`times` must have one number per point, for 2 points, .* shape \(1,\)"),
    ({"times": [0.0, np.nan]}, r"`times` must be finite, but point 1 has nan"),
    ({"times": [1.0, 0.5]}, r"must never decrease, but point 1 is at 0.5 s, before point 0 at 1 s"),
    ({"pressures": [0.5, 1.5]}, r"`pressures` must be from 0 to 1, but point 1 has 1.5"),
    ({"pressures": [-0.1, 0.5]}, r"but point 0 has -0.1"),
    ({"pressures": [np.nan, 0.5]}, r"but point 0 has nan"),
    ({"pressures": [[0.5, 0.5]]}, r"`pressures` must have one number per point"),
]


@pytest.mark.parametrize(
    ("change", "sentence"), BAD_STROKES, ids=[str(i) for i in range(len(BAD_STROKES))]
)
def test_an_invalid_stroke_is_refused(change: dict[str, Any], sentence: str) -> None:
    good: dict[str, Any] = {"points": [[0, 0], [1, 1]], "times": [0, 1], "pressures": [0, 1]}
    Stroke(**good)
    with pytest.raises(ValueError, match=sentence):
        Stroke(**good | change)


@pytest.mark.parametrize("points", [[["a", "b"]], [[None, 1]], [[1, 2], [3]], [[1j, 2]]])
def test_points_that_are_not_numbers_are_refused(points: Any) -> None:
    with pytest.raises(TypeError, match=r"`points` must be numbers, as in \[\[0, 0\], \[3, 4\]\]"):
        Stroke(points)


def test_a_million_points_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 100,000 points, but this one has 1,000,000"):
        Stroke(np.zeros((1_000_000, 2)))
    with pytest.raises(ValueError, match="at most 100,000 points, but this one has 1,000,000"):
        Stroke([(0, 0)] * 1_000_000)
    half = Stroke(np.zeros((60_000, 2)))
    with pytest.raises(ValueError, match="at most 100,000 points, but this one has 120,000"):
        Ink((half, half))
    assert len(Stroke(np.zeros((MAX_POINTS, 2)))) == MAX_POINTS


def test_strokes_must_be_strokes() -> None:
    stroke = Stroke([[0, 0], [1, 1]])
    with pytest.raises(
        ValueError, match="`strokes` must contain at least one stroke, but is empty"
    ):
        Ink(())
    with pytest.raises(TypeError, match=r"as in Ink\(\(stroke,\)\), but is a single one"):
        Ink(stroke)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"must contain Stroke objects, .* but has list"):
        Ink(([[0, 0]],))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"must contain Stroke objects, .* but has int"):
        Ink(7)  # type: ignore[arg-type]


def test_strokes_must_be_in_the_order_of_their_times() -> None:
    first, second = Stroke([[0, 0]], [2.0]), Stroke([[1, 1]], [1.0])
    with pytest.raises(ValueError, match="one starts at 1 s, before the previous stroke ends at 2"):
        Ink((first, second))
    assert Ink((second, Stroke([[0, 0]]), first)).duration == 1.0


@pytest.mark.parametrize("name", ["letter", "writer"])
@pytest.mark.parametrize("word", ["", " ", "a ", "a\nb", "\x00", "x" * 201, "\ud800"])
def test_a_name_is_text_on_one_line(name: str, word: str) -> None:
    with pytest.raises(
        ValueError, match=rf"`{name}` must be 1 to 200 printable characters .* give None"
    ):
        Ink((Stroke([[0, 0]]),), **{name: word})


def test_a_name_is_text() -> None:
    with pytest.raises(TypeError, match="`letter` must be a text or None, but is 7"):
        Ink((Stroke([[0, 0]]),), letter=7)  # type: ignore[arg-type]
