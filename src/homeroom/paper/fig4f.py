"""Figure 4f: trade-off between teacher's and students' cost with increasing diversity of types."""

from __future__ import annotations

from matplotlib.figure import Figure

from homeroom.paper.cells import Cell
from homeroom.paper.fig4d import ACROSS, insect_cells
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.paper.rates import HEAVIER, draw_trade_off


class Figure4f(AbstractFigure):
    """The cheapest way of teaching the crowd's classes."""

    name = "4f"
    caption = (
        "The cheapest way of teaching, by the number of types of learners and the weight λ in "
        "T + λ S."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        return insect_cells(plan)

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        return draw_trade_off(rows, ACROSS, HEAVIER)
