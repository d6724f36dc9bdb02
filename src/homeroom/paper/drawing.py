"""How measured rows become curves with a band, and regions with a colour."""

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
from scipy.special import stdtrit  # Student's t; scipy.stats would take a second to import

from homeroom._arrays import Floats
from homeroom.paper.figure import Rows
from homeroom.plots import COLOURS, figure
from homeroom.plots.style import DASHES, QUIET, look

COLUMN, PAGE = 3.4, 7.0
"""How wide a figure is, in inches: a column of a journal, or both."""

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
REGIONS = {"CT": "whole class", "CTwP-Opt": "groups", "IT": "individuals"}
"""What a region of a diagram is called inside it."""

EXAMPLES_IN_ALL = "examples in all, T"
EXAMPLES_EACH = "examples a student sees, S"


def column_panel(height: float = 2.5) -> tuple[Figure, Axes]:
    """Return a figure as wide as a column, with one pair of axes in it."""
    drawn = figure(COLUMN, height)
    with look():
        return drawn, drawn.add_subplot()


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

    An axis with nothing above zero to show stays as it is.
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


def draw_goal(ax: Axes, eps: float) -> None:
    """Draw the goal as a thin line, with its name."""
    ax.axhline(eps, color=QUIET, lw=0.9, ls=(0, (4, 3)))
    ax.annotate(
        "goal",
        (0, eps),
        xycoords=("axes fraction", "data"),
        xytext=(3, 2),
        textcoords="offset points",
        color=QUIET,
        fontsize=8,
    )


def column(rows: Rows, name: str) -> Floats:
    """Return one column of the rows, NaN where nothing was measured."""
    return np.array([math.nan if row[name] is None else row[name] for row in rows], dtype=float)


def where(rows: Rows, **values: object) -> Rows:
    """Return the rows that have these values."""
    return [row for row in rows if all(row.get(name) == value for name, value in values.items())]


def band(rows: Rows, x: str, y: str) -> tuple[Floats, Floats, Floats]:
    """Return the places, the means there, and half the width of their 95 % confidence interval.

    A place where some lesson did not come to its goal has no mean, and one with one or two values
    no interval: from two, it would be twelve times their distance.
    """
    places = np.unique(column(rows, x))
    means, halves = np.zeros(len(places)), np.full(len(places), math.nan)
    for i, place in enumerate(places):
        values = column(where(rows, **{x: place}), y)
        means[i] = values.mean()
        if len(values) > 2:
            quantile = float(stdtrit(len(values) - 1, 0.975))
            halves[i] = quantile * values.std(ddof=1) / math.sqrt(len(values))
    return places, means, halves


def draw_band(
    ax: Axes, rows: Rows, x: str, y: str, *, label: str, colour: str, line: Any = "-"
) -> None:
    """Draw the mean of one curve, with its confidence band."""
    places, means, halves = band(rows, x, y)
    ax.plot(places, means, color=colour, linestyle=line, label=label, marker=".", markersize=4)
    ax.fill_between(places, means - halves, means + halves, color=colour, alpha=0.18, linewidth=0)


def draw_ways(ax: Axes, rows: Rows, y: str) -> None:
    """Draw ``T`` or ``S`` of the four ways against diversity."""
    for way, colour in WAY_COLOURS.items():
        draw_band(
            ax,
            where(rows, way=way),
            "diversity",
            y,
            label=WAY_NAMES[way],
            colour=colour,
            line=WAY_DASHES[way],
        )


def cheapest(rows: Rows, lambdas: Floats, ways: Sequence[str]) -> tuple[Floats, np.ndarray]:
    """Return the diversities, and which of the ``ways`` is cheapest at each, for each lambda.

    The array has shape ``(lambdas, diversities)``; costs are means over seeds. A way that did not
    come to its goal is never the cheapest, and of equal ones the first is taken.
    """
    costs = []
    places = np.unique(column(rows, "diversity"))
    for way in ways:
        own = where(rows, way=way)
        teacher, students = (band(own, "diversity", y)[1] for y in ("T", "S"))
        costs.append(teacher[None, :] + lambdas[:, None] * students[None, :])
    return places, np.argmin(np.nan_to_num(np.array(costs), nan=np.inf), axis=0)


def draw_regions(
    ax: Axes, rows: Rows, lambdas: Floats, ways: Sequence[str], *, named: bool = True
) -> None:
    """Colour the plane of diversity and lambda by which way is cheapest, and name the regions."""
    places, best = cheapest(rows, lambdas, ways)
    across, up = _edges(places), _log_edges(lambdas)
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
            _name_region(ax, best == number, across, up, REGIONS[way])


def shade(way: str) -> tuple[float, float, float]:
    """Return a way's colour as the light ground of a region."""
    red, green, blue = (1.0 - 0.55 * (1.0 - part) for part in to_rgb(WAY_COLOURS[way]))
    return red, green, blue


def _name_region(ax: Axes, region: np.ndarray, across: Floats, up: Floats, name: str) -> None:
    """Write the name of a region where most room is around it, if there is enough."""
    fine = 240
    x = np.linspace(across[0], across[-1], 2 * fine + 1)[1::2]
    y = np.exp(np.linspace(math.log(up[0]), math.log(up[-1]), 2 * fine + 1)[1::2])
    i = np.searchsorted(up, y, side="right") - 1
    j = np.searchsorted(across, x, side="right") - 1
    inside = np.pad(region[np.ix_(i, j)], 1)
    # Text is wide: what is near above or below matters more than what is near beside.
    room = distance_transform_edt(inside, sampling=(2.5, 1.0))[1:-1, 1:-1]
    if room.max() < 0.08 * fine:
        return
    row, place = np.unravel_index(int(room.argmax()), room.shape)
    ax.annotate(name, (x[place], y[row]), ha="center", va="center", fontsize=8)


def _edges(places: Floats) -> Floats:
    if len(places) == 1:
        return np.array([places[0] - 0.5, places[0] + 0.5])
    middles = (places[1:] + places[:-1]) / 2
    first = places[0] - (places[1] - places[0]) / 2
    last = places[-1] + (places[-1] - places[-2]) / 2
    return np.concatenate([[first], middles, [last]])


def _log_edges(places: Floats) -> Floats:
    return np.exp(_edges(np.log(places)))


def straight_line(x: Floats, y: Floats) -> tuple[float, float, float]:
    """Return slope, intercept and R^2 of the least-squares line.

    All are NaN where a value is missing, where there are fewer than three points, and where
    either coordinate is the same at all of them.
    """
    if len(x) < 3 or not np.isfinite(y).all() or np.ptp(x) == 0 or np.ptp(y) == 0:
        return math.nan, math.nan, math.nan
    slope, intercept = np.polyfit(x, y, 1)
    left = y - (slope * x + intercept)
    total = y - y.mean()
    return float(slope), float(intercept), 1.0 - float(left @ left) / float(total @ total)
