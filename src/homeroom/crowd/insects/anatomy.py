"""The parts of an insect: wings with their patterns, and the body between them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from homeroom._arrays import Floats
from homeroom.crowd.insects.shapes import (
    Shape,
    both_sides,
    ellipse,
    shaded,
    shrunk,
    smooth,
    strokes,
)

Place = tuple[float, float]


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
    root: Place
    heart: Place
    tips: tuple[Place, ...]

    @classmethod
    def through(cls, points: Sequence[Place], heart: Place, tips: slice) -> Wing:
        """Return the wing with these points on its edge, the root first."""
        return cls(smooth(points), points[0], heart, tuple(points[tips]))

    def ground(self, colour: str, fringe: str, edge: str) -> list[Shape]:
        """Return the wing's ground: a fringe, a dark seam, and the colour, darker at the root."""
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

    def _vein(self, tip: Place) -> Floats:
        """Return the curve of a vein from the root to a tip, bent towards the heart."""
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
        """Return curves that are drawn only where they are on the wing."""
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
    """Interpolate linearly, and extrapolate beyond both ends."""
    inside = np.interp(steps, places, values)
    first = (values[1] - values[0]) / (places[1] - places[0])
    last = (values[-1] - values[-2]) / (places[-1] - places[-2])
    below, above = np.minimum(steps, 0.0), np.maximum(steps - 1.0, 0.0)
    result: Floats = inside + first * below + last * above
    return result


def rings(
    wing: Wing, at: Place, radius: float, colours: Sequence[tuple[float, str]]
) -> list[Shape]:
    """Return an eyespot: concentric discs, each with a radius relative to the largest."""
    return [wing.inside(ellipse(*at, part * radius), fill=colour) for part, colour in colours]


SHAFT = np.array([(1.5, -34.0), (6.0, -46.0), (13.0, -58.0), (22.0, -68.0)])
"""The right antenna, from the head to its tip."""


def abdomen(width: float, length: float, colour: str, bands: str, *, rows: int = 6) -> list[Shape]:
    """Return the abdomen, which tapers and has bands across it."""
    half = [(0.0, -8.0), (width, 0.0), (width * 0.95, 0.5 * length), (width * 0.5, 0.9 * length)]
    points = [*half, (0.0, length), *[(-x, y) for x, y in half[:0:-1]]]
    outline = smooth(points)
    shapes = [Shape((outline,), fill=colour, line=shaded(colour, -0.5), width=0.6)]
    light = smooth([(x * 0.45, y * 0.96) for x, y in points])
    shapes.append(Shape((light,), fill=shaded(colour, 0.35), opacity=0.35, within=outline))
    lines = tuple(
        smooth([(-width - 1, y - 1.6), (0.0, y + 1.2), (width + 1, y - 1.6)], closed=False)
        for y in np.linspace(0.12, 0.86, rows) * length
    )
    shapes.append(
        Shape(lines, line=bands, width=0.34 * length / rows, opacity=0.75, within=outline)
    )
    return shapes


def thorax(
    width: float, colour: str, fur: str, rng: np.random.Generator, hairs: int
) -> list[Shape]:
    """Return the thorax, with this many hairs as its fur."""
    across, up = width, 1.55 * width
    middle = -15.0
    angles = rng.uniform(0, 2 * math.pi, hairs)
    parts = np.sqrt(rng.uniform(0.05, 1.0, hairs))
    starts = np.column_stack(
        [across * parts * np.cos(angles), middle + up * parts * np.sin(angles)]
    )
    out = np.column_stack([np.cos(angles), np.sin(angles) + 0.5])
    ends = starts + out * (0.16 * width + 0.16 * width * rng.random((hairs, 1)))
    strands = strokes(starts, ends)
    half = hairs // 2
    return [
        Shape(
            (ellipse(0.0, middle, across, up),), fill=colour, line=shaded(colour, -0.5), width=0.6
        ),
        Shape((ellipse(0.0, middle - 0.1 * up, 0.6 * across, 0.6 * up),), fill=fur, opacity=0.35),
        Shape(strands[:half], line=fur, width=0.7, opacity=0.75),
        Shape(strands[half:], line=shaded(colour, -0.35), width=0.6, opacity=0.6),
    ]


