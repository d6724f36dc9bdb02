"""``homeroom bench teachers``: compare teachers under many learners."""

from __future__ import annotations

from pathlib import Path
from textwrap import fill
from time import perf_counter
from typing import TYPE_CHECKING

from homeroom._checks import InputError, counted
from homeroom.cli.cluster import WorkOptions
from homeroom.cli.command import Output, command
from homeroom.cli.files import make_folder
from homeroom.cli.output import count_bars
from homeroom.cli.result import Result

if TYPE_CHECKING:
    from homeroom.studies.bench_results import CellResult

SEEDS, QUICK_SEEDS = 5, 1
"""The number of classes per cell: one teacher, one learner, one task."""

FAILED = 1
"""The exit code if a cell ended with an error."""

MOST_ERRORS = 20
"""The most errors that are shown one by one; the report has all."""


def describe_tasks() -> dict[str, str]:
    """Return each task with the first line of its description."""
    from homeroom.studies.bench_tasks import TASKS

    return {
        "tasks": "\n".join(
            fill(
                str(make.__doc__).splitlines()[0],
                78,
                initial_indent=f"{name:<12}",
                subsequent_indent=" " * 12,
            )
            for name, make in TASKS.items()
        )
    }


@command(
    Output(
        "Where the report is written; with --force, from scratch.",
        Path("teachers-report"),
        in_place=True,
        earlier="cells.jsonl",
    ),
    texts=describe_tasks,
)
def bench_teachers(
    *,
    teachers: list[str] | None = None,
    learners: list[str] | None = None,
    tasks: list[str] | None = None,
    seeds: int | None = None,
    quick: bool = False,
    only: str | None = None,
    where: WorkOptions,
    place: Path,
    force: bool,
) -> Result:
    """Compare teachers: every teacher under every learner, on several tasks.

    Writes report.html with the matrix as a heat map, ranks, worst cases, a
    curve for each cell and the cells that make no sense, and the numbers as CSV
    and JSON. If a teacher or learner raises an error, the others are compared,
    the cell is listed with its error, and the exit code is 1.
    A run that was interrupted resumes where it stopped when it is started again;
    with --force it starts from scratch.

    [bold]Tasks[/bold]
    {tasks}

    [bold]Examples[/bold]
    $ homeroom bench teachers --quick
    $ homeroom bench teachers --teachers best,MaxGrad --tasks directions
    $ homeroom bench teachers --only my-teaching

    Parameters
    ----------
    teachers : NAME,...
        Which teachers; all by default. May be repeated.
    learners : NAME,...
        Which learners; all by default. May be repeated.
    tasks : NAME,...
        Which tasks; all by default. May be repeated.
    seeds
        The number of classes per cell. [default: 5]
    quick
        A quick look: one class per cell.
    only : PACKAGE
        Only the teachers of this package, compared with the results of homeroom's.
    """
    from homeroom.studies.bench import (
        Chosen,
        cells_of,
        find_assumed,
        forget_failures,
        load_results,
        measure,
    )
    from homeroom.studies.bench_report import document, write_report
    from homeroom.studies.bench_tasks import TEACHERS
    from homeroom.studies.cells import CELLS, CellStore

    if quick and seeds is not None:
        raise InputError("--quick and --seeds exclude each other: leave one out.")
    number = seeds if seeds is not None else QUICK_SEEDS if quick else SEEDS
    names = [name.strip() for text in tasks or () for name in text.split(",")]
    chosen = Chosen.of(teachers or (), learners or (), names, seeds=number, only=only)
    start = perf_counter()
    make_folder(place)
    if force:
        (place / CELLS).unlink(missing_ok=True)
    store = CellStore(place)
    forget_failures(store)
    before = set(store.rows)
    with where.start() as executor, count_bars("teaching") as progress:
        results, lessons = measure(
            chosen, store, executor, lambda done, of: progress("teaching", done, of)
        )
    keys = {cell.key for cell in cells_of(chosen).values()}
    reused = sum("refused" not in store.rows[key][0] for key in keys & before)
    taught = sum("failed" not in lesson for lesson in lessons)
    columns = {result.column for result in results}
    shipped = [
        result
        for result in (load_results() if only else ())
        if result.teacher not in chosen.teachers and result.column in columns
    ]
    results += shipped
    seconds = perf_counter() - start
    values = document(results, seconds, sum(store.seconds[key] for key in keys))
    assumed = find_assumed({**TEACHERS, **chosen.teachers}, chosen.learners)
    write_report(results, lessons, place, values, assumed=assumed)
    result = Result("Teachers compared", {"folder": str(place), **values})
    result.exit_code = FAILED if values["failed"] else 0
    _add_summary(result, results)
    compared = max((cell.seeds for cell in shipped), default=number)
    if compared != number:
        result.sentence(
            f"The results of homeroom's teachers are means over {compared} classes per cell, "
            f"those of {only} over {number}: use --seeds {compared} for a fair ranking."
        )
    refused = sum(1 for cell in results if cell.refused is not None)
    result.sentence(
        f"{counted(taught, 'lesson')} in {counted(round(seconds), 'second')}; newly taught: "
        f"{taught - reused}, reused: {reused}; not applicable: {counted(refused, 'cell')}, and the "
        f"report states why. Open {place / 'report.html'}"
    )
    return result


def _add_summary(result: Result, cells: list[CellResult]) -> None:
    """Add the summary of each teacher, the columns without a rank, and the cells that failed."""
    from homeroom.studies.bench_results import failures, list_unreached, summarise

    header = ("teacher", "columns", "median rank", "worst case", "fails in")
    result.table(header, [summary.row for summary in summarise(cells)])
    if missed := list_unreached(cells):
        listed = "; ".join(f"{learner} with {task}" for learner, task in missed)
        result.sentence(f"No teacher reaches the goal, so not ranked: {listed}.")
    if failed := failures(cells):
        are = "is" if len(failed) == 1 else "are"
        number = counted(len(failed), "cell")
        result.sentence(f"✗ {number} ended with an error, and {are} not ranked:", remark=True)
        rows = [(cell.teacher, cell.learner, cell.task, cell.failed) for cell in failed]
        result.table(("teacher", "learner", "task", "error"), rows, most=MOST_ERRORS)
