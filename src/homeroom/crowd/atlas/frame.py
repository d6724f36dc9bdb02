"""Where things are on the paper: a window onto the map, and lines cut off at its edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from homeroom._arrays import Floats

WIDTH = 860.0
"""How broad the picture is, in pixels; it grows and shrinks with the page."""

SHORTEST, TALLEST = 0.55, 0.85
"""How high it is at least and at most, against its breadth."""


class Segment(NamedTuple):
    """A straight piece from one point to another, in pixels."""

    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True, eq=False)
class Frame:
    """A window onto the plane, from ``low`` to ``high``; the second axis points upwards.

    Parameters
    ----------
    low, high
        Two corners, shape ``(2,)`` each.
    scale
        How many pixels one unit is, the same on both axes.
    """

    low: Floats
    high: Floats
    scale: float

    @classmethod
    def around(cls, points: Floats) -> Frame:
        """Return a frame around all the points, with a margin."""
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
        """How high the picture is, in pixels."""
        return float(self.high[1] - self.low[1]) * self.scale

    def place(self, points: Floats) -> Floats:
        """Return where the points are on the picture, in pixels, counted from its top left."""
        x = (points[..., 0] - self.low[0]) * self.scale
        y = (self.high[1] - points[..., 1]) * self.scale
        return np.stack([x, y], axis=-1)

    def cut(self, normal: Floats, threshold: float) -> Segment | None:
        """Return the part of the line ``<normal, x> = threshold`` in the frame, if there is one."""
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


def side_of(frame: Frame, normal: Floats, threshold: float) -> list[tuple[float, float]]:
    """Return the corners, in pixels, of the part of the frame where ``<normal, x> > threshold``."""
    (left, low), (right, high) = frame.low, frame.high
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
    return [tuple(point) for point in frame.place(np.array(kept)).tolist()] if kept else []
