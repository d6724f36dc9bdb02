"""The order of students on a device by bin; the students themselves are not moved."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from homeroom._checks import InputTypeError
from homeroom.moments import fused
from homeroom.moments.bins import AbstractBins, RateBins, SingleRates


class InOrder(NamedTuple):
    """Some students, one bin after the other; everything in torch arrays.

    Parameters
    ----------
    states
        Students' states, shape ``(students, dimensions)``, in any order.
    rows
        Which rows of them to take, one bin after the other.
    starts
        Where each bin starts among ``rows``, then how many rows there are, ``(bins + 1,)``.
    places
        The place of each student in the bin, between -1 and 1.
    places_in_order
        Whether the places belong to ``rows``, one for each; else to the rows of ``states``.
    """

    states: Any
    rows: Any
    starts: Any
    places: Any
    places_in_order: bool


def in_order(states: Any, rates: Any, bins: AbstractBins, chosen: Any = None) -> InOrder:
    """Return the students in the order of their bins, all of them or the chosen rows.

    Only arrays of one number per student are allocated: the bin, the place in it, and the order.
    Students of one bin keep their order.
    """
    import torch

    rates = rates if chosen is None else rates[chosen]
    if isinstance(bins, RateBins) and fused.fits(states):
        keys, places = fused.place(rates, bins)
    else:
        keys, places = place(rates, bins)
    keys, order = torch.sort(keys, stable=True)
    starts = _starts(keys, bins.shape[0])
    if chosen is None:
        return InOrder(states, order, starts, places, places_in_order=False)
    return InOrder(states, chosen[order], starts, places[order], places_in_order=True)


def place(rates: Any, bins: AbstractBins) -> tuple[Any, Any]:
    """Return the bin of each rate and the place in it, as ``bins.place`` does for NumPy."""
    import torch

    rates = rates.double()
    if isinstance(bins, SingleRates):
        different = torch.tensor(bins.rates, device=rates.device)
        keys = torch.searchsorted(different, rates)
        return keys.to(fused.key_type(bins)), torch.zeros_like(rates)
    if not isinstance(bins, RateBins):
        raise InputTypeError(
            f"`bins` must be RateBins or SingleRates on a device, but are {type(bins).__name__}."
        )
    middle, half = 0.5 * (bins.fastest + bins.slowest), 0.5 * (bins.fastest - bins.slowest)
    angles = torch.arccos(((rates - middle) / half).clamp(-1.0, 1.0)) * (bins.bins / math.pi)
    keys = angles.int().clamp(max=bins.bins - 1)
    return keys.to(fused.key_type(bins)), 2.0 * (angles - keys) - 1.0


def _starts(keys: Any, bins: int) -> Any:
    """Return where each bin starts among sorted keys, and at last how many keys there are."""
    import torch

    number = torch.arange(bins, dtype=keys.dtype, device=keys.device)
    end = torch.full((1,), len(keys), device=keys.device)
    return torch.cat((torch.searchsorted(keys, number), end))
