import numpy as np
import pytest

from homeroom.moments.rate_statistics import MOST, RateStatistics


def test_statistics_have_the_range_and_the_number_of_students() -> None:
    statistics = RateStatistics.of(np.array([0.3, 0.1, 0.2]))
    assert (statistics.students, statistics.slowest, statistics.fastest) == (3, 0.1, 0.3)
    assert statistics.different is not None
    assert statistics.different.tolist() == [0.1, 0.2, 0.3]


def test_many_different_rates_are_not_listed() -> None:
    assert RateStatistics.of(np.arange(1.0, MOST + 1)).different is not None
    assert RateStatistics.of(np.arange(1.0, MOST + 2)).different is None
    late = np.append(np.ones(20 * MOST), np.arange(1.0, MOST + 2))
    assert RateStatistics.of(late).different is None


def test_nodes_stay_distinct() -> None:
    assert RateStatistics.of(np.array([0.3, 0.1])).span == (0.1, 0.3)
    slowest, fastest = RateStatistics.of(np.array([1.0, 1.0 + 1e-15])).span
    assert fastest == 1.0 + 1e-15
    assert slowest == pytest.approx(1.0 - 1e-9, abs=1e-14)


def test_statistics_can_be_added() -> None:
    both = RateStatistics.of(np.array([0.3, 0.1])) + RateStatistics.of(np.array([0.3, 0.7, 0.7]))
    assert (both.students, both.slowest, both.fastest) == (5, 0.1, 0.7)
    assert both.different is not None
    assert both.different.tolist() == [0.1, 0.3, 0.7]
    some, others = np.arange(1.0, 400), np.arange(1000.0, 1400)
    assert (RateStatistics.of(some) + RateStatistics.of(others)).different is None
    assert (RateStatistics.of(some) + RateStatistics.of(some)).different is not None
