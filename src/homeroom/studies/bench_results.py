"""What the cells show: means with intervals, ranks, worst cases, and how often a teacher fails.

A *cell* is a teacher with a learner and a task, a *column* is a learner with a task. A lesson takes
``T`` rounds until the goal, summed over groups, and ``S`` rounds per student.

The *penalised rounds* of a teacher in a column are the mean over seeds of ``T``, where a lesson
that missed its goal counts as twice the limit. Teachers are ranked by them, and those that are
equal by the error after the last round. A teacher *fails* in a column if fewer than half of its
lessons reach the goal. Columns in which all teachers fail are not ranked;
:func:`list_unreached` lists them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from homeroom.studies.bench_lessons import BUDGETS, CHECKPOINTS, ROUNDS
from homeroom.studies.rows import Row, interval_half_width, ranks

PENALTY = 2.0
"""A missed goal counts as this many times the limit."""


@dataclass(frozen=True)
class CellResult:
    """All lessons of a teacher with one learner and one task.

    Parameters
    ----------
    teacher, learner, task
        Their names in the report.
    seeds
        The number of lessons.
    reached
        The share of the lessons that reached the goal.
    rounds, rounds_half
        The penalised rounds, and half the width of their 95 % confidence interval (``None`` for
        one or two seeds).
    workload, workload_half
        The mean of ``S`` over the lessons that reached the goal, ``None`` if there are none, and
        half the width of its interval, ``None`` for one or two such lessons.
    errors, errors_half
        The mean error at each of the checkpoints, and half the width of its interval.
    refused
        Why the parts do not fit together; no other numbers are given then.
    failed
        The first error that the code of the teacher or the learner raised; no other numbers are
        given then, and the cell is not ranked.
    """

    teacher: str
    learner: str
    task: str
    seeds: int = 0
    reached: float = 0.0
    rounds: float = math.inf
    rounds_half: float | None = None
    workload: float | None = None
    workload_half: float | None = None
    errors: tuple[float, ...] = ()
    errors_half: tuple[float, ...] | None = None
    refused: str | None = None
    failed: str | None = None

    @property
    def column(self) -> tuple[str, str]:
        """The learner and the task."""
        return self.learner, self.task

    @property
    def fails(self) -> bool:
        """Whether fewer than half of the lessons reach the goal."""
        return self.reached < 0.5

    def error_at(self, budget: int) -> float:
        """Return the mean error after so many rounds, one of the checkpoints."""
        return self.errors[CHECKPOINTS.index(budget)]

    def as_json(self) -> dict[str, Any]:
        """Return the result as plain values, without what it does not have."""
        values = asdict(self)
        for reason in ("refused", "failed"):
            if values[reason] is not None:
                return {name: values[name] for name in ("teacher", "learner", "task", reason)}
        return {name: value for name, value in values.items() if value not in (None, ())}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> CellResult:
        """Return the result of :meth:`as_json`."""
        lists = ("errors", "errors_half")
        fields: dict[str, Any] = {k: tuple(v) if k in lists else v for k, v in values.items()}
        return cls(**fields)


def cell_result(teacher: str, learner: str, task: str, rows: Sequence[Row]) -> CellResult:
    """Return the result of a cell from the rows of its lessons, one per seed."""
    for row in rows:
        if "refused" in row:
            return CellResult(teacher, learner, task, refused=row["refused"])
        if "failed" in row:
            return CellResult(teacher, learner, task, failed=row["failed"])
    limit = PENALTY * ROUNDS
    rounds = np.array([limit if row["T"] is None else row["T"] for row in rows], dtype=float)
    work = [row["S"] for row in rows if row["S"] is not None]
    errors = np.array([row["errors"] for row in rows], dtype=float)
    several = len(rows) > 2
    return CellResult(
        teacher,
        learner,
        task,
        seeds=len(rows),
        reached=_short(len(work) / len(rows)),
        rounds=_short(rounds.mean()),
        rounds_half=_short(interval_half_width(rounds)) if several else None,
        workload=_short(np.mean(work)) if work else None,
        workload_half=_short(interval_half_width(np.array(work))) if len(work) > 2 else None,
        errors=tuple(map(_short, errors.mean(axis=0))),
        errors_half=tuple(_short(interval_half_width(part)) for part in errors.T)
        if several
        else None,
    )


def _short(value: float) -> float:
    """Return a number to four digits."""
    return float(f"{float(value):.4g}")


@dataclass(frozen=True)
class TeacherSummary:
    """The results of a teacher over all columns.

    Parameters
    ----------
    teacher
        Its name in the report.
    columns
        The number of columns in which it can be used.
    median_rank
        The median of its ranks, 1 for the best.
    worst, worst_at
        The greatest penalised rounds relative to the best teacher of the column, and that column.
    fails
        The share of its columns in which it fails.
    """

    teacher: str
    columns: int
    median_rank: float
    worst: float
    worst_at: tuple[str, str]
    fails: float

    @property
    def row(self) -> tuple[str, ...]:
        """The summary as texts for a table, without the column of the worst case."""
        rank, worst, fails = f"{self.median_rank:g}", f"{self.worst:.1f}x", f"{self.fails:.0%}"
        return self.teacher, str(self.columns), rank, worst, fails


def columns_of(results: Iterable[CellResult]) -> dict[tuple[str, str], dict[str, CellResult]]:
    """Return the results by teacher of each column in which a teacher does not fail."""
    return {
        column: found
        for column, found in _all_columns(results).items()
        if not all(result.fails for result in found.values())
    }


def failures(results: Iterable[CellResult]) -> list[CellResult]:
    """Return the cells whose teacher or learner raised an error; they are not ranked."""
    return [result for result in results if result.failed is not None]


def list_unreached(results: Iterable[CellResult]) -> list[tuple[str, str]]:
    """Return the columns in which all teachers fail; they are not ranked."""
    return [
        column
        for column, found in _all_columns(results).items()
        if all(result.fails for result in found.values())
    ]


def _all_columns(results: Iterable[CellResult]) -> dict[tuple[str, str], dict[str, CellResult]]:
    """Return the results by teacher of each column, without refused and failed cells."""
    columns: dict[tuple[str, str], dict[str, CellResult]] = {}
    for result in results:
        if result.refused is None and result.failed is None:
            columns.setdefault(result.column, {})[result.teacher] = result
    return columns


def ratios(found: Mapping[str, CellResult]) -> dict[str, float]:
    """Return the penalised rounds of each teacher relative to the best of a column."""
    best = min(result.rounds for result in found.values())
    return {name: result.rounds / max(best, 1.0) for name, result in found.items()}


def column_ranks(found: Mapping[str, CellResult]) -> dict[str, float]:
    """Return the rank of each teacher of a column from 1; equal ones share their mean rank."""
    keys = sorted({(result.rounds, result.errors[-1]) for result in found.values()})
    places = np.array([keys.index((result.rounds, result.errors[-1])) for result in found.values()])
    return dict(zip(found, (ranks(places.astype(float)) + 1.0).tolist(), strict=True))


def summarise(results: Iterable[CellResult]) -> list[TeacherSummary]:
    """Return the summary of each teacher, the lowest median rank first."""
    rows: dict[str, list[tuple[float, float, tuple[str, str], bool]]] = {}
    for column, found in columns_of(results).items():
        relative = ratios(found)
        for name, rank in column_ranks(found).items():
            row = (rank, relative[name], column, found[name].fails)
            rows.setdefault(name, []).append(row)
    summaries = []
    for name, own in rows.items():
        every_rank, against, columns, failed = zip(*own, strict=True)
        worst = max(zip(against, columns, strict=True))
        median, share = float(np.median(every_rank)), float(np.mean(failed))
        summaries.append(TeacherSummary(name, len(own), median, *worst, share))
    return sorted(
        summaries, key=lambda summary: (summary.median_rank, summary.fails, summary.worst)
    )


def budget_names() -> list[str]:
    """Return the names of the table columns with the errors after each number in ``BUDGETS``."""
    return [f"error after {budget}" for budget in BUDGETS]
