import tracemalloc

import numpy as np
import pytest

from homeroom.moments import partial_sums as module
from homeroom.moments.partial_sums import PartialSums
from homeroom.moments.rate_statistics import AbstractBins, RateBins
from homeroom.moments.sketch import chebyshev_nodes, lagrange

TARGET = np.array([0.5, -1.0, 2.0, 0.0])


def students(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((count, 4)), 0.1 + 4.9 * rng.random(count)


def counted(
    states: np.ndarray,
    rates: np.ndarray,
    bins: AbstractBins,
    rows: np.ndarray | None = None,
    threads: int | None = None,
) -> PartialSums:
    totals = PartialSums.empty(bins, states.shape[1])
    totals.count(states, rates, TARGET[: states.shape[1]], bins, rows, threads=threads)
    return totals


@pytest.mark.parametrize("moments", [1, 2, 3, 6, 8])
def test_the_sums_are_what_they_say(moments: int) -> None:
    """S_bk = sum t^k e e' and counts = sum t^k, against a plain loop."""
    states, rates = students(60)
    bins = RateBins(rates.min(), rates.max(), 8, moments)
    bin_of, t = bins.place(rates)
    sums, counts = np.zeros((8, moments, 4, 4)), np.zeros((8, moments))
    for state, number, place in zip(states, bin_of, t, strict=True):
        gap = state - TARGET
        for k in range(moments):
            sums[number, k] += place**k * np.outer(gap, gap)
            counts[number, k] += place**k
    totals = counted(states, rates, bins)
    np.testing.assert_allclose(totals.sums, sums, atol=1e-12)
    np.testing.assert_allclose(totals.counts, counts, atol=1e-12)
    assert totals.students == 60
    assert totals.farthest == pytest.approx(((states - TARGET) ** 2).sum(axis=1).max())


def test_the_number_of_threads_makes_no_difference_at_all() -> None:
    states, rates = students(5000)
    bins = RateBins(rates.min(), rates.max(), 32, 6)
    one, three = counted(states, rates, bins, threads=1), counted(states, rates, bins, threads=3)
    np.testing.assert_array_equal(one.sums, three.sums)
    np.testing.assert_array_equal(one.counts, three.counts)


def test_blocks_and_stacks_make_no_difference_but_rounding(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    states, rates = students(500)
    bins = RateBins(rates.min(), rates.max(), 16, 6)
    whole = counted(states, rates, bins)
    monkeypatch.setattr(module, "SUM_BLOCK", 137)
    monkeypatch.setattr(module, "ONE_THREAD", 7 * 16)
    monkeypatch.setattr(module, "SLAB_BYTES", 21 * 8 * 4)
    parts = counted(states, rates, bins)
    np.testing.assert_allclose(parts.sums, whole.sums, atol=1e-11)
    np.testing.assert_allclose(parts.counts, whole.counts, atol=1e-11)


@pytest.mark.parametrize("nodes", [33, 65, 129])
def test_the_bins_give_the_nodes_what_the_students_would(nodes: int) -> None:
    """sum_bk shares_ibk S_bk = sum_j l_i(eta_j) e_j e_j', to rounding."""
    states, rates = students(3000)
    bins = RateBins.for_nodes(rates.min(), rates.max(), nodes)
    at = chebyshev_nodes(rates.min(), rates.max(), nodes)
    gaps = states - TARGET
    direct = np.einsum("ji,ja,jb->iab", lagrange(at, rates), gaps, gaps)
    found = np.tensordot(bins.shares(at), counted(states, rates, bins).sums, axes=2)
    np.testing.assert_allclose(found, direct, atol=1e-11 * np.abs(direct).max())


@pytest.mark.slow
def test_the_pass_needs_no_memory_for_the_students() -> None:
    """Extra memory: the totals, and some numbers for each student of a block."""
    rng = np.random.default_rng(0)
    states, rates = rng.standard_normal((300_000, 25)), 0.1 + rng.random(300_000)
    bins = RateBins.for_nodes(rates.min(), rates.max(), 33)
    totals = PartialSums.empty(bins, 25)
    tracemalloc.start()
    totals.count(states, rates, np.zeros(25), bins)
    extra = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert extra < 40e6
    assert totals.sums.nbytes + 60e6 < 300e6
