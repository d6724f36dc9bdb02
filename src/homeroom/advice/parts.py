"""Cutting a class into small parts that stay together, of which groups are then made.

A part holds the students of one *cell* of rates and one *camp* of like-minded students. Groups by
rate are made of neighbouring cells, groups by knowledge of camps.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Floats, Ints
from homeroom.classroom import Classroom
from homeroom.groups import ByKnowledge, ByRate

SAMPLE = 4096
"""Students of whom the camps of a larger class are found; the others join the nearest camp."""

CAMPS = 2 / 3
"""How many camps there are for each cell: any two are tried together, not only neighbours."""


class Group(NamedTuple):
    """Students of some camps and of the cells ``first`` to ``last - 1``."""

    camps: tuple[int, ...]
    first: int
    last: int


@dataclass(frozen=True, eq=False)
class Parts:
    """The camp and the cell of each student, shape ``(students,)``, numbered without gaps."""

    camp_of: Ints
    cell_of: Ints

    @cached_property
    def sizes(self) -> Ints:
        """How many students each part has, shape ``(camps, cells)``."""
        return self.summed(np.ones(len(self.camp_of)))

    @property
    def cells(self) -> int:
        """How many cells of rates there are."""
        return int(self.sizes.shape[1])

    @property
    def everybody(self) -> Group:
        """The whole class."""
        return Group(tuple(range(len(self.sizes))), 0, self.cells)

    def summed(self, each: Floats | Ints) -> Ints:
        """Return the sums of something over the students of each part, ``(camps, cells)``."""
        shape = int(self.camp_of.max()) + 1, int(self.cell_of.max()) + 1
        sums = np.bincount(self._part_of, each, minlength=shape[0] * shape[1])
        return sums.reshape(shape).round().astype(np.int64)

    def students(self, group: Group) -> int:
        """Return how many students a group has."""
        return int(self.sizes[list(group.camps), group.first : group.last].sum())

    def members(self, group: Group) -> Ints:
        """Return the numbers of a group's students, in the order of the class."""
        first, last = (np.array(group.camps) * self.cells + end for end in group[1:])
        spans = zip(self._starts[first], self._starts[last], strict=True)
        return np.sort(np.concatenate([self._order[begin:end] for begin, end in spans]))

    @cached_property
    def _part_of(self) -> Ints:
        return self.camp_of * (int(self.cell_of.max()) + 1) + self.cell_of

    @cached_property
    def _order(self) -> Ints:
        """Everybody's number, sorted by part."""
        return np.argsort(self._part_of, kind="stable")

    @cached_property
    def _starts(self) -> Ints:
        """Where each part begins in that order, and where the last ends."""
        return np.concatenate([[0], np.cumsum(self.sizes.reshape(-1))])


def parts_of(room: Classroom, by: str, cells: int, rng: np.random.Generator) -> Parts:
    """Cut a class into parts: by rate, by knowledge, or by both."""
    if by == "rate":
        return Parts(np.zeros(room.students, dtype=np.int64), rate_cells_of(room, cells))
    camps = room.students if room.students <= cells else max(1, round(CAMPS * cells))
    return Parts(camps_of(room, camps, rng), rate_cells_of(room, cells))


def rate_cells_of(room: Classroom, cells: int) -> Ints:
    """Return the cell of each student: her rate's place among at most ``cells`` intervals.

    If no more rates are different, each is a cell. Else there is a cut wherever the paper's
    doubling bins have one (even if these alone are more than ``cells``), and the others are where
    they split the class evenly. Equal rates are never parted.
    """
    rates = _arrays.small(room.rates)
    different, place, counts = np.unique(rates, return_inverse=True, return_counts=True)
    if len(different) <= cells:
        return np.asarray(place, dtype=np.int64).reshape(-1)
    bins = ByRate().split(room, np.random.default_rng(0))
    bin_at = np.zeros(len(different), dtype=np.int64)
    bin_at[place] = bins
    doubling = np.flatnonzero(np.diff(bin_at)) + 1
    number = max(0, cells - len(doubling))
    ends = np.cumsum(counts)
    even = np.searchsorted(ends, room.students * np.arange(1, number) / max(1, number)) + 1
    cuts = np.union1d(doubling, even[even < len(different)])
    return np.searchsorted(cuts, place.reshape(-1), side="right").astype(np.int64)


def camps_of(room: Classroom, camps: int, rng: np.random.Generator) -> Ints:
    """Return the camp of each student: clusters of states, at most ``camps``.

    k-means, of a sample if the class is large: O(students * dimensions * camps).
    """
    if room.students <= SAMPLE:
        return ByKnowledge(min(camps, room.students)).split(room, rng)
    some = room.subset(np.sort(rng.choice(room.students, SAMPLE, replace=False)))
    labels = ByKnowledge(min(camps, SAMPLE)).split(some, rng)
    states = _arrays.small(some.states)
    centres = np.array([states[labels == camp].mean(axis=0) for camp in range(labels.max() + 1)])
    return _nearest(room, centres)


def _nearest(room: Classroom, centres: Floats) -> Ints:
    """Return the nearest centre of each student, numbered without gaps."""
    nearest = np.empty(room.students, dtype=np.int64)
    lengths = np.vecdot(centres, centres)
    for rows in _arrays.blocks(room.students, room.dimensions, at_most=1 << 24):
        states = _arrays.small(room.states[rows, :])
        nearest[rows] = (lengths - 2.0 * states @ centres.T).argmin(axis=1)
    return np.asarray(np.unique(nearest, return_inverse=True)[1], dtype=np.int64).reshape(-1)
