"""Resample and smooth lines: evenly spaced points, standard size, smooth curves with corners."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import scipy  # its parts are imported when they are first used

from homeroom import _checks
from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom.handwriting.ink import Ink

# Lengths are in x-heights, the height of a lower-case x.
_CORNER = np.radians(80)  # curves of the font turn by at most 72 degrees, corners by 90 or more
_STRAIGHT = 0.65  # a longer step between vertices is meant to be straight
_TOLERANCE = 0.022  # the distance of the curve from the vertices: a fifth of their grid
_FINE = 0.004  # the distance between points of the curve


def smooth_curve(vertices: Floats) -> Floats:
    """Return a fine line, shape ``(points, 2)``, near the vertices; smooth except at corners."""
    kept = vertices[np.append(True, (np.diff(vertices, axis=0) != 0).any(axis=1))]
    ends = [0, *corners(kept), len(kept) - 1]
    pieces = [_curve(_divided(kept[a : b + 1])) for a, b in pairwise(ends)]
    return np.concatenate([pieces[0][:1], *(piece[1:] for piece in pieces)])


def corners(points: Floats, angle: float = _CORNER) -> list[int]:
    """Return the indices of the points where the line turns by more than an angle in radians."""
    steps = np.diff(points, axis=0)
    angles = np.arctan2(steps[:, 1], steps[:, 0])
    turns = np.abs((np.diff(angles) + np.pi) % (2 * np.pi) - np.pi)
    return [int(at) + 1 for at in np.flatnonzero(turns > angle)]


def line_lengths(points: Floats) -> Floats:
    """Return the length of the line up to each point."""
    steps = np.diff(points, axis=0, prepend=points[:1])
    return np.cumsum(np.hypot(steps[:, 0], steps[:, 1]))


def interpolate(at: Floats, known: Floats, points: Floats) -> Floats:
    """Return points at the positions or times ``at``, given ``points`` at those in ``known``."""
    return np.stack([np.interp(at, known, axis) for axis in points.T], axis=1)


def _divided(vertices: Floats) -> Floats:
    """Return the vertices with additional ones on long steps, which keeps these straight."""
    parts = [vertices[:1]]
    for a, b in pairwise(vertices):
        length = np.hypot(*(b - a))
        many = int(np.ceil(2 * length / _STRAIGHT)) if length > _STRAIGHT else 1
        parts.append(a + (b - a) * np.arange(1, many + 1)[:, None] / many)
    return np.concatenate(parts)


def _curve(vertices: Floats) -> Floats:
    """Return a smoothing spline near the vertices; periodic if they form a ring."""
    if len(vertices) < 3:
        return vertices
    lengths = np.hypot(*np.diff(vertices, axis=0).T)
    knots = np.append(0.0, np.cumsum(lengths**0.8))
    ring = bool((vertices[0] == vertices[-1]).all())
    weights = np.ones(len(vertices))
    if not ring:
        weights[[0, -1]] = 1e3  # keeps the ends in place
    off = len(vertices) * _TOLERANCE**2
    degree = min(3, len(vertices) - 1)
    spline, _ = scipy.interpolate.splprep(vertices.T, w=weights, u=knots, k=degree, s=off, per=ring)
    at = np.linspace(0, knots[-1], int(lengths.sum() / _FINE))
    x, y = scipy.interpolate.splev(at, spline)  # type: ignore[call-overload]  # the result of splprep
    curve = np.stack([x, y], axis=1)
    curve[[0, -1]] = curve[0] if ring else vertices[[0, -1]]
    return curve


def evenly_spaced(line: Floats, spacing: float) -> Floats:
    """Return the line with evenly spaced points between corners; corners are kept."""
    ends = [0, *corners(line), len(line) - 1]
    pieces = [_even(line[a : b + 1], spacing) for a, b in pairwise(ends)]
    return np.concatenate([pieces[0][:1], *(piece[1:] for piece in pieces)])


def _even(line: Floats, spacing: float) -> Floats:
    """Return evenly spaced points on the line; the ends are kept."""
    if len(line) < 2:
        return line
    lengths = line_lengths(line)
    at = np.linspace(0, lengths[-1], max(2, round(lengths[-1] / spacing) + 1))
    return interpolate(at, lengths, line)


def without_tremor(line: Floats, spacing: float) -> Floats:
    """Return the line without tremor, with evenly spaced points; the ends are kept."""
    even = _even(line, spacing)
    width = 2.0  # in points
    beyond = int(4 * width)
    # Reflecting the line about its ends keeps them in place.
    longer = np.pad(even, ((beyond, beyond), (0, 0)), mode="reflect", reflect_type="odd")
    smoothed: Floats = scipy.ndimage.gaussian_filter1d(longer, width, axis=0)[beyond:-beyond]
    return smoothed


def by_length(ink: Ink, points: int = 120) -> Floats:
    """Return evenly spaced points along the strokes, shape ``(points, 2)``.

    All strokes count as one line. The gap between two strokes has no length, so no point lies on
    it; a stroke that is only a dot has no length either, so it gets no point. The density of the
    recording makes no difference.

    Raises
    ------
    ValueError
        If the pen never moved, so that there is no line to divide.

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
    lengths = path_lengths(ink)
    if not lengths[-1] > 0:
        raise InputError(
            "A letter must have at least two different points, but in this one the pen never moves."
        )
    at = np.linspace(0.0, lengths[-1], points)
    return interpolate(at, lengths, ink.points)


def path_lengths(ink: Ink) -> Floats:
    """Return the length of the line up to each point; gaps between strokes do not count."""
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
    """Return the points with mean zero and RMS radius one.

    An array of shape ``(letters, points, 2)`` is normalised letter by letter.

    >>> normalised(np.array([[0.0, 0.0], [0.0, 8.0]])).tolist()
    [[0.0, -1.0], [0.0, 1.0]]
    """
    centred = points - points.mean(axis=-2, keepdims=True)
    squared = (centred * centred).sum(axis=-1, keepdims=True)
    radius = np.sqrt(squared.mean(axis=-2, keepdims=True))
    if not (radius > 0).all():
        raise InputError("`points` must not all be equal: they have no size to divide by.")
    scaled: Floats = centred / radius
    return scaled
