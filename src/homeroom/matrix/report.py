"""The report of a benchmark: a heat map, ranks, curves per cell, and what is left out."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from homeroom import _plugins
from homeroom._files import replacing
from homeroom.matrix.lesson_cells import BUDGETS, CHECKPOINTS, ROUNDS
from homeroom.matrix.summary import (
    CellResult,
    TeacherSummary,
    budget_names,
    columns_of,
    ratios,
    summarised,
    unreached,
)
from homeroom.matrix.tasks import TASKS
from homeroom.paper.rows import Row
from homeroom.plots import Page
from homeroom.plots.style import COLOURS, QUIET, figure, look, save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WORST_SHOWN = 16.0
"""The ratio at which the colours of the heat map end."""

CURVE = (64, 22)
"""Width and height of the curve of a cell, in pixels."""


def document(results: Sequence[CellResult], seconds: float, core_seconds: float) -> dict[str, Any]:
    """Return all results and summaries as plain values, for result.json.

    Parameters
    ----------
    results
        All cells.
    seconds
        How long this run took.
    core_seconds
        The processor time of its lessons, stored ones included.
    """
    return {
        "version": _plugins.version(),
        "seconds": round(seconds, 1),
        "core_seconds": round(core_seconds, 1),
        "rounds": ROUNDS,
        "checkpoints": list(CHECKPOINTS),
        "teachers": [
            {
                "teacher": one.teacher,
                "columns": one.columns,
                "median_rank": one.rank,
                "worst": one.worst,
                "worst_at": list(one.worst_at),
                "fails": one.fails,
            }
            for one in summarised(results)
        ],
        "unreached": [list(column) for column in unreached(results)],
        "cells": [result.as_json() for result in results],
    }


def write_report(
    results: Sequence[CellResult],
    lessons: Sequence[Row],
    folder: Path,
    values: Mapping[str, Any],
    *,
    assumed: Mapping[str, frozenset[str]],
) -> None:
    """Write report.html, result.json, teachers.csv, cells.csv, lessons.csv and the heat map.

    Parameters
    ----------
    results
        All cells.
    lessons
        One row per lesson that was taught for this report.
    folder
        An existing folder.
    values
        The :func:`document` of the results.
    assumed
        The learners that each teacher assumes, by their names in the report.
    """
    summary = summarised(results)
    drawn = heat_map(results, summary, assumed)
    for ending in ("svg", "png"):
        with replacing(folder / f"matrix.{ending}") as temporary:
            save_figure(drawn, temporary, format=ending)
    with replacing(folder / "result.json") as temporary:
        temporary.write_text(json.dumps(values) + "\n", encoding="utf-8")
    _write_csv(folder / "teachers.csv", [_summary_row(one) for one in summary])
    _write_csv(folder / "cells.csv", [_cell_row(result) for result in results])
    _write_csv(folder / "lessons.csv", lessons)
    with replacing(folder / "report.html") as temporary:
        page(results, summary, drawn, values["seconds"]).write(temporary)


def _summary_row(one: TeacherSummary) -> Row:
    """Return a teacher as a row of teachers.csv."""
    return {
        "teacher": one.teacher,
        "columns": one.columns,
        "median rank": one.rank,
        "worst case": round(one.worst, 3),
        "worst case with": ", ".join(one.worst_at),
        "fails in": round(one.fails, 4),
    }


def _cell_row(result: CellResult) -> Row:
    """Return a cell as a row of cells.csv."""
    errors = [result.error_at(budget) if result.errors else None for budget in BUDGETS]
    return {
        "teacher": result.teacher,
        "learner": result.learner,
        "task": result.task,
        "seeds": result.seeds,
        "reached": result.reached,
        "penalised rounds": None if result.refused else result.rounds,
        "+-": result.rounds_half,
        "S": result.workload,
        "S +-": result.workload_half,
        **dict(zip(budget_names(), errors, strict=True)),
        "refused": result.refused,
    }


def _write_csv(path: Path, rows: Sequence[Row]) -> None:
    """Write a table; its columns are the names in any of the rows."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    with (
        replacing(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="") as file,
    ):
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def heat_map(
    results: Sequence[CellResult],
    summary: Sequence[TeacherSummary],
    assumed: Mapping[str, frozenset[str]],
) -> Figure:
    """Return the matrix as a picture: rounds relative to the best teacher of each column.

    A cross: the teacher fails; grey: the parts do not fit together; a dot: the teacher assumes this
    learner.
    """
    from matplotlib import colormaps

    columns = columns_of(results)
    order = sorted(columns, key=lambda column: list(TASKS).index(column[1]))
    names = [one.teacher for one in summary]
    values = np.full((len(order), len(names)), np.nan)
    for place, column in enumerate(order):
        for name, ratio in ratios(columns[column]).items():
            values[place, names.index(name)] = np.log2(min(ratio, WORST_SHOWN))
    drawn = figure(max(2.6 + 0.3 * len(names), 5.0), max(1.9 + 0.19 * len(order), 3.2))
    with look():
        ax = drawn.add_subplot()
        colours = colormaps["viridis_r"].with_extremes(bad="#dddddd")
        image = ax.imshow(values, cmap=colours, vmin=0.0, vmax=np.log2(WORST_SHOWN), aspect="auto")
        for place, column in enumerate(order):
            for name, result in columns[column].items():
                row = names.index(name)
                dot = column[0] in assumed.get(name, ())
                if dot:
                    ax.plot(row, place, "o", color=COLOURS[1], markersize=5 if result.fails else 3)
                if result.fails:
                    ax.plot(row, place, "x", color="#ffffff", markersize=4)
        ax.grid(visible=False)
        ax.xaxis.tick_top()
        ax.set_xticks(range(len(names)), names, rotation=90)
        ax.set_yticks(range(len(order)), [learner for learner, _ in order])
        starts = [n for n, column in enumerate(order) if n == 0 or order[n - 1][1] != column[1]]
        for start, end in zip(starts, [*starts[1:], len(order)], strict=True):
            ax.axhline(start - 0.5, color="white", linewidth=2)
            ax.annotate(
                order[start][1],
                (0.0, (start + end - 1) / 2),
                (-78.0, 0.0),
                xycoords=ax.get_yaxis_transform(),
                textcoords="offset points",
                rotation=90,
                va="center",
                ha="center",
                color=QUIET,
            )
        bar = drawn.colorbar(image, ax=ax, location="bottom", shrink=0.6, pad=0.01, aspect=40)
        bar.set_ticks([0, 1, 2, 3, 4], labels=["1 (best)", "2", "4", "8", "16 or more"])
        bar.set_label("rounds relative to the best teacher")
    return drawn


