"""``homeroom demo``: the paper's class, taught in three ways."""

from __future__ import annotations

import os
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from homeroom import plots
from homeroom._checks import InputError
from homeroom.classroom import Classroom
from homeroom.cli import report
from homeroom.cli.compare import comparison_document, show_comparison
from homeroom.cli.describe import class_in_words
from homeroom.cli.folder import folder
from homeroom.cli.screen import Screen, progress_bar, sparkline
from homeroom.cli.students import selected
from homeroom.groups import ByRate, Individuals, WholeClass
from homeroom.lessons import Record
from homeroom.lessons import teach as teach_class
from homeroom.teachers import ClassroomTeacher

if TYPE_CHECKING:
    from homeroom.advice import Comparison

LAMBDAS = (0.0, 1.0, 5.0, 10.0, 100.0)
WAYS = {"whole class": WholeClass(), "by rate": ByRate(), "individually": Individuals()}


def demo(
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the report goes.")] = Path(
        "demo-report"
    ),
    seed: Annotated[int, typer.Option(help="The seed of the class.")] = 0,
    json: Annotated[
        bool, typer.Option("--json", help="Print the result as one JSON document.")
    ] = False,
) -> None:
    """Teach the paper's class in three ways, and write a report.

    300 students are taught together, in groups of about the same pace, and one
    by one.

    [bold]Example[/bold]
    $ homeroom demo
    $ homeroom teach demo-report/class.csv
    """
    from homeroom.advice import compare as compare_ways

    began = time.perf_counter()
    screen = Screen(as_json=json)
    if seed < 0:
        raise InputError("--seed must not be negative: try --seed 0.")
    room = Classroom.sample(seed=seed)
    watched = selected(room)
    teacher = ClassroomTeacher("dynamic")
    with folder(out) as place:
        with progress_bar("Teaching") as progress:
            comparison = compare_ways(
                room, ways=WAYS, lambdas=LAMBDAS, teacher=teacher, seed=seed, progress=progress
            )
            whole = teach_class(room, teacher=teacher, watch=list(watched.values()), seed=seed)
        document = comparison_document(room, comparison)
        pictures = _pictures(room, comparison, whole, watched)
        for name, (drawn, _) in pictures.items():
            place.figure(name, drawn)
        place.page(report.demo_page(room, comparison, pictures))
        room.save(place / "class.csv")
        whole.save(place / "record.npz")
        place.result(document)
    _show(screen, room, comparison, out, time.perf_counter() - began)
    screen.result(document)


def _pictures(
    room: Classroom, comparison: Comparison, whole: Record, watched: dict[str, int]
) -> report.Pictures:
    _, by_rate, alone = (way.record for way in comparison.ways)
    pictures = report.comparison_figures(comparison)
    pictures["error"] = report.lesson_figures(whole, watched)["error"]
    pictures["groups"] = (report.group_figure(by_rate), report.GROUP_CAPTION)
    order = np.argsort(room.rates, kind="stable")
    figure, ax = plots.panel(6.4, 3.0)
    plots.group_bars(alone.sizes[order], alone.transcript.rounds[order], ax=ax)
    ax.set_xlabel("students, the slowest first")
    pictures["individuals"] = (
        figure,
        "Rounds for each student when everybody is taught alone: few for each, many for the "
        "teacher.",
    )
    return pictures


def _show(
    screen: Screen, room: Classroom, comparison: Comparison, out: Path, seconds: float
) -> None:
    screen.title("One class, three ways to teach it")
    screen.facts(
        [
            ("class", class_in_words(room)),
            ("goal", "the mean squared distance to the target is at most 0.1"),
            *((way.name, _course(way.record)) for way in comparison.ways),
        ]
    )
    screen.title("What each way costs: T + λ S")
    show_comparison(screen, comparison)
    screen.gap()
    screen.say(
        "T: examples the teacher shows. S: examples a student sees, on average. "
        "λ: how much the students' time counts.",
        style="dim",
    )
    screen.gap()
    screen.say(f"Done in {seconds:.1f} s. The report is at {out / 'report.html'}", style="bold")
    screen.say(f"To watch a class being taught live, in a browser: {_homeroom()} serve --demo")


def _homeroom() -> str:
    """Return how this command can be called again from here."""
    called = Path(sys.argv[0])
    found = shutil.which("homeroom")
    if called.parts[-2:] == ("homeroom", "__main__.py") and found is None:
        return f"{os.path.relpath(sys.executable)} -m homeroom"
    if called.name != "homeroom" or (found is not None and Path(found).samefile(called)):
        return "homeroom"
    return os.path.relpath(called)


def _course(record: Record) -> str:
    before, after = record.errors[0], record.errors[-1]
    return f"{before:.3g} → {after:.2g}   {sparkline(record.errors)}"
