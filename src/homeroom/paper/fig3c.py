"""Figure 3c: total iterations per student needed for convergence."""

from __future__ import annotations

from matplotlib.figure import Figure

from homeroom.paper.cells import Cell
from homeroom.paper.drawing import EXAMPLES_EACH
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.paper.rates import draw_against_diversity, rates_cells


class Figure3c(AbstractFigure):
    """Total iterations per student needed for convergence from the students' perspective."""

    name = "3c"
    caption = (
        "Examples a student sees on average, against the diversity of rates (mean over seeds, 95 % "
        "confidence band)."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        return rates_cells(plan)

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        return draw_against_diversity(rows, "S", "diversity of rates", EXAMPLES_EACH)
