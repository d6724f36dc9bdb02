"""Figure 5a: shaky and distorted handwriting."""

from __future__ import annotations

from matplotlib.figure import Figure

from homeroom.paper.cells import Cell
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.paper.pen_class import TYPES, class_of_children
from homeroom.paper.pen_drawing import draw_samples

SHOWN = 6
"""How many children of a type are shown, with a letter each."""


def sample_cells(plan: Plan) -> list[Cell]:
    """Return the cell that figures 5a to 5c share."""
    return [Cell.of("pen_samples", settings=plan.settings.for_a_class(), seed=plan.seeds[0])]


def samples_of(kind: str, plan: Plan) -> Figure:
    """Draw a letter of each of some children of a type."""
    made = class_of_children(plan.settings, len(TYPES), plan.seeds[0])
    own = [
        child.inks[0]
        for child, of_type in zip(made.children, made.types, strict=True)
        if of_type == kind
    ]
    return draw_samples(own[:SHOWN], made.pool.model)


class Figure5a(AbstractFigure):
    """Letters of children whose writing is shaky and distorted, but upright."""

    name = "5a"
    caption = (
        "Letters of six simulated children whose handwriting is shaky and distorted, but upright."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        return sample_cells(plan)

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        return samples_of("distorted+shaky", plan)
