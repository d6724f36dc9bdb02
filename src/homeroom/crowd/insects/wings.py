"""What wings have in common: the ground, its shading, veins, bands, rings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from homeroom._arrays import Floats
from homeroom.crowd.insects.shapes import Shape, ellipse, shaded, shrunk, smooth

Point = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Wing:
    """A right wing before it is coloured.

    Parameters
    ----------
    outline
        Its edge, as a closed curve.
    root
        Where it joins the body.
    heart
        A point well inside it.
    tips
        Where its veins end.
    """

    outline: Floats
    root: Point
    heart: Point
    tips: tuple[Point, ...]

    @classmethod
    def through(cls, points: Sequence[Point], heart: Point, tips: slice) -> Wing:
        """Return the wing with these points on its edge, the root first."""
        return cls(smooth(points), points[0], heart, tuple(points[tips]))

    def ground(self, colour: str, fringe: str, edge: str) -> list[Shape]:
        """Return the wing's ground: a fringe, a dark seam, and the colour, deeper at the root."""
        inner = shrunk(self.outline, self.heart, 0.035)
        core = shrunk(self.outline, self.heart, 0.075)
        shapes = [
            Shape((self.outline,), fill=fringe, line=edge, width=0.7),
            Shape((inner,), fill=shaded(colour, -0.3)),
            Shape((core,), fill=colour),
        ]
        for step in range(1, 6):
            glow = shrunk(self.outline, self.heart, 0.075 + 0.13 * step)
            shapes.append(self.inside(glow, fill=shaded(colour, 0.3), opacity=0.11))
        for step in range(1, 7):
            deep = shrunk(self.outline, self.root, 0.40 + 0.09 * step)
            shapes.append(self.inside(deep, fill=shaded(colour, -0.55), opacity=0.10))
        return shapes

    def veins(self, colour: str, *, width: float = 0.45, opacity: float = 0.5) -> Shape:
        """Return fine lines from the root to the edge, bent as the wing is."""
        lines = tuple(self._vein(tip) for tip in self.tips)
        return Shape(lines, line=colour, width=width, opacity=opacity, within=self.outline)

    def _vein(self, tip: Point) -> Floats:
        root, end, heart = (np.asarray(point) for point in (self.root, tip, self.heart))
        middle = root + 0.5 * (end - root)
        return smooth([root, middle + 0.12 * (heart - middle), end], closed=False)

    def inside(
        self,
        *curves: Floats,
        fill: str | None = None,
        line: str | None = None,
        width: float = 1.0,
        opacity: float = 1.0,
    ) -> Shape:
        """Return curves of which only what lies on the wing is drawn."""
        return Shape(curves, fill, line, width, opacity, within=self.outline)

    def across(self, part: float, *, waves: float = 0.0, count: int = 5) -> Floats:
        """Return a line across the wing, ``part`` of the way from its root to its tips.

        Parameters
        ----------
        part
            0 is the root, 1 the edge.
        waves, count
            How high its waves are, as a part of the wing, and how many there are.
        """
        ends = np.array(self.tips)
        steps = np.linspace(-0.15, 1.15, 4 * count + 1)
        places = np.arange(len(ends)) / (len(ends) - 1)
        edge = np.column_stack([_beyond(steps, places, ends[:, axis]) for axis in range(2)])
        heights = part + waves * np.sin(steps * 2 * math.pi * count)
        root = np.asarray(self.root)
        return smooth(root + heights[:, None] * (edge - root), closed=False)


def _beyond(steps: Floats, places: Floats, values: Floats) -> Floats:
    """Interpolate, and go straight on beyond both ends."""
    inside = np.interp(steps, places, values)
    first = (values[1] - values[0]) / (places[1] - places[0])
    last = (values[-1] - values[-2]) / (places[-1] - places[-2])
    below, above = np.minimum(steps, 0.0), np.maximum(steps - 1.0, 0.0)
    result: Floats = inside + first * below + last * above
    return result


def rings(
    wing: Wing, at: Point, radius: float, colours: Sequence[tuple[float, str]]
) -> list[Shape]:
    """Return an eyespot: discs on top of each other, each a part of the radius wide."""
    return [wing.inside(ellipse(*at, part * radius), fill=colour) for part, colour in colours]
