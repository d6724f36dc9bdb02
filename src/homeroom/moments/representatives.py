"""A few stand-ins for many students: a small class that any lesson changes as it would the large.

What sits on a node of a sketch, ``M = mean(l(eta_j) e_j e_j')``, is a symmetric matrix, so it is
also ``sum_k w_k v_k v_k'`` with weights ``w_k = +1 or -1``: as if no more students than dimensions
had that rate, some of them counting negatively. To teach them costs less than to change ``M``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats

NOTHING = 1e-14
"""Stand-ins that would carry less than this of the largest are left out: they are rounding."""


@dataclass(frozen=True, eq=False)
class StandIns:
    """Students, or stand-ins for them, each with a weight.

    Parameters
    ----------
    gaps
        Shape ``(rows, dimensions)``.
    rates
        Shape ``(rows,)``.
    weights
        The class's mean squared distance is ``sum_k weights_k |gaps_k|^2``.
    counted
        Who is a student herself, whose own distance is to be looked at.
    fastest
        The highest rate among the students.
    """

    gaps: Floats
    rates: Floats
    weights: Floats
    counted: npt.NDArray[np.bool_]
    fastest: float


def themselves(gaps: Floats, rates: Floats) -> StandIns:
    """Return the students as they are, in no more dimensions than there are students.

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
    """Return stand-ins for what sits on nodes, and students who are watched but weigh nothing.

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
