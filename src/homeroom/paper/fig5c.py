"""Figure 5c: rotated and distorted handwriting."""

from __future__ import annotations

from matplotlib.figure import Figure

from homeroom.paper.cells import Cell
from homeroom.paper.fig5a import sample_cells, samples_of
from homeroom.paper.figure import AbstractFigure, Plan, Rows


class Figure5c(AbstractFigure):
    """Letters of children whose writing is rotated and distorted, but smooth."""

    name = "5c"
    caption = (
        "Letters of six simulated children whose handwriting is rotated and distorted, but smooth."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        return sample_cells(plan)

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        return samples_of("distorted+rotated", plan)
