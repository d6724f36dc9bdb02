"""Figure 5b: shaky and rotated handwriting."""

from __future__ import annotations

from matplotlib.figure import Figure

from homeroom.paper.cells import Cell
from homeroom.paper.fig5a import sample_cells, samples_of
from homeroom.paper.figure import AbstractFigure, Plan, Rows


class Figure5b(AbstractFigure):
    """Letters of children whose writing is shaky and rotated, but not distorted."""

    name = "5b"
    caption = (
        "Letters of six simulated children whose handwriting is shaky and rotated, but not "
        "distorted."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        return sample_cells(plan)

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        return samples_of("shaky+rotated", plan)
