"""Drawings made of smooth curves, and how they become SVG text or pixels.

A drawing reaches from -100 to 100 in both directions; its y axis points down, as in SVG. A *move*
is an affine map of the plane, a ``(2, 3)`` matrix: a point ``p`` goes to ``M[:, :2] p + M[:, 2]``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats, Ints

if TYPE_CHECKING:
    from matplotlib.path import Path


QUARTER_HANDLE = 0.5522847498
"""The length of the Bézier handles of a quarter circle with radius one."""

MIRROR = np.array([[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""The move that mirrors the right half of a drawing onto its left half."""


@dataclass(frozen=True, eq=False)
class Shape:
    """Some curves that are drawn together.

    Parameters
    ----------
    curves
        Chains of cubic Bézier pieces, ``(3 * pieces + 1, 2)`` each: a point, two handles, ...
    fill, line
        The colours inside and along the curves, as ``#rrggbb``; none if ``None``.
    width
        The width of the line.
    opacity
        From 0, invisible, to 1, opaque.
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
        """Return the shape after a move, such as :func:`pose` returns."""
        return replace(
            self,
            curves=tuple(apply(move, curve) for curve in self.curves),
            within=None if self.within is None else apply(move, self.within),
        )


def moved(shapes: Iterable[Shape], move: Floats) -> list[Shape]:
    """Return all shapes after the same move."""
    return [shape.moved(move) for shape in shapes]


def both_sides(shapes: Iterable[Shape]) -> list[Shape]:
    """Return shapes of the right half, each followed by its mirror image."""
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
    """Return the matrix of a turn, clockwise on the screen."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array([[c, -s], [s, c]])


def smooth(points: npt.ArrayLike, *, closed: bool = True) -> Floats:
    """Return the Catmull-Rom curve through points, as Bézier pieces."""
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
    """Return straight lines from each start to its end, each as one Bézier piece."""
    steps = np.linspace(0.0, 1.0, 4)[:, None]
    return tuple(starts[:, None] + steps * (ends - starts)[:, None])


def ellipse(x: float, y: float, across: float, up: float | None = None) -> Floats:
    """Return an ellipse around ``(x, y)`` with the half-axes ``across`` and ``up``.

    Without ``up`` it is a circle.
    """
    up = across if up is None else up
    k = QUARTER_HANDLE
    quarter = [(1, 0), (1, k), (k, 1), (0, 1), (-k, 1), (-1, k), (-1, 0)]
    rest = [(-1, -k), (-k, -1), (0, -1), (k, -1), (1, -k), (1, 0)]
    curve: Floats = np.array([x, y]) + np.array(quarter + rest) * np.array([across, up])
    return curve


def shrunk(curve: Floats, towards: tuple[float, float], by: float) -> Floats:
    """Return a curve whose distances from the point ``towards`` are smaller by the share ``by``."""
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


REACH = 100
"""The distance from the middle of a drawing to its sides."""

FINE = 10
"""SVG units per unit of a drawing: coordinates are rounded to whole SVG units."""


def as_svg(shapes: Sequence[Shape], *, name: str) -> str:
    """Return the drawing as an SVG document with a transparent background.

    It does not describe what it shows, because that would give away the answer in a quiz. ``name``
    is a prefix for the ids of clip paths, so that several drawings can be on one page.
    """
    clips = _clips(shapes, name)
    defined = "".join(
        f'<clipPath id="{clip}"><path d="{path}Z"/></clipPath>' for path, clip in clips.items()
    )
    drawn = "\n".join(_element(shape, clips) for shape in shapes)
    edge, size = -FINE * REACH, 2 * FINE * REACH
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{edge} {edge} {size} {size}" '
        'role="img" aria-label="an insect" fill="none" stroke-linecap="round" '
        f'stroke-linejoin="round">\n<defs>{defined}</defs>\n{drawn}\n</svg>\n'
    )