def page(
    results: Sequence[CellResult],
    summary: Sequence[TeacherSummary],
    drawn: Figure,
    seconds: float,
) -> Page:
    """Return the report as an HTML page; ``drawn`` is the heat map."""
    found = columns_of(results)
    made = Page("Teachers compared: every teacher under every learner")
    lessons = sum(result.seeds for result in results)
    made.numbers(
        [
            ("teachers", str(len(summary))),
            ("columns (learner and task)", str(len(found))),
            ("lessons", f"{lessons:,}"),
            ("seconds", f"{seconds:.0f}"),
        ]
    )
    made.text(
        f"Each class is taught for {ROUNDS} rounds. Teachers are ranked by the rounds until the "
        f"goal holds for the first time; means include {2 * ROUNDS} rounds for each lesson that "
        f"misses it. Equal ones are ranked by the error after {ROUNDS} rounds. A teacher fails in "
        "a column if fewer than half of its lessons reach the goal. The worst case is relative to "
        "the best teacher of the column."
    )
    made.heading("Ranks and worst cases")
    made.table(
        ["teacher", "columns", "median rank", "worst case", "with", "fails in"],
        [
            (
                one.teacher,
                str(one.columns),
                f"{one.rank:g}",
                f"{one.worst:.1f}x",
                ", ".join(one.worst_at),
                f"{one.fails:.0%}",
            )
            for one in summary
        ],
    )
    if missed := unreached(results):
        listed = "; ".join(f"{learner} with {task}" for learner, task in missed)
        made.text(f"No teacher reaches the goal in these columns, which are not ranked: {listed}.")
    made.heading("The matrix")
    made.figure(
        drawn,
        "Rounds to the goal relative to the best teacher of each column, a learner with a task. "
        "Cross: the teacher fails there. Grey: teacher, learner and task do not fit together. "
        "Dot: the teacher assumes this learner.",
    )
    for task, build in TASKS.items():
        own = [result for result in results if result.task == task and result.refused is None]
        if own:
            made.heading(f"Task: {task}")
            made.text(str(build.__doc__).splitlines()[0])
            made.drawing(
                _curves(own, [one.teacher for one in summary]),
                "Rounds to the goal with their 95 % interval (means include "
                f"{2 * ROUNDS} for each lesson that misses it), a dash if the teacher fails, and "
                f"the error by round (logarithmic from round 1 to {ROUNDS}). Hover over a cell for "
                f"the errors after {', '.join(map(str, BUDGETS))} rounds.",
            )
    _refusals(made, results)
    made.footer(f"Made by homeroom {_plugins.version()}.")
    return made


