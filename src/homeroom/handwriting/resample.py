"""A letter with as many points as you like, evenly along its line, and in a standard size."""

from __future__ import annotations

import numpy as np

from homeroom import _checks
from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom.handwriting.ink import Ink


def by_length(ink: Ink, points: int = 120) -> Floats:
    """Return so many points, evenly along the pen's whole way on the paper, shape ``(points, 2)``.

    All strokes count as one line. The way through the air between two of them has no length, so
    no point lies on it; and a stroke that is only a dot has no length either, so it gets no point.
    How densely the pen was recorded makes no difference.

    Raises
    ------
    ValueError
        If the pen never moved: then there is no line to divide.

    Examples
    --------
    >>> from homeroom.handwriting import Ink, Stroke
    >>> by_length(Ink((Stroke([[0, 0], [0, 1], [3, 1]]),)), points=5)
    array([[0., 0.],
           [0., 1.],
           [1., 1.],
           [2., 1.],
           [3., 1.]])
    """
    points = _checks.whole(points, "points", at_least=2, at_most=1_000_000)
    where = ink.points
    ways = way(ink)
    if not ways[-1] > 0:
        raise InputError(
            "A letter must have at least two different points, but in this one the pen never moves."
        )
    at = np.linspace(0.0, ways[-1], points)
    return np.stack([np.interp(at, ways, where[:, 0]), np.interp(at, ways, where[:, 1])], axis=1)


def way(ink: Ink) -> Floats:
    """Return how far the pen had gone on the paper at each point, through the air not counted."""
    steps = np.diff(ink.points, axis=0, prepend=ink.strokes[0].points[:1])
    lengths = np.hypot(steps[:, 0], steps[:, 1])
    starts = np.cumsum([len(stroke) for stroke in ink.strokes[:-1]], dtype=np.int64)
    lengths[starts] = 0.0
    return np.cumsum(lengths)


def radius(points: Floats) -> float:
    """Return the RMS distance of the points from their mean.

    >>> radius(np.array([[0.0, 0.0], [6.0, 8.0]]))
    5.0
    """
    around = points - points.mean(axis=0)
    return float(np.sqrt((around**2).sum(axis=1).mean()))


def normalised(points: Floats) -> Floats:
    """Return the points moved and scaled: their mean at the origin, their RMS distance to it one.

    For letters of one length, ``(letters, points, 2)`` gives each of them so.

    >>> normalised(np.array([[0.0, 0.0], [0.0, 8.0]])).tolist()
    [[0.0, -1.0], [0.0, 1.0]]
    """
    centred = points - points.mean(axis=-2, keepdims=True)
    squared = (centred * centred).sum(axis=-1, keepdims=True)
    radius = np.sqrt(squared.mean(axis=-2, keepdims=True))
    if not (radius > 0).all():
        raise InputError("`points` must not all lie in one place: that has no size to divide by.")
    scaled: Floats = centred / radius
    return scaled
