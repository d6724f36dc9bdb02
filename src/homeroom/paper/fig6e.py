"""Figure 6e, which the paper leaves out: what types of handwriting cost the teacher."""

from __future__ import annotations

from matplotlib.figure import Figure

from homeroom.paper.cells import Cell
from homeroom.paper.drawing import EXAMPLES_IN_ALL
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.paper.rates import draw_against_diversity

ACROSS = "types of handwriting in the class"


def cost_cells(plan: Plan) -> list[Cell]:
    """Return the cells that figures 6e, 6f and 6g share."""
    settings = plan.settings.for_a_class()
    return [Cell.of("pen_costs", settings=settings, seed=seed) for seed in plan.seeds]


class Figure6e(AbstractFigure):
    """What diverse types of handwriting cost the teacher."""

    name = "6e"
    caption = (
        "Letters the teacher shows in all, against the number of types of handwriting among 60 "
        "children (mean over seeds, 95 % confidence band); groups are by type. Not in the paper."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        return cost_cells(plan)

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        return draw_against_diversity(rows, "T", ACROSS, EXAMPLES_IN_ALL)
