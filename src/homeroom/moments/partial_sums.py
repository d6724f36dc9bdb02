"""One pass over the students: partial sums that can be added in any order, from any machine.

A sketch needs the sums of ``l_i(eta_j) e_j e_j'`` over the students, with their rates ``eta_j``,
their gaps ``e_j`` (state minus target) and the Lagrange function ``l_i`` of each of its nodes.
Weighing every student with the Lagrange functions of all nodes would cost one Gram matrix per node.
Over a narrow bin of rates such a function is almost constant, so a few local moments per bin are
enough to restore it up to rounding: with ``t_j`` the place of a rate in its bin, between -1 and 1,

    S_bk = sum over the students of bin b of  t_j^k e_j e_j',     k = 0..p-1

With several outputs, ``e_j e_j'`` is the sum over a student's gap vectors.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from numpy.polynomial import Polynomial

from homeroom._arrays import Floats, Ints
from homeroom.moments.rate_statistics import AbstractBins

SUM_BLOCK = 1 << 19
"""Students that are sorted into bins at a time, which takes 30 MB."""

SLAB_BYTES = 1 << 20
"""Bytes of gaps that are multiplied at a time: they and their powers stay in the cache."""

SHARES = 16
"""The number of parts into which a block is divided for the threads. It is fixed, so that sums are
always added in the same order."""

ONE_THREAD = 1 << 18
"""Multiplications below which BLAS computes a product on one thread (OpenBLAS; others use more).

The bins are divided among threads here. More threads inside every small product would wait for
each other, and take three times as long.
"""

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
"""The processor cores that this process may use: the default number of threads."""


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
        The highest rate among them, if only a wider range was known before; otherwise zero.
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

        ``states`` has one row per student, ``rates`` one number. States and target have the vectors
        of all outputs one after the other. ``rows`` are the students to add; all unless given.

        Cost: about one Gram matrix of the students per local moment. Extra memory: a few numbers
        per student of a block, whatever the number of students. The result is the same for any
        number of threads, to the last bit.
        """
        students = len(rates) if rows is None else len(rows)

        def sort_block(first: int) -> _Sorted:
            some = slice(first, min(students, first + SUM_BLOCK))
            if rows is None:
                return _Sorted(states[some], rates[some], None, bins)
            return _Sorted(states, rates[rows[some]], rows[some], bins)

        with ThreadPoolExecutor(threads or CORES) as pool:
            following = pool.submit(sort_block, 0)
            for first in range(0, students, SUM_BLOCK):
                block = following.result()
                add = partial(_add, self.sums, block, target)
                added = pool.map(add, block.share_out(SHARES))
                if first + SUM_BLOCK < students:  # is put in order while this one is added
                    following = pool.submit(sort_block, first + SUM_BLOCK)
                _count(self.counts, block)
                self.farthest = max(self.farthest, *added)


class _Sorted:
    """Some students in the order of their bins.

    ``rows`` has their rows in ``states``, ``t`` the place of each rate in its bin, and ``ends``
    where each bin ends among them.
    """

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
        self.t = t[order]
        self.ends: Ints = np.cumsum(np.bincount(bin_of, minlength=bins.shape[0]))

    def share_out(self, shares: int) -> list[tuple[int, int]]:
        """Return ranges of bins (first, last + 1) with about the same number of students each."""
        cuts = np.searchsorted(self.ends, np.linspace(0, self.ends[-1], shares + 1)[1:-1])
        return list(pairwise(np.unique([0, *cuts.tolist(), len(self.ends)]).tolist()))


def _count(counts: Floats, block: _Sorted) -> None:
    """Add ``sum t^k`` over the students of each bin to the counts."""
    there = np.flatnonzero(np.diff(block.ends, prepend=0))
    first = np.concatenate([[0], block.ends[there][:-1]])
    weights = np.ones_like(block.t)
    for k in range(counts.shape[1]):
        counts[there, k] += np.add.reduceat(weights, first)
        weights *= block.t


def _add(sums: Floats, block: _Sorted, target: Floats, share: tuple[int, int]) -> float:
    """Add the students of some bins to their sums, and return the farthest's squared distance.

    ``share`` is the first bin and the one after the last. With ``u = (1 + t) / 2``, which is not
    negative, ``sum u^k e e'`` is the Gram matrix of ``u^(k/2) e``, which takes half the
    multiplications of a product of two matrices.
    """
    some = slice(*share)
    moments, dimensions = sums.shape[1], sums.shape[-1]
    ends = block.ends[some].tolist()
    first = int(block.ends[share[0] - 1]) if share[0] else 0
    most = max(1, min(SLAB_BYTES // (8 * len(target)), ends[-1] - first))
    height = max(128, ONE_THREAD // (len(target) * dimensions))
    raw = np.empty((most, len(target)), dtype=block.states.dtype)
    scaled = np.empty((moments, most, len(target)))  # u^(k/2) e
    grams = np.zeros((len(ends), moments, dimensions, dimensions))
    farthest, number = 0.0, 0
    # A whole slab in one call where possible: threads wait for each other between short calls.
    for start in range(first, ends[-1], most):
        end = min(ends[-1], start + most)
        slab = scaled[:, : end - start]
        # mode="clip", because "raise" would allocate another buffer
        np.take(block.states, block.rows[start:end], axis=0, out=raw[: end - start], mode="clip")
        np.subtract(raw[: end - start], target, out=slab[0])
        farthest = max(farthest, float(np.einsum("ij,ij->i", slab[0], slab[0]).max()))
        roots = np.sqrt(0.5 * (1.0 + block.t[start:end]))
        powers = np.multiply.accumulate(np.broadcast_to(roots, (moments - 1, len(roots))))
        np.multiply(slab[0], powers[:, :, None], out=slab[1:])
        done = start
        while done < end:
            number = bisect_right(ends, done, lo=number)
            stop = min(end, ends[number], done + height)
            vectors = slab[:, done - start : stop - start].reshape(moments, -1, dimensions)
            grams[number] += vectors.transpose(0, 2, 1) @ vectors
            done = stop
    sums[some] += (_from_unit(moments) @ grams.reshape(*grams.shape[:2], -1)).reshape(grams.shape)
    return farthest


@cache
def _from_unit(moments: int) -> Floats:
    """Return the coefficients of ``t^k = (2 u - 1)^k`` in powers of ``u``, a row for each k.

    >>> _from_unit(3)
    array([[ 1.,  0.,  0.],
           [-1.,  2.,  0.],
           [ 1., -4.,  4.]])
    """
    powers = [Polynomial([-1.0, 2.0]) ** k for k in range(moments)]
    return np.array([np.pad(power.coef, (0, moments - len(power.coef))) for power in powers])
