"""The pass over students on a GPU: they stay there, and no array of their size is allocated.

Students are put into the order of the bins of their rates, one block at a time. The sums are those
of :mod:`homeroom.moments.partial_sums`, over the students of each bin: of ``t^k e e'``, the *local
moments* ``k = 0, 1, ...``, and of ``t^k``. Here ``e`` is a student's gap (state minus target), and
``t`` the place of the rate in its bin, between -1 and 1. A student counts as ``r = (e, 1)``, so
that the products ``t^k r r'`` give both sums. They are computed by one kernel where there is one
for the device (:func:`add_by_kernel`), else by plain torch products, which also run on the CPU. The
same students give the same sums, to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats, Ints
from homeroom._checks import InputTypeError
from homeroom.classroom import Classroom
from homeroom.moments import kernels
from homeroom.moments.build import AbstractSource
from homeroom.moments.partial_sums import PartialSums
from homeroom.moments.rate_statistics import (
    MOST_DIFFERENT,
    AbstractBins,
    RateBins,
    RateStatistics,
    SingleRates,
)
from homeroom.moments.sketch import Sketch, barycentric_weights, chebyshev_nodes

DEVICE_BLOCK = 1 << 27
"""The most students in a block. A block takes about 50 bytes per student. A large class has eight
blocks or more, so that this is about six bytes per student of the class."""

SMALL_BLOCK = 1 << 22
"""A block has at least this many students, if the class has."""

GATHERED_BYTES = 1 << 28
"""Bytes of gaps that plain torch products take at a time."""

NARROW, NARROWEST = 1 << 15, 1 << 17
"""The number of bins for many students, so narrow that three local moments are enough.

With more nodes there are more bins, up to the second number.
"""

A_BIN = 1 << 10
"""From this many students per bin, narrow bins are faster, and take less memory than the students.
"""

PRECISION = 2e-10
"""The largest error of a Lagrange function that is interpolated inside a narrow bin."""

TILE = 16
"""The size that the matrix units process: 16 students, 16 dimensions. The kernel uses two."""

PIECE, SHORTEST, PROGRAMS = 1 << 13, 1 << 8, 1 << 13
"""The most students of one bin that a program takes, so that crowded bins are divided.

