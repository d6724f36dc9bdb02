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
def test_a_number_is_read_back_exactly(value: float) -> None:
    assert float(ink_format.format_number(value)) == value


def test_times_continue_if_the_clock_restarts_with_each_stroke() -> None:
    strokes = [Stroke(POINTS, [5.0, 6.0]), Stroke([[0, 0]]), Stroke(POINTS, [0.0, 0.5])]
    times = [stroke.times for stroke in ink_format.in_time_order(strokes)]
    np.testing.assert_array_equal(times[0], [5.0, 6.0])
    assert times[1] is None
    np.testing.assert_array_equal(times[2], [6.0, 6.5])


@given(st.lists(st.lists(st.floats(0, 1e6), min_size=1, max_size=5), min_size=1, max_size=5))
def test_times_of_strokes_are_put_in_order(clocks: list[list[float]]) -> None:
    strokes = [Stroke(np.zeros((len(clock), 2)), sorted(clock)) for clock in clocks]
    assert Ink(ink_format.in_time_order(strokes)).timed


@pytest.mark.parametrize(
    ("most", "full"), [(0.5, 1.0), (1.0, 1.0), (900, 1024.0), (1024, 1024.0), (22634, 32768.0)]
)
def test_levels_are_fractions_of_the_next_power_of_two(most: float, full: float) -> None:
    first = Trace(POINTS, None, np.array([0.0, most]))
    second = Trace(POINTS, None, np.array([0.0, most / 4]))  # the same pen: the same scale
    (ink,) = ink_format.finish_letters([ParsedLetter([first, second])])
    one, other = (stroke.pressures for stroke in ink)
    np.testing.assert_array_equal(one, [0.0, most / full])
    np.testing.assert_array_equal(other, [0.0, most / 4 / full])


def test_pressures_that_are_all_zero_are_unknown() -> None:
    (ink,) = ink_format.finish_letters([ParsedLetter([Trace(POINTS, None, np.zeros(2))])])
    assert ink.strokes[0].pressures is None


def test_the_greatest_pressure_in_the_file_is_used() -> None:
    (ink,) = ink_format.finish_letters(
        [ParsedLetter([Trace(POINTS, None, np.array([0.0, 50.0]), full=100.0)])]
    )
    np.testing.assert_array_equal(ink.strokes[0].pressures, [0.0, 0.5])


def test_errors_name_the_place() -> None:
    with pytest.raises(ValueError, match="trace 7: `times` must never decrease"):
        ink_format.finish_letters(
            [ParsedLetter([Trace(POINTS, np.array([1.0, 0.0]), where="trace 7")])]
        )


def test_flipping_reverses_y() -> None:
    turned = ink_format.flipped(Ink((Stroke([[1, 2]], [0.5]),), letter="i"))
    np.testing.assert_array_equal(turned.points, [[1, -2]])
    assert (turned.letter, turned.timed) == ("i", True)
