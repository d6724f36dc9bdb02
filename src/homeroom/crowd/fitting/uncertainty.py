"""The uncertainty of a map: the Gaussian that fits the posterior at its peak (Laplace's method).

All second derivatives form one matrix, ``[[X, C'], [C, P]]``, with a block ``X_i`` per item and
``P_j`` per annotator on the diagonal, and a block ``C_ji`` per answer. Annotators are eliminated:
the inverse of ``S = X - C' P^-1 C`` holds the covariances of the items, and
``P^-1 + P^-1 C S^-1 C' P^-1`` those of the annotators. Rotations do not count as uncertainty, as
maps are compared after rotating one onto the other. So rotations are held fixed, separately for
every connected component of items.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.linalg import lapack

from homeroom._arrays import Floats, Ints
from homeroom.crowd.fitting.parameters import MapParameters
from homeroom.crowd.fitting.posterior import Posterior, certainty, inverses, probit

MAX_SIZE, MAX_PAIRS = 6000, 10**9
"""Joint covariances are computed up to so many coordinates of items (600 MB), and pairs of items
that one annotator answered (about a minute)."""


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """Covariances of a map: of each item, and of each annotator's weights and threshold.

    Parameters
    ----------
    items
        Shape ``(items, d, d)``.
    people
        Shape ``(people, d + 1, d + 1)``: the weights, then the threshold.
    joint
        Whether the covariances of items include the uncertainty of annotators, and vice versa. On
        maps with very many items they do not, and are too small.
    """

    items: Floats
    people: Floats
    joint: bool = True


def laplace(posterior: Posterior, found: MapParameters) -> Uncertainty:
    """Return the uncertainty of the map at the peak of the posterior.

    Cost: O(items^3 d^3) once, and O(answers^2 d^2) per annotator.
    """
    of_items, of_people = posterior.hessian_blocks(found)
    items, people = inverses(of_items), inverses(of_people)
    pairs = float(((posterior.table.answers_by_person() * found.dimensions) ** 2).sum())
    shared = None
    if found.items.size <= MAX_SIZE and pairs <= MAX_PAIRS:
        shared = _invert(_without_annotators(posterior, found, of_items, people))
    if shared is None:
        return Uncertainty(items, people, joint=False)
    for person, columns, cross in _cross(posterior, found):
        effect = people[person] @ cross
        people[person] += effect @ shared[np.ix_(columns, columns)] @ effect.T
    number, d = found.items.shape
    grid = shared.reshape(number, d, number, d)
    return Uncertainty(np.ascontiguousarray(np.einsum("iaib->iab", grid)), people)


def _without_annotators(
    posterior: Posterior, found: MapParameters, of_items: Floats, people: Floats
) -> Floats:
    """Return ``X - C' P^-1 C`` with rotations held fixed."""
    number, d = found.items.shape
    matrix = np.zeros((number * d, number * d))
    places = np.arange(number)
    matrix.reshape(number, d, number, d)[places, :, places, :] = of_items
    for person, columns, cross in _cross(posterior, found):
        matrix[np.ix_(columns, columns)] -= cross.T @ people[person] @ cross
    for columns, moves in _rotations(found.items, posterior.table.components):
        for column, move in zip(columns.tolist(), moves.tolist(), strict=True):
            matrix[column, columns] += move * moves  # row by row, without a second matrix
    return matrix


def _rotations(items: Floats, components: Ints) -> Iterator[tuple[Ints, Floats]]:
    """Yield how a small rotation of each component, in each plane, moves its items, as columns.

    They are scaled to weigh like a prior.
    """
    for component in np.unique(components):
        here = np.flatnonzero(components == component)
        for first, second in combinations(range(items.shape[1]), 2):
            move = np.zeros((len(here), items.shape[1]))
            move[:, first], move[:, second] = -items[here, second], items[here, first]
            yield _columns(here, items.shape[1]), move.ravel()


def _columns(items: Ints, d: int) -> Ints:
    """Return the columns of these items among the coordinates of all items."""
    return (items[:, None] * d + np.arange(d)).ravel()


def _cross(posterior: Posterior, found: MapParameters) -> Iterator[tuple[int, Ints, Floats]]:
    """Yield for each annotator the items they answered, as columns, and their ``C``.

    An answer at ``u = <w, x> - tau`` mixes ``(w, tau)`` and ``x`` by
    ``curvature * (x, -1) w' - slope * [I; 0]``.
    """
    d = found.dimensions
    features, tops = found.features, np.eye(d + 1, d)
    for block in posterior.table.blocks:
        answers = probit(block.signs * certainty(block, found))
        slope = block.signs * answers.slope
        for row in range(len(block.first) - 1):
            here = slice(block.first[row], block.first[row + 1])
            person, items = block.rows.start + row, block.item[here].astype(np.int64)
            curved = answers.curvature[here, None] * features[items]
            cross = curved.T[:, :, None] * found.people[person]
            cross -= tops[:, None, :] * slope[here, None]
            yield person, _columns(items, d), cross.reshape(d + 1, -1)


def _invert(matrix: Floats) -> Floats | None:
    """Return the inverse of a positive definite matrix; ``None`` if it is not positive definite."""
    factor, failed = lapack.dpotrf(matrix.T, lower=0, overwrite_a=1)
    if failed:
        return None
    inverse: Floats = lapack.dpotri(factor, lower=0, overwrite_c=1)[0]
    inverse += np.triu(inverse, 1).T  # LAPACK leaves zeros below the diagonal
    return inverse
