"""One pass over the students: partial sums that can be added in any order, from any machine.

Weighing every student with the Lagrange functions of all nodes would cost one Gram matrix per node.
Over a narrow bin of rates such a function is almost constant, so a few local moments per bin are
enough to restore it up to rounding: with ``t_j`` the place of a rate in its bin, between -1 and 1,

    S_bk = sum over the students of bin b of  t_j^k e_j e_j',     k = 0..p-1

With several outputs, ``e_j e_j'`` is the sum over a student's gap vectors.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats, Ints
from homeroom.moments.bins import AbstractBins

BLOCK = 1 << 19
"""Students that are sorted into bins at a time, which takes 30 MB."""

SLAB_BYTES = 1 << 19
"""Bytes of gaps that are multiplied at a time: they and their products stay in a core's cache."""

ONE_THREAD = 1 << 18
"""Multiplications below which BLAS computes a product on one thread (OpenBLAS; others use more).

The bins are divided among threads here. More threads inside every small product would wait for
each other, and take three times as long.
"""

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(eq=False)
class PartialSums:
    """The sums of a pass over students.

    Parameters
    ----------
    sums
        ``S_bk``, shape ``(bins, moments, dimensions, dimensions)``.
    counts
        The same sums with 1 instead of ``e_j e_j'``, shape ``(bins, moments)``.
    farthest
        The greatest squared distance to the target among them.
    fastest
        The highest rate among them, where only a wider range was known before; else zero.
    """

    sums: Floats
    counts: Floats
    farthest: float = 0.0
    fastest: float = 0.0

    @classmethod
    def empty(cls, bins: AbstractBins, dimensions: int) -> PartialSums:
        """Return the sums of no students."""
        return cls(np.zeros((*bins.shape, dimensions, dimensions)), np.zeros(bins.shape))

    @property
    def students(self) -> int:
        """How many students were counted."""
        return round(float(self.counts[:, 0].sum()))

    def __add__(self, other: PartialSums) -> PartialSums:
        return PartialSums(
            self.sums + other.sums,
            self.counts + other.counts,
            max(self.farthest, other.farthest),
            max(self.fastest, other.fastest),
        )

    def count(
        self,
        states: npt.NDArray[np.floating],
        rates: npt.NDArray[np.floating],
        target: Floats,
        bins: AbstractBins,
        rows: Ints | None = None,
        *,
        threads: int | None = None,
    ) -> None:
        """Add these students, or some rows of them, on several threads.

        States and target have the vectors of all outputs one after the other.
        Cost: about one Gram matrix of the students per local moment. Extra memory: a few numbers
        per student of a block, whatever the number of students. The result is the same for any
        number of threads, to the last bit.
        """
        students = len(rates) if rows is None else len(rows)
        threads = threads or CORES
        with ThreadPoolExecutor(threads) as pool:
            for first in range(0, students, BLOCK):
                some = slice(first, min(students, first + BLOCK))
                if rows is None:
                    block = _Sorted(states[some], rates[some], None, bins)
                else:
                    block = _Sorted(states, rates[rows[some]], rows[some], bins)
                _count(self.counts, block)
                add = partial(_add, self.sums, block, target)
                self.farthest = max(self.farthest, *pool.map(add, block.shared_out(threads)))


class _Sorted:
    """Some students in the order of their bins."""

    def __init__(
        self,
        states: npt.NDArray[np.floating],
        rates: npt.NDArray[np.floating],
        rows: Ints | None,
        bins: AbstractBins,
    ) -> None:
        self.states = states
        bin_of, t = bins.place(np.asarray(rates, dtype=np.float64))
        order = np.argsort(bin_of, kind="stable")
        self.rows = order if rows is None else rows[order]
        self.bin_of, self.t = bin_of[order], t[order]
        self.ends: Ints = np.cumsum(np.bincount(bin_of, minlength=bins.shape[0]))

    def shared_out(self, threads: int) -> list[tuple[int, int]]:
        """Return the first and last bin of each thread, with about as many students each."""
        cuts = np.searchsorted(self.ends, np.linspace(0, self.ends[-1], threads + 1)[1:-1])
        edges = [0, *cuts.tolist(), len(self.ends)]
        return list(pairwise(edges))

    def runs(self, share: tuple[int, int], longest: int) -> Iterator[tuple[int, slice]]:
        """Yield a thread's bins with their students, at most ``longest`` at a time."""
        first = int(self.ends[share[0] - 1]) if share[0] else 0
        for number in range(*share):
            end = int(self.ends[number])
            while first < end:
                yield number, slice(first, min(end, first + longest))
                first = min(end, first + longest)


def _count(counts: Floats, block: _Sorted) -> None:
    there = np.flatnonzero(np.diff(block.ends, prepend=0))
    first = np.concatenate([[0], block.ends[there][:-1]])
    weights = np.ones_like(block.t)
    for k in range(counts.shape[1]):
        counts[there, k] += np.add.reduceat(weights, first)
        weights *= block.t


def _add(sums: Floats, block: _Sorted, target: Floats, share: tuple[int, int]) -> float:
    """Add the students of some bins to their sums, and return the farthest's squared distance."""
    numbers, pairs = len(target), _pairs(sums.shape[1])
    height = max(16, ONE_THREAD // (numbers * sums.shape[-1]))
    most = height * max(1, SLAB_BYTES // (8 * numbers * height))
    raw = np.empty((most, numbers), dtype=block.states.dtype)
    powers = np.empty((max(2, pairs[-1][1] + 1), most, numbers))
    ones = np.ones(numbers)
    farthest = 0.0
    for number, run in block.runs(share, most):
        rows, t = block.rows[run], block.t[run, None]
        # mode="clip", because "raise" would allocate another buffer
        np.take(block.states, rows, axis=0, out=raw[: len(rows)], mode="clip")
        weighed = powers[:, : len(rows)]  # t^k e
        np.subtract(raw[: len(rows)], target, out=weighed[0])
        np.multiply(weighed[0], weighed[0], out=weighed[1])
        farthest = max(farthest, float((weighed[1] @ ones).max()))
        for k in range(1, len(weighed)):
            np.multiply(weighed[k - 1], t, out=weighed[k])
        stacks = _stacked(powers, len(rows), height, sums.shape[-1])
        for k, (some, others) in enumerate(pairs):
            sums[number, k] += (stacks[some].transpose(0, 2, 1) @ stacks[others]).sum(axis=0)
    return farthest


def _stacked(powers: Floats, rows: int, height: int, dimensions: int) -> Floats:
    """Return the rows in stacks of at most ``height``, padded with rows of zeros at the end.

    NumPy passes the stacks to BLAS one by one. A row of several vectors becomes a row for each.
    """
    stacks = -(-rows // height)
    height = -(-rows // stacks)
    powers[:, rows : stacks * height] = 0.0
    return powers[:, : stacks * height].reshape(len(powers), stacks, -1, dimensions)


def _pairs(moments: int) -> list[tuple[int, int]]:
    """Return for each moment two powers whose product it is, so that few powers are needed.

    The two differ where possible: NumPy makes a product of a matrix with itself symmetric, which
    takes 50 % longer.

    >>> _pairs(6)
    [(0, 0), (0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]
    """
    halves = [((k - 1) // 2, k // 2 + 1) for k in range(1, moments)]
    return [(0, 0), *halves]
