"""Draw measured rows: curves with confidence bands, and the regions of a trade-off diagram."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter
from scipy.ndimage import distance_transform_edt

from homeroom._arrays import Floats
from homeroom.paper.figure import PaperPlan
from homeroom.paper.rows import Rows, cheapest_way, column, mean_curve, where
from homeroom.plots import COLOURS, panel
from homeroom.plots.style import DASHES, look

COLUMN, PAGE = 3.4, 7.0
"""The width of a figure in inches: one column of a journal, or both."""

WAY_COLOURS = {
    "CT": COLOURS[0],
    "CTwP-Opt": COLOURS[2],
    "CTwP-Rand": COLOURS[4],
    "IT": COLOURS[1],
}
WAY_NAMES = {
    "CT": "whole class (CT)",
    "CTwP-Opt": "groups (CTwP-Opt)",
    "CTwP-Rand": "random groups (CTwP-Rand)",
    "IT": "individuals (IT)",
}
WAY_DASHES = dict(zip(WAY_NAMES, DASHES, strict=True))

COMPARED = ("CT", "CTwP-Opt", "IT")
"""The ways of teaching in a trade-off diagram."""

REGION_NAMES = {"CT": "whole class", "CTwP-Opt": "groups", "IT": "individuals"}

LAMBDAS = np.geomspace(0.05, 200.0, 120)
"""The weights of the students' workload in the diagram of diverse rates."""

WIDE_LAMBDAS = np.geomspace(0.05, 5_000.0, 150)
"""For other kinds of diversity, where groups cost students barely more than individual lessons."""

EXAMPLES_IN_ALL = "examples in all, T"
COSTS = {"T": EXAMPLES_IN_ALL, "S": "examples a student sees, S"}


def column_panel(height: float = 2.5) -> tuple[Figure, Axes]:
    """Return a figure as wide as a column, with one pair of axes."""
    return panel(COLUMN, height)


def legend_above(drawn: Figure, ax: Axes, columns: int = 2) -> None:
    """Put the legend above the axes, where it hides nothing."""
    handles, labels = ax.get_legend_handles_labels()
    drawn.legend(
        handles,
        labels,
        loc="outside upper center",
        ncols=columns,
        fontsize=7.5,
        handlelength=2.0,
        handletextpad=0.5,
        columnspacing=1.0,
        borderpad=0.1,
    )


def plain_log(ax: Axes, *which: str) -> None:
    """Make axes logarithmic, with plain numbers at 1, 2 and 5 or, on long axes, at powers of 10.

    An axis without positive values stays linear.
    """
    for name in which:
        least = ax.dataLim.minposx if name == "x" else ax.dataLim.minposy
        if not math.isfinite(least):
            continue
        (ax.set_xscale if name == "x" else ax.set_yscale)("log")
        axis = ax.xaxis if name == "x" else ax.yaxis
        low, high = axis.get_view_interval()
        long = high / low > 100.0
        axis.set_major_locator(LogLocator(subs=(1.0,) if long else (1.0, 2.0, 5.0)))
        axis.set_minor_formatter(NullFormatter())
        if high / low < 1e5:
            axis.set_major_formatter("{x:g}")


def draw_band(
    ax: Axes, rows: Rows, x: str, y: str, *, label: str, colour: str, line: Any = "-"
) -> None:
    """Draw the mean of one curve with its confidence band."""
    places, means, halves = mean_curve(rows, x, y)
    ax.plot(places, means, color=colour, linestyle=line, label=label, marker=".", markersize=4)
    ax.fill_between(places, means - halves, means + halves, color=colour, alpha=0.18, linewidth=0)


def draw_costs(rows: Rows, _plan: PaperPlan, *, cost: str, across: str) -> Figure:
    """Draw the cost ``T`` or ``S`` of the four ways of teaching against diversity.

    ``across`` is the label of the axis of diversity.
    """
    drawn, ax = column_panel(2.7)
    with look():
        for way, name in WAY_NAMES.items():
            draw_band(
                ax,
                where(rows, way=way),
                "diversity",
                cost,
                label=name,
                colour=WAY_COLOURS[way],
                line=WAY_DASHES[way],
            )
        plain_log(ax, "y")
        _label_diversity(ax, rows, across)
        ax.set_ylabel(COSTS[cost])
        legend_above(drawn, ax)
    return drawn


