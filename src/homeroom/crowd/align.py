"""How a map lies on the page: the same way for the same answers, and as it lay before.

Turning or mirroring a map changes no answer, so that a fit may come out any way round.
"""

from __future__ import annotations

import numpy as np

from homeroom._arrays import Floats
from homeroom.crowd.fitting.point import Point


def canonical(point: Point) -> Floats:
    """Return the turn after which the first axis is the one along which items differ most.

    The axes become those of ``X'X``, longest first; each points to where people on average say
    yes more, or, where they weigh it both ways alike, to where the items have their longer tail.
    """
    _, axes = np.linalg.eigh(point.items.T @ point.items)
    axes = axes[:, ::-1]
    weights = (point.people @ axes).sum(axis=0)
    size = np.abs(point.people @ axes).sum(axis=0)
    tails = ((point.items @ axes) ** 3).sum(axis=0)
    towards = np.where(np.abs(weights) > 1e-3 * size, weights, tails)
    turn: Floats = axes * np.where(towards < 0, -1.0, 1.0)
    return turn


def onto(rows: Floats, other: Floats) -> Floats:
    """Return the turn (or mirror) that brings rows as close as it can to others, ``rows @ turn``.

    Orthogonal Procrustes: the polar factor of ``rows' other``.

    >>> onto(np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[0.0, 1.0], [2.0, 0.0]])).round(9)
    array([[0., 1.],
           [1., 0.]])
    """
    left, _, right = np.linalg.svd(rows.T @ other)
    turn: Floats = left @ right
    return turn


def disparity(rows: Floats, other: Floats) -> float:
    """Return how different two maps of the same items are, from 0 (the same) to 1.

    The squared distance that is left when both are centred and scaled to size one, and one is
    turned and scaled onto the other (what ``scipy.spatial.procrustes`` calls disparity).

    >>> square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]])
    >>> round(disparity(square, 3 * square[:, ::-1] + 7), 12)
    0.0
    """
    first, second = _standard(rows), _standard(other)
    overlap = np.linalg.svd(first.T @ second, compute_uv=False).sum()
    return max(0.0, 1.0 - float(overlap) ** 2)


def _standard(rows: Floats) -> Floats:
    rows = rows - rows.mean(axis=0)
    size = np.linalg.norm(rows)
    return rows / size if size > 0 else rows
