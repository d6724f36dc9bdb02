"""Cells of rates, each with a small sketch, from which any group of cells gets its own.

The rates are cut into narrow cells. Students are known by their rates ``eta_j`` and gaps ``e_j``
(state minus target). In a lesson, averages over them are averages of polynomials of the rate. On
each cell a few nodes, with their Lagrange functions ``l_i``, are enough for these, and

    M_ci = sum over the students of cell c of  l_i(eta_j) e_j e_j'

is additive: the sketch of a group of cells is the union of their nodes. Nodes never lie outside the
rates of their cell, where polynomials grow fast. Neighbouring cells that span at most a doubling of
the rate are interpolated to common nodes, so a group has a handful of nodes per doubling.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats, Ints
from homeroom.moments.representatives import Representatives, for_matrices
from homeroom.moments.sketch import chebyshev_nodes, lagrange

NODES_PER_DOUBLING = 9
"""Nodes per doubling of the rate: enough for the same rounds as with the students themselves."""

ALIKE = 1e-9
"""Rates that differ by less than this fraction are the same."""

WATCHED = 64
"""The number of farthest students per cell that are followed, for goals on the farthest student."""

CELL_BLOCK = 1 << 15
"""The number of students who are added to the matrices at a time."""


@dataclass(frozen=True, eq=False)
class Cell:
    """A summary of some students with about the same rate.

    Parameters
    ----------
    students
        How many students there are.
    fastest
        The highest rate among them.
    matrices
        ``M_ci`` for each node of the cell, shape ``(nodes, dimensions, dimensions)``.
    gaps, rates
        The gaps and rates of the farthest students, one row each; the farthest comes first.
    """

    students: int
    fastest: float
    matrices: Floats
    gaps: Floats
    rates: Floats


def nodes_of(rates: Floats, count: int = NODES_PER_DOUBLING) -> Floats:
    """Return at most ``count`` nodes for these rates, the slowest first.

    They are the different rates themselves if those are few, else Chebyshev points.
    """
    slowest, fastest = float(rates.min()), float(rates.max())
    if fastest - slowest <= ALIKE * fastest:
        return np.array([0.5 * (slowest + fastest)])
    different = np.unique(rates)
    if len(different) <= count and np.diff(different).min() > ALIKE * slowest:
        return different
    return np.sort(chebyshev_nodes(slowest, fastest, count))


def cell_of(gaps: Array, rates: Floats, nodes: Floats, outputs: int = 1) -> Cell:
    """Return the cell of these students. Cost: one Gram matrix per node."""
    students, dimensions = gaps.shape[0], gaps.shape[1] // outputs
    matrices = np.zeros((len(nodes), dimensions, dimensions))
    squared = np.empty(students)
    for first in range(0, students, CELL_BLOCK):
        rows = slice(first, min(students, first + CELL_BLOCK))
        block = _arrays.to_host(gaps[rows, :])
        squared[rows] = np.vecdot(block, block)
        vectors = _arrays.split_rows(block, dimensions)
        for number, shares in enumerate(lagrange(nodes, rates[rows]).T):
            weights = _arrays.for_each_vector(shares, outputs)
            matrices[number] += (weights[:, None] * vectors).T @ vectors
    far = np.argsort(-squared, kind="stable")[:WATCHED]
    return Cell(
        students,
        float(rates.max()),
        matrices,
        _arrays.to_host(_arrays.take_rows(gaps, far)),
        rates[far],
    )


def representatives(
    nodes: Sequence[Floats], cells: Sequence[Sequence[Cell]], *, watch: bool
) -> Representatives:
    """Return representatives of a group: all students of some cells.

    Parameters
    ----------
    nodes
        The nodes of each cell, the slowest cell first.
    cells
        The students of each cell, summarised in one part or several; some cells may be empty.
    watch
        Whether the farthest student is needed: then the students who are farthest at the start are
        among the rows, and only they are checked for the farthest.
    """
    parts = [part for cell in cells for part in cell]
    students = sum(part.students for part in parts)
    filled = [
        (own, np.sum([part.matrices for part in cell], axis=0) / students)
        for own, cell in zip(nodes, cells, strict=True)
        if cell
    ]
    runs = [_translate(run) for run in _doublings(filled)]
    watched = parts if watch else []
    none = np.zeros((0, parts[0].gaps.shape[1]))
    return for_matrices(
        np.concatenate([own for own, _ in runs]),
        np.concatenate([matrices for _, matrices in runs]),
        max(part.fastest for part in parts),
        (
            np.concatenate([none, *(part.gaps for part in watched)]),
            np.concatenate([none[:, 0], *(part.rates for part in watched)]),
        ),
    )


def rows_for(slowest: float, fastest: float, dimensions: int) -> int:
    """Return about how many representatives a group with such rates has."""
    return int(NODES_PER_DOUBLING * (1.0 + np.log2(fastest / slowest)) * dimensions)


def _doublings(
    cells: list[tuple[Floats, Floats]],
) -> Iterator[list[tuple[Floats, Floats]]]:
    """Yield runs of neighbouring cells that span no more than a doubling of the rate.

    A cell is given as its nodes and its matrices.
    """
    run: list[tuple[Floats, Floats]] = []
    for cell in cells:
        if run and cell[0][-1] > 2.0 * run[0][0][0]:
            yield run
            run = []
        run.append(cell)
    yield run


def _translate(run: list[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    """Return the nodes and matrices of a run of cells, on common nodes if these are fewer."""
    nodes = np.concatenate([own for own, _ in run])
    matrices = np.concatenate([own for _, own in run])
    fewer = nodes_of(nodes)
    if len(fewer) >= len(nodes):
        return nodes, matrices
    return fewer, np.tensordot(lagrange(fewer, nodes).T, matrices, axes=1)


def sort_into(labels: Ints, number: int) -> list[Ints]:
    """Return the numbers of the students with each label 0, 1, ..., ``number - 1``, ascending."""
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.cumsum(np.bincount(labels, minlength=number))[:-1])
