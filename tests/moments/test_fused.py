from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from homeroom.moments import on_device
from homeroom.moments.on_device import add_plainly, in_order, place
from homeroom.moments.rate_statistics import RateBins

torch: Any = pytest.importorskip("torch")


def on_hopper() -> bool:
    return bool(
        torch.cuda.is_available() and on_device.fits_kernel(torch.zeros((2, 3), device="cuda"))
    )


needs_hopper = pytest.mark.skipif(
    not on_hopper(), reason="the kernel needs a Hopper GPU and Triton"
)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([3, 0, 20, 8], [(0, 3), (3, 11), (11, 19), (19, 23), (23, 31)]),
        ([0, 0, 16, 0], [(0, 8), (8, 16)]),
        ([1, 1, 1, 1], [(0, 1), (1, 2), (2, 3), (3, 4)]),
    ],
)
def test_pieces_are_short_and_each_of_one_bin(
    counts: list[int], expected: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_device, "SHORTEST", 8)
    starts = torch.tensor([0, *np.cumsum(counts)])
    firsts, ends, before = on_device._divide_bins(starts, sum(counts))
    pieces = list(zip(firsts.tolist(), ends.tolist(), strict=True))
    assert pieces[: len(expected)] == expected
    assert all(first == last for first, last in pieces[len(expected) :])
    of_bin = [pieces[one:two] for one, two in pairwise(before.tolist())]
    assert [sum(last - first for first, last in some) for some in of_bin] == counts


@needs_hopper
def test_places_are_those_of_plain_torch() -> None:
    rates = 0.1 + torch.rand(100_000, device="cuda")
    bins = RateBins(float(rates.min()), float(rates.max()), 1 << 15, 3)
    keys, places = on_device.place_by_kernel(rates, bins)
    expected, _ = place(rates, bins)
    assert (keys == expected).all()
    assert float(places.abs().max()) <= 1.0 + 1e-9
    found = bins.rate(keys.cpu().numpy(), places.cpu().numpy())
    np.testing.assert_allclose(found, rates.double().cpu().numpy(), rtol=1e-14)


@needs_hopper
@pytest.mark.parametrize(
    ("dimensions", "moments", "dtype"),
    [
        (1, 3, "float32"),
        (15, 2, "float32"),
        (16, 1, "float32"),
        (25, 3, "float32"),
        (25, 7, "float32"),
        (25, 4, "float64"),
        (31, 3, "float64"),
    ],
)
def test_the_kernel_adds_what_plain_torch_adds(dimensions: int, moments: int, dtype: str) -> None:
    """Bins of one student, of many, of none; more than one piece; every entry written."""
    torch.manual_seed(dimensions + moments)
    count = 60_000
    rates = (0.1 + torch.rand(count, device="cuda") ** 8).to(getattr(torch, dtype))
    states = torch.randn((count, dimensions), device="cuda").to(getattr(torch, dtype))
    target = torch.randn(dimensions, device="cuda", dtype=torch.float64)
    bins = RateBins(float(rates.min()), float(rates.max()), 300, moments)
    for chosen in (None, torch.randperm(count, device="cuda")[:50_001]):
        ordered = in_order(states, rates, bins, chosen)
        shape = (300, moments, dimensions + 1, dimensions + 1)
        found, expected = (torch.ones(shape, device="cuda", dtype=torch.float64) for _ in range(2))
        far, expected_far = (
            on_device.add_by_kernel(found, ordered, target),
            add_plainly(expected, ordered, target),
        )
        assert float((found - expected).abs().max()) <= 1e-12 * float(expected.abs().max())
        assert float(far) == pytest.approx(float(expected_far), rel=1e-13)


@needs_hopper
def test_rows_may_lie_apart_but_columns_may_not() -> None:
    wide = torch.randn((1000, 40), device="cuda", dtype=torch.float64)
    assert on_device.fits_kernel(wide[:, 3:20])
    assert not on_device.fits_kernel(wide.T[3:20])
    assert not on_device.fits_kernel(wide)
    rates = 0.1 + torch.rand(1000, device="cuda")
    bins = RateBins(0.1, 1.1, 8, 2)
    target = torch.zeros(17, device="cuda", dtype=torch.float64)
    found, expected = (torch.zeros((8, 2, 18, 18), device="cuda").double() for _ in range(2))
    ordered = in_order(wide[:, 3:20], rates, bins)
    on_device.add_by_kernel(found, ordered, target)
    add_plainly(expected, ordered, target)
    assert float((found - expected).abs().max()) <= 1e-12 * float(expected.abs().max())
