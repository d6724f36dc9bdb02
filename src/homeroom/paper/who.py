"""Who takes longer: the slower, and the farther."""

from __future__ import annotations

from matplotlib.figure import Figure

from homeroom.paper.cells import Cell
from homeroom.paper.drawing import column, column_panel
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.plots.style import look


class WhoTakesLonger(AbstractFigure):
    """Every student of every class: her rate, her distance, and her rounds."""

    name = "who"
    caption = (
        "After how many rounds each student was within the goal, against her rate; darker students "
        "were farther from the target. Those who were not there when the class stopped lie on top."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        settings = plan.settings.for_a_class()
        seeds = plan.seeds[:5]
        return [Cell.of("who_takes_longer", settings=settings, seed=seed) for seed in seeds]

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        drawn, ax = column_panel()
        with look():
            dots = ax.scatter(
                column(rows, "rate"),
                column(rows, "rounds"),
                c=column(rows, "distance"),
                cmap="cividis_r",
                s=7,
                linewidths=0,
                rasterized=True,
            )
            drawn.colorbar(dots, label="distance at the start")
            ax.set_xlabel("rate of the student")
            ax.set_ylabel("rounds until she is there")
        return drawn