A program takes fewer, down to ``SHORTEST``, where there would be fewer than ``PROGRAMS`` programs
to keep the device busy.
"""

KERNEL_MOMENTS = 3
"""Local moments whose sums fit into the registers; more need further launches."""

HOPPER = (9, 0)
"""The compute capability of these GPUs."""


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
    if isinstance(bins, RateBins) and fits_kernel(states):
        keys, places = place_by_kernel(rates, bins)
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
        return keys.to(choose_key_type(bins)), torch.zeros_like(rates)
    if not isinstance(bins, RateBins):
        raise InputTypeError(
            f"`bins` must be RateBins or SingleRates on a device, but are {type(bins).__name__}."
        )
    middle, half = 0.5 * (bins.fastest + bins.slowest), 0.5 * (bins.fastest - bins.slowest)
    angles = torch.arccos(((rates - middle) / half).clamp(-1.0, 1.0)) * (bins.bins / math.pi)
    keys = angles.int().clamp(max=bins.bins - 1)
    return keys.to(choose_key_type(bins)), 2.0 * (angles - keys) - 1.0


def _starts(keys: Any, bins: int) -> Any:
    """Return where each bin starts among sorted keys, followed by the number of keys."""
    import torch

    number = torch.arange(bins, dtype=keys.dtype, device=keys.device)
    end = torch.full((1,), len(keys), device=keys.device)
    return torch.cat((torch.searchsorted(keys, number), end))


@dataclass(frozen=True, eq=False)
class DeviceSource(AbstractSource):
    """A class on a GPU, or some rows of it."""

    room: Classroom
    rows: Ints | None = None

    @property
    def target(self) -> Floats:  # type: ignore[override]
        """The target."""
        return _arrays.to_host(self.room.target)

    @cached_property
    def rate_statistics(self) -> RateStatistics:
        rates = self.room.rates
        return statistics_on_device(
            rates if self.rows is None else _arrays.take_rows(rates, self.rows)
        )

    def partial_sums(self, bins: AbstractBins, nodes: Floats | None = None) -> PartialSums:
        """Return the sums of one pass over them, for each bin, or for each node if given."""
        room, width = self.room, self.room.dimensions
        if room.outputs == 1:
            return sums_on_device(
                room.states, room.rates, self.target, bins, rows=self.rows, nodes=nodes
            )
        found = [
            sums_on_device(
                room.states[:, first : first + width],
                room.rates,
                self.target[first : first + width],
                bins,
                rows=self.rows,
                nodes=nodes,
            )
            for first in range(0, len(self.target), width)
        ]
        far = _arrays.farthest(
            room.states if self.rows is None else _arrays.take_rows(room.states, self.rows),
            room.target,
        )
        sums: Floats = np.sum([part.sums for part in found], axis=0)
        return PartialSums(sums, found[0].counts, far**2)

    def bins(self, nodes: int) -> RateBins:
        """Return bins for so many nodes: narrow ones if there are many students."""
        seen = self.rate_statistics
        if seen.students < NARROW * A_BIN:
            return RateBins.for_nodes(*seen.span, nodes)
        return narrow_bins(seen, nodes)

    def sketch(self, nodes: int) -> Sketch:
        seen = self.rate_statistics
        if seen.different is not None and len(seen.different) <= nodes:
            return super().sketch(nodes)
        at = chebyshev_nodes(*seen.span, nodes)
        totals = self.partial_sums(self.bins(nodes), at)
        matrices = totals.sums[:, 0] / seen.students
        return Sketch(
            nodes=at,
            matrices=0.5 * (matrices + matrices.transpose(0, 2, 1)),
            fastest=seen.fastest,
            students=seen.students,
            farthest=math.sqrt(totals.farthest),
            weights=totals.counts[:, 0] / seen.students,
        )


def narrow_bins(seen: RateStatistics, nodes: int) -> RateBins:
    """Return narrow bins with just enough local moments.

    In the Chebyshev angle, a polynomial of degree below ``nodes`` is a sum of cosines, and over a
    bin the angle changes by ``pi / bins``. So ``p`` moments restore a Lagrange function up to an
    error of ``x^p / (2^(p-1) p!)`` with ``x = nodes pi / (2 bins)``.

    >>> seen = RateStatistics(10**9, 0.1, 5.0, None)
    >>> [narrow_bins(seen, nodes).shape for nodes in (33, 65, 129, 257)]
    [(32768, 3), (65536, 3), (131072, 3), (131072, 4)]
    """
    bins, moments = NARROW, 3
    while _remains(nodes, bins, moments) > PRECISION:
        if bins < NARROWEST and seen.students >= 2 * bins * A_BIN:
            bins *= 2
        else:
            moments += 1
    return RateBins(*seen.span, bins, moments)


def _remains(nodes: int, bins: int, moments: int) -> float:
    """Return the error of a Lagrange function that so many moments per bin restore."""
    x = 0.5 * math.pi * nodes / bins
    return float(x**moments / (2.0 ** (moments - 1) * math.factorial(moments)))


def statistics_on_device(rates: Array) -> RateStatistics:
    """Return the statistics of rates that stay on their device."""
    import torch

    rates = _arrays.as_torch(rates)
    slowest, fastest = torch.aminmax(rates)
    return RateStatistics(len(rates), float(slowest), float(fastest), _different(rates))


def _different(rates: Any) -> Floats | None:
    """Return the different rates, ascending, or ``None`` if there are more than ``MOST_DIFFERENT``.

    Usually the first rates already show that there are more.
    """
    import torch

    found = torch.unique(rates[: 8 * MOST_DIFFERENT])
    for some in _blocks(len(rates)):
        if len(found) > MOST_DIFFERENT:
            return None
        found = torch.unique(torch.cat((found, torch.unique(rates[some]))))
    return _arrays.to_host(found) if len(found) <= MOST_DIFFERENT else None


def sums_on_device(
    states: Array,
    rates: Array,
    target: Floats,
    bins: AbstractBins,
    *,
    rows: Ints | None = None,
    nodes: Floats | None = None,
) -> PartialSums:
    """Return the sums of students in torch or CuPy arrays, or of some rows of them.

    Parameters
    ----------
    states, rates
        The students, shapes ``(students, dimensions)`` and ``(students,)``.
    target
        The target, shape ``(dimensions,)``.
    bins
        Bins of their rates.
    rows
        Which students count; all unless given.
    nodes
        If given, the sums are distributed to these nodes before they come to the host: the result
        has a bin of one moment per node, weighted with :meth:`RateBins.shares`.

    Notes
    -----
    Cost: one Gram matrix per local moment, and sorting the students by bin. Extra memory: the sums
    twice, and about 50 bytes per student of a block.
    """
    import torch

    states, rates = _arrays.as_torch(states), _arrays.as_torch(rates)
    size = states.shape[1] + 1
    double: dict[str, Any] = {"dtype": torch.float64, "device": states.device}
    sums, farthest = torch.zeros((*bins.shape, size, size), **double), torch.zeros((), **double)
    aim = torch.tensor(target, **double)
    for students in _in_blocks(states, rates, bins, rows):
        add = add_by_kernel if fits_kernel(states) else add_plainly
        farthest = torch.maximum(farthest, add(sums, students, aim))
    if nodes is not None:
        assert isinstance(bins, RateBins)
        shares = shares_on_device(bins, nodes, states.device)
        sums = (shares.T @ sums.reshape(len(shares), -1)).reshape(len(nodes), 1, size, size)
    here = _arrays.to_host(sums)
    return PartialSums(here[..., :-1, :-1], here[..., -1, -1], float(farthest))


def shares_on_device(bins: RateBins, nodes: Floats, device: Any) -> Any:
    """Return :meth:`RateBins.shares`, computed on a device, shape ``(bins * moments, nodes)``.

    They state how much of each local moment of a bin goes to each node.
    """
    import torch

    double: dict[str, Any] = {"dtype": torch.float64, "device": device}
    points = -np.cos(np.pi * (np.arange(bins.moments) + 0.5) / bins.moments)
    middle, half = 0.5 * (bins.fastest + bins.slowest), 0.5 * (bins.fastest - bins.slowest)
    turns = torch.arange(bins.bins, **double)[:, None] + torch.tensor(
        0.5 * (points + 1.0), **double
    )
    rates = middle + half * torch.cos(turns * (math.pi / bins.bins))
    away = rates[..., None] - torch.tensor(nodes, **double)
    hit = away == 0.0
    values = torch.tensor(barycentric_weights(nodes), **double) / away.masked_fill_(hit, 1.0)
    values /= values.sum(dim=-1, keepdim=True)
    values = torch.where(hit.any(dim=-1, keepdim=True), hit.double(), values)
    powers = torch.tensor(np.linalg.inv(points[:, None] ** np.arange(bins.moments)), **double)
    return (powers @ values).reshape(-1, len(nodes))


def _in_blocks(states: Any, rates: Any, bins: AbstractBins, rows: Ints | None) -> Iterator[InOrder]:
    """Yield the students, or the chosen rows, in blocks that are sorted by bin."""
    import torch

    if rows is None:
        for some in _blocks(len(rates)):
            yield in_order(states[some], rates[some], bins)
        return
    chosen = torch.as_tensor(rows, device=states.device)
    for some in _blocks(len(chosen)):
        yield in_order(states, rates, bins, chosen[some])


def _blocks(students: int) -> Iterator[slice]:
    """Yield slices that divide so many students into blocks."""
    size = min(DEVICE_BLOCK, max(SMALL_BLOCK, -(-students // 8)))
    for first in range(0, students, size):
        yield slice(first, min(students, first + size))


def add_plainly(sums: Any, students: InOrder, target: Any) -> Any:
    """Add students to the sums of their bins; return the farthest's squared distance.

    The same as :func:`add_by_kernel`, with plain torch products on any device. From
    each bin as many students are taken at a time as a bin has on average: a batch of equal
    matrices, padded with zeros where a bin has fewer.
    """
    import torch

    bins, _, size, _ = sums.shape
    starts = students.starts
    length = max(16, len(students.rows) // bins)
    step = torch.arange(length, device=starts.device)
    counts, farthest = starts.diff(), sums.new_zeros(())
    for first in range(0, int(counts.max()), length):
        crowded = torch.nonzero(counts > first)[:, 0]
        for some in crowded.split(max(1, GATHERED_BYTES // (8 * length * size))):
            at = starts[some, None] + first + step
            ends = starts[some + 1, None]
            here = (at < ends)[..., None].double()
            gaps, t = _fetch(students, torch.minimum(at, ends - 1))
            gaps = (gaps - target) * here
            farthest = torch.maximum(farthest, (gaps * gaps).sum(dim=-1).max())
            _add_products(sums, some, torch.cat((gaps, here), dim=-1), t[..., None])
    return farthest


def _fetch(students: InOrder, at: Any) -> tuple[Any, Any]:
    """Return the states and the places of the students at positions ``at`` of the sorted order."""
    rows = students.rows[at]
    places = students.places[at if students.places_in_order else rows]
    return students.states[rows].double(), places


def _add_products(sums: Any, bins: Any, rows: Any, t: Any) -> None:
    """Add ``sum t^k r r'`` over the rows ``r`` of each matrix to the sums of its bin.

    ``bins`` are the numbers of the bins, ``rows`` one matrix for each of them.
    """
    weighted = rows
    for k in range(sums.shape[1]):
        sums[bins, k] += weighted.mT @ rows
        weighted = weighted * t


def fits_kernel(states: Any) -> bool:
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


def choose_key_type(bins: AbstractBins) -> Any:
    """Return the torch type for the numbers of bins: two bytes if enough, as they sort faster."""
    import torch

    return torch.int16 if bins.shape[0] <= 1 << 15 else torch.int32


def place_by_kernel(rates: Any, bins: RateBins) -> tuple[Any, Any]:
    """Return the bin of each rate and the place in it, as :func:`place` does, by a kernel."""
    import torch

    keys = torch.empty(len(rates), dtype=choose_key_type(bins), device=rates.device)
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


def add_by_kernel(sums: Any, students: InOrder, target: Any) -> Any:
    """Add students to the sums of their bins; return the farthest's squared distance.

    For GPUs that multiply float64 matrices (Hopper), by one kernel. Each program takes up to
    ``PIECE`` students of one bin. Their states are fetched by the order of the bins, and go from
    memory straight into the registers of the matrix units, as float64; there the sums grow until
    the piece is done. Nothing else is written, so the students are read once. With 25 dimensions a
    student takes three tiles of 16 x 16 per local moment: the lower left tile is the mirror image
    of the upper right one. A row of ones follows the dimensions, so that the same products also
    count the students.

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
    firsts, ends, pieces = _divide_bins(starts, len(rows))
    scale, shift = _frame(target)
    farthest = torch.zeros(len(firsts), dtype=torch.float64, device=sums.device)
    for power in range(0, moments, KERNEL_MOMENTS):
        some = sums[:, power : power + KERNEL_MOMENTS]
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


def _divide_bins(starts: Any, students: int) -> tuple[Any, Any, Any]:
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


def _frame(target: Any) -> tuple[Any, Any]:
    """Return the scale and shift that turn a state into ``(e, 1, 0, ...)``, two tiles long."""
    import torch

    dimensions = len(target)
    scale = torch.zeros(2 * TILE, dtype=torch.float64, device=target.device)
    shift = torch.zeros_like(scale)
    scale[:dimensions] = 1.0
    shift[:dimensions] = -target
    shift[dimensions] = 1.0
    return scale, shift
