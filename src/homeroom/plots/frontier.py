"""The trade-off between the teacher's rounds and the students' workload."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.plots.style import COLOURS, axes, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

Point: TypeAlias = tuple[float, float]

LINE = 0.06
"""The height of a line of text as a fraction of the axes."""

NAME = 0.2
"""The length of a name as a fraction of the axes."""


def frontier_steps(
    rounds: Ints,
    workloads: Floats,
    *,
    corners: Sequence[tuple[str, tuple[float, float]]] = (),
    others: Mapping[str, tuple[float, float]] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the least workload ``S`` of a student for every number ``T`` of examples shown.

    Both axes are logarithmic, so ways that cost nothing are left out. Names of corners that would
    overlap are left out.

    Parameters
    ----------
    rounds, workloads
        ``T`` and ``S`` of the undominated ways, in order of increasing rounds.
    corners
        Names and ``(T, S)`` of the ways among them that are cheapest for some weight.
    others
        ``(T, S)`` by name of other ways, for comparison.
    ax
        Axes to draw on; new axes by default.
    """
    ax = axes(ax)
    steps = [point for point in zip(rounds, workloads, strict=True) if min(point) > 0]
    best = [(name, point) for name, point in corners if min(point) > 0]
    rest = [(name, point) for name, point in (others or {}).items() if min(point) > 0]
    with look():
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.step(*_columns(steps), where="post", color=COLOURS[5], linewidth=1.2)
        ax.plot(*_columns([point for _, point in rest]), "x", color=COLOURS[1], markersize=5)
        ax.plot(*_columns([point for _, point in best]), "o", color=COLOURS[0], markersize=4.5)
        _set_limits(ax, [*steps, *(point for _, point in (*best, *rest))])
        for name, point in rest:
            _write(ax, name, point, COLOURS[1], above=True)
        _name_corners(ax, best)
        ax.set_xlabel("examples the teacher shows, T")
        ax.set_ylabel("examples a student sees, S")
    return ax


def _columns(points: Sequence[Point]) -> tuple[list[float], list[float]]:
    return [point[0] for point in points], [point[1] for point in points]


def _set_limits(ax: Axes, points: Sequence[Point]) -> None:
    """Leave space for names around the points, and set readable ticks."""
    if not points:
        return
    across, up = np.transpose(points)
    ax.set_xlim(*_limits(across, space=0.25))
    ax.set_ylim(*_limits(up, space=0.08))
    for axis, values in ((ax.xaxis, across), (ax.yaxis, up)):
        _set_ticks(axis, few=bool(values.max() < 10 * values.min()))


def _limits(values: Floats, space: float) -> tuple[float, float]:
    lowest, highest = np.log(values.min()), np.log(values.max())
    margin = 0.1 + space * (highest - lowest)
    return float(np.exp(lowest - margin)), float(np.exp(highest + margin))


def _set_ticks(axis: Axis, *, few: bool) -> None:
    from matplotlib.ticker import LogLocator

    subs = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0) if few else (1.0, 2.0, 5.0)
    axis.set_major_locator(LogLocator(subs=subs, numticks=12))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter("")


def _name_corners(ax: Axes, corners: Sequence[tuple[str, Point]]) -> None:
    """Label the last corner, then the others in order of increasing rounds.

    A name is left out if it would be too close to an earlier one.
    """
    named: list[Floats] = []
    for name, point in [*corners[-1:], *corners[:-1]]:
        place = ax.transAxes.inverted().transform(ax.transData.transform(point))
        if all(_legible(place, other) for other in named):
            named.append(place)
            _write(ax, name, point, COLOURS[0], above=False)


def _legible(place: Floats, other: Floats) -> bool:
    """Return whether two names do not overlap."""
    across, up = np.abs(place - other)
    return bool(up > LINE or across > NAME)


def _write(ax: Axes, name: str, point: Point, colour: str, *, above: bool) -> None:
    """Write a name to the upper right of a point, or to its lower left."""
    ax.annotate(
        name,
        point,
        xytext=(5, 4) if above else (-5, -4),
        textcoords="offset points",
        ha="left" if above else "right",
        va="bottom" if above else "top",
        color=colour,
        fontsize=7.5,
    )
