"""A drawing as SVG text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.crowd.insects.shapes import Shape

REACH = 100
"""A drawing reaches this far from its middle, to every side."""

FINE = 10
"""Numbers in the text are whole: tenths."""


def as_svg(shapes: Sequence[Shape], *, name: str) -> str:
    """Return the drawing as an SVG document with a clear ground.

    It has no word about what it shows: in a quiz that would give the answer away.

    Parameters
    ----------
    shapes
        What is drawn, the lowest first.
    name
        What its clips are called after, so that several drawings may share a page.
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
    """Return a name for every curve within which something is drawn, by the curve's text."""
    curves = dict.fromkeys(_chain(shape.within) for shape in shapes if shape.within is not None)
    return {curve: f"{name}-{number}" for number, curve in enumerate(curves)}


def _element(shape: Shape, clips: dict[str, str]) -> str:
    end = "" if shape.fill is None else "Z"
    said = {"d": "".join(_chain(curve) + end for curve in shape.curves)}
    if shape.fill is not None:
        said["fill"] = shape.fill
    if shape.line is not None:
        said |= {"stroke": shape.line, "stroke-width": f"{FINE * shape.width:.3g}"}
    if shape.opacity < 1.0:
        said["opacity"] = f"{shape.opacity:.2g}"
    if shape.within is not None:
        said["clip-path"] = f"url(#{clips[_chain(shape.within)]})"
    return "<path " + " ".join(f'{key}="{value}"' for key, value in said.items()) + "/>"


def _chain(curve: Floats) -> str:
    """Return a curve as text: its start, and every piece from where the last one ended."""
    points: Ints = np.rint(FINE * curve).astype(np.int64)
    pieces = points[1:].reshape(-1, 3, 2) - points[:-1:3, None, :]
    numbers = " ".join(map(str, pieces.ravel().tolist())).replace(" -", "-")
    return f"M{points[0, 0]} {points[0, 1]}c{numbers}"
