"""Figure 3d: iterations needed for convergence as the noise in the states increases."""

from __future__ import annotations

from matplotlib.figure import Figure

from homeroom.paper.cells import Cell
from homeroom.paper.drawing import (
    EXAMPLES_IN_ALL,
    WAY_COLOURS,
    WAY_DASHES,
    column,
    column_panel,
    draw_band,
    legend_above,
    plain_log,
)
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.plots.style import look

DELTAS = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0)


class Figure3d(AbstractFigure):
    """Noise makes lessons longer, but the whole class stays far below individuals."""

    name = "3d"
    caption = (
        "Examples the teacher needs when she sees each state with an error of length δ (mean "
        "over seeds, 95 % confidence band); the other line is individual teaching without noise."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        settings = plan.settings.for_a_class()
        alone = [Cell.of("individually", settings=settings, seed=seed) for seed in plan.seeds]
        return alone + [
            Cell.of("noisy_states", settings=settings, delta=delta, seed=seed)
            for delta in plan.thin(DELTAS)
            for seed in plan.seeds
        ]

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        noisy = [row for row in rows if "delta" in row]
        alone = column([row for row in rows if "delta" not in row], "T").mean()
        drawn, ax = column_panel()
        with look():
            draw_band(ax, noisy, "delta", "T", label="whole class (CT)", colour=WAY_COLOURS["CT"])
            ax.axhline(
                alone,
                color=WAY_COLOURS["IT"],
                ls=WAY_DASHES["IT"],
                label="individuals, no noise (IT)",
            )
            plain_log(ax, "y")
            ax.set_xlabel("length of the error in each state, δ")
            ax.set_ylabel(EXAMPLES_IN_ALL)
            legend_above(drawn, ax)
        return drawn
