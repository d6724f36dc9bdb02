"""Diverse prior knowledge: the two curves that the paper describes but does not print."""

from __future__ import annotations

from matplotlib.figure import Figure

from homeroom.paper.cells import Cell
from homeroom.paper.drawing import EXAMPLES_EACH, EXAMPLES_IN_ALL
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.paper.rates import draw_against_diversity

ACROSS = "clusters of prior knowledge"


def knowledge_cells(plan: Plan) -> list[Cell]:
    """Return the cells that all three figures share."""
    return [
        Cell.of(
            "knowledge", settings=plan.settings.for_a_class(), clusters=int(clusters), seed=seed
        )
        for clusters in plan.thin(range(1, plan.settings.knowledge_dimensions + 1))
        for seed in plan.seeds
    ]


class KnowledgeTeacher(AbstractFigure):
    """What diverse knowledge costs the teacher."""

    name = "knowledge-t"
    caption = (
        "Examples the teacher needs in all, against the number of clusters of prior knowledge "
        "(described in section 6.1, not printed there)."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        return knowledge_cells(plan)

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        return draw_against_diversity(rows, "T", ACROSS, EXAMPLES_IN_ALL)


class KnowledgeStudents(AbstractFigure):
    """What diverse knowledge costs the students."""

    name = "knowledge-s"
    caption = (
        "Examples a student sees on average, against the number of clusters of prior knowledge "
        "(described in section 6.1, not printed there)."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        return knowledge_cells(plan)

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        return draw_against_diversity(rows, "S", ACROSS, EXAMPLES_EACH)
