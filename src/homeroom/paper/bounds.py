"""The theorems' bounds over the measured curves."""

from __future__ import annotations

from matplotlib.figure import Figure

from homeroom.paper.cells import Cell
from homeroom.paper.drawing import PAGE, column, plain_log, where
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.paper.proved import THEOREMS
from homeroom.plots import COLOURS, figure
from homeroom.plots.style import QUIET, look

ROUNDS = 250
SEEDS = 3


class Bounds(AbstractFigure):
    """What the theorems promise, and what happens."""

    name = "bounds"
    broad = True
    caption = (
        "The class's error (for everyone: that of the farthest student) in a lesson as each "
        "theorem supposes it, below what the theorem, corrected where it needs to be, says about "
        "it; a line for each class."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        settings = plan.settings.for_a_class()
        return [
            Cell.of("theorem", settings=settings, name=name, rounds=ROUNDS, seed=seed)
            for name in THEOREMS
            for seed in plan.few(SEEDS)
        ]

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        with look():
            drawn = figure(PAGE, 3.6)
            panels = drawn.subplots(2, 4, sharex=True)
            for ax, (name, title) in zip(panels.flat, THEOREMS.items(), strict=False):
                own = where(rows, theorem=name)
                for seed in sorted({row["seed"] for row in own}):
                    lesson = where(own, seed=seed)
                    ax.plot(column(lesson, "bound"), color=QUIET, lw=1, ls=(0, (4, 2)))
                    ax.plot(column(lesson, "error"), color=COLOURS[0], lw=1)
                plain_log(ax, "y")
                ax.minorticks_off()
                ax.set_title(title.replace(", ", "\n"), fontsize=8)
            legend = panels.flat[-1]
            legend.set_axis_off()
            legend.plot([], [], color=QUIET, ls=(0, (4, 2)), label="proved")
            legend.plot([], [], color=COLOURS[0], label="measured")
            legend.legend(loc="center")
            drawn.supxlabel("rounds", fontsize=9)
            drawn.supylabel("squared distance to the target", fontsize=9)
        return drawn
