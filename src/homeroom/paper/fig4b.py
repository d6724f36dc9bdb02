"""Figure 4b: what the four types of learners think at the start."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from homeroom.crowd.insects import SCHOOLS
from homeroom.paper.cells import Cell
from homeroom.paper.drawing import COLUMN, where
from homeroom.paper.fig4a import map_cells
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.paper.insect_drawing import ACROSS, UP, border, draw_insects, frame, rules_of
from homeroom.plots import figure
from homeroom.plots.style import DASHES, look

SHOWN = 3
"""How many learners of each type are drawn, as in the paper."""


class Figure4b(AbstractFigure):
    """The border between moths and butterflies, as three learners of each type see it."""

    name = "4b"
    caption = (
        "What three learners of each of the four types think: beyond her line each sees "
        "butterflies, and where all three do it is shaded (a line outside the panel: all insects "
        "are butterflies to her). Marks as in figure 4a; the grey line is the target."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        return map_cells(plan)

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        with look():
            drawn = figure(COLUMN, 3.9)
            panels = drawn.subplots(2, 2, sharex=True, sharey=True)
            for ax, school in zip(panels.flat, SCHOOLS, strict=True):
                _draw_type(ax, rows, school.name)
                ax.set_title(f"{school.name}:\n{school.mistake}", fontsize=7.2)
            drawn.supxlabel(ACROSS, fontsize=9)
            drawn.supylabel(UP, fontsize=9)
        return drawn


def _draw_type(ax: Axes, rows: Rows, kind: str) -> None:
    low, high = frame(ax, rows)
    for rule in rules_of(where(rows, kind="target")):
        ax.plot(*border(rule, low, high)[0].T, color="#b0b0b0", lw=1.4)
    learners = rules_of(where(rows, kind="worker", type=kind))[:SHOWN]
    _shade(ax, learners, low, high)
    draw_insects(ax, rows, size=4.0)
    for rule, dashes in zip(learners, DASHES, strict=False):
        ax.plot(*border(rule, low, high)[0].T, color="black", lw=1.0, ls=dashes)
    ax.tick_params(labelsize=7)


def _shade(ax: Axes, rules: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
    """Shade what all learners call butterflies."""
    x, y = (np.linspace(low[axis], high[axis], 200) for axis in range(2))
    across, up = np.meshgrid(x, y)
    yes = np.all([w1 * across + w2 * up + bias > 0 for w1, w2, bias in rules], axis=0)
    ax.contourf(x, y, yes, levels=[0.5, 1.5], colors=["#e9eef2"], zorder=0)
