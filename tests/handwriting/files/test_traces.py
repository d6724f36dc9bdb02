from __future__ import annotations

import numpy as np
import pytest

from homeroom.handwriting.files.traces import PLAIN, Channel, TraceFormat, trace_of

XYT = TraceFormat((Channel("X"), Channel("Y"), Channel("T", units="ms")))


def channels(*known: dict[str, str]) -> TraceFormat:
    return TraceFormat.of([Channel.of(one) for one in known])


def test_values_are_separated_by_spaces_and_points_by_commas() -> None:
    trace = trace_of("\n 1 2,3  4,\n5 6.5e1 ", PLAIN, "trace 1")
    np.testing.assert_array_equal(trace.points, [[1, 2], [3, 4], [5, 65]])


def test_differences_add_up() -> None:
    """The example of the recommendation: first and second differences, without needless spaces."""
    trace = trace_of("1125 18432,'23'43,\"7\"-8,3-5,7 -3,6 2,6 8,3 6,2 4,*4,3 6,3-6", PLAIN, "t")
    x = [1125, 1148, 1178, 1211, 1251, 1297, 1349, 1404, 1461, 1461]
    np.testing.assert_array_equal(trace.points[:10, 0], x)
    np.testing.assert_array_equal(trace.points[:4, 1], [18432, 18475, 18510, 18540])


def test_hexadecimal_values_are_read() -> None:
    np.testing.assert_array_equal(trace_of("#ff #10,1 2", PLAIN, "t").points, [[255, 16], [1, 2]])


def test_y_upwards_is_turned() -> None:
    form = channels({"name": "X"}, {"name": "Y", "orientation": "-ve"})
    np.testing.assert_array_equal(trace_of("1 2", form, "t").points, [[1, -2]])


def test_lengths_in_different_units_are_made_equal() -> None:
    form = channels({"name": "X", "units": "cm"}, {"name": "Y", "units": "mm"})
    np.testing.assert_array_equal(trace_of("1 2", form, "t").points, [[10, 2]])


@pytest.mark.parametrize(("units", "time"), [("ms", 0.5), ("s", 500.0), ("", 0.5), ("us", 0.0005)])
def test_times_become_seconds(units: str, time: float) -> None:
    form = channels({"name": "X"}, {"name": "Y"}, {"name": "T", "units": units})
    times = trace_of("1 2 500", form, "t").times
    assert times is not None
    assert times[0] == pytest.approx(time)


def test_a_clock_in_strange_units_is_refused() -> None:
    form = channels({"name": "X"}, {"name": "Y"}, {"name": "T", "units": "fortnight"})
    with pytest.raises(ValueError, match="its channel T must be in s or ms, but is in 'fortnight'"):
        trace_of("1 2 3", form, "t")


def test_unknown_times_are_no_times() -> None:
    assert trace_of("1 2 ?, 3 4 ?", XYT, "t").times is None
    assert trace_of("1 2, 3 4", XYT, "t").times is None


def test_force_knows_its_greatest() -> None:
    form = channels({"name": "F", "max": "1023"}, {"name": "X"}, {"name": "Y"})
    trace = trace_of("512 1 2", form, "t")
    assert trace.full == 1023.0
    np.testing.assert_array_equal(trace.points, [[1, 2]])
    np.testing.assert_array_equal(trace.levels, [512])


def test_a_format_needs_x_and_y() -> None:
    with pytest.raises(ValueError, match=r"must have the channels X and Y, but has \['X', 'T'\]"):
        channels({"name": "X"}, {"name": "T"})
    assert channels() is PLAIN


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", r"trace 3 must have at least one point, but is empty"),
        ("1 2, x y", r"point 2 of trace 3 must be numbers, but has 'x y'"),
        ("1 2, 3", r"point 2 of trace 3 must have 2 numbers, but has 1"),
        ("1 2, ", r"point 2 of trace 3 must have 2 numbers, but has 0"),
        ("1 2 3", r"point 1 of trace 3 must have 2 numbers, but has more"),
        ("1 2 " * 100_000, r"must have 2 numbers, but has more"),
        ("? ?", r"trace 3 must have an x and a y for each point"),
    ],
)
def test_what_does_not_fit_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        trace_of(text, PLAIN, "trace 3")
