"""Figure 6a: teaching examples for handwriting that is shaky and rotated."""

from __future__ import annotations

from matplotlib.figure import Figure

from homeroom.paper.cells import Cell
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.paper.pen_drawing import draw_strip, shown_cells


class Figure6a(AbstractFigure):
    """What children of one type are shown, taught by themselves."""

    name = "6a"
    caption = (
        "The letters for children whose handwriting is shaky and rotated, but not distorted, in "
        "order, with their rounds: to be corrected (black) or well written (green)."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        return shown_cells(plan)

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        return draw_strip(rows, plan, "shaky+rotated")
