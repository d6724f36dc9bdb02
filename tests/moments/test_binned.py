import numpy as np
import pytest

from homeroom.moments import binned
from homeroom.moments.binned import RateBins, binned_moments
from homeroom.moments.nodes import chebyshev_nodes, lagrange


def students(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((count, 4)), 0.1 + 4.9 * rng.random(count)


def test_a_rate_is_where_it_was_placed() -> None:
    bins = RateBins(0.1, 5.0, 512)
    rates = students(1000)[1]
    bin_of, t = bins.place(rates)
    assert bin_of.min() >= 0
    assert bin_of.max() < bins.bins
    assert (t >= 0).all()
    assert (t <= 1).all()
    np.testing.assert_allclose(bins.rate(bin_of, t), rates, rtol=1e-13)


def test_the_ends_of_the_range_have_a_bin() -> None:
    bins = RateBins(0.1, 5.0, 512)
    bin_of, t = bins.place(np.array([5.0, 0.1]))
    assert bin_of.tolist() == [0, bins.bins - 1]
    np.testing.assert_allclose(t, [0.0, 1.0], atol=1e-4)


def test_the_moments_are_the_sums_they_say() -> None:
    """B_bk = sum t^k e e', against a plain loop."""
    gaps, rates = students(60)
    bins = RateBins(rates.min(), rates.max(), bins=8)
    bin_of, t = bins.place(rates)
    expected = np.zeros((8, 3, 4, 4))
    for gap, number, place in zip(gaps, bin_of, t, strict=True):
        for k in range(3):
            expected[number, k] += place**k * np.outer(gap, gap)
    np.testing.assert_allclose(binned_moments(gaps, rates, bins, 3), expected, atol=1e-12)


def test_blocks_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    gaps, rates = students(500)
    bins = RateBins(rates.min(), rates.max(), bins=16)
    whole = binned_moments(gaps, rates, bins)
    monkeypatch.setattr(binned, "BLOCK", 37)
    np.testing.assert_allclose(binned_moments(gaps, rates, bins), whole, atol=1e-11)


@pytest.mark.parametrize("nodes", [33, 65, 129])
def test_the_bins_give_the_nodes_what_the_students_would(nodes: int) -> None:
    """sum_bk shares_ibk B_bk = sum_j l_i(eta_j) e_j e_j', to rounding."""
    gaps, rates = students(3000)
    bins = RateBins(rates.min(), rates.max(), binned.BINS_A_NODE * (nodes - 1))
    at = chebyshev_nodes(rates.min(), rates.max(), nodes)
    weights = lagrange(at, rates)
    direct = np.einsum("ji,ja,jb->iab", weights, gaps, gaps)
    found = np.tensordot(bins.shares(at, binned.MOMENTS), binned_moments(gaps, rates, bins), axes=2)
    np.testing.assert_allclose(found, direct, atol=1e-12 * np.abs(direct).max())
