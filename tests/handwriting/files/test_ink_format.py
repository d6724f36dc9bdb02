from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeroom.handwriting import Ink, Stroke
from homeroom.handwriting.files import ink_format
from homeroom.handwriting.files.ink_format import ParsedLetter, Trace

POINTS = np.array([[0.0, 0.0], [1.0, 1.0]])


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_reads_as_it_was(value: float) -> None:
    assert float(ink_format.format_number(value)) == value


@given(st.floats(-1e9, 1e9))
def test_milliseconds_read_as_the_seconds_they_were(value: float) -> None:
    assert ink_format.from_milliseconds([ink_format.to_milliseconds(value)], "here")[0] == value


def test_words_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="line 3 must hold numbers, but has 'x'"):
        ink_format.parse_numbers(["1", "x"], "line 3")
    with pytest.raises(ValueError, match="line 3 must hold numbers, but has 'x'"):
        ink_format.from_milliseconds(["x"], "line 3")
    with pytest.raises(ValueError, match="line 3 must hold times in milliseconds"):
        ink_format.from_milliseconds(["1e99999999999999999999"], "line 3")


@pytest.mark.parametrize("word", ["-1", "1.5", "", "x", "٣", "9" * 10])
def test_a_count_is_a_few_digits(word: str) -> None:
    with pytest.raises(ValueError, match="the first line must be a count such as 70, but is"):
        ink_format.parse_count(word, "the first line")


def test_clocks_that_start_anew_go_on() -> None:
    strokes = [Stroke(POINTS, [5.0, 6.0]), Stroke([[0, 0]]), Stroke(POINTS, [0.0, 0.5])]
    times = [stroke.times for stroke in ink_format.in_time_order(strokes)]
    np.testing.assert_array_equal(times[0], [5.0, 6.0])
    assert times[1] is None
    np.testing.assert_array_equal(times[2], [6.0, 6.5])


@given(st.lists(st.lists(st.floats(0, 1e6), min_size=1, max_size=5), min_size=1, max_size=5))
def test_any_clocks_are_put_in_order(clocks: list[list[float]]) -> None:
    strokes = [Stroke(np.zeros((len(clock), 2)), sorted(clock)) for clock in clocks]
    assert Ink(ink_format.in_time_order(strokes)).timed


@pytest.mark.parametrize(
    ("most", "full"), [(0.5, 1.0), (1.0, 1.0), (900, 1024.0), (1024, 1024.0), (22634, 32768.0)]
)
def test_levels_are_shares_of_the_next_power_of_two(most: float, full: float) -> None:
    first = Trace(POINTS, None, np.array([0.0, most]))
    second = Trace(POINTS, None, np.array([0.0, most / 4]))  # the same pen: the same scale
    (ink,) = ink_format.finish_letters([ParsedLetter([first, second])])
    one, other = (stroke.pressures for stroke in ink)
    np.testing.assert_array_equal(one, [0.0, most / full])
    np.testing.assert_array_equal(other, [0.0, most / 4 / full])


def test_a_pen_that_reports_zeros_reports_nothing() -> None:
    (ink,) = ink_format.finish_letters([ParsedLetter([Trace(POINTS, None, np.zeros(2))])])
    assert ink.strokes[0].pressures is None


def test_what_the_file_says_of_the_greatest_pressure_counts() -> None:
    (ink,) = ink_format.finish_letters(
        [ParsedLetter([Trace(POINTS, None, np.array([0.0, 50.0]), full=100.0)])]
    )
    np.testing.assert_array_equal(ink.strokes[0].pressures, [0.0, 0.5])


def test_refusals_say_where() -> None:
    with pytest.raises(ValueError, match="trace 7: `times` must never decrease"):
        ink_format.finish_letters(
            [ParsedLetter([Trace(POINTS, np.array([1.0, 0.0]), where="trace 7")])]
        )


def test_upside_down_turns_y() -> None:
    turned = ink_format.flipped(Ink((Stroke([[1, 2]], [0.5]),), letter="i"))
    np.testing.assert_array_equal(turned.points, [[1, -2]])
    assert (turned.letter, turned.timed) == ("i", True)
