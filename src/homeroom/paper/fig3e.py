"""Figure 3e: trade-off between teacher's and students' cost with increasing diversity of rates."""

from __future__ import annotations

from matplotlib.figure import Figure

from homeroom.paper.cells import Cell
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.paper.rates import LAMBDAS, draw_trade_off, rates_cells


class Figure3e(AbstractFigure):
    """Trade-off between teacher's and students' cost with increasing diversity of rates."""

    name = "3e"
    caption = "The cheapest way of teaching, by the diversity of rates and the weight λ in T + λ S."

    def cells(self, plan: Plan) -> list[Cell]:
        return rates_cells(plan)

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        return draw_trade_off(rows, "diversity of rates", LAMBDAS)
