"""How rich a pool must be (appendix C)."""

from __future__ import annotations

from matplotlib.figure import Figure

from homeroom.paper.cells import Cell
from homeroom.paper.drawing import EXAMPLES_IN_ALL, PAGE, band, draw_band, plain_log
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.plots import COLOURS, figure
from homeroom.plots.style import QUIET, look

ITEMS = (20, 40, 80, 160, 400, 1000)


class PoolRichness(AbstractFigure):
    """A richer pool needs fewer rounds."""

    name = "pool"
    broad = True
    caption = (
        "Examples needed from a re-scalable pool of random directions by its size (left), and "
        "how rich the pool is for the class, u'Wu / λ₁(W), median over a lesson (right)."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        return [
            Cell.of("pool", settings=plan.settings.for_a_class(), items=int(items), seed=seed)
            for items in plan.thin(ITEMS)
            for seed in plan.seeds
        ]

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        with look():
            drawn = figure(PAGE, 2.5)
            left, right = drawn.subplots(1, 2)
            draw_band(left, rows, "items", "T", label="from the pool", colour=COLOURS[0])
            free = band(rows, "items", "free")[1].mean()
            left.axhline(free, color=QUIET, ls=(0, (4, 3)), label="made up freely")
            left.set_ylabel(EXAMPLES_IN_ALL)
            left.set_ylim(bottom=0)
            left.legend()
            draw_band(right, rows, "items", "richness", label="median", colour=COLOURS[0])
            right.set_ylim(0, 1.03)
            right.set_ylabel("richness of the pool")
            for ax in (left, right):
                plain_log(ax, "x")
                ax.set_xlabel("directions in the pool")
        return drawn
