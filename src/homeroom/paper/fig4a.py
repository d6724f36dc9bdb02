"""Figure 4a: the insects' map, and the target."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from homeroom.crowd import insects
from homeroom.paper.cells import Cell
from homeroom.paper.drawing import COLUMN, where
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.paper.insect_drawing import (
    ACROSS,
    MARKS,
    NAMES,
    SPECIES_COLOURS,
    UP,
    border,
    draw_insects,
    frame,
    rules_of,
    thumbnail,
)
from homeroom.plots import figure
from homeroom.plots.style import look

PIXELS = 160


def map_cells(plan: Plan) -> list[Cell]:
    """Return the cell that figures 4a and 4b share."""
    return [Cell.of("insect_map", settings=plan.settings.for_a_class(), seed=plan.seeds[0])]


class Figure4a(AbstractFigure):
    """Where the insects lie, by what a crowd said of them, and the best line."""

    name = "4a"
    caption = (
        "160 insects on the map that the answers of 67 workers give (nothing else goes into it), "
        "and the target: the straight line that best tells butterflies (on the side of the arrow) "
        "from moths."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        return map_cells(plan)

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        with look():
            drawn = figure(COLUMN, 4.5)
            legend, ax = drawn.subplots(2, 1, height_ratios=[1.0, 2.6])
            _draw_species(legend, plan.settings.insects + plan.seeds[0])
            low, high = frame(ax, rows)
            rule = rules_of(where(rows, kind="target"))[0]
            ends, _ = border(rule, low, high)
            if len(ends):
                _draw_target(ax, rule, ends, float(high[0] - low[0]))
            draw_insects(ax, rows)
            ax.set_xlabel(ACROSS)
            ax.set_ylabel(UP)
        return drawn


def _draw_target(ax: Axes, rule: np.ndarray, ends: np.ndarray, width: float) -> None:
    """Draw the target's line, and an arrow to where it says butterfly."""
    ax.plot(*ends.T, color="black", lw=1.6)
    foot = ends.mean(axis=0)
    tip = foot + 0.11 * width * rule[:2] / np.linalg.norm(rule[:2])
    ax.annotate("", tip, foot, arrowprops={"arrowstyle": "-|>", "color": "black", "lw": 1.2})
    upper, lower = ends[np.argsort(-ends[:, 1])]
    slope = float(np.degrees(np.arctan2(*(upper - lower)[::-1])))
    ax.annotate(
        "target",
        lower + 0.08 * (upper - lower),
        (0, 2),
        textcoords="offset points",
        fontsize=8,
        rotation=slope - 180 if slope > 90 else slope,
        rotation_mode="anchor",
        ha="right" if slope > 90 else "left",
    )


def _draw_species(ax: Axes, seed: int) -> None:
    """Draw one insect of each species beside each other, with its name and mark."""
    made = insects.make(seed)
    ax.set_axis_off()
    ax.set_xlim(-0.5, 3.5)
    ax.set_ylim(-0.95, 0.5)
    ax.set_aspect("equal")
    for place, (species, mark) in enumerate(MARKS.items()):
        picture = thumbnail(made, made.species.index(species), PIXELS)
        ax.imshow(picture, extent=(place - 0.48, place + 0.48, -0.48, 0.48), interpolation="none")
        ax.plot(place - 0.38, 0.38, mark, color=SPECIES_COLOURS[species], markersize=4)
        name = NAMES[species].replace(" ", "\n")
        ax.annotate(name, (place, -0.52), ha="center", va="top", fontsize=7.5, linespacing=1.0)
