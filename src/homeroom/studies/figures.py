"""What a figure of the paper is, how much is measured for it, and how its rows are drawn.

Curves have confidence bands; a trade-off diagram has regions.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter
from scipy.ndimage import distance_transform_edt

from homeroom._arrays import Floats
from homeroom.plots import COLOURS, panel
from homeroom.plots.style import DASHES, look
from homeroom.studies.cells import Experiment, ExperimentCell
from homeroom.studies.rows import Rows, cheapest_way, column, mean_curve, where
from homeroom.studies.settings import PaperSettings

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


@dataclass(frozen=True)
class PaperPlan:
    """How much is measured: the settings, and whether a quick run is enough."""

    settings: PaperSettings
    quick: bool = False

    @property
    def seeds(self) -> range:
        """The seeds of the classes that are drawn at random; at most two for a quick run."""
        return range(min(self.settings.seeds, 2) if self.quick else self.settings.seeds)

    def few(self, per_twenty: int) -> range:
        """Return the first seeds, for slow experiments: so many of every twenty, at least one.

        For a quick run it is one.
        """
        return self.seeds[: 1 if self.quick else max(1, per_twenty * len(self.seeds) // 20)]

    def thin(self, values: Sequence[float]) -> Sequence[float]:
        """Return the values; for a quick run every second one, and always the last."""
        if not self.quick:
            return values
        return [*values[:-1:2], values[-1]]

    def cells(
        self,
        experiment: Experiment,
        *,
        seeds: Iterable[int] | None = None,
        change: str = "",
        **inputs: Iterable[Any],
    ) -> list[ExperimentCell]:
        """Return one cell per combination of the inputs and seeds; the seed varies fastest.

        Parameters
        ----------
        experiment
            The experiment.
        seeds
            All seeds of the plan unless given.
        change
            Settings to change, as in :meth:`PaperSettings.change`.
        inputs
            The values of each input.
        """
        settings = self.settings.change(change)
        grid = {**inputs, "seed": self.seeds if seeds is None else seeds}
        return [
            ExperimentCell.of(
                experiment,
                settings=settings.for_a_class(),
                **dict(zip(grid, values, strict=True)),
            )
            for values in product(*grid.values())
        ]

    def variations(
        self, experiment: Experiment, changes: Mapping[str, str] | Sequence[str], **inputs: Any
    ) -> list[ExperimentCell]:
        """Return the cells of each change of the settings; its name is the input ``variation``.

        ``inputs`` are those of :meth:`cells`. A change without a name is called as it is written.
        """
        named = (
            changes if isinstance(changes, Mapping) else dict(zip(changes, changes, strict=True))
        )
        return [
            cell
            for name, change in named.items()
            for cell in self.cells(experiment, change=change, variation=[name], **inputs)
        ]


Draw: TypeAlias = Callable[[Rows, PaperPlan], Figure]
"""Returns the picture of the measured rows."""


@dataclass(frozen=True)
class PaperFigure:
    """One figure: what it shows, what is measured for it, and how it is drawn.

    Parameters
    ----------
    name
        Its name on the command line.
    caption
        What it shows, in a sentence or two.
    cells
        Returns the cells that the figure needs.
    draw
        Returns the picture of the measured rows.
    broad
        Whether it is as wide as a page, instead of a column.
    summary
        What it shows, in a few words, if the paper does not print it.
    """

    name: str
    caption: str
    cells: Callable[[PaperPlan], list[ExperimentCell]]
    draw: Draw
    broad: bool = False
    summary: str = ""


def paper_figure(
    name: str,
    cells: Callable[[PaperPlan], list[ExperimentCell]],
    *,
    broad: bool = False,
    summary: str = "",
) -> Callable[[Draw], PaperFigure]:
    """Return a decorator that turns the function that draws a figure into the figure.

    The caption is the docstring of the function without its first paragraph. The other arguments
    are those of :class:`PaperFigure`.
    """

    def make(draw: Draw) -> PaperFigure:
        caption = inspect.cleandoc(draw.__doc__ or "").partition("\n\n")[2]
        return PaperFigure(name, " ".join(caption.split()), cells, draw, broad, summary)

    return make


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


@contextmanager
def curve_panel(
    across: str, up: str = EXAMPLES_IN_ALL, *, log: str = "", legend: int = 2, height: float = 2.5
) -> Iterator[tuple[Figure, Axes]]:
    """Yield a figure of one column and its axes; then label them and add a legend.

    Parameters
    ----------
    across, up
        The labels of the axes.
    log
        The axes that are logarithmic: ``"x"``, ``"y"`` or ``"xy"``.
    legend
        The number of columns of the legend; 0 for no legend.
    height
        The height in inches.
    """
    drawn, ax = column_panel(height)
    with look():
        yield drawn, ax
        plain_log(ax, *log)
        ax.set_xlabel(across)
        ax.set_ylabel(up)
        if legend:
            legend_above(drawn, ax, legend)


def draw_band(
    ax: Axes, rows: Rows, x: str, y: str, *, label: str, colour: str, line: Any = "-"
) -> None:
    """Draw the mean of one curve with its confidence band."""
    places, means, halves = mean_curve(rows, x, y)
    ax.plot(places, means, color=colour, linestyle=line, label=label, marker=".", markersize=4)
    ax.fill_between(places, means - halves, means + halves, color=colour, alpha=0.18, linewidth=0)


def draw_bands(ax: Axes, rows: Rows, x: str, y: str, *, by: str, labels: Mapping[str, str]) -> None:
    """Draw one curve with its band for each value of a column that has a label."""
    for (value, label), colour, line in zip(labels.items(), COLOURS, DASHES, strict=False):
        draw_band(ax, where(rows, **{by: value}), x, y, label=label, colour=colour, line=line)


def draw_ways(ax: Axes, rows: Rows, x: str, y: str) -> None:
    """Draw one curve with its band for each of the four ways of teaching."""
    for way, name in WAY_NAMES.items():
        own, colour, line = where(rows, way=way), WAY_COLOURS[way], WAY_DASHES[way]
        draw_band(ax, own, x, y, label=name, colour=colour, line=line)


def draw_costs(rows: Rows, _plan: PaperPlan, *, cost: str, across: str) -> Figure:
    """Draw the cost ``T`` or ``S`` of the four ways of teaching against diversity.

    ``across`` is the label of the axis of diversity.
    """
    with curve_panel(across, COSTS[cost], log="y", height=2.7) as (drawn, ax):
        draw_ways(ax, rows, "diversity", cost)
        _tick_counts(ax, rows)
    return drawn


def draw_trade_off(rows: Rows, _plan: PaperPlan, *, lambdas: Floats, across: str) -> Figure:
    """Draw which way is cheapest, by diversity (labelled ``across``) and lambda in T + lambda S."""
    up = "weight of the students'\nworkload, λ"
    with curve_panel(across, up, log="y", legend=0) as (drawn, ax):
        draw_regions(ax, rows, lambdas, COMPARED)
        _tick_counts(ax, rows)
    return drawn


def _tick_counts(ax: Axes, rows: Rows) -> None:
    """Set a tick per diversity if these are counts, and not ranges of rates."""
    places = np.unique(column(rows, "diversity"))
    if (places == places.round()).all():
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
