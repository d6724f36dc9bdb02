"""What drawings are made of: smooth curves, filled and lined. Up is negative, as in SVG."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats

ROUND = 0.5522847498
"""How far the handles of a quarter circle reach, for radius one."""

MIRROR = np.array([[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""The move that turns a right wing into a left one."""


@dataclass(frozen=True, eq=False)
class Shape:
    """Some curves, drawn in one go.

    Parameters
    ----------
    curves
        Chains of cubic Bézier pieces, ``(3 * pieces + 1, 2)`` each: a point, two handles, ...
    fill, line
        The colours inside and along the curves, as ``#rrggbb``; none if ``None``.
    width
        The width of the line.
    opacity
        1 covers what is below, 0 cannot be seen.
    within
        A closed curve outside which nothing is drawn.
    """

    curves: tuple[Floats, ...]
    fill: str | None = None
    line: str | None = None
    width: float = 1.0
    opacity: float = 1.0
    within: Floats | None = None

    def moved(self, move: Floats) -> Shape:
        """Return the shape after a move, a ``(2, 3)`` matrix as :func:`pose` gives it."""
        return replace(
            self,
            curves=tuple(apply(move, curve) for curve in self.curves),
            within=None if self.within is None else apply(move, self.within),
        )


def moved(shapes: Iterable[Shape], move: Floats) -> list[Shape]:
    """Return all shapes after the same move."""
    return [shape.moved(move) for shape in shapes]


def both_sides(shapes: Iterable[Shape]) -> list[Shape]:
    """Return what is on the right, and its mirror image on the left."""
    right = list(shapes)
    return [side for shape in right for side in (shape, shape.moved(MIRROR))]


def apply(move: Floats, points: Floats) -> Floats:
    """Return where a move takes points."""
    placed: Floats = points @ move[:, :2].T + move[:, 2]
    return placed


def pose(
    around: tuple[float, float],
    *,
    turn: float = 0.0,
    along: float = 1.0,
    across: float = 1.0,
    axis: float = 0.0,
) -> Floats:
    """Return the move that stretches and then turns around a point.

    Parameters
    ----------
    around
        The point that stays where it is.
    turn
        The angle of the turn, clockwise, in degrees.
    along, across
        How much longer things get along the axis, and across it.
    axis
        The direction of the axis, in degrees clockwise from the right.
    """
    at = _rotation(axis)
    matrix = _rotation(turn) @ at @ np.diag([along, across]) @ at.T
    centre = np.asarray(around)
    return np.column_stack([matrix, centre - matrix @ centre])


def _rotation(degrees: float) -> Floats:
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array([[c, -s], [s, c]])


def smooth(points: npt.ArrayLike, *, closed: bool = True) -> Floats:
    """Return the smooth curve through points (Catmull and Rom's)."""
    through = np.asarray(points, dtype=float)
    if closed:
        before, after = np.roll(through, 1, axis=0), np.roll(through, -1, axis=0)
        ends = np.roll(through, -1, axis=0)
    else:
        before = np.vstack([through[:1], through[:-1]])
        after = np.vstack([through[1:], through[-1:]])
        ends = through[1:]
    slopes = (after - before) / 6.0
    starts = through[: len(ends)]
    leaving, coming = slopes[: len(ends)], (np.roll(slopes, -1, axis=0))[: len(ends)]
    pieces = np.stack([starts + leaving, ends - coming, ends], axis=1).reshape(-1, 2)
    return np.vstack([through[:1], pieces])


def strokes(starts: Floats, ends: Floats) -> tuple[Floats, ...]:
    """Return straight lines, one from each start to its end."""
    steps = np.linspace(0.0, 1.0, 4)[:, None]
    return tuple(starts[:, None] + steps * (ends - starts)[:, None])


def ellipse(x: float, y: float, across: float, up: float | None = None) -> Floats:
    """Return an ellipse around a point, or a circle."""
    up = across if up is None else up
    k = ROUND
    quarter = [(1, 0), (1, k), (k, 1), (0, 1), (-k, 1), (-1, k), (-1, 0)]
    rest = [(-1, -k), (-k, -1), (0, -1), (k, -1), (1, -k), (1, 0)]
    curve: Floats = np.array([x, y]) + np.array(quarter + rest) * np.array([across, up])
    return curve


def shrunk(curve: Floats, towards: tuple[float, float], by: float) -> Floats:
    """Return a smaller copy of a curve, pulled towards a point."""
    centre = np.asarray(towards)
    smaller: Floats = centre + (curve - centre) * (1.0 - by)
    return smaller


def shaded(colour: str, amount: float) -> str:
    """Return a colour mixed with white (above zero) or black (below).

    >>> shaded("#804020", 0.5), shaded("#804020", -0.5)
    ('#c0a090', '#402010')
    """
    towards = 255 if amount > 0 else 0
    parts = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return "#" + "".join(f"{round(part + (towards - part) * abs(amount)):02x}" for part in parts)
