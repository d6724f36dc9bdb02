"""Select, average, summarise and write the rows that experiments return."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from scipy.special import stdtrit  # Student's t; scipy.stats would take a second to import

from homeroom._arrays import Floats
from homeroom._files import replacing

Row: TypeAlias = dict[str, Any]
"""One observation: the value of each column by its name."""

Rows: TypeAlias = Sequence[Row]


def column(rows: Rows, name: str) -> Floats:
    """Return one column of the rows, NaN where nothing was measured."""
    return np.array([math.nan if row[name] is None else row[name] for row in rows], dtype=float)


def where(rows: Rows, **values: object) -> Rows:
    """Return the rows that have these values."""
    return [row for row in rows if all(row.get(name) == value for name, value in values.items())]


def seeds_of(rows: Rows) -> list[int]:
    """Return the seeds that the rows come from, in ascending order."""
    return sorted({row["seed"] for row in rows})


def interval_half_width(values: Floats) -> float:
    """Return half the width of the 95 % confidence interval of a mean (Student's t)."""
    quantile = float(stdtrit(len(values) - 1, 0.975))
    return quantile * float(values.std(ddof=1)) / math.sqrt(len(values))


def mean_curve(rows: Rows, x: str, y: str) -> tuple[Floats, Floats, Floats]:
    """Return the values of ``x``, the mean of ``y`` at each, and the half-widths of its interval.

    The mean is NaN where a lesson did not reach its goal. The half-width is NaN for one or two
    values: from two, the interval would be twelve times as wide as their distance.
    """
    places, which = np.unique(column(rows, x), return_inverse=True)
    every = column(rows, y)
    means, halves = np.zeros(len(places)), np.full(len(places), math.nan)
    for i in range(len(places)):
        values = every[which == i]
        means[i] = values.mean()
        if len(values) > 2:
            halves[i] = interval_half_width(values)
    return places, means, halves


def cheapest_way(rows: Rows, weights: Floats, ways: Sequence[str]) -> tuple[Floats, np.ndarray]:
    """Return the diversities, and which way has the lowest cost ``T + weight * S`` at each.

    The second array has shape ``(weights, diversities)`` and holds positions in ``ways``. Costs are
    means over seeds. A way that did not reach its goal is never the cheapest; the first of equally
    cheap ways wins.
    """
    costs = []
    for way in ways:
        own = where(rows, way=way)
        teacher, students = (mean_curve(own, "diversity", y)[1] for y in ("T", "S"))
        costs.append(teacher[None, :] + weights[:, None] * students[None, :])
    best = np.argmin(np.nan_to_num(np.array(costs), nan=np.inf), axis=0)
    return np.unique(column(rows, "diversity")), best


def fit_line(x: Floats, y: Floats) -> tuple[float, float, float]:
    """Return slope, intercept and R^2 of the least-squares line.

    All three are NaN if a value is missing, if there are fewer than three points, or if all points
    share a coordinate.
    """
    if len(x) < 3 or not np.isfinite(y).all() or np.ptp(x) == 0 or np.ptp(y) == 0:
        return math.nan, math.nan, math.nan
    slope, intercept = np.polyfit(x, y, 1)
    residuals = y - (slope * x + intercept)
    total = y - y.mean()
    return float(slope), float(intercept), 1.0 - float(residuals @ residuals) / float(total @ total)


def ranks(values: Floats) -> Floats:
    """Return the rank of each value from 0; equal values share their mean rank."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    mean_ranks: Floats = (np.cumsum(counts) - (counts + 1) / 2)[which]
    return mean_ranks


def write_csv(rows: Rows, path: Path) -> list[str]:
    """Write rows as a table, whose columns are the names in any of the rows; return the names."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    with (
        replacing(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="") as file,
    ):
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return names
