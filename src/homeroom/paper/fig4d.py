"""Figure 4d: total iterations needed for convergence from the teacher's perspective."""

from __future__ import annotations

from matplotlib.figure import Figure

from homeroom.paper.cells import Cell
from homeroom.paper.drawing import EXAMPLES_IN_ALL
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.paper.rates import draw_against_diversity

ACROSS = "types of learners in the class"


def insect_cells(plan: Plan) -> list[Cell]:
    """Return the cells that figures 4d, 4e and 4f share."""
    settings = plan.settings.for_a_class()
    return [Cell.of("insects", settings=settings, seed=seed) for seed in plan.seeds]


class Figure4d(AbstractFigure):
    """What diverse types of learners cost the teacher."""

    name = "4d"
    caption = (
        "Insects the teacher shows in all, against the number of types of learners among 60 (mean "
        "over seeds, 95 % confidence band); groups are by type."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        return insect_cells(plan)

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        return draw_against_diversity(rows, "T", ACROSS, EXAMPLES_IN_ALL)
