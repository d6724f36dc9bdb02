"""Positions on the picture: items on a plane, the visible part of it, lines cut at its edges."""

from __future__ import annotations

from dataclasses import dataclass
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
        if first >= last:
            return None
        ends_at = self.place(np.array([foot + first * along, foot + last * along]))
        return Segment(*ends_at.ravel().tolist())

    def yes_side(self, normal: Floats, threshold: float) -> list[tuple[float, float]]:
        """Return the corners, in pixels, of the visible part where ``<normal, x> > threshold``."""
        (left, low), (right, high) = self.low, self.high
        corners = np.array([[left, low], [right, low], [right, high], [left, high]])
        heights = corners @ normal - threshold
        kept: list[Floats] = []
        for at in range(4):
            here, after = heights[at], heights[(at + 1) % 4]
            if here > 0:
                kept.append(corners[at])
            if (here > 0) != (after > 0):
                part = here / (here - after)
                kept.append(corners[at] + part * (corners[(at + 1) % 4] - corners[at]))
        return [tuple(point) for point in self.place(np.array(kept)).tolist()] if kept else []


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
    """Return the weights of the two coordinates of :func:`on_the_plane`."""
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
