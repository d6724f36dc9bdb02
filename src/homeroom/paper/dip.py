"""Why the whole class dips at a diversity of 0.15: the ball of examples."""

from __future__ import annotations

from matplotlib.figure import Figure

from homeroom.paper.cells import Cell
from homeroom.paper.drawing import EXAMPLES_IN_ALL, column_panel, draw_band, legend_above, where
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.paper.rates import DIVERSITIES
from homeroom.plots import COLOURS
from homeroom.plots.style import DASHES, look

RADII = ("example_radius=2", "example_radius=3", "example_radius=10")
SEEDS = 5


class Dip(AbstractFigure):
    """With a wider ball the dip moves, and is gone."""

    name = "dip"
    caption = (
        "Examples the whole class needs with the static magnitude, for three balls of examples. A "
        "ball limits everybody up to a diversity of 1/Dₓ² less the slowest rate: with 0.1, that is "
        "0.15 for the paper's Dₓ = 2, 0.01 for 3, never for 10."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        return [
            Cell.of(
                "whole_class",
                settings=plan.settings.changed(radius).for_a_class(),
                variation=radius,
                diversity=diversity,
                seed=seed,
            )
            for radius in RADII
            for diversity in DIVERSITIES
            for seed in plan.few(SEEDS)
        ]

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        drawn, ax = column_panel()
        with look():
            for radius, colour, dashes in zip(RADII, COLOURS, DASHES, strict=False):
                own = where(rows, variation=radius)
                label = f"$D_X$ = {radius.partition('=')[2]}"
                draw_band(ax, own, "diversity", "T", label=label, colour=colour, line=dashes)
            ax.set_ylim(bottom=0)
            ax.set_xlabel("diversity of rates")
            ax.set_ylabel(EXAMPLES_IN_ALL)
            legend_above(drawn, ax, 3)
        return drawn
