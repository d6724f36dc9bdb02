"""Weighted representatives: a small class with the same averages as a large one in any lesson.

The matrix on a node of a sketch, ``M = mean(l(eta_j) e_j e_j')``, is symmetric, so it is also
``sum_k w_k v_k v_k'`` with weights ``w_k = +1 or -1``: as many representatives as dimensions, all
with that rate, some with a negative weight. Teaching them costs less than updating ``M``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats

NOTHING = 1e-14
"""Representatives with less than this fraction of the largest are left out: they are rounding."""


@dataclass(frozen=True, eq=False)
class StandIns:
    """Students, or representatives of them, each with a weight.

    Parameters
    ----------
    gaps
        Shape ``(rows, dimensions)``.
    rates
        Shape ``(rows,)``.
    weights
        The class's mean squared distance is ``sum_k weights_k |gaps_k|^2``.
    counted
        Which rows are students themselves, whose own distances count for the farthest.
    fastest
        The highest rate among the students.
    """

    gaps: Floats
    rates: Floats
    weights: Floats
    counted: npt.NDArray[np.bool_]
    fastest: float


def themselves(gaps: Floats, rates: Floats) -> StandIns:
    """Return the students themselves, in no more dimensions than there are students.

    Fewer students than dimensions never leave the space they span. In coordinates of that space
    (``E = R' Q'``) a lesson has the same lengths and the same rounds, with smaller matrices.
    """
    students, dimensions = gaps.shape
    if students < dimensions:
        gaps = np.asarray(np.linalg.qr(gaps.T, mode="r")).T
    return StandIns(
        gaps,
        rates,
        np.full(students, 1.0 / students),
        np.ones(students, dtype=bool),
        float(rates.max()),
    )


def for_matrices(
    nodes: Floats, matrices: Floats, fastest: float, watched: tuple[Floats, Floats]
) -> StandIns:
    """Return representatives of the matrices on nodes, and watched students of weight zero.

    Parameters
    ----------
    nodes, matrices
        As of a :class:`~homeroom.moments.Sketch`.
    fastest
        The highest rate among the students.
    watched
        Gaps and rates of some students.
    """
    dimensions = matrices.shape[1]
    values, vectors = np.linalg.eigh(matrices)
    sizes = np.abs(values).reshape(-1)
    kept = sizes > NOTHING * sizes.max(initial=0.0)
    rows = vectors.transpose(0, 2, 1).reshape(-1, dimensions)[kept]
    gaps, rates = watched
    return StandIns(
        np.concatenate([np.sqrt(sizes[kept])[:, None] * rows, gaps]),
        np.concatenate([np.repeat(nodes, dimensions)[kept], rates]),
        np.concatenate([np.sign(values).reshape(-1)[kept], np.zeros(len(rates))]),
        np.arange(int(kept.sum()) + len(rates)) >= int(kept.sum()),
        fastest,
    )
