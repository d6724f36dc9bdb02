"""Figure 6g, which the paper leaves out: the trade-off with more types of handwriting."""

from __future__ import annotations

from matplotlib.figure import Figure

from homeroom.paper.cells import Cell
from homeroom.paper.fig6e import ACROSS, cost_cells
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.paper.rates import HEAVIER, draw_trade_off


class Figure6g(AbstractFigure):
    """The cheapest way of teaching children to write."""

    name = "6g"
    caption = (
        "The cheapest way of teaching, by the number of types of handwriting and the weight λ in "
        "T + λ S. Not in the paper."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        return cost_cells(plan)

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        return draw_trade_off(rows, ACROSS, HEAVIER)
