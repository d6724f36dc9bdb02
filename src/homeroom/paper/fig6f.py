"""Figure 6f, which the paper leaves out: what types of handwriting cost the children."""

from __future__ import annotations

from matplotlib.figure import Figure

from homeroom.paper.cells import Cell
from homeroom.paper.drawing import EXAMPLES_EACH
from homeroom.paper.fig6e import ACROSS, cost_cells
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.paper.rates import draw_against_diversity


class Figure6f(AbstractFigure):
    """What diverse types of handwriting cost the children."""

    name = "6f"
    caption = (
        "Letters a child sees on average, against the number of types of handwriting among 60 "
        "children (mean over seeds, 95 % confidence band). Not in the paper."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        return cost_cells(plan)

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        return draw_against_diversity(rows, "S", ACROSS, EXAMPLES_EACH)
