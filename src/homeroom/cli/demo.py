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

from homeroom._checks import InputError
from homeroom.classroom import Classroom
from homeroom.cli.compare import add_comparison, comparison_values
from homeroom.cli.group import groups_chart
from homeroom.cli.output import ForceOption, JsonOption, folder, lesson_bar, print_command, show
from homeroom.cli.report import (
    Chart,
    CommandReport,
    Curve,
    Facts,
    Files,
    Heading,
    Sentence,
    class_in_words,
    four_students,
)
from homeroom.cli.teach import error_chart
from homeroom.groups import ByRate, Individuals, WholeClass
from homeroom.lessons import Record
from homeroom.lessons import teach as teach_class
from homeroom.teachers import ClassroomTeacher

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from homeroom.advice import Comparison

LAMBDAS = (0.0, 1.0, 5.0, 10.0, 100.0)
WAYS = {"whole class": WholeClass(), "by rate": ByRate(), "individually": Individuals()}


def demo(
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where the report is written.")
    ] = Path("demo-report"),
    force: ForceOption = False,
    seed: Annotated[int, typer.Option(help="The random seed of the class.")] = 0,
    json: JsonOption = False,
) -> None:
    """Teach the paper's class in three ways, and write a report.

    300 students are taught together, in groups with similar learning rates, and
    one by one.

    [bold]Example[/bold]
    $ homeroom demo
    $ homeroom teach demo-report/class.csv
    """
    from homeroom.advice import compare as compare_ways

    began = time.perf_counter()
    if seed < 0:
        raise InputError("--seed must not be negative: try --seed 0.")
    room = Classroom.sample(seed=seed)
    watched = four_students(room)
    teacher = ClassroomTeacher("dynamic")
    with folder(out, force=force) as place:
        with lesson_bar("Teaching") as progress:
            comparison = compare_ways(
                room, ways=WAYS, lambdas=LAMBDAS, teacher=teacher, seed=seed, progress=progress
            )
            whole = teach_class(room, teacher=teacher, watch=list(watched.values()), seed=seed)
        report = demo_report(room, comparison, whole, watched)
        place.write(report)
    show(report, json=json)
    if not json:
        seconds = time.perf_counter() - began
        typer.echo(f"\nDone in {seconds:.1f} s. The report is at {out / 'report.html'}")
        typer.echo("To watch a class being taught live, in a browser:")
        print_command(f"{_homeroom()} serve --demo")


def demo_report(
    room: Classroom, comparison: Comparison, whole: Record, watched: dict[str, int]
) -> CommandReport:
    """Return the report of the demo; ``whole`` is the lesson of the whole class."""
    files: Files = {"class.csv": room.save, "record.npz": whole.save}
    report = CommandReport(
        "One class, three ways to teach it", comparison_values(room, comparison), files
    )
    _, by_rate, alone = (way.record for way in comparison.ways)
    report.add(
        Sentence(
            "A class like the paper's. Every student starts elsewhere and has a different learning "
            "rate, and all are to learn the same target. The teacher observes the students exactly "
            "and shows one example per round.",
            on_screen=False,
        ),
        Facts(
            [
                ("class", class_in_words(room)),
                ("goal", "the mean squared distance to the target is at most 0.1"),
                *((f"error, {way.name}", Curve(way.record.errors)) for way in comparison.ways),
            ]
        ),
        Heading("What each way costs: T + λ S"),
    )
    add_comparison(report, comparison)
    report.add(error_chart(whole, watched), groups_chart(by_rate), _alone(room, alone))
    return report


def _alone(room: Classroom, record: Record) -> Chart:
    """Return the chart of the rounds per student when all are taught one by one."""

    def draw() -> Figure:
        from homeroom import plots

        order = np.argsort(room.rates, kind="stable")
        figure, ax = plots.panel(6.4, 3.0)
        plots.group_bars(record.sizes[order], record.transcript.rounds[order], ax=ax)
        ax.set_xlabel("students, the slowest first")
        return figure

    return Chart(
        "individuals",
        draw,
        "Rounds per student when all are taught one by one: few for each, many for the teacher.",
    )


def _homeroom() -> str:
    """Return how to call this command again from here."""
    called = Path(sys.argv[0])
    found = shutil.which("homeroom")
    if called.parts[-2:] == ("homeroom", "__main__.py") and found is None:
        return f"{os.path.relpath(sys.executable)} -m homeroom"
    if called.name != "homeroom" or (found is not None and Path(found).samefile(called)):
        return "homeroom"
    return os.path.relpath(called)
