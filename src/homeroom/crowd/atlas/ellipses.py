"""How sure the places of items are: an ellipse around each that holds it with 95 % probability."""

from __future__ import annotations

import math

import numpy as np

from homeroom._arrays import Floats
from homeroom.crowd.atlas.frame import Frame

RADIUS = math.sqrt(-2 * math.log(0.05))
"""Within so many standard deviations a Gaussian on the plane lies with probability 0.95."""


def ellipses(frame: Frame, places: Floats, covariances: Floats | None) -> str:
    """Return the ellipses as SVG, hidden until somebody asks; none on a map of one dimension.

    Parameters
    ----------
    frame
        The window onto the map.
    places
        Where the items are on the picture, in pixels, shape ``(items, 2)``.
    covariances
        Of each item, shape ``(items, d, d)``; of more than two axes the first two are drawn.
    """
    if covariances is None or covariances.shape[1] < 2:
        return ""
    lengths, axes = np.linalg.eigh(covariances[:, :2, :2])
    radii = frame.scale * RADIUS * np.sqrt(np.maximum(lengths, 0.0))
    turns = -np.degrees(np.arctan2(axes[:, 1, 1], axes[:, 0, 1]))  # y counts downwards
    drawn = "".join(
        f'<ellipse rx="{long:.1f}" ry="{short:.1f}" '
        f'transform="translate({x:.1f} {y:.1f}) rotate({turn:.1f})"/>'
        for (x, y), (short, long), turn in zip(
            places.tolist(), radii.tolist(), turns.tolist(), strict=True
        )
    )
    return f'<g class="sure">{drawn}</g>'
