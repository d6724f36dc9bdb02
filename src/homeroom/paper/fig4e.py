"""Figure 4e: total iterations needed for convergence from the students' perspective."""

from __future__ import annotations

from matplotlib.figure import Figure

from homeroom.paper.cells import Cell
from homeroom.paper.drawing import EXAMPLES_EACH
from homeroom.paper.fig4d import ACROSS, insect_cells
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.paper.rates import draw_against_diversity


class Figure4e(AbstractFigure):
    """What diverse types of learners cost the students."""

    name = "4e"
    caption = (
        "Insects a student sees on average, against the number of types of learners among 60 (mean "
        "over seeds, 95 % confidence band)."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        return insect_cells(plan)

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        return draw_against_diversity(rows, "S", ACROSS, EXAMPLES_EACH)
