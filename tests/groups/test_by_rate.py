"""The paper's natural groups: doubling bins of the rates."""

from typing import Any

import array_api_strict as strict
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeroom import ByRate, Classroom


def split(rates: Any) -> Any:
    room = Classroom(np.ones((len(rates), 1), np.asarray(rates).dtype), rates, [0.0])
    return ByRate().split(room, np.random.default_rng(0)).tolist()


@pytest.mark.parametrize("slowest", [0.05, 0.07, 0.1, 0.3, 1e-300, 1e100])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_rate_exactly_twice_as_fast_begins_the_next_group(slowest: float, dtype: Any) -> None:
    """Bins are [2^i min, 2^(i+1) min): each power of two is the first of its own."""
    if dtype == np.float32 and not 1e-30 < slowest < 1e30:
        pytest.skip("not a number of single precision")
    rates = np.array([slowest * 2**k for k in range(12)], dtype=dtype)
    assert split(rates) == list(range(12))
    just_below = np.nextafter(rates[1:] * dtype(1 - 1e-5), dtype(0))
    assert split(np.append(rates[:1], just_below)) == [0, *range(11)]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_multiples_written_in_decimals_count_as_such(dtype: Any) -> None:
    assert split(np.array([0.07, 0.14, 0.28, 0.56], dtype)) == [0, 1, 2, 3]
    assert split(np.array([0.1, 0.2, 0.4, 0.8, 1.6], dtype)) == [0, 1, 2, 3, 4]
    assert split(np.array([0.05, 0.1 - 0.0001, 0.1], dtype)) == [0, 0, 1]


def test_rates_worked_out_as_multiples_count_as_such() -> None:
    """0.7 * 0.8 and 0.3 - 0.1 miss 8 * 0.07 and 2 * 0.1 by the last digit."""
    assert 0.7 * 0.8 < 8 * 0.07
    assert split([0.07, 0.28, 0.7 * 0.8]) == [0, 1, 2]
    assert 0.3 - 0.1 < 2 * 0.1
    assert split([0.1, 0.3 - 0.1]) == [0, 1]


def test_rates_as_far_apart_as_numbers_go_are_split() -> None:
    assert split([1e-300, 1e300]) == [0, 1]
    assert split([5e-324, 1.7e308, 1.0e308]) == [0, 1, 1]
    assert split([1.0e308, np.finfo(float).max, 1.7e308]) == [0, 0, 0]


def test_empty_bins_are_left_out() -> None:
    assert split([0.8, 100.0, 0.1, 0.15, 0.1]) == [1, 2, 0, 0, 0]


def test_equal_rates_are_one_group() -> None:
    assert split([0.3] * 5) == [0] * 5


def test_rates_of_any_library_are_split() -> None:
    room = Classroom(strict.ones((3, 1)), strict.asarray([0.1, 0.35, 0.2]), [0.0])
    assert ByRate().split(room, np.random.default_rng(0)).tolist() == [0, 1, 1]


@given(rates=st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=30))
def test_in_a_group_the_fastest_is_less_than_twice_the_slowest(rates: list[float]) -> None:
    """And groups are in order of rates, numbered without a gap."""
    groups, by = np.array(split(rates)), np.array(rates)
    assert sorted(set(groups.tolist())) == list(range(groups.max() + 1))
    for group in range(groups.max() + 1):
        inside = by[groups == group]
        assert inside.max() < 2 * inside.min() * (1 + 1e-12)
        if group:
            assert inside.min() > by[groups == group - 1].max()
