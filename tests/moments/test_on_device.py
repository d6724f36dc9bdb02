from typing import Any

import numpy as np
import pytest

from homeroom import Classroom, teach
from homeroom._arrays import Floats
from homeroom.moments import on_device
from homeroom.moments.build import ArraySource
from homeroom.moments.on_device import (
    DeviceSource,
    narrow_bins,
    shares_on_device,
    statistics_on_device,
    sums_on_device,
)
from homeroom.moments.partial_sums import PartialSums
from homeroom.moments.rate_statistics import RateBins, RateStatistics
from homeroom.moments.sketch import chebyshev_nodes, lagrange

torch: Any = pytest.importorskip("torch")

DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
on_any_device = pytest.mark.parametrize("device", DEVICES)


def students(count: int, dimensions: int = 4) -> tuple[Floats, Floats, Floats]:
    rng = np.random.default_rng(0)
    states = rng.standard_normal((count, dimensions))
    return states, 0.1 + 4.9 * rng.random(count), 0.3 * rng.standard_normal(dimensions)


def moved(device: str, *parts: Floats) -> list[Any]:
    return [torch.tensor(part, device=device) for part in parts]


def plain_tally(states: Floats, rates: Floats, target: Floats, bins: Any, rows: Any) -> PartialSums:
    totals = PartialSums.empty(bins, len(target))
    totals.count(states, rates, target, bins, rows)
    return totals


def assert_same(found: PartialSums, expected: PartialSums, tolerance: float = 1e-12) -> None:
    most = np.abs(expected.sums).max()
    np.testing.assert_allclose(found.sums, expected.sums, atol=tolerance * most)
    np.testing.assert_allclose(found.counts, expected.counts, atol=tolerance * len(found.counts))
    assert found.farthest == pytest.approx(expected.farthest, rel=1e-13)
    assert found.students == expected.students


@on_any_device
@pytest.mark.parametrize("dimensions", [1, 15, 25, 40])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_tally_is_the_one_of_numpy(device: str, dimensions: int, dtype: str) -> None:
    states, rates, target = students(700, dimensions)
    states, rates = states.astype(dtype), rates.astype(dtype)
    those, their_rates = moved(device, states, rates)
    bins = RateBins(float(rates.min()), float(rates.max()), bins=8, moments=4)
    rows = np.random.default_rng(1).permutation(700)[:301]
    for some in (None, rows):
        found = sums_on_device(those, their_rates, target, bins, rows=some)
        assert_same(found, plain_tally(states, rates, target, bins, some))


@on_any_device
def test_the_same_students_give_the_same_sums_to_the_last_bit(device: str) -> None:
    states, rates, target = students(20_000)
    bins = RateBins(rates.min(), rates.max(), bins=4, moments=3)
    those, their_rates = moved(device, states, rates)
    one, two = (sums_on_device(those, their_rates, target, bins) for _ in range(2))
    assert (one.sums == two.sums).all()
    assert (one.counts == two.counts).all()


@pytest.mark.slow
@on_any_device
@pytest.mark.parametrize("nodes", [33, 65])
def test_narrow_bins_give_the_nodes_what_the_students_would(device: str, nodes: int) -> None:
    """sum_bk shares_ibk S_bk = sum_j l_i(eta_j) e_j e_j', to the precision promised."""
    states, rates, target = students(3000)
    at = chebyshev_nodes(rates.min(), rates.max(), nodes)
    bins = narrow_bins(RateStatistics.of(rates), nodes)
    gaps, weights = states - target, lagrange(at, rates)
    those, their_rates = moved(device, states, rates)
    found = sums_on_device(those, their_rates, target, bins, nodes=at)
    assert found.sums.shape == (nodes, 1, 4, 4)
    direct = np.einsum("ji,ja,jb->iab", weights, gaps, gaps)
    total = np.einsum("ja,ja->", gaps, gaps)
    np.testing.assert_allclose(found.sums[:, 0], direct, atol=on_device.PRECISION * total)
    expected = weights.sum(axis=0)
    np.testing.assert_allclose(found.counts[:, 0], expected, atol=on_device.PRECISION * 3000)


@on_any_device
@pytest.mark.parametrize(("bins", "moments", "nodes"), [(512, 6, 33), (64, 3, 5), (128, 8, 17)])
def test_shares_are_those_of_numpy(device: str, bins: int, moments: int, nodes: int) -> None:
    rate_bins = RateBins(0.1, 5.0, bins, moments)
    at = chebyshev_nodes(0.1, 5.0, nodes)
    found = shares_on_device(rate_bins, at, device).reshape(bins, moments, nodes)
    expected = rate_bins.shares(at).transpose(1, 2, 0)
    np.testing.assert_allclose(found.cpu().numpy(), expected, atol=1e-12)


@on_any_device
def test_rates_are_surveyed_where_they_are(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _, rates, _ = students(5000)
    seen = statistics_on_device(torch.tensor(rates, device=device))
    assert (seen.students, seen.slowest, seen.fastest) == (5000, rates.min(), rates.max())
    assert seen.different is None
    monkeypatch.setattr(on_device, "SMALL_BLOCK", 700)
    few: Any = np.array([0.5, 0.25, 4.0, 0.1], np.float32)[np.arange(9000) % 4]
    found = statistics_on_device(torch.tensor(few, device=device))
    expected = RateStatistics.of(few)
    assert expected.different is not None
    assert found.different is not None
    assert found.different.tolist() == expected.different.tolist()


@on_any_device
@pytest.mark.parametrize("enough", [0, 1 << 10])
def test_the_sketch_is_the_one_of_numpy(
    device: str, enough: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_device, "A_BIN", enough)
    states, rates, target = students(2000)
    here = Classroom(states, rates, target)
    there = Classroom(*moved(device, states, rates, target))
    for rows in (None, np.arange(0, 2000, 3)):
        found, expected = DeviceSource(there, rows).sketch(33), ArraySource(here, rows).sketch(33)
        assert not found.exact
        assert found.students == expected.students
        assert found.farthest == pytest.approx(expected.farthest, rel=1e-12)
        np.testing.assert_allclose(found.nodes, expected.nodes, rtol=1e-14)
        np.testing.assert_allclose(found.matrices, expected.matrices, atol=1e-9)
        np.testing.assert_allclose(found.weights, expected.weights, atol=1e-9)


@pytest.mark.skipif(len(DEVICES) == 1, reason="torch sees no GPU here")
@pytest.mark.parametrize("engine", ["exact", "sketch"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_class_on_the_gpu_is_taught_like_one_in_numpy(engine: str, dtype: str) -> None:
    states, rates, target = (part.astype(dtype) for part in students(3000, 5))
    here = teach(Classroom(states, rates, target), engine=engine)
    there = teach(
        Classroom(*moved("cuda", states, rates, target)),
        engine=engine,
    )
    assert there.rounds == here.rounds
    rtol = 1e-9 if dtype == "float64" else 1e-4
    np.testing.assert_allclose(there.errors, here.errors, rtol=rtol)


@pytest.mark.skipif(len(DEVICES) == 1, reason="torch sees no GPU here")
def test_nothing_of_the_size_of_the_students_is_made_on_the_gpu() -> None:
    room = Classroom(
        torch.randn((1 << 24, 25), device="cuda"),
        0.1 + torch.rand(1 << 24, device="cuda"),
        torch.zeros(25, device="cuda"),
    )
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    sums_on_device(room.states, room.rates, np.zeros(25), RateBins(0.1, 1.1, 512, 3))
    extra = torch.cuda.max_memory_allocated() - before
    assert extra < 0.3 * 4 * 25 * (1 << 24)