def _curves(results: Sequence[CellResult], order: Sequence[str]) -> str:
    """Return a table of the cells of a task, teachers by learners, with a curve in each cell."""
    learners = list(dict.fromkeys(result.learner for result in results))
    cells = {(result.teacher, result.learner): result for result in results}
    best = {
        learner: min(result.rounds for result in results if result.learner == learner)
        for learner in learners
    }
    head = "".join(f'<th scope="col">{escape(learner)}</th>' for learner in learners)
    rows = []
    for teacher in order:
        found = [cells.get((teacher, learner)) for learner in learners]
        if not any(found):
            continue
        drawn = "".join("<td></td>" if one is None else _cell(one, best) for one in found)
        rows.append(f'<tr><th scope="row">{escape(teacher)}</th>{drawn}</tr>')
    return (
        '<div class="wide"><table style="font-size:.75rem"><thead><tr><th></th>'
        f"{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _cell(result: CellResult, best: Mapping[str, float]) -> str:
    """Return a cell of the HTML matrix: rounds, tooltip and error curve.

    ``best`` are the fewest rounds for each learner.
    """
    width, height = CURVE
    errors = np.log(np.maximum(result.errors, 1e-3))
    low, high = np.log(1e-3), max(float(errors[0]), float(errors.max()), 0.0)
    xs = width * np.log1p(CHECKPOINTS) / np.log1p(CHECKPOINTS[-1])
    ys = height - 1 - (height - 2) * (errors - low) / max(high - low, 1e-9)
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(xs, ys, strict=True))
    half = "" if result.rounds_half is None else f" ± {result.rounds_half:.0f}"
    text = "–" if result.fails else f"{result.rounds:.0f}{half}"
    at = "; ".join(f"after {budget}: {result.error_at(budget):.3g}" for budget in BUDGETS)
    about = f"{result.teacher}, {result.learner}: {result.reached:.0%} reach the goal; error {at}"
    if result.workload is not None:
        spread = "" if result.workload_half is None else f" ± {result.workload_half:.2g}"
        about += f"; {result.workload:.3g}{spread} examples per student who reaches it"
    kind = ' class="best"' if not result.fails and result.rounds <= best[result.learner] else ""
    return (
        f'<td{kind} style="padding-left:.5rem" title="{escape(about, quote=True)}">{text}<br>'
        f'<svg width="{width}" height="{height}" role="img" '
        f'aria-label="{escape(about, quote=True)}"><polyline points="{points}" fill="none" '
        f'stroke="{COLOURS[0]}" stroke-width="1.3"/></svg></td>'
    )


def _refusals(made: Page, results: Sequence[CellResult]) -> None:
    """Add which cells make no sense, one line per task and reason."""
    learners: dict[tuple[str, str, str], list[str]] = {}
    for result in results:
        if result.refused is not None:
            key = (result.task, result.refused, result.teacher)
            learners.setdefault(key, []).append(result.learner)
    teachers: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    for (task, reason, teacher), own in learners.items():
        teachers.setdefault((task, reason, tuple(own)), []).append(teacher)
    if not teachers:
        return
    every = len({result.learner for result in results})
    everyone = len({result.teacher for result in results})
    made.heading("Cells that make no sense")
    made.table(
        ["task", "teachers", "learners", "reason"],
        [
            (
                task,
                "all" if len(some) == everyone else ", ".join(some),
                "all" if len(own) == every else ", ".join(own),
                reason,
            )
            for (task, reason, own), some in teachers.items()
        ],
        words=True,
    )
