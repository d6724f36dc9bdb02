"""From a class to its sketch, by one pass over its students."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Floats, Ints
from homeroom.classroom import AbstractPiece, Classroom, LargeClass
from homeroom.moments.bins import AbstractBins, RateBins, SingleRates
from homeroom.moments.nodes import chebyshev_nodes
from homeroom.moments.partial_sums import Tally
from homeroom.moments.rate_statistics import NOBODY, Survey
from homeroom.moments.sketch import Sketch

NODES = 33
"""As many as nearly always do while the fastest is no more than ``RATIO`` times the slowest."""

RATIO = 12.0


def first_nodes(rates: Survey) -> int:
    """Return how many nodes to begin with: what is needed grows as the root of fastest / slowest.

    More are taken where these turn out not to be enough. Wide ranges begin with 129 at most, as
    short lessons never need more.
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
        How many rates stand for all, an odd number. If no more than that are different, they
        themselves do, and nothing is interpolated.
    """
    return source_of(room).sketch(nodes)


def source_of(room: Classroom | LargeClass, rows: Ints | None = None) -> AbstractSource:
    """Return what sketches of a class, or of some rows of it, are made from."""
    if isinstance(room, LargeClass):
        return PiecewiseSource(room)
    if _arrays.on_accelerator(room.states):
        from homeroom.moments.on_device import DeviceSource

        return DeviceSource(room, rows)
    return ArraySource(room, rows)


class AbstractSource(ABC):
    """Students who can be passed over, as often as there is need."""

    target: Floats

    @cached_property
    @abstractmethod
    def survey(self) -> Survey:
        """Their rates, seen once."""

    @abstractmethod
    def tally(self, bins: AbstractBins) -> Tally:
        """Return what a pass over them adds up to."""

    def sketch(self, nodes: int) -> Sketch:
        """Return their sketch. O(students * dimensions^2)."""
        seen = self.survey
        few = seen.different
        if few is not None and len(few) <= nodes:
            tally = self.tally(SingleRates(few))
            shares, at = np.eye(len(few))[:, :, None], few
        else:
            bins = RateBins.for_nodes(*seen.span, nodes)
            tally = self.tally(bins)
            few, at = None, chebyshev_nodes(bins.slowest, bins.fastest, nodes)
            shares = bins.shares(at)
        matrices = np.tensordot(shares, tally.sums, axes=2) / tally.students
        return Sketch(
            nodes=at,
            matrices=0.5 * (matrices + matrices.transpose(0, 2, 1)),
            fastest=tally.fastest or seen.fastest,
            students=tally.students,
            farthest=math.sqrt(tally.farthest),
            weights=np.tensordot(shares, tally.counts, axes=2) / tally.students,
            exact=few is not None,
        )


@dataclass(frozen=True, eq=False)
class ArraySource(AbstractSource):
    """A class in memory, or some rows of it."""

    room: Classroom
    rows: Ints | None = None

    @property
    def target(self) -> Floats:  # type: ignore[override]
        """What everybody is to learn."""
        return _arrays.small(self.room.target)

    @cached_property
    def survey(self) -> Survey:
        rates = _arrays.to_numpy(self.room.rates)
        return Survey.of(rates if self.rows is None else rates[self.rows])

    def tally(self, bins: AbstractBins) -> Tally:
        states, rates = _arrays.to_numpy(self.room.states), _arrays.to_numpy(self.room.rates)
        tally = Tally.empty(bins, self.room.dimensions)
        tally.count(states, rates, self.target, bins, self.rows)
        return tally


@dataclass(frozen=True, eq=False)
class PiecewiseSource(AbstractSource):
    """A class that is read piece by piece, wherever its runner has that done."""

    room: LargeClass

    @property
    def target(self) -> Floats:  # type: ignore[override]
        """What everybody is to learn."""
        return self.room.target

    @cached_property
    def survey(self) -> Survey:
        pieces, total = self.room.pieces, self.room.runner.total
        if self.room.rates is None:
            survey = total(survey_of_piece, pieces)
            _somebody(survey.students)
            return survey
        slowest, fastest = self.room.rates
        # The range is known. Only if few rates seem to be different are all of them looked at.
        first = total(survey_of_piece, pieces[:1]).different
        different = None if first is None else total(survey_of_piece, pieces).different
        return Survey(0, slowest, fastest, different)

    def tally(self, bins: AbstractBins) -> Tally:
        seen = self.survey
        work = partial(
            tally_of_piece,
            target=self.target,
            bins=bins,
            limits=(seen.slowest, seen.fastest),
            threads=self.room.runner.threads,
        )
        tally = self.room.runner.total(work, self.room.pieces)
        _somebody(tally.students)
        return tally


def _somebody(students: int) -> None:
    """Refuse a class whose pieces turned out to be empty."""
    if not students:
        raise ValueError("A class needs at least one student, but all its pieces are empty.")


def survey_of_piece(piece: AbstractPiece) -> Survey:
    """Return the survey of a piece's students."""
    return sum(map(Survey.of, piece.rates()), start=NOBODY)


def tally_of_piece(
    piece: AbstractPiece,
    *,
    target: Floats,
    bins: AbstractBins,
    limits: tuple[float, float],
    threads: int | None,
) -> Tally:
    """Return the tally of a piece's students, all of whose rates must be within the limits."""
    tally = Tally.empty(bins, len(target))
    for states, rates in piece.blocks():
        _within(rates, limits)
        tally.count(states, rates, target, bins, threads=threads)
        tally.fastest = max(tally.fastest, float(rates.max()))
    return tally


def _within(rates: Floats, limits: tuple[float, float]) -> None:
    """Refuse a rate outside what was announced: its student would be counted wrongly."""
    slowest, fastest = limits
    low, high = float(rates.min()), float(rates.max())
    if low < slowest or high > fastest:
        raise ValueError(
            f"All rates should be between {slowest:.6g} and {fastest:.6g}, but a student has "
            f"{low if low < slowest else high:.6g}: leave the range out, or make it wider."
        )
