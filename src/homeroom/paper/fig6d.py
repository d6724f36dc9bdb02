"""Figure 6d: teaching examples for the whole class."""

from __future__ import annotations

from matplotlib.figure import Figure

from homeroom.paper.cells import Cell
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.paper.pen_drawing import draw_strip, shown_cells


class Figure6d(AbstractFigure):
    """What a class of all three types is shown."""

    name = "6d"
    caption = (
        "The letters that a class is shown in which handwriting is distorted, rotated or shaky, in "
        "order, with their rounds: to be corrected (black) or well written (green)."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        return shown_cells(plan)

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        return draw_strip(rows, plan, "CT")
