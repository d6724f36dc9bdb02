"""The groups that a search considers: unions of small parts of the class.

A part holds the students of one *cell* (an interval of rates) and one *cluster* (similar states).
Groups by rate are unions of neighbouring cells; groups by knowledge are unions of clusters.
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
"""Students sampled to find the clusters of a larger class; the rest join the nearest cluster."""

CLUSTERS_PER_CELL = 2 / 3
"""Clusters per cell: fewer, because any two clusters may be merged, not only neighbours."""


class CandidateGroup(NamedTuple):
    """Students of some clusters and of the cells ``first`` to ``last - 1``."""

    clusters: tuple[int, ...]
    first: int
    last: int


@dataclass(frozen=True, eq=False)
class Parts:
    """The cluster and the cell of each student, shape ``(students,)``, numbered without gaps."""

    cluster_of: Ints
    cell_of: Ints

    @cached_property
    def sizes(self) -> Ints:
        """Students in each part, shape ``(clusters, cells)``."""
        return self.summed(np.ones(len(self.cluster_of)))

    @property
    def cells(self) -> int:
        """Number of rate cells."""
        return int(self.sizes.shape[1])

    @property
    def whole_class(self) -> CandidateGroup:
        """The whole class."""
        return CandidateGroup(tuple(range(len(self.sizes))), 0, self.cells)

    def summed(self, each: Floats | Ints) -> Ints:
        """Return sums over the students of each part, shape ``(clusters, cells)``."""
        shape = int(self.cluster_of.max()) + 1, int(self.cell_of.max()) + 1
        sums = np.bincount(self._part_of, each, minlength=shape[0] * shape[1])
        return sums.reshape(shape).round().astype(np.int64)

    def students(self, group: CandidateGroup) -> int:
        """Return the number of students in a group."""
        return int(self.sizes[list(group.clusters), group.first : group.last].sum())

    def members(self, group: CandidateGroup) -> Ints:
        """Return the indices of a group's students, in class order."""
        first, last = (np.array(group.clusters) * self.cells + end for end in group[1:])
        spans = zip(self._starts[first], self._starts[last], strict=True)
        return np.sort(np.concatenate([self._order[begin:end] for begin, end in spans]))

    @cached_property
    def _part_of(self) -> Ints:
        return self.cluster_of * (int(self.cell_of.max()) + 1) + self.cell_of

    @cached_property
    def _order(self) -> Ints:
        """Student indices sorted by part."""
        return np.argsort(self._part_of, kind="stable")

    @cached_property
    def _starts(self) -> Ints:
        """Where each part starts in that order, and the end of the last."""
        return np.concatenate([[0], np.cumsum(self.sizes.reshape(-1))])


def parts_of(room: Classroom, by: str, cells: int, rng: np.random.Generator) -> Parts:
    """Divide a class into parts: by rate, by knowledge, or by both."""
    if by == "rate":
        return Parts(np.zeros(room.students, dtype=np.int64), rate_cells_of(room, cells))
    clusters = room.students if room.students <= cells else max(1, round(CLUSTERS_PER_CELL * cells))
    return Parts(clusters_of(room, clusters, rng), rate_cells_of(room, cells))


def rate_cells_of(room: Classroom, cells: int) -> Ints:
    """Return the cell of each student: the interval of their rate, at most ``cells`` intervals.

    If there are no more different rates, each rate is a cell. Otherwise there is a cut at every
    edge of the paper's doubling bins (even if these are more than ``cells``), and the remaining
    cuts split the class evenly. Equal rates are never separated.
    """
    rates = _arrays.to_host(room.rates)
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


def clusters_of(room: Classroom, clusters: int, rng: np.random.Generator) -> Ints:
    """Return the cluster of each student: at most ``clusters`` clusters of states.

    k-means, on a sample if the class is large: O(students * dimensions * clusters).
    """
    if room.students <= SAMPLE:
        return ByKnowledge(min(clusters, room.students)).split(room, rng)
    some = room.subset(np.sort(rng.choice(room.students, SAMPLE, replace=False)))
    labels = ByKnowledge(min(clusters, SAMPLE)).split(some, rng)
    states = _arrays.to_host(some.states)
    centres = np.array(
        [states[labels == cluster].mean(axis=0) for cluster in range(labels.max() + 1)]
    )
    return _nearest(room, centres)


def _nearest(room: Classroom, centres: Floats) -> Ints:
    """Return the nearest centre of each student, renumbered without gaps."""
    nearest = np.empty(room.students, dtype=np.int64)
    lengths = np.vecdot(centres, centres)
    for rows in _arrays.blocks(room.students, room.dimensions, at_most=1 << 24):
        states = _arrays.to_host(room.states[rows, :])
        nearest[rows] = (lengths - 2.0 * states @ centres.T).argmin(axis=1)
    return np.asarray(np.unique(nearest, return_inverse=True)[1], dtype=np.int64).reshape(-1)
