"""Build the sketch of a class in one pass over its students.

A sketch has a matrix for each of a few rates, the *nodes*: ``M_i = mean(l_i(eta_j) e_j e_j')`` over
the students' rates ``eta_j`` and gaps ``e_j`` (state minus target), with the Lagrange function
``l_i`` of node i. The pass first sums the students of each narrow *bin* of rates; the nodes get
shares of these sums.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError
from homeroom.classroom import AbstractPiece, Classroom, LargeClass
from homeroom.moments.partial_sums import PartialSums
from homeroom.moments.rate_statistics import (
    NO_STUDENTS,
    AbstractBins,
    RateBins,
    RateStatistics,
    SingleRates,
)
from homeroom.moments.sketch import Sketch, chebyshev_nodes

NODES = 33
"""Almost always enough while the fastest rate is at most ``RATIO`` times the slowest."""

RATIO = 12.0
"""The ratio of the fastest to the slowest rate for which ``NODES`` are enough."""


def first_nodes(rates: RateStatistics) -> int:
    """Return how many nodes to begin with: 33, 65 or 129.

    The number needed grows as the square root of fastest / slowest. More are added when these are
    not enough. Wide ranges begin with at most 129, as short lessons never need more.
    """
    needed = (NODES - 1) * math.sqrt(rates.fastest / rates.slowest / RATIO)
    return next(nodes for nodes in (33, 65, 129) if nodes > needed or nodes == 129)


def sketch_of(room: Classroom | LargeClass, nodes: int = NODES) -> Sketch:
    """Return the sketch of a class: one pass over its students.

    Parameters
    ----------
    room
        The class.
    nodes
        The number of nodes, an odd number. If the class has no more different rates than that,
        the rates themselves are the nodes, and nothing is interpolated.
    """
    return source_of(room).sketch(nodes)


def source_of(room: Classroom | LargeClass, rows: Ints | None = None) -> AbstractSource:
    """Return the students of a class, or of some of its rows, for building sketches."""
    if isinstance(room, LargeClass):
        return PiecewiseSource(room)
    room = room.flat
    if _arrays.on_accelerator(room.states):
        from homeroom.moments.on_device import DeviceSource

        return DeviceSource(room, rows)
    return ArraySource(room, rows)


class AbstractSource(ABC):
    """Students from whom sketches are built, in as many passes as necessary."""

    target: Floats

    @cached_property
    @abstractmethod
    def rate_statistics(self) -> RateStatistics:
        """The statistics of their rates, from one pass."""

    @abstractmethod
    def partial_sums(self, bins: AbstractBins) -> PartialSums:
        """Return the sums of one pass over them, for each bin of rates."""

    def sketch(self, nodes: int) -> Sketch:
        """Return their sketch. O(students * dimensions^2)."""
        seen = self.rate_statistics
        few = seen.different
        if few is not None and len(few) <= nodes:
            # Every rate is a node, and has a bin of its own.
            totals = self.partial_sums(SingleRates(few))
            shares, at = np.eye(len(few))[:, :, None], few
        else:
            bins = RateBins.for_nodes(*seen.span, nodes)
            totals = self.partial_sums(bins)
            few, at = None, chebyshev_nodes(bins.slowest, bins.fastest, nodes)
            shares = bins.shares(at)
        matrices = np.tensordot(shares, totals.sums, axes=2) / totals.students
        return Sketch(
            nodes=at,
            matrices=0.5 * (matrices + matrices.transpose(0, 2, 1)),
            fastest=totals.fastest or seen.fastest,
            students=totals.students,
            farthest=math.sqrt(totals.farthest),
            weights=np.tensordot(shares, totals.counts, axes=2) / totals.students,
            exact=few is not None,
        )


@dataclass(frozen=True, eq=False)
class ArraySource(AbstractSource):
    """A class in memory, or some rows of it."""

    room: Classroom
    rows: Ints | None = None

    @property
    def target(self) -> Floats:  # type: ignore[override]
        """The target."""
        return _arrays.to_host(self.room.target)

    @cached_property
    def rate_statistics(self) -> RateStatistics:
        rates = _arrays.to_numpy(self.room.rates)
        return RateStatistics.of(rates if self.rows is None else rates[self.rows])

    def partial_sums(self, bins: AbstractBins) -> PartialSums:
        states, rates = _arrays.to_numpy(self.room.states), _arrays.to_numpy(self.room.rates)
        totals = PartialSums.empty(bins, self.room.dimensions)
        totals.count(states, rates, self.target, bins, self.rows)
        return totals


@dataclass(frozen=True, eq=False)
class PiecewiseSource(AbstractSource):
    """A class that is read piece by piece, on the machines or threads of its runner."""

    room: LargeClass

    @property
    def target(self) -> Floats:  # type: ignore[override]
        """The target."""
        return self.room.target

    @cached_property
    def rate_statistics(self) -> RateStatistics:
        pieces, total = self.room.pieces, self.room.runner.total
        if self.room.rates is None:
            statistics = total(statistics_of_piece, pieces)
            _not_empty(statistics.students)
            return statistics
        slowest, fastest = self.room.rates
        # The range is known. All rates are read only if few of the first ones are different.
        first = total(statistics_of_piece, pieces[:1]).different
        different = None if first is None else total(statistics_of_piece, pieces).different
        return RateStatistics(0, slowest, fastest, different)

    def partial_sums(self, bins: AbstractBins) -> PartialSums:
        seen = self.rate_statistics
        work = partial(
            sums_of_piece,
            target=self.target,
            dimensions=self.room.dimensions,
            bins=bins,
            limits=(seen.slowest, seen.fastest),
            threads=self.room.runner.threads,
        )
        totals = self.room.runner.total(work, self.room.pieces)
        _not_empty(totals.students)
        return totals


def _not_empty(students: int) -> None:
    """Refuse a class whose pieces are all empty."""
    if not students:
        raise InputError("A class needs at least one student, but all its pieces are empty.")


def statistics_of_piece(piece: AbstractPiece) -> RateStatistics:
    """Return the rate statistics of a piece's students."""
    return sum(map(RateStatistics.of, piece.rates()), start=NO_STUDENTS)


def sums_of_piece(
    piece: AbstractPiece,
    *,
    target: Floats,
    dimensions: int,
    bins: AbstractBins,
    limits: tuple[float, float],
    threads: int | None,
) -> PartialSums:
    """Return the sums of a piece's students for each bin; raise if a rate is not within limits."""
    totals = PartialSums.empty(bins, dimensions)
    for states, rates in piece.blocks():
        _within(rates, limits)
        totals.count(states, rates, target, bins, threads=threads)
        totals.fastest = max(totals.fastest, float(rates.max()))
    return totals


def _within(rates: Floats, limits: tuple[float, float]) -> None:
    """Refuse a rate outside the given range: its student would be counted wrongly."""
    slowest, fastest = limits
    low, high = float(rates.min()), float(rates.max())
    if low < slowest or high > fastest:
        raise InputError(
            f"All rates should be between {slowest:.6g} and {fastest:.6g}, but a student has "
            f"{low if low < slowest else high:.6g}: leave the range out, or make it wider."
        )
