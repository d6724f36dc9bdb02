"""A drawing as pixels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats
from homeroom.crowd.insects.shapes import Shape
from homeroom.crowd.insects.svg import REACH

if TYPE_CHECKING:
    from matplotlib.path import Path


def as_pixels(shapes: Sequence[Shape], size: int = 200) -> npt.NDArray[np.uint8]:
    """Return the drawing as ``(size, size, 4)`` bytes, the last of each pixel its opacity.

    Drawn by Matplotlib's renderer itself, without figure and axes: a few milliseconds a drawing.
    """
    from matplotlib.backends.backend_agg import RendererAgg
    from matplotlib.transforms import Affine2D

    renderer: Any = RendererAgg(size, size, 72)  # type: ignore[no-untyped-call] # it has no types
    scale = size / (2 * REACH)
    place = Affine2D().scale(scale, -scale).translate(size / 2, size / 2)
    # Kept until all is drawn: the renderer knows a clip by its address, and would take a new one
    # at the address of one that is gone for that one.
    clips: dict[bytes, Path] = {}
    for shape in shapes:
        clip = None
        if shape.within is not None:
            clip = clips.setdefault(shape.within.tobytes(), _path((shape.within,), closed=True))
        _draw(renderer, shape, clip, place, scale)
    pixels: npt.NDArray[np.uint8] = np.array(renderer.buffer_rgba())
    return pixels


def _draw(renderer: Any, shape: Shape, clip: Path | None, place: Any, scale: float) -> None:
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
    from matplotlib.path import Path

    points, codes = [], []
    for curve in curves:
        points.append(curve)
        codes += [Path.MOVETO] + [Path.CURVE4] * (len(curve) - 1)
        if closed:
            points.append(curve[:1])
            codes.append(Path.CLOSEPOLY)
    return Path(np.concatenate(points), codes)
