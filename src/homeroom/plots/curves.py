"""Plots of error curves, rounds per group, costs of ways of teaching, and the frontier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError
from homeroom.plots.style import COLOURS, DASHES, QUIET, axes, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis


FEW = 24
"""The largest number of bars that are labelled."""

DIGIT = 0.018
"""The width of a digit as a fraction of the axes; bars too narrow for a number have none."""

MOST_BELOW_GOAL = 100.0
"""The factor by which the axis extends below the goal, so that one student very near the target
does not stretch it."""


def error_curve(
    errors: Floats,
    *,
    students: Mapping[str, Floats] | None = None,
    at: Floats | None = None,
    goal: float | None = None,
    label: str = "class average",
    ax: Axes | None = None,
) -> Axes:
    """Draw the error of a class against rounds on a logarithmic scale.

    Parameters
    ----------
    errors
        The mean squared distance at the start and after each round.
    students
        Squared distances of selected students, by name.
    at
        The rounds of these distances; by default the start and every round.
    goal
        The goal of the class.
    label
        The label of the class's curve.
    ax
        Axes to draw on; new axes by default.
    """
    ax = axes(ax)
    with look():
        styles = zip(cycle(COLOURS[1:]), cycle(DASHES[1:] + DASHES[:1]), strict=False)
        for (colour, dashes), (name, own) in zip(styles, (students or {}).items(), strict=False):
            ax.plot(
                np.arange(len(own)) if at is None else at,
                _visible(own),
                color=colour,
                linestyle=dashes,
                linewidth=1.3,
                label=name,
            )
        ax.plot(_visible(errors), color=COLOURS[0], linewidth=2.6, label=label)
        if goal is not None:
            draw_goal(ax, goal)
        _set_height(ax, [errors, *(students or {}).values()], goal)
        _whole_numbers(ax, "x")
        ax.set_xlim(0, max(1, len(errors) - 1))
        ax.set_xlabel("rounds")
        ax.set_ylabel("squared distance to the target")
        if students:
            _legend_above(ax)
    return ax


def group_bars(
    sizes: Sequence[int] | npt.NDArray[np.int64],
    rounds: Sequence[int] | npt.NDArray[np.int64],
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw the rounds of each group; the width of a bar is the size of the group.

    The total area is the workload of all students: ``N S = sum_g n_g T_g`` for N students who see S
    examples on average, in groups of ``n_g`` students with ``T_g`` rounds.
    """
    ax = axes(ax)
    width = np.asarray(sizes, dtype=float)
    left = np.concatenate([[0.0], np.cumsum(width)[:-1]])
    few = len(width) <= FEW
    with look():
        if few:
            ax.bar(
                left,
                rounds,
                width,
                align="edge",
                color=COLOURS[0],
                edgecolor="white",
                linewidth=1.5,
            )
            _number_bars(ax, left, width, rounds)
        else:  # one outline: thousands of bars would be slow, with hairlines between them
            edges = np.append(left, width.sum())
            ax.stairs(rounds, edges, fill=True, color=COLOURS[0])
        ax.grid(visible=False, axis="x")
        ax.set_xlabel("students, group by group")
        ax.set_ylabel("rounds")
        _whole_numbers(ax, "y")
        ax.set_xlim(0, float(width.sum()))
        ax.set_ylim(0, max(1.0, 1.12 * float(np.max(rounds))))
    return ax