def _clips(shapes: Sequence[Shape], name: str) -> dict[str, str]:
    """Return an id for every clip path, by the text of its curve."""
    curves = dict.fromkeys(_path_data(shape.within) for shape in shapes if shape.within is not None)
    return {curve: f"{name}-{number}" for number, curve in enumerate(curves)}


def _element(shape: Shape, clips: dict[str, str]) -> str:
    """Return the SVG element of a shape."""
    end = "" if shape.fill is None else "Z"
    attributes = {"d": "".join(_path_data(curve) + end for curve in shape.curves)}
    if shape.fill is not None:
        attributes["fill"] = shape.fill
    if shape.line is not None:
        attributes |= {"stroke": shape.line, "stroke-width": f"{FINE * shape.width:.3g}"}
    if shape.opacity < 1.0:
        attributes["opacity"] = f"{shape.opacity:.2g}"
    if shape.within is not None:
        attributes["clip-path"] = f"url(#{clips[_path_data(shape.within)]})"
    return "<path " + " ".join(f'{key}="{value}"' for key, value in attributes.items()) + "/>"


def _path_data(curve: Floats) -> str:
    """Return a curve as text: its start, and every piece relative to the end of the last."""
    points: Ints = np.rint(FINE * curve).astype(np.int64)
    pieces = points[1:].reshape(-1, 3, 2) - points[:-1:3, None, :]
    numbers = " ".join(map(str, pieces.ravel().tolist())).replace(" -", "-")
    return f"M{points[0, 0]} {points[0, 1]}c{numbers}"


def as_pixels(shapes: Sequence[Shape], size: int = 200) -> npt.NDArray[np.uint8]:
    """Return the drawing as ``(size, size, 4)`` bytes: red, green, blue, opacity.

    Matplotlib's renderer is used directly, without figure and axes: a few milliseconds per
    drawing.
    """
    from matplotlib.backends.backend_agg import RendererAgg
    from matplotlib.transforms import Affine2D

    renderer: Any = RendererAgg(size, size, 72)  # type: ignore[no-untyped-call] # it has no types
    scale = size / (2 * REACH)
    place = Affine2D().scale(scale, -scale).translate(size / 2, size / 2)
    # Kept until all is drawn: the renderer identifies a clip by its memory address, and would
    # mistake a new clip at a reused address for the old one.
    clips: dict[bytes, Path] = {}
    for shape in shapes:
        clip = None
        if shape.within is not None:
            clip = clips.setdefault(shape.within.tobytes(), _path((shape.within,), closed=True))
        _draw(renderer, shape, clip, place, scale)
    pixels: npt.NDArray[np.uint8] = np.array(renderer.buffer_rgba())
    return pixels


def _draw(renderer: Any, shape: Shape, clip: Path | None, place: Any, scale: float) -> None:
    """Draw a shape with Matplotlib's renderer; ``place`` maps its coordinates to pixels."""
    from matplotlib.colors import to_rgb, to_rgba
    from matplotlib.transforms import TransformedPath

    pen = renderer.new_gc()
    pen.set_alpha(shape.opacity)
    pen.set_capstyle("round")
    pen.set_joinstyle("round")
    pen.set_linewidth(shape.width * scale if shape.line is not None else 0.0)
    pen.set_foreground(to_rgba(shape.line or "#000000", shape.opacity), isRGBA=True)
    if clip is not None:
        pen.set_clip_path(TransformedPath(clip, place))
    filled = None if shape.fill is None else (*to_rgb(shape.fill), shape.opacity)
    renderer.draw_path(pen, _path(shape.curves, closed=filled is not None), place, filled)
    pen.restore()


def _path(curves: tuple[Floats, ...], *, closed: bool) -> Path:
    """Return curves as one path of Matplotlib."""
    from matplotlib.path import Path

    points, codes = [], []
    for curve in curves:
        points.append(curve)
        codes += [Path.MOVETO] + [Path.CURVE4] * (len(curve) - 1)
        if closed:
            points.append(curve[:1])
            codes.append(Path.CLOSEPOLY)
    return Path(np.concatenate(points), codes)
