"""Figure 3f: trade-off between the two costs with increasing diversity of knowledge."""

from __future__ import annotations

from matplotlib.figure import Figure

from homeroom.paper.cells import Cell
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.paper.knowledge import ACROSS, knowledge_cells
from homeroom.paper.rates import HEAVIER, draw_trade_off


class Figure3f(AbstractFigure):
    """Trade-off between teacher's and students' cost with increasing diversity of knowledge."""

    name = "3f"
    caption = "The cheapest way of teaching, by the number of clusters and the weight λ in T + λ S."

    def cells(self, plan: Plan) -> list[Cell]:
        return knowledge_cells(plan)

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        return draw_trade_off(rows, ACROSS, HEAVIER)
