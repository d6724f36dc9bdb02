"""``homeroom bench teachers``: compare teachers under many learners."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from homeroom._checks import InputError, counted
from homeroom.cli.cluster import SchedulerOption, WorkersOption, executor_for
from homeroom.cli.output import JsonOption, check_unused, count_bars, show
from homeroom.cli.report import CommandReport, Sentence, Table

if TYPE_CHECKING:
    from homeroom.matrix import CellResult

SEEDS, QUICK_SEEDS = 5, 1
"""The number of classes per cell: one teacher, one learner, one task."""


def teachers(  # noqa: PLR0917 - the options of a command
    teachers: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME,...", help="Which teachers; all by default. May be repeated."),
    ] = None,
    learners: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME,...", help="Which learners; all by default. May be repeated."),
    ] = None,
    tasks: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME,...", help="Which tasks; all by default. May be repeated."),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(help="The number of classes per cell.", show_default="5")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A quick look: one class per cell.")
    ] = False,
    only: Annotated[
        str | None,
        typer.Option(
            metavar="PACKAGE",
            help="Only the teachers of this package, compared with the results of homeroom's.",
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where the report is written.")
    ] = Path("teachers-report"),
    force: Annotated[
        bool, typer.Option("--force", help="Start from scratch even if --out holds files.")
    ] = False,
    workers: WorkersOption = None,
    scheduler: SchedulerOption = None,
    json: JsonOption = False,
) -> None:
    """Compare teachers: every teacher under every learner, on several tasks.

    Writes report.html with the matrix as a heat map, ranks, worst cases, a
    curve for each cell and the cells that make no sense, and the numbers as CSV
    and JSON.
    A run that was interrupted resumes where it stopped when it is started again;
    with --force it starts from scratch.

    [bold]Tasks[/bold]
    ball         any vector up to a length can be shown
    directions   forty directions of any length
    insects      butterfly or moth, by annotators observed with noise
    categories   points of the plane in two categories
    classes      points of the plane in three classes
    facts        twelve facts, which students forget
    mixed        groups by rate, students who learn in different ways

    [bold]Examples[/bold]
    $ homeroom bench teachers --quick
    $ homeroom bench teachers --teachers best,MaxGrad --tasks directions
    $ homeroom bench teachers --only my-teaching
    """
    from homeroom.matrix import TEACHERS, Chosen, measured, shipped_results
    from homeroom.matrix.matrix import assumed_learners, cells_of, stored_lessons
    from homeroom.matrix.report import document, write_report

    if quick and seeds is not None:
        raise InputError("--quick and --seeds exclude each other: leave one out.")
    number = seeds if seeds is not None else QUICK_SEEDS if quick else SEEDS
    chosen = Chosen.of(teachers or (), learners or (), _split(tasks or []), seeds=number, only=only)
    others = [] if only is None else shipped_results()
    if not (out / "cells.jsonl").is_file():
        check_unused(out, force=force)
    start = perf_counter()
    _make_folder(out)
    if force:
        (out / "cells.jsonl").unlink(missing_ok=True)
    store = stored_lessons(out)
    before = set(store.rows)
    with executor_for(workers, scheduler) as executor, count_bars("teaching") as progress:
        results, lessons = measured(
            chosen, store, executor, lambda done, of: progress("teaching", done, of)
        )
    seconds = perf_counter() - start
    keys = {cell.key for cell in cells_of(chosen).values()}
    reused = sum("refused" not in store.rows[key][0] for key in keys & before)
    core_seconds = sum(store.seconds[key] for key in keys)
    own = {result.teacher for result in results}
    columns = {result.column for result in results}
    shipped = [one for one in others if one.teacher not in own and one.column in columns]
    results += shipped
    assumed = assumed_learners({**TEACHERS, **chosen.teachers}, chosen.learners)
    values = document(results, seconds, core_seconds)
    write_report(results, lessons, out, values, assumed=assumed)
    said = (
        f"{counted(len(lessons), 'lesson')} in {counted(round(seconds), 'second')}; newly taught: "
        f"{len(lessons) - reused}, reused: {reused}"
    )
    compared, note = max((one.seeds for one in shipped), default=number), ""
    if compared != number:
        note = (
            f"The results of homeroom's teachers are means over {compared} classes per cell, those "
            f"of {only} over {number}: use --seeds {compared} for a fair ranking."
        )
    show(_report(results, values, out, said, note), json=json)


def _split(texts: list[str]) -> list[str]:
    """Return the names in comma-separated texts; refuse an empty one."""
    names = [part.strip() for text in texts for part in text.split(",")]
    if "" in names:
        raise InputError("--tasks has an empty name: leave out a comma.")
    return names


def _make_folder(out: Path) -> None:
    """Create the folder of the report; refuse one that cannot be written."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as reason:
        raise InputError(f"--out {out} cannot be written: {reason.strerror}.") from None


def _report(
    results: list[CellResult], values: dict[str, object], out: Path, taught: str, note: str
) -> CommandReport:
    """Return what the command shows: the summary of each teacher, and where the report is.

    ``values`` are the numbers for ``--json``; ``taught`` states how many lessons took how long.
    """
    from homeroom.matrix import summarised
    from homeroom.matrix.summary import unreached

    report = CommandReport("Teachers compared", {"folder": str(out), **values})
    report.add(
        Table(
            ("teacher", "columns", "median rank", "worst case", "fails in"),
            [
                (
                    one.teacher,
                    str(one.columns),
                    f"{one.rank:g}",
                    f"{one.worst:.1f}x",
                    f"{one.fails:.0%}",
                )
                for one in summarised(results)
            ],
        )
    )
    if missed := unreached(results):
        listed = "; ".join(f"{learner} with {task}" for learner, task in missed)
        report.add(Sentence(f"No teacher reaches the goal, so not ranked: {listed}."))
    if note:
        report.add(Sentence(note))
    refused = sum(1 for result in results if result.refused is not None)
    report.add(
        Sentence(
            f"{taught}; not applicable: {counted(refused, 'cell')}, and the report states why. "
            f"Open {out / 'report.html'}"
        )
    )
    return report
