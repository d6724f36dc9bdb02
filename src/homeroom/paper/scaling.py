"""What the number of rounds depends on: the rank, the accuracy, and not the size of the class."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from homeroom.paper.cells import Cell
from homeroom.paper.drawing import (
    EXAMPLES_IN_ALL,
    band,
    column_panel,
    draw_band,
    legend_above,
    plain_log,
    where,
)
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.plots import COLOURS
from homeroom.plots.style import DASHES, QUIET, look

RANKS = (1, 2, 4, 8, 12, 16, 20, 25)
ACCURACIES = (1.0, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-5)
SIZES = (30, 100, 300, 1000, 3000, 10_000)
TEACHERS = ("CT", "random direction", "random item")


class Rank(AbstractFigure):
    """Rounds grow with the rank of the class."""

    name = "rank"
    caption = (
        "Examples needed by a class with equal rates that errs in only k directions, to the same "
        "accuracy in each of them, below what Theorem 1 allows."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        return [
            Cell.of("against_rank", settings=plan.settings.for_a_class(), rank=int(rank), seed=seed)
            for rank in plan.thin(ranks(plan))
            for seed in plan.seeds
        ]

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        drawn, ax = column_panel()
        with look():
            places, bounds, _ = band(rows, "rank", "bound")
            ax.plot(places, bounds, color=QUIET, ls=(0, (4, 3)), label="proved (Theorem 1)")
            draw_band(ax, rows, "rank", "T", label="measured", colour=COLOURS[0])
            ax.set_xlabel("directions in which the class errs, k")
            ax.set_ylabel(EXAMPLES_IN_ALL)
            legend_above(drawn, ax, 3)
        return drawn


class Accuracy(AbstractFigure):
    """Rounds grow with the logarithm of the accuracy."""

    name = "accuracy"
    caption = (
        "Examples needed against the accuracy, on a logarithmic scale: a straight line is "
        "O(log 1/ε), a curve that bends upwards is more."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        return [
            Cell.of(
                "against_eps",
                settings=plan.settings.for_a_class(),
                accuracies=list(ACCURACIES),
                who=who,
                seed=seed,
            )
            for who in TEACHERS
            for seed in plan.seeds
        ]

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        drawn, ax = column_panel()
        with look():
            for who, colour, dashes in zip(TEACHERS, COLOURS, DASHES, strict=False):
                own = where(rows, who=who)
                draw_band(ax, own, "eps", "T", label=who, colour=colour, line=dashes)
            plain_log(ax, "x")
            ax.invert_xaxis()
            ax.set_xlabel("squared distance that is allowed, ε")
            ax.set_ylabel(EXAMPLES_IN_ALL)
            legend_above(drawn, ax, 3)
        return drawn


class Size(AbstractFigure):
    """Rounds do not grow with the class."""

    name = "size"
    caption = "Examples needed against the number of students, everything else being the same."

    def cells(self, plan: Plan) -> list[Cell]:
        return [
            Cell.of(
                "against_students",
                settings=plan.settings.for_a_class(),
                students=int(size),
                seed=seed,
            )
            for size in plan.thin(SIZES)
            for seed in plan.seeds
        ]

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        drawn, ax = column_panel()
        with look():
            draw_band(ax, rows, "students", "T", label="whole class", colour=COLOURS[0])
            plain_log(ax, "x")
            ax.set_ylim(bottom=0)
            ax.set_xlabel("students in the class, N")
            ax.set_ylabel(EXAMPLES_IN_ALL)
        return drawn


def ranks(plan: Plan) -> list[int]:
    """Return the ranks that fit the settings."""
    most = min(plan.settings.dimensions, plan.settings.students)
    return [int(rank) for rank in np.unique(np.minimum(RANKS, most))]
