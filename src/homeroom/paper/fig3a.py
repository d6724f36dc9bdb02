"""Figure 3a: error plot for CT; average error of the classroom and of four selected learners."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from homeroom.paper.cells import Cell
from homeroom.paper.drawing import column, column_panel, draw_goal, legend_above, plain_log, where
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.plots import COLOURS
from homeroom.plots.style import DASHES, look

STUDENTS = ("slow, far", "fast, far", "slow, near", "fast, near")


class Figure3a(AbstractFigure):
    """The class's error falls evenly on the logarithmic scale."""

    name = "3a"
    caption = (
        "Squared distance to the target against rounds, for the class (mean over seeds while all "
        "lessons go on, with the range of the middle 95 % of classes) and for four selected "
        "students of the first class."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        return [
            Cell.of("lesson", settings=plan.settings.for_a_class(), seed=seed)
            for seed in plan.seeds
        ]

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        first = where(rows, seed=plan.seeds[0])
        curves = while_all_go_on(rows, "error", plan)
        drawn, ax = column_panel(2.9)
        with look():
            low, high = np.quantile(curves, [0.025, 0.975], axis=0)
            ax.fill_between(np.arange(len(low)), low, high, color=COLOURS[0], alpha=0.2, lw=0)
            ax.plot(curves.mean(axis=0), color=COLOURS[0], lw=2.4, label="class average")
            for colour, dashes, student in zip(COLOURS[1:], DASHES, STUDENTS, strict=False):
                values = column(first, student)
                values = np.where(values > 0, values, np.nan)
                ax.plot(values, color=colour, ls=dashes, lw=1.1, label=student)
            draw_goal(ax, plan.settings.eps)
            plain_log(ax, "y")
            ax.set_ylim(bottom=1e-4 * plan.settings.eps)
            ax.set_xlabel("rounds")
            ax.set_ylabel("squared distance to the target")
            legend_above(drawn, ax, 3)
        return drawn


def while_all_go_on(rows: Rows, name: str, plan: Plan) -> np.ndarray:
    """Return a curve for each seed, ``(seeds, rounds)``, as long as the shortest lesson."""
    curves = [column(where(rows, seed=seed), name) for seed in plan.seeds]
    shortest = min(len(curve) for curve in curves)
    return np.array([curve[:shortest] for curve in curves])
