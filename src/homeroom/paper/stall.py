"""Teaching along the mean gap: the first thing that comes to mind, and it stalls."""

from __future__ import annotations

from matplotlib.figure import Figure

from homeroom.paper.cells import Cell
from homeroom.paper.drawing import column, column_panel, draw_goal, legend_above, plain_log, where
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.plots import COLOURS
from homeroom.plots.style import DASHES, look

ROUNDS = 300


class Stall(AbstractFigure):
    """The class's mean is soon right, and nobody is helped any more."""

    name = "mean"
    caption = (
        "The class's error when the teacher aims at the class's mean as if it were one student "
        "(dashed), and when she takes the direction that helps most (solid); a line for each "
        "class. As soon as the mean is right, no example of hers moves it, and she stops."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        settings = plan.settings.for_a_class()
        return [
            Cell.of("mean_direction", settings=settings, rounds=ROUNDS, seed=seed)
            for seed in plan.seeds
        ] + [Cell.of("lesson", settings=settings, seed=seed) for seed in plan.seeds]

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        drawn, ax = column_panel()
        with look():
            for own, colour, dashes, label in (
                (by_mean(rows), COLOURS[1], DASHES[1], "along the mean (stuck at ×)"),
                (by_moments(rows), COLOURS[0], DASHES[0], "best direction (CT)"),
            ):
                for seed in plan.seeds:
                    errors = column(where(own, seed=seed), "error")
                    ax.plot(errors, color=colour, ls=dashes, lw=0.8, alpha=0.7)
                    if colour == COLOURS[1]:
                        ax.plot(len(errors) - 1, errors[-1], "x", color=colour, markersize=5)
                ax.plot([], [], color=colour, ls=dashes, label=label)
            draw_goal(ax, plan.settings.eps)
            plain_log(ax, "y")
            ax.set_xlabel("rounds")
            ax.set_ylabel("mean squared distance")
            legend_above(drawn, ax)
        return drawn


def by_mean(rows: Rows) -> Rows:
    """Return the rows of lessons along the mean gap."""
    return [row for row in rows if "bound" not in row]


def by_moments(rows: Rows) -> Rows:
    """Return the rows of lessons along the best direction."""
    return [row for row in rows if "bound" in row]