def draw_trade_off(rows: Rows, _plan: PaperPlan, *, lambdas: Floats, across: str) -> Figure:
    """Draw which way is cheapest, by diversity (labelled ``across``) and lambda in T + lambda S."""
    drawn, ax = column_panel()
    with look():
        draw_regions(ax, rows, lambdas, COMPARED)
        plain_log(ax, "y")
        _label_diversity(ax, rows, across)
        ax.set_ylabel("weight of the students'\nworkload, λ")
    return drawn


def _label_diversity(ax: Axes, rows: Rows, across: str) -> None:
    """Label the axis of diversity, with a tick per value if these are counts."""
    ax.set_xlabel(across)
    places = np.unique(column(rows, "diversity"))
    if (places == places.round()).all():  # a count, not a range of rates
        ax.set_xticks(places)


def draw_regions(
    ax: Axes, rows: Rows, lambdas: Floats, ways: Sequence[str], *, named: bool = True
) -> None:
    """Colour the plane of diversity and lambda by the cheapest way, and label the regions."""
    places, best = cheapest_way(rows, lambdas, ways)
    across, up = _edges(places), np.exp(_edges(np.log(lambdas)))
    ax.set_yscale("log")
    ax.set_xlim(across[0], across[-1])
    ax.set_ylim(up[0], up[-1])
    ax.grid(visible=False)
    for j, column_of in enumerate(best.T):
        starts = np.flatnonzero(np.diff(column_of, prepend=-1))
        ends = np.append(starts[1:], len(column_of))
        colours = [shade(ways[column_of[i]]) for i in starts]
        ax.bar(
            across[j],
            up[ends] - up[starts],
            across[j + 1] - across[j],
            up[starts],
            align="edge",
            color=colours,
            edgecolor=colours,  # else a viewer shows hairlines between neighbours
            linewidth=0.4,
        )
    if named:
        for number, way in enumerate(ways):
            _label_region(ax, best == number, across, up, REGION_NAMES[way])


def shade(way: str) -> tuple[float, float, float]:
    """Return a way's colour, lightened for the background of a region."""
    red, green, blue = (1.0 - 0.55 * (1.0 - part) for part in to_rgb(WAY_COLOURS[way]))
    return red, green, blue


def _label_region(ax: Axes, region: np.ndarray, across: Floats, up: Floats, name: str) -> None:
    """Write the name of a region where there is most space, if there is enough."""
    fine = 240
    x = np.linspace(across[0], across[-1], 2 * fine + 1)[1::2]
    y = np.exp(np.linspace(math.log(up[0]), math.log(up[-1]), 2 * fine + 1)[1::2])
    i = np.searchsorted(up, y, side="right") - 1
    j = np.searchsorted(across, x, side="right") - 1
    inside = np.pad(region[np.ix_(i, j)], 1)
    # Text is wide: it needs 2.5 times as much space to the sides as above and below.
    space = distance_transform_edt(inside, sampling=(2.5, 1.0))[1:-1, 1:-1]
    if space.max() < 0.08 * fine:
        return
    row, place = np.unravel_index(int(space.argmax()), space.shape)
    ax.annotate(name, (x[place], y[row]), ha="center", va="center", fontsize=8)


def _edges(places: Floats) -> Floats:
    """Return the borders between neighbouring places, and one beyond either end."""
    if len(places) == 1:
        return np.array([places[0] - 0.5, places[0] + 0.5])
    middles = (places[1:] + places[:-1]) / 2
    first = places[0] - (places[1] - places[0]) / 2
    last = places[-1] + (places[-1] - places[-2]) / 2
    return np.concatenate([[first], middles, [last]])
