"""How sure a map is: the Gaussian that fits the posterior at its peak (Laplace's method).

All second derivatives form one matrix, ``[[X, C'], [C, P]]``, with a block ``X_i`` for each item
and ``P_j`` for each person on the diagonal, and a block ``C_ji`` for each answer. People are
eliminated: the inverse of ``S = X - C' P^-1 C`` holds the covariances of the items, and
``P^-1 + P^-1 C S^-1 C' P^-1`` those of the people. What a turn of the whole map would do is no
uncertainty, as maps are compared after turning one onto the other: turns are held fixed, those of
every island of items that no person ties to the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.linalg import lapack

from homeroom._arrays import Floats, Ints
from homeroom.crowd.fitting.point import Point
from homeroom.crowd.fitting.posterior import Posterior, certainty, inverses
from homeroom.crowd.fitting.probit import probit

MAX_SIZE, MAX_PAIRS = 6000, 10**9
"""Up to how many numbers of all items (600 MB), and pairs of what one person answered (a minute or
so), the doubts about people and items are shared."""


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """Covariances of a map: of each item, and of each person's weights and threshold.

    Parameters
    ----------
    items
        Shape ``(items, d, d)``.
    people
        Shape ``(people, d + 1, d + 1)``: the weights, then the threshold.
    joint
        Whether an item's covariance counts that people are uncertain too, and the other way
        round. On maps with very many items it does not, and the covariances are too small.
    """

    items: Floats
    people: Floats
    joint: bool = True


def laplace(posterior: Posterior, point: Point) -> Uncertainty:
    """Return how sure the map at the posterior's peak is.

    Cost: O(items^3 d^3) once, and O(answers^2 d^2) for each person.
    """
    of_items, of_people = posterior.blocks(point)
    items, people = inverses(of_items), inverses(of_people)
    pairs = float(((posterior.table.answers_by_person() * point.dimensions) ** 2).sum())
    shared = None
    if point.items.size <= MAX_SIZE and pairs <= MAX_PAIRS:
        shared = _invert(_without_people(posterior, point, of_items, people))
    if shared is None:
        return Uncertainty(items, people, joint=False)
    for person, columns, cross in _cross(posterior, point):
        effect = people[person] @ cross
        people[person] += effect @ shared[np.ix_(columns, columns)] @ effect.T
    number, d = point.items.shape
    grid = shared.reshape(number, d, number, d)
    return Uncertainty(np.ascontiguousarray(np.einsum("iaib->iab", grid)), people)


def _without_people(posterior: Posterior, point: Point, of_items: Floats, people: Floats) -> Floats:
    """Return ``X - C' P^-1 C``, turns held fixed."""
    number, d = point.items.shape
    matrix = np.zeros((number * d, number * d))
    places = np.arange(number)
    matrix.reshape(number, d, number, d)[places, :, places, :] = of_items
    for person, columns, cross in _cross(posterior, point):
        matrix[np.ix_(columns, columns)] -= cross.T @ people[person] @ cross
    for columns, turn in _turns(point.items, posterior.table.islands):
        for column, move in zip(columns.tolist(), turn.tolist(), strict=True):
            matrix[column, columns] += move * turn  # a row at a time needs no second matrix
    return matrix


def _turns(items: Floats, islands: Ints) -> Iterator[tuple[Ints, Floats]]:
    """Yield how a small turn of each island, in each plane, would move its items, as columns.

    They are scaled to weigh like a prior.
    """
    for island in np.unique(islands):
        here = np.flatnonzero(islands == island)
        for first, second in combinations(range(items.shape[1]), 2):
            move = np.zeros((len(here), items.shape[1]))
            move[:, first], move[:, second] = -items[here, second], items[here, first]
            yield _columns(here, items.shape[1]), move.ravel()


def _columns(items: Ints, d: int) -> Ints:
    """Return where the numbers of these items are among those of all."""
    return (items[:, None] * d + np.arange(d)).ravel()


def _cross(posterior: Posterior, point: Point) -> Iterator[tuple[int, Ints, Floats]]:
    """Yield for each person the items they answered, as columns, and their ``C``.

    An answer at ``u = <w, x> - tau`` mixes ``(w, tau)`` and ``x`` by
    ``curvature * (x, -1) w' - slope * [I; 0]``.
    """
    d = point.dimensions
    features, tops = point.features, np.eye(d + 1, d)
    for part in posterior.table.parts:
        said = probit(part.signs * certainty(part, point))
        slope = part.signs * said.slope
        for row in range(len(part.first) - 1):
            here = slice(part.first[row], part.first[row + 1])
            person, items = part.rows.start + row, part.item[here].astype(np.int64)
            bent = said.curvature[here, None] * features[items]
            cross = bent.T[:, :, None] * point.people[person]
            cross -= tops[:, None, :] * slope[here, None]
            yield person, _columns(items, d), cross.reshape(d + 1, -1)


def _invert(matrix: Floats) -> Floats | None:
    """Return the inverse of a positive definite matrix; ``None`` if it is not one."""
    factor, failed = lapack.dpotrf(matrix.T, lower=0, overwrite_a=1)
    if failed:
        return None
    inverse: Floats = lapack.dpotri(factor, lower=0, overwrite_c=1)[0]
    inverse += np.triu(inverse, 1).T  # below the diagonal there are zeros
    return inverse
