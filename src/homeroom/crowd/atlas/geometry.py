"""Positions on the picture: items on a plane, the visible part of it, lines cut at its edges."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from homeroom._arrays import Floats

WIDTH = 860.0
"""The width of the picture in pixels; the page scales it."""

SHORTEST, TALLEST = 0.55, 0.85
"""The least and the largest height, relative to the width."""

BINS = 40
"""The number of bins in which items are stacked, where a map has one dimension."""


class Segment(NamedTuple):
    """A straight line from one point to another, in pixels."""

    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True, eq=False)
class Viewport:
    """The visible part of the plane, from ``low`` to ``high``; the second axis points upwards.

    Parameters
    ----------
    low, high
        Two corners, shape ``(2,)`` each.
    scale
        Pixels per unit, the same on both axes.
    """

    low: Floats
    high: Floats
    scale: float

    @classmethod
    def around(cls, points: Floats) -> Viewport:
        """Return a viewport around all points, with a margin."""
        low, high = points.min(axis=0), points.max(axis=0)
        spans = np.maximum(high - low, 1e-9 + 0.05 * float((high - low).max()))
        spans = np.where(spans > 0, spans, 1.0) * 1.16
        tall = np.clip(spans[1] / spans[0], SHORTEST, TALLEST)
        breadth = max(spans[0], spans[1] / tall)
        half = np.array([breadth, breadth * tall]) / 2
        middle = (low + high) / 2
        return cls(middle - half, middle + half, WIDTH / breadth)

    @property
    def height(self) -> float:
        """The height of the picture in pixels."""
        return float(self.high[1] - self.low[1]) * self.scale

    def place(self, points: Floats) -> Floats:
        """Return the points in pixels, counted from the top left."""
        x = (points[..., 0] - self.low[0]) * self.scale
        y = (self.high[1] - points[..., 1]) * self.scale
        return np.stack([x, y], axis=-1)

    def cut(self, normal: Floats, threshold: float) -> Segment | None:
        """Return the visible part of the line ``<normal, x> = threshold``, if there is one."""
        line = self._visible(normal, threshold)
        if line is None:
            return None
        foot, along, first, last = line
        ends_at = self.place(np.array([foot + first * along, foot + last * along]))
        return Segment(*ends_at.ravel().tolist())

    def _visible(
        self, normal: Floats, threshold: float
    ) -> tuple[Floats, Floats, float, float] | None:
        """Return a point of the line, its unit direction, and from where to where it is visible.

        The last two are distances from the point, along the direction.
        """
        length = float(np.hypot(*normal))
        if length == 0:
            return None
        unit = normal / length
        along = np.array([-unit[1], unit[0]])
        foot = unit * (threshold / length)
        first, last = -np.inf, np.inf
        for axis in (0, 1):
            if along[axis] == 0:
                if not self.low[axis] <= foot[axis] <= self.high[axis]:
                    return None
                continue
            ends = sorted((edge[axis] - foot[axis]) / along[axis] for edge in (self.low, self.high))
            first, last = max(first, ends[0]), min(last, ends[1])
        return None if first >= last else (foot, along, first, last)

    def yes_side(self, normal: Floats, threshold: float) -> list[tuple[float, float]]:
        """Return the corners, in pixels, of the visible part where ``<normal, x> > threshold``."""
        return self._in_pixels(_clipped(self._corners, normal, threshold))

    def regions(self, weights: Floats, thresholds: Floats) -> list[list[tuple[float, float]]]:
        """Return the corners of the visible region of each class, in pixels; empty if it has none.

        A class has the points at which its ``<w_c, x> - tau_c`` is the largest.
        """
        found = []
        for own, tau in zip(weights, thresholds, strict=True):
            corners = self._corners
            for other, limit in zip(own - weights, tau - thresholds, strict=True):
                if len(corners) and (other != 0).any():
                    corners = _clipped(corners, other, float(limit))
                elif limit > 0:  # the same direction, and always less
                    corners = corners[:0]
            found.append(self._in_pixels(corners))
        return found

    def borders(self, weights: Floats, thresholds: Floats) -> list[Segment]:
        """Return the visible borders between the regions of classes, in pixels.

        ``weights`` has shape ``(K, 2)``, and ``thresholds`` ``(K,)``.
        """
        found = []
        for first, second in combinations(range(len(weights)), 2):
            normal = weights[first] - weights[second]
            line = self._visible(normal, float(thresholds[first] - thresholds[second]))
            if line is None:
                continue
            foot, along, start, end = line
            lead = weights[first] - np.delete(weights, (first, second), axis=0)
            limits = thresholds[first] - np.delete(thresholds, (first, second))
            slope, height = lead @ along, lead @ foot - limits
            if (height[slope == 0] < 0).any():
                continue
            turns = -height[slope != 0] / slope[slope != 0]
            start = max([start, *turns[slope[slope != 0] > 0]])
            end = min([end, *turns[slope[slope != 0] < 0]])
            if start < end:
                ends = self.place(np.array([foot + start * along, foot + end * along]))
                found.append(Segment(*ends.ravel().tolist()))
        return found

    @property
    def _corners(self) -> Floats:
        (left, low), (right, high) = self.low, self.high
        return np.array([[left, low], [right, low], [right, high], [left, high]])

    def _in_pixels(self, corners: Floats) -> list[tuple[float, float]]:
        return [tuple(point) for point in self.place(corners).tolist()] if len(corners) else []


def _clipped(corners: Floats, normal: Floats, threshold: float) -> Floats:
    """Return the corners of the part of a convex polygon where ``<normal, x> > threshold``."""
    heights = corners @ normal - threshold
    kept: list[Floats] = []
    for at in range(len(corners)):
        after = (at + 1) % len(corners)
        if heights[at] > 0:
            kept.append(corners[at])
        if (heights[at] > 0) != (heights[after] > 0):
            part = heights[at] / (heights[at] - heights[after])
            kept.append(corners[at] + part * (corners[after] - corners[at]))
    return np.array(kept).reshape(-1, 2)


def on_the_plane(items: Floats) -> Floats:
    """Return the first two coordinates of the items.

    With one dimension, items that would cover each other are stacked.

    >>> on_the_plane(np.array([[1.0], [1.01], [3.0]]))
    array([[1.  , 0.  ],
           [1.01, 0.05],
           [3.  , 0.  ]])
    """
    if items.shape[1] > 1:
        return items[:, :2]
    return np.column_stack([items[:, 0], _stacked(items[:, 0])])


def normals(people: Floats) -> Floats:
    """Return the weights for the coordinates of :func:`on_the_plane`, shape ``(..., 2)``."""
    if people.shape[-1] > 1:
        return people[..., :2]
    return np.concatenate([people, np.zeros_like(people)], axis=-1)


def _stacked(values: Floats) -> Floats:
    """Return a height for each value: above the smaller values in the same bin."""
    span = float(values.max() - values.min()) or 1.0
    bins = np.floor((values - values.min()) / span * BINS).astype(np.int64)
    heights = np.zeros(len(values))
    seen: dict[int, int] = {}
    for at in np.argsort(values, kind="stable").tolist():
        heights[at] = seen.get(int(bins[at]), 0)
        seen[int(bins[at])] = int(heights[at]) + 1
    step = min(span / BINS, 0.5 * span / max(1.0, float(heights.max())))
    return heights * step
