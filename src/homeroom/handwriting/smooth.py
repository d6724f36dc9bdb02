"""Smooth lines past a few vertices, with their corners kept."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.interpolate import splev, splprep
from scipy.ndimage import gaussian_filter1d

from homeroom._arrays import Floats

_CORNER = np.radians(80)  # the font's curves turn by 72 degrees at most, its corners by 90 or more
_STRAIGHT = 0.65  # a longer step from vertex to vertex is meant to be straight
_TOLERANCE = 0.022  # how far the curve may pass by the vertices: a fifth of their grid
_FINE = 0.004  # between two points of the curve


def through(vertices: Floats) -> Floats:
    """Return a fine line past the vertices that is smooth but for their corners."""
    kept = vertices[np.append(True, (np.diff(vertices, axis=0) != 0).any(axis=1))]
    ends = [0, *corners(kept), len(kept) - 1]
    pieces = [_curve(_divided(kept[a : b + 1])) for a, b in pairwise(ends)]
    return np.concatenate([pieces[0][:1], *(piece[1:] for piece in pieces)])


def corners(vertices: Floats) -> list[int]:
    """Return at which of the vertices the line turns so sharply that it must be a corner."""
    steps = np.diff(vertices, axis=0)
    angles = np.arctan2(steps[:, 1], steps[:, 0])
    turns = np.abs((np.diff(angles) + np.pi) % (2 * np.pi) - np.pi)
    return [int(at) + 1 for at in np.flatnonzero(turns > _CORNER)]


def _divided(vertices: Floats) -> Floats:
    """Return the vertices with more of them on long steps, which keeps those straight."""
    parts = [vertices[:1]]
    for a, b in pairwise(vertices):
        length = np.hypot(*(b - a))
        many = int(np.ceil(2 * length / _STRAIGHT)) if length > _STRAIGHT else 1
        parts.append(a + (b - a) * np.arange(1, many + 1)[:, None] / many)
    return np.concatenate(parts)


def _curve(vertices: Floats) -> Floats:
    """Return a smoothing spline past the vertices; a ring if they are one."""
    if len(vertices) < 3:
        return vertices
    lengths = np.hypot(*np.diff(vertices, axis=0).T)
    knots = np.append(0.0, np.cumsum(lengths**0.8))
    ring = bool((vertices[0] == vertices[-1]).all())
    weights = np.ones(len(vertices))
    if not ring:
        weights[[0, -1]] = 1e3  # the ends stay where they are
    off = len(vertices) * _TOLERANCE**2
    degree = min(3, len(vertices) - 1)
    spline, _ = splprep(vertices.T, w=weights, u=knots, k=degree, s=off, per=ring)
    at = np.linspace(0, knots[-1], int(lengths.sum() / _FINE))
    x, y = splev(at, spline)  # type: ignore[call-overload]  # its own splprep's answer
    curve = np.stack([x, y], axis=1)
    curve[[0, -1]] = curve[0] if ring else vertices[[0, -1]]
    return curve


def evenly(line: Floats, spacing: float) -> Floats:
    """Return the line with a point about every so far, between corners; corners are kept."""
    ends = [0, *corners(line), len(line) - 1]
    pieces = [_even(line[a : b + 1], spacing) for a, b in pairwise(ends)]
    return np.concatenate([pieces[0][:1], *(piece[1:] for piece in pieces)])


def _even(line: Floats, spacing: float) -> Floats:
    if len(line) < 2:
        return line
    way = np.append(0.0, np.cumsum(np.hypot(*np.diff(line, axis=0).T)))
    at = np.linspace(0, way[-1], max(2, round(way[-1] / spacing) + 1))
    return np.stack([np.interp(at, way, line[:, 0]), np.interp(at, way, line[:, 1])], axis=1)


def calmed(line: Floats, spacing: float) -> Floats:
    """Return the line without its trembling, with a point about every so far; its ends are kept."""
    even = _even(line, spacing)
    width = 2.0  # in points
    beyond = int(4 * width)
    # Turned about its ends, the line goes on beyond them, and so they stay where they are.
    longer = np.pad(even, ((beyond, beyond), (0, 0)), mode="reflect", reflect_type="odd")
    calm: Floats = gaussian_filter1d(longer, width, axis=0)[beyond:-beyond]
    return calm
