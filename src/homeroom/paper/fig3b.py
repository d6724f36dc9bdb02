"""Figure 3b: total iterations needed for convergence from the teacher's perspective."""

from __future__ import annotations

from matplotlib.figure import Figure

from homeroom.paper.cells import Cell
from homeroom.paper.drawing import EXAMPLES_IN_ALL
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.paper.rates import draw_against_diversity, rates_cells


class Figure3b(AbstractFigure):
    """Total iterations needed for convergence from the teacher's perspective."""

    name = "3b"
    caption = (
        "Examples the teacher needs in all, against the diversity of rates (mean over seeds, 95 % "
        "confidence band). With the static magnitude the whole class dips at 0.15, where the ball "
        "stops limiting the magnitude."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        return rates_cells(plan)

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        return draw_against_diversity(rows, "T", "diversity of rates", EXAMPLES_IN_ALL)
