"""Weighted representatives: a small class with the same averages as a large one in any lesson.

A sketch has a matrix ``M = mean(l(eta_j) e_j e_j')`` for each of a few rates, its nodes. Here
``eta_j`` and ``e_j`` are the students' rates and gaps (state minus target), and ``l`` is the
Lagrange function of the node. ``M`` is symmetric, so it is also ``sum_k w_k v_k v_k'`` with weights
``w_k = +1 or -1``: as many representatives with gaps ``v_k`` as dimensions, all with the rate of
the node, some with a negative weight. Teaching them costs less than updating ``M``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from homeroom import _arrays
from homeroom._arrays import Floats

LEAST_EIGENVALUE = 1e-14
"""Eigenvalues below this fraction of the largest are left out: they are only rounding."""


@dataclass(frozen=True, eq=False)
class Representatives:
    """Students, or representatives of them, each with a weight.

    Parameters
    ----------
    gaps
        Shape ``(rows, outputs * dimensions)``.
    rates
        Shape ``(rows,)``.
    weights
        Shape ``(rows,)``. The class's mean squared distance is ``sum_k weights_k |gaps_k|^2``.
    counted
        Which rows are students themselves, whose own distances count for the farthest.
    fastest
        The highest rate among the students.
    outputs
        The number of gap vectors in a row.
    """

    gaps: Floats
    rates: Floats
    weights: Floats
    counted: npt.NDArray[np.bool_]
    fastest: float
    outputs: int = 1

    @property
    def dimensions(self) -> int:
        """How many numbers an example has."""
        return int(self.gaps.shape[1]) // self.outputs

    @property
    def vectors(self) -> Floats:
        """The gap vectors, shape ``(rows * outputs, dimensions)``."""
        vectors: Floats = _arrays.split_rows(self.gaps, self.dimensions)
        return vectors

    def along(self, directions: Floats) -> Representatives:
        """Return the representatives, with gaps in the coordinates of ``directions``' rows."""
        return replace(self, gaps=in_coordinates(self.gaps, directions))


def in_coordinates(gaps: Floats, directions: Floats) -> Floats:
    """Return gaps, one row per student, in the coordinates of some directions, one per row."""
    along: Floats = _arrays.split_rows(gaps, directions.shape[1]) @ directions.T
    return along.reshape(len(gaps), -1)


def themselves(gaps: Floats, rates: Floats, outputs: int = 1) -> Representatives:
    """Return the students themselves, in no more dimensions than they have gap vectors.

    Fewer vectors than dimensions never leave the space they span. In coordinates of that space
    (``E = R' Q'``, from the QR decomposition of the transposed vectors) a lesson has the same
    lengths and the same rounds, with smaller matrices.
    """
    students, dimensions = gaps.shape[0], gaps.shape[1] // outputs
    if students * outputs < dimensions:
        vectors = _arrays.split_rows(gaps, dimensions)
        gaps = np.asarray(np.linalg.qr(vectors.T, mode="r")).T.reshape(students, -1)
    return Representatives(
        gaps,
        rates,
        np.full(students, 1.0 / students),
        np.ones(students, dtype=bool),
        float(rates.max()),
        outputs,
    )


def for_matrices(
    nodes: Floats, matrices: Floats, fastest: float, watched: tuple[Floats, Floats]
) -> Representatives:
    """Return representatives of the matrices on nodes, and watched students of weight zero.

    Parameters
    ----------
    nodes, matrices
        As in a :class:`~homeroom.moments.Sketch`: a few rates, and the matrix ``M`` of each.
    fastest
        The highest rate among the students.
    watched
        Gaps and rates of some students. If they have several vectors each, so has every row: those
        of a representative are zero except for the first.
    """
    dimensions = matrices.shape[1]
    values, vectors = np.linalg.eigh(matrices)
    sizes = np.abs(values).reshape(-1)
    kept = sizes > LEAST_EIGENVALUE * sizes.max(initial=0.0)
    rows = vectors.transpose(0, 2, 1).reshape(-1, dimensions)[kept]
    gaps, rates = watched
    rows = np.sqrt(sizes[kept])[:, None] * rows
    outputs = gaps.shape[1] // dimensions if len(gaps) else 1
    if outputs > 1:
        rows = np.pad(rows, ((0, 0), (0, (outputs - 1) * dimensions)))
    return Representatives(
        np.concatenate([rows, gaps]) if len(gaps) else rows,
        np.concatenate([np.repeat(nodes, dimensions)[kept], rates]),
        np.concatenate([np.sign(values).reshape(-1)[kept], np.zeros(len(rates))]),
        np.arange(int(kept.sum()) + len(rates)) >= int(kept.sum()),
        fastest,
        outputs,
    )
