"""How the insects' map is drawn: a mark for each species, a line for each rule, thumbnails."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from homeroom._arrays import Floats
from homeroom.crowd.insects import SPECIES, Insects
from homeroom.paper.drawing import column, where
from homeroom.paper.figure import Rows
from homeroom.plots import COLOURS

MARKS = {"cmoth": "v", "tmoth": "^", "rbfly": "s", "pbfly": "o"}
SPECIES_COLOURS = {
    "cmoth": COLOURS[4],
    "tmoth": COLOURS[1],
    "rbfly": COLOURS[5],
    "pbfly": COLOURS[0],
}
"""Moths are warm, butterflies cool."""

NAMES = {species.short: species.name for species in SPECIES}
ACROSS, UP = "first coordinate of the map", "second coordinate"
MARGIN = 0.12
GROUND = np.array([0.985, 0.98, 0.965])
"""The paper that thumbnails lie on."""


def draw_insects(ax: Axes, rows: Rows, *, size: float = 10.0, alpha: float = 0.8) -> None:
    """Draw every insect where it lies on the map."""
    for species, mark in MARKS.items():
        own = where(rows, kind="insect", type=species)
        ax.scatter(
            column(own, "x"),
            column(own, "y"),
            s=size,
            marker=mark,
            color=SPECIES_COLOURS[species],
            alpha=alpha,
            linewidths=0,
            label=NAMES[species],
        )


def frame(ax: Axes, rows: Rows) -> tuple[Floats, Floats]:
    """Fit the axes to the insects, equally scaled, and return the lower and upper corner."""
    own = where(rows, kind="insect")
    points = np.column_stack([column(own, "x"), column(own, "y")])
    middle = (points.max(axis=0) + points.min(axis=0)) / 2
    reach = (1 + MARGIN) * float(np.ptp(points, axis=0).max()) / 2
    ax.set_xlim(middle[0] - reach, middle[0] + reach)
    ax.set_ylim(middle[1] - reach, middle[1] + reach)
    ax.set_aspect("equal")
    ax.grid(visible=False)
    return middle - reach, middle + reach


def border(rule: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Return where the line ``<w, x> + bias = 0`` leaves a frame, and its half where it says yes.

    Parameters
    ----------
    rule
        ``(w1, w2, bias)``.
    low, high
        The corners of the frame.

    Returns
    -------
    The ends of the line, ``(2, 2)``, and the corners of the half, ``(corners, 2)``; without rows
    where the line or the half lies outside.
    """
    corners = np.array([low, (high[0], low[1]), high, (low[0], high[1])])
    heights = corners @ rule[:2] + rule[2]
    ends, half = [], []
    for i in range(4):
        j = (i + 1) % 4
        if heights[i] > 0:
            half.append(corners[i])
        if (heights[i] > 0) != (heights[j] > 0):
            share = heights[i] / (heights[i] - heights[j])
            crossing = corners[i] + share * (corners[j] - corners[i])
            ends.append(crossing)
            half.append(crossing)
    return np.reshape(ends, (-1, 2)), np.reshape(half, (-1, 2))


def rules_of(rows: Rows) -> Floats:
    """Return the hypotheses in the rows, ``(rows, 3)``."""
    return np.column_stack([column(rows, name) for name in ("x", "y", "bias")])


def thumbnail(insects: Insects, insect: int, pixels: int) -> Floats:
    """Return a picture of an insect on its ground, ``(pixels, pixels, 3)`` from 0 to 1."""
    drawn = insects.pixels(insect, pixels) / 255.0
    alpha = drawn[..., 3:]
    picture: Floats = alpha * drawn[..., :3] + (1.0 - alpha) * GROUND
    return picture
