from typing import Any

import numpy as np
import pytest

from homeroom._arrays import Floats, Ints
from homeroom.moments.on_device import in_order, place
from homeroom.moments.rate_statistics import AbstractBins, RateBins
from tests.bad_input import refuse

torch: Any = pytest.importorskip("torch")

DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]


def rates_of(students: int) -> Floats:
    return 0.1 + 4.9 * np.random.default_rng(0).random(students)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("count", [16, 512, 1 << 15, 1 << 16])
def test_a_rate_has_the_place_that_numpy_gives_it(device: str, count: int) -> None:
    rates = rates_of(1000)
    bins = RateBins(rates.min(), rates.max(), count, 3)
    keys, places = place(torch.tensor(rates, device=device), bins)
    assert int(keys.min()) == 0
    assert int(keys.max()) == count - 1
    found = bins.rate(keys.cpu().numpy(), places.cpu().numpy())
    np.testing.assert_allclose(found, rates, rtol=1e-13)
    assert float(places.abs().max()) <= 1.0


def test_bins_of_another_kind_are_refused() -> None:
    class Halves(AbstractBins):
        @property
        def shape(self) -> tuple[int, int]:
            return 2, 1

        def place(self, rates: Floats) -> tuple[Ints, Floats]:
            raise NotImplementedError

    refuse(lambda: place(torch.ones(3), Halves()), "RateBins")


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("chosen", [None, [7, 3, 3, 90, 41, 8]])
def test_students_come_bin_after_bin_and_stay_in_their_own_order(
    device: str, chosen: list[int] | None
) -> None:
    rates = rates_of(100)
    bins = RateBins(rates.min(), rates.max(), 4, 2)
    rows = None if chosen is None else torch.tensor(chosen, device=device)
    states = torch.zeros((100, 2), device=device)
    ordered = in_order(states, torch.tensor(rates, device=device), bins, rows)
    who = np.arange(100) if chosen is None else np.array(chosen)
    bin_of, t = bins.place(rates[who])
    order = np.argsort(bin_of, kind="stable")
    assert ordered.states is states
    assert ordered.rows.tolist() == who[order].tolist()
    assert ordered.starts.tolist() == [0, *np.cumsum(np.bincount(bin_of, minlength=4)).tolist()]
    places = ordered.places.cpu().numpy()
    np.testing.assert_allclose(places, t[order] if ordered.places_in_order else t, atol=1e-12)
    assert ordered.places_in_order == (chosen is not None)
