"""The pass over the students as one kernel, for GPUs that multiply float64 matrices (Hopper).

It computes what :mod:`homeroom.moments.partial_sums` does: for each bin of rates, the sums of
``t^k e e'`` over its students, the *local moments* ``k = 0, 1, ...``, where ``e`` is a gap (state
minus target) and ``t`` the place of a rate in its bin, between -1 and 1.

Each program takes up to :data:`PIECE` students of one bin. Their states are fetched by the order of
the bins, and go from memory straight into the registers of the matrix units, as float64; there the
sums grow until the piece is done. Nothing else is written, so the students are read once.

With 25 dimensions a student takes three tiles of 16 x 16 per local moment: the lower left tile is
the mirror image of the upper right one. A row of ones follows the dimensions, so that the same
products also count the students.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from homeroom.moments import kernels
from homeroom.moments.rate_statistics import AbstractBins, RateBins

if TYPE_CHECKING:
    from homeroom.moments.on_device import InOrder

TILE = 16
"""The size that the matrix units process: 16 students, 16 dimensions. The kernel uses two."""

PIECE, SHORTEST, PROGRAMS = 1 << 13, 1 << 8, 1 << 13
"""The most students of one bin that a program takes, so that crowded bins are divided.

A program takes fewer, down to ``SHORTEST``, where there would be fewer than ``PROGRAMS`` programs
to keep the device busy.
"""

MOMENTS = 3
"""Local moments whose sums fit into the registers; more need further launches."""

HOPPER = (9, 0)
"""The compute capability of these GPUs."""


def fits(states: Any) -> bool:
    """Return whether the kernel supports these students and their device."""
    if (
        kernels.MISSING
        or not states.is_cuda
        or states.shape[1] >= 2 * TILE
        or states.stride(1) != 1
    ):
        return False
    import torch

    return torch.version.hip is None and torch.cuda.get_device_capability(states.device) == HOPPER


def key_type(bins: AbstractBins) -> Any:
    """Return the torch type for the numbers of bins: two bytes if enough, as they sort faster."""
    import torch

    return torch.int16 if bins.shape[0] <= 1 << 15 else torch.int32


def place(rates: Any, bins: RateBins) -> tuple[Any, Any]:
    """Return the bin of each rate and the place in it, as :meth:`RateBins.place` does."""
    import torch

    keys = torch.empty(len(rates), dtype=key_type(bins), device=rates.device)
    places = torch.empty(len(rates), dtype=torch.float64, device=rates.device)
    middle, half = 0.5 * (bins.fastest + bins.slowest), 0.5 * (bins.fastest - bins.slowest)
    # As an array, because a kernel takes plain numbers as float32; filled there, because a copy
    # from the host would wait for all that is still to be done.
    settings = torch.empty(3, dtype=torch.float64, device=rates.device)
    for number, value in enumerate((middle, half, bins.bins / math.pi)):
        settings[number] = float(value)
    block = 256
    with torch.cuda.device_of(rates):
        kernels.place[(-(-len(rates) // block),)](
            rates, keys, places, settings, len(rates), bins.bins - 1, block
        )
    return keys, places


def add(sums: Any, students: InOrder, target: Any) -> Any:
    """Add students to the sums of their bins; return the farthest's squared distance.

    Parameters
    ----------
    sums
        The sums of ``t^k r r'`` with ``r = (e, 1)``, changed in place. Shape ``(bins, moments,
        dimensions + 1, dimensions + 1)``.
    students
        Students in the order of the bins.
    target
        The target, shape ``(dimensions,)``, float64.
    """
    import torch

    bins, moments, size, _ = sums.shape
    states, rows, starts, places, places_in_order = students
    firsts, ends, pieces = _pieces(starts, len(rows))
    scale, shift = _framed(target)
    farthest = torch.zeros(len(firsts), dtype=torch.float64, device=sums.device)
    for power in range(0, moments, MOMENTS):
        some = sums[:, power : power + MOMENTS]
        partial = sums.new_empty((len(firsts), *some.shape[1:]))
        width = partial[0].numel()
        with torch.cuda.device_of(sums):
            kernels.sum_pieces[(len(firsts),)](
                states, rows, places, firsts, ends, scale, shift, partial, farthest,
                states.stride(0), size, some.shape[1], power, places_in_order, num_warps=1,
            )  # fmt: skip
            kernels.add_up[(bins, -(-width // 1024))](
                partial, some, pieces, some.stride(0), width, 1024
            )
    return farthest.max()


def _pieces(starts: Any, students: int) -> tuple[Any, Any, Any]:
    """Return where pieces start and end, and which is the first piece of each bin.

    ``starts`` has where each bin starts among the sorted students, then the number of students. A
    piece is what one program takes. The number of pieces is an upper limit, so that the host need
    not wait for the exact number; those at the end are empty.
    """
    import torch

    bins, device = len(starts) - 1, starts.device
    most = min(PIECE, max(SHORTEST, students // PROGRAMS))
    counts = (starts.diff() + most - 1) // most
    before = torch.cat((counts.new_zeros(1), counts.cumsum(0)))
    number = torch.arange(bins + students // most, device=device)
    bin_of = torch.searchsorted(before[1:], number, right=True)
    inside = bin_of < bins
    bin_of = bin_of.clamp(max=bins - 1)
    firsts = starts[bin_of] + (number - before[bin_of]) * most
    ends = torch.where(inside, torch.minimum(firsts + most, starts[bin_of + 1]), firsts)
    return firsts.int(), ends.int(), before.int()


def _framed(target: Any) -> tuple[Any, Any]:
    """Return the scale and shift that turn a state into ``(e, 1, 0, ...)``, two tiles long."""
    import torch

    dimensions = len(target)
    scale = torch.zeros(2 * TILE, dtype=torch.float64, device=target.device)
    shift = torch.zeros_like(scale)
    scale[:dimensions] = 1.0
    shift[:dimensions] = -target
    shift[dimensions] = 1.0
    return scale, shift
