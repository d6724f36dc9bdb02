"""Diverse learning rates: what figures 3b, 3c and 3e share."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from homeroom._arrays import Floats
from homeroom.paper.cells import Cell
from homeroom.paper.drawing import (
    column,
    column_panel,
    draw_regions,
    draw_ways,
    legend_above,
    plain_log,
)
from homeroom.paper.figure import Plan, Rows
from homeroom.plots.style import look

DIVERSITIES = tuple(round(0.05 * i, 2) for i in range(11))
LAMBDAS = np.geomspace(0.05, 200.0, 120)
HEAVIER = np.geomspace(0.05, 5_000.0, 150)
"""For diverse knowledge, where groups are almost as good for students as teaching alone."""
COMPARED = ("CT", "CTwP-Opt", "IT")


def rates_cells(plan: Plan) -> list[Cell]:
    """Return the cells that all three figures share."""
    return [
        Cell.of("rates", settings=plan.settings.for_a_class(), diversity=diversity, seed=seed)
        for diversity in plan.thin(DIVERSITIES)
        for seed in plan.seeds
    ]


def draw_against_diversity(rows: Rows, y: str, across: str, up: str) -> Figure:
    """Draw the four ways against diversity."""
    drawn, ax = column_panel(2.7)
    with look():
        draw_ways(ax, rows, y)
        plain_log(ax, "y")
        _name_across(ax, rows, across)
        ax.set_ylabel(up)
        legend_above(drawn, ax)
    return drawn


def _name_across(ax: Axes, rows: Rows, across: str) -> None:
    ax.set_xlabel(across)
    places = np.unique(column(rows, "diversity"))
    if (places == places.round()).all():  # clusters, not rates
        ax.set_xticks(places)


def draw_trade_off(rows: Rows, across: str, lambdas: Floats) -> Figure:
    """Draw which way is cheapest, by diversity and lambda."""
    drawn, ax = column_panel()
    with look():
        draw_regions(ax, rows, lambdas, COMPARED)
        plain_log(ax, "y")
        _name_across(ax, rows, across)
        ax.set_ylabel("weight of the students'\nworkload, λ")
    return drawn