def cost_lines(
    ways: Mapping[str, tuple[float, float]],
    lambdas: Floats,
    *,
    best: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the cost ``T + lambda S`` of each way of teaching against lambda.

    The teacher shows T examples, and a student sees S on average. A broad line marks the cheapest
    way.

    Parameters
    ----------
    ways
        ``(T, S)`` by name.
    lambdas
        The range of lambda; both axes are logarithmic, so zero is left out.
    best
        ``T`` and ``S`` of many ways to split the class; their lowest cost is drawn as one line.
    ax
        Axes to draw on; new axes by default.
    """
    ax = axes(ax)
    lambdas = np.asarray(lambdas, dtype=float)
    shown = lambdas[lambdas > 0]
    if not len(shown):
        raise InputError("`lambdas` must contain a positive number: the axis is logarithmic.")
    fine = np.geomspace(shown.min() / 1.5, shown.max() * 1.5, 400)
    costs = {name: teacher + fine * students for name, (teacher, students) in ways.items()}
    envelope = None if best is None else _cheapest(*best, fine)
    with look():
        if costs:
            all_costs = [*costs.values(), *([] if envelope is None else [envelope])]
            cheapest = np.min(all_costs, axis=0)
            ax.plot(fine, cheapest, color="#e4e4e4", linewidth=9, label="cheapest")
        for colour, dashes, (name, cost) in zip(
            cycle(COLOURS), cycle(DASHES), costs.items(), strict=False
        ):
            ax.plot(fine, cost, color=colour, linestyle=dashes, label=name)
        if envelope is not None:  # dotted, because it often coincides with another line
            ax.plot(fine, envelope, color="black", linestyle=(0, (1, 2)), label="best groups")
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.set_xlim(fine[0], fine[-1])
        ax.set_xlabel("weight of the students' workload, λ")
        ax.set_ylabel("cost,  T + λ S")
        ax.xaxis.set_major_formatter("{x:g}")
        if costs:
            ax.legend(loc="upper left")
    return ax


def _cheapest(rounds: npt.ArrayLike, workloads: npt.ArrayLike, lambdas: Floats) -> Floats:
    """Return the lowest cost of many ways at each lambda."""
    costs = np.asarray(rounds)[:, None] + np.asarray(workloads)[:, None] * lambdas
    least: Floats = costs.min(axis=0)
    return least


def _visible(values: Floats) -> Floats:
    """Return the values with NaN where a logarithmic axis cannot show them."""
    values = np.asarray(values)
    return np.where((values > 0) & np.isfinite(values), values, np.nan)


def draw_goal(ax: Axes, goal: float) -> None:
    """Draw the goal as a dashed horizontal line."""
    ax.axhline(goal, color=QUIET, linewidth=0.9, linestyle=(0, (4, 3)))
    ax.annotate(
        "goal",
        (0, goal),
        xycoords=("axes fraction", "data"),
        xytext=(4, 3),
        textcoords="offset points",
        color=QUIET,
        fontsize=8,
    )


def _set_height(ax: Axes, curves: Sequence[Floats], goal: float | None) -> None:
    """Make the axis logarithmic, and limit it well below the class and the goal.

    The first curve is that of the class.
    """
    ax.set_yscale("log")
    values = np.concatenate([_visible(curve) for curve in curves])
    values = values[np.isfinite(values)]
    if not len(values):
        return
    last = _visible(curves[0])
    last = last[np.isfinite(last)]
    floor = min(float(last.min()) if len(last) else np.inf, goal or np.inf) / MOST_BELOW_GOAL
    low = max(float(values.min()), floor) if np.isfinite(floor) else float(values.min())
    low = min(low, goal) if goal else low
    ax.set_ylim(low / 1.6, float(max(values.max(), goal or 0.0)) * 1.6)


def _whole_numbers(ax: Axes, which: str) -> None:
    """Put ticks at whole numbers only, on the x or y axis."""
    from matplotlib.ticker import MaxNLocator

    axis = ax.xaxis if which == "x" else ax.yaxis
    axis.set_major_locator(MaxNLocator(integer=True))


def _legend_above(ax: Axes) -> None:
    """Put the legend above the axes, where it hides nothing."""
    ax.legend(
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=3,
        borderaxespad=0.2,
        columnspacing=1.4,
    )


def _number_bars(
    ax: Axes, left: Floats, width: Floats, heights: Sequence[int] | npt.NDArray[np.int64]
) -> None:
    """Label each bar that is wide enough for its number."""
    for start, wide, high in zip(left, width, heights, strict=True):
        if wide >= DIGIT * len(str(high)) * width.sum():
            ax.annotate(
                f"{high}",
                (start + wide / 2, high),
                xytext=(0, 2),
                textcoords="offset points",
                ha="center",
                fontsize=8,
            )


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
    """Return the x and the y coordinates of points."""
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
    """Return limits of a logarithmic axis with a margin, a fraction of the range."""
    lowest, highest = np.log(values.min()), np.log(values.max())
    margin = 0.1 + space * (highest - lowest)
    return float(np.exp(lowest - margin)), float(np.exp(highest + margin))


def _set_ticks(axis: Axis, *, few: bool) -> None:
    """Label round numbers on a logarithmic axis; more of them if it covers few decades."""
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
    """Return whether names at two places, as fractions of the axes, do not overlap."""
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
