"""The report of a benchmark: a heat map, ranks, curves per cell, and what is left out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from homeroom import _plugins
from homeroom._files import replacing
from homeroom.plots import Page
from homeroom.plots.style import COLOURS, QUIET, figure, look, save_figure
from homeroom.studies.bench_lessons import BUDGETS, CHECKPOINTS, ROUNDS
from homeroom.studies.bench_results import (
    CellResult,
    TeacherSummary,
    budget_names,
    columns_of,
    failures,
    list_unreached,
    ratios,
    summarise,
)
from homeroom.studies.bench_tasks import TASKS
from homeroom.studies.rows import Row, write_csv

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WORST_SHOWN = 16.0
"""The ratio at which the colours of the heat map end."""


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
        "teachers": [asdict(one) for one in summarise(results)],
        "unreached": [list(column) for column in list_unreached(results)],
        "failed": [result.as_json() for result in failures(results)],
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

    There is no heat map if no column is ranked.

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
    summary = summarise(results)
    drawn = heat_map(results, summary, assumed) if summary else None
    if drawn is not None:
        for ending in ("svg", "png"):
            with replacing(folder / f"matrix.{ending}") as temporary:
                save_figure(drawn, temporary, format=ending)
    with replacing(folder / "result.json") as temporary:
        temporary.write_text(json.dumps(values) + "\n", encoding="utf-8")
    write_csv([_summary_row(one) for one in summary], folder / "teachers.csv")
    write_csv([_cell_row(result) for result in results], folder / "cells.csv")
    write_csv(lessons, folder / "lessons.csv")
    with replacing(folder / "report.html") as temporary:
        page(results, summary, drawn, values["seconds"]).write(temporary)


def _summary_row(one: TeacherSummary) -> Row:
    """Return a teacher as a row of teachers.csv."""
    return {
        "teacher": one.teacher,
        "columns": one.columns,
        "median rank": one.median_rank,
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
        "penalised rounds": result.rounds if result.errors else None,
        "+-": result.rounds_half,
        "S": result.workload,
        "S +-": result.workload_half,
        **dict(zip(budget_names(), errors, strict=True)),
        "refused": result.refused,
        "failed": result.failed,
    }


def heat_map(
    results: Sequence[CellResult],
    summary: Sequence[TeacherSummary],
    assumed: Mapping[str, frozenset[str]],
) -> Figure:
    """Return the matrix as a picture: rounds relative to the best teacher of each column.

    A cross: the teacher fails; grey: the parts do not fit together, or a lesson ended with an
    error; a dot: the teacher assumes this learner.
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
    drawn: Figure | None,
    seconds: float,
) -> Page:
    """Return the report as an HTML page; ``drawn`` is the heat map, if there is one."""
    made = Page("Teachers compared: every teacher under every learner")
    numbers = {
        "teachers": str(len(summary)),
        "columns (learner and task)": str(len(columns_of(results))),
        "lessons": f"{sum(result.seeds for result in results):,}",
        "seconds": f"{seconds:.0f}",
    }
    made.numbers(numbers.items())
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
        [(*one.row[:4], ", ".join(one.worst_at), one.row[4]) for one in summary],
    )
    _failures(made, results)
    if missed := list_unreached(results):
        listed = "; ".join(f"{learner} with {task}" for learner, task in missed)
        made.text(f"No teacher reaches the goal in these columns, which are not ranked: {listed}.")
    if drawn is not None:
        made.heading("The matrix")
        made.figure(
            drawn,
            "Rounds to the goal relative to the best teacher of each column, a learner with a "
            "task. Cross: the teacher fails there. Grey: teacher, learner and task do not fit "
            "together, or the lesson ended with an error. Dot: the teacher assumes this learner.",
        )
    for task, build in TASKS.items():
        own = [result for result in results if result.task == task and result.errors]
        if own:
            made.heading(f"Task: {task}")
            made.text(str(build.__doc__).splitlines()[0])
            _add_curves(made, own, [one.teacher for one in summary])
            made.text(
                "Rounds to the goal with their 95 % interval (means include "
                f"{2 * ROUNDS} for each lesson that misses it), a dash if the teacher fails, and "
                f"the error by round (logarithmic from round 1 to {ROUNDS}). Hover over a cell for "
                f"the errors after {', '.join(map(str, BUDGETS))} rounds.",
            )
    _refusals(made, results)
    return made


def _add_curves(made: Page, results: Sequence[CellResult], order: Sequence[str]) -> None:
    """Add a table of the cells of a task, teachers by learners, with a curve in each cell."""
    learners = list(dict.fromkeys(result.learner for result in results))
    cells = {(result.teacher, result.learner): result for result in results}
    fewest = {
        learner: min(result.rounds for result in results if result.learner == learner)
        for learner in learners
    }
    teachers = [name for name in order if any((name, learner) in cells for learner in learners)]
    shown = {
        (row, column): cells[teacher, learner]
        for row, teacher in enumerate(teachers)
        for column, learner in enumerate(learners, start=1)
        if (teacher, learner) in cells
    }
    rows = [[teacher, *("" for _ in learners)] for teacher in teachers]
    for (row, column), result in shown.items():
        half = "" if result.rounds_half is None else f" ± {result.rounds_half:.0f}"
        rows[row][column] = "–" if result.fails else f"{result.rounds:.0f}{half}"
    made.table(
        ("", *learners),
        rows,
        best=[
            cell
            for cell, result in shown.items()
            if not result.fails and result.rounds <= fewest[result.learner]
        ],
        curves={cell: (_curve(result), _about(result)) for cell, result in shown.items()},
    )


def _curve(result: CellResult) -> list[tuple[float, float]]:
    """Return the error by round as points from 0 to 1, both on a logarithmic scale."""
    errors = np.log(np.maximum(result.errors, 1e-3))
    low, high = np.log(1e-3), max(float(errors.max()), 0.0)
    xs = np.log1p(CHECKPOINTS) / np.log1p(CHECKPOINTS[-1])
    ys = (errors - low) / (high - low)
    return list(zip(xs.round(3).tolist(), ys.round(3).tolist(), strict=True))


def _about(result: CellResult) -> str:
    """Return the results of a cell in words."""
    at = "; ".join(f"after {budget}: {result.error_at(budget):.3g}" for budget in BUDGETS)
    about = f"{result.teacher}, {result.learner}: {result.reached:.0%} reach the goal; error {at}"
    if result.workload is not None:
        spread = "" if result.workload_half is None else f" ± {result.workload_half:.2g}"
        about += f"; {result.workload:.3g}{spread} examples per student who reaches it"
    return about


def _failures(made: Page, results: Sequence[CellResult]) -> None:
    """Add which cells ended with an error, one line each."""
    failed = failures(results)
    if not failed:
        return
    made.heading("Cells that ended with an error")
    made.text(
        "In these cells the code of the teacher or the learner raised an error. They are not "
        "ranked, so the ranks of these teachers are over fewer columns."
    )
    made.table(
        ["teacher", "learner", "task", "error"],
        [(one.teacher, one.learner, one.task, str(one.failed)) for one in failed],
        words=True,
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
