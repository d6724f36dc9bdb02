import numpy as np
import pytest

from homeroom.moments.rate_statistics import MOST, RateBins, RateStatistics, SingleRates
from homeroom.moments.sketch import chebyshev_nodes, lagrange


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


def some_rates(count: int) -> np.ndarray:
    return 0.1 + 4.9 * np.random.default_rng(0).random(count)


def test_a_rate_is_where_it_was_placed() -> None:
    bins = RateBins(0.1, 5.0, 512, 6)
    rates = some_rates(1000)
    bin_of, t = bins.place(rates)
    assert bin_of.min() >= 0
    assert bin_of.max() < bins.bins
    assert (np.abs(t) <= 1 + 1e-12).all()
    np.testing.assert_allclose(bins.rate(bin_of, t), rates, rtol=1e-13)


def test_the_ends_of_the_range_have_a_bin() -> None:
    bins = RateBins(0.1, 5.0, 512, 6)
    bin_of, t = bins.place(np.array([5.0, 0.1]))
    assert bin_of.tolist() == [0, bins.bins - 1]
    np.testing.assert_allclose(t, [-1.0, 1.0], atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("nodes", [33, 65, 129, 513])
def test_local_moments_restore_every_lagrange_function(nodes: int) -> None:
    """sum_k shares[i, b, k] t^k = l_i(rate), to 1e-11 at any single rate."""
    bins = RateBins.for_nodes(0.1, 5.0, nodes)
    at, rates = chebyshev_nodes(0.1, 5.0, nodes), some_rates(2000)
    bin_of, t = bins.place(rates)
    powers = t[:, None] ** np.arange(bins.moments)
    found = np.einsum("ijk,jk->ji", bins.shares(at)[:, bin_of], powers)
    np.testing.assert_allclose(found, lagrange(at, rates), atol=1e-10)


def test_more_nodes_get_more_bins() -> None:
    counts = [RateBins.for_nodes(0.1, 5.0, nodes).bins for nodes in (33, 65, 129)]
    assert counts == sorted(counts)


def test_each_single_rate_has_its_own_bin() -> None:
    bins = SingleRates(np.array([0.1, 0.5, 2.0]))
    bin_of, t = bins.place(np.array([2.0, 0.1, 0.5, 0.5]))
    assert bin_of.tolist() == [2, 0, 1, 1]
    assert not t.any()
    assert bins.shape == (3, 1)
