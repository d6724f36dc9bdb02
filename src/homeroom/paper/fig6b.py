"""Figure 6b: teaching examples for handwriting that is distorted and shaky."""

from __future__ import annotations

from matplotlib.figure import Figure

from homeroom.paper.cells import Cell
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.paper.pen_drawing import draw_strip, shown_cells


class Figure6b(AbstractFigure):
    """What children of one type are shown, taught by themselves."""

    name = "6b"
    caption = (
        "The letters for children whose handwriting is distorted and shaky, but upright, in "
        "order, with their rounds: to be corrected (black) or well written (green)."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        return shown_cells(plan)

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        return draw_strip(rows, plan, "distorted+shaky")
