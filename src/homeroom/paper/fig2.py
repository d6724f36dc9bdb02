"""Figure 2: individual teaching, classroom teaching, and classroom teaching with partitions."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from homeroom.paper.cells import Cell
from homeroom.paper.drawing import PAGE, where
from homeroom.paper.figure import AbstractFigure, Plan, Rows
from homeroom.paper.walks import GROUP_OF
from homeroom.plots import COLOURS, figure
from homeroom.plots.style import QUIET, look

WAYS = ("individually", "whole class", "two groups")
SHOWN = (0, 1, 2, 6)
"""The rounds that have a picture; the last is when everybody is done."""

MARKERS = ("o", "^")
REACH = 0.9
"""How long the arrow of an example is drawn."""


class Figure2(AbstractFigure):
    """Three ways of teaching twelve students in the plane, round by round."""

    name = "2"
    broad = True
    caption = (
        "Twelve students on their way to the target (star). A teacher's example pulls along one "
        "line (arrows), and whoever sees it moves along that line, the farther the more wrong she "
        "was. One by one everybody gets her own examples and walks straight, but the teacher needs "
        "many; all together few are enough, but students go a long way round; two groups lie "
        "between."
    )

    def cells(self, plan: Plan) -> list[Cell]:
        return [Cell.of("three_ways", seed=0)]

    def draw(self, rows: Rows, plan: Plan) -> Figure:
        with look():
            drawn = figure(PAGE, 4.4)
            panels = drawn.subplots(len(WAYS), len(SHOWN), sharex=True, sharey=True)
            for line, way in zip(panels, WAYS, strict=True):
                own = where(rows, way=way)
                for ax, number in zip(line, SHOWN, strict=True):
                    _draw_round(ax, own, number)
                line[0].set_ylabel(_told(own, way), rotation=0, ha="right", va="center")
            for ax, number in zip(panels[0], SHOWN, strict=True):
                ax.set_title(_when(number))
            panels[0, 0].annotate("target", (0, 0), (6, -11), textcoords="offset points")
        return drawn


def _when(number: int) -> str:
    if number == 0:
        return "at the start"
    if number == SHOWN[-1]:
        return "in the end"
    return f"after {number} round{'s' if number > 1 else ''}"


def _told(rows: Rows, way: str) -> str:
    """Return a way's name, and what it costs teacher and students."""
    shown = where(rows, kind="example")
    if way == "individually":
        seen = len(shown) / len(GROUP_OF)
    else:
        per_group = [len(where(shown, who=group)) for group in range(2)]
        seen = per_group[0] if way == "whole class" else float(np.mean(per_group))
    return f"{way}\n{len(shown)} examples,\n{seen:g} for a student"


def _draw_round(ax: Axes, rows: Rows, number: int) -> None:
    """Draw where everybody is after a round, the way so far, and the examples of that round."""
    for student, group in enumerate(GROUP_OF):
        colour = COLOURS[int(group)]
        walk = [
            (row["x"], row["y"])
            for row in where(rows, kind="student", who=student)
            if row["round"] <= number
        ]
        ax.plot(*np.array(walk).T, color=colour, lw=0.8, alpha=0.55)
        ax.plot(*walk[-1], MARKERS[int(group)], color=colour, markersize=4)
    if 0 < number < SHOWN[-1]:
        for row in where(rows, kind="example", round=number - 1):
            _draw_example(ax, row)
    ax.plot(0, 0, "*", color="black", markersize=9)
    ax.set_aspect("equal")
    ax.set_xlim(-1.5, 3.3)
    ax.set_ylim(-1.1, 2.9)
    ax.set_xticks([])
    ax.set_yticks([])


def _draw_example(ax: Axes, row: dict[str, float]) -> None:
    """Draw along which line an example pulls."""
    length = float(np.hypot(row["x"], row["y"])) or 1.0
    x, y = REACH * row["x"] / length, REACH * row["y"] / length
    ax.annotate(
        "",
        (x, y),
        (-x, -y),
        arrowprops={
            "arrowstyle": "<->",
            "color": QUIET,
            "lw": 0.6,
            "mutation_scale": 6,
            "shrinkA": 0,
            "shrinkB": 0,
        },
    )