def head(size: float, colour: str, *, y: float = -31.0) -> list[Shape]:
    """Return the head with its two eyes."""
    eyes = both_sides(
        [
            Shape((ellipse(0.72 * size, y - 0.1 * size, 0.42 * size, 0.5 * size),), fill="#17120f"),
            Shape((ellipse(0.8 * size, y - 0.3 * size, 0.11 * size),), fill="#ffffff", opacity=0.8),
        ]
    )
    skull = Shape(
        (ellipse(0.0, y, size, 0.85 * size),), fill=colour, line=shaded(colour, -0.5), width=0.5
    )
    return [skull, *eyes]


def antennae(clubbed: float, colour: str) -> list[Shape]:
    """Return both antennae: feathers at 0, a plain thread halfway, a thread with a club at 1."""
    shaft = smooth(SHAFT, closed=False)
    feathered, club = max(0.0, 1.0 - 2.0 * clubbed), max(0.0, 2.0 * clubbed - 1.0)
    shapes = [Shape((shaft,), line=colour, width=1.0 + 0.3 * feathered)]
    if feathered > 0.0:
        shapes.insert(
            0, Shape(_barbs(shaft, 7.5 * feathered), line=shaded(colour, 0.12), width=0.55)
        )
    if club > 0.0:
        shapes.append(Shape((_club(club),), fill=colour, line=colour, width=0.4))
        x, y = SHAFT[-1].tolist()
        shapes.append(Shape((ellipse(x + 0.9, y - 1.1, 0.9 * club),), fill="#e8c27a"))
    return both_sides(shapes)


def _barbs(shaft: Floats, length: float) -> tuple[Floats, ...]:
    """Return the barbs on both sides of a feather, longest in its middle."""
    t = np.linspace(0.1, 0.98, 26)
    places, slopes = along(shaft, t)
    lengths = length * np.sin(math.pi * t**0.8) ** 0.7
    normals = np.column_stack([-slopes[:, 1], slopes[:, 0]])
    right, left = (
        places + lengths[:, None] * (0.55 * slopes + side * normals) for side in (0.85, -0.85)
    )
    return (*strokes(places, right), *strokes(places, left))


def _club(size: float) -> Floats:
    """Return the outline of the club at the tip of the right antenna."""
    tip, before = SHAFT[-1], SHAFT[-2]
    ahead = (tip - before) / np.linalg.norm(tip - before)
    beside = np.array([-ahead[1], ahead[0]])
    wide, long = 2.1 * size, 6.5 * size
    return smooth(
        [
            tip - long * ahead,
            tip - 0.3 * long * ahead + wide * beside,
            tip + 0.35 * long * ahead,
            tip - 0.3 * long * ahead - wide * beside,
        ]
    )


def along(curve: Floats, t: Floats) -> tuple[Floats, Floats]:
    """Return points of a chain of Bézier pieces at ``t`` from 0 to 1, and unit directions there."""
    pieces = (len(curve) - 1) // 3
    which = np.minimum((t * pieces).astype(int), pieces - 1)
    s = (t * pieces - which)[:, None]
    a, b, c, d = (curve[3 * which + k] for k in range(4))
    places = (1 - s) ** 3 * a + 3 * s * (1 - s) ** 2 * b + 3 * s**2 * (1 - s) * c + s**3 * d
    slopes = (1 - s) ** 2 * (b - a) + 2 * s * (1 - s) * (c - b) + s**2 * (d - c)
    return places, slopes / np.linalg.norm(slopes, axis=1, keepdims=True)
