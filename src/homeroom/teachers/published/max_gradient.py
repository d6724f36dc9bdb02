"""MaxGrad: the new example with the greatest gradient.

P. Wang, K. Nagrecha, N. Vasconcelos: *Gradient-based Algorithms for Machine Teaching*, CVPR 2021.
The student is assumed to be optimal for the examples seen so far. Then the best new example is the
one at which the gradient of the risk in function space, the slope of the loss, is greatest. For a
class it is the mean over the students:

    x = argmax mean_j |s_j(x)|^2       squared loss: x' C x,  C = mean_j e_j e_j'

with the slope ``s_j`` of the loss and the gap ``e_j`` (state minus target) of student j, over the
items that were not shown yet; when all were shown, over all again. In the ball this is
the top eigenvector of ``C``. Check: brute force over a pool, and the eigenvector.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Floats, top_eigenvector
from homeroom.classroom import Example
from homeroom.moments import Observation
from homeroom.teachers.published.pool_items import (
    AbstractPoolTeacher,
    LabelledItems,
    list_items,
    measure_scores,
)


@dataclass(frozen=True)
class MaxGradientTeacher(AbstractPoolTeacher):
    """Shows the new example at which the students' loss has the greatest slope.

    Parameters
    ----------
    pool
        Where examples come from; any vector unless given. Directions are shown at the length that
        is best for the fastest student.
    """

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example | None:
        if self.pool.synthesises and seen.loss.is_quadratic:
            gaps = _arrays.to_host(seen.gaps)
            value, direction = top_eigenvector(gaps.T @ gaps / len(gaps))
            if not value > 0.0:
                return None
            return seen.example(math.sqrt(seen.gentle_g) * direction)
        listed = list_items(self.pool, seen)
        squares = measure_squared_slopes(seen, listed)
        new = ~np.isin(listed.items, np.asarray(seen.shown, dtype=np.int64))
        if new.any():
            squares = np.where(new, squares, -1.0)
        return listed.example(seen, int(squares.argmax()))


def measure_squared_slopes(seen: Observation, listed: LabelledItems) -> Floats:
    """Return the mean squared slope of each example, O(students * examples * dimensions)."""
    outputs = seen.loss.outputs
    scores = measure_scores(_arrays.to_host(seen.states), listed.xs, outputs)
    slopes = seen.loss.slopes(scores, listed.labels)
    squares: Floats = (slopes**2 if outputs == 1 else np.vecdot(slopes, slopes)).mean(axis=0)
    return squares
