"""``homeroom demo``: the paper's class, taught in three ways."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from homeroom import plots
from homeroom.classroom import Classroom
from homeroom.cli.command import Output, Seed, command
from homeroom.cli.compare import add_comparison, comparison_values
from homeroom.cli.group import groups_chart
from homeroom.cli.output import lesson_bar
from homeroom.cli.result import (
    Curve,
    Files,
    Result,
    class_in_words,
    four_students,
)
from homeroom.cli.teach import error_chart
from homeroom.groups import ByRate, Individuals, WholeClass
from homeroom.lessons import Record
from homeroom.lessons import teach as teach_class
from homeroom.teachers import ClassroomTeacher

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LAMBDAS = (0.0, 1.0, 5.0, 10.0, 100.0)
WAYS = {"whole class": WholeClass(), "by rate": ByRate(), "individually": Individuals()}


@command(Output("Where the report is written.", Path("demo-report")))
def demo(*, seed: Seed = 0) -> Result:
    """Teach the paper's class in three ways, and write a report.

    300 students are taught together, in groups with similar learning rates, and
    one by one.

    [bold]Example[/bold]
    $ homeroom demo
    $ homeroom teach demo-report/class.csv

    Parameters
    ----------
    seed
        The random seed of the class.
    """
    from homeroom.advice import compare as compare_ways

    room = Classroom.sample(seed=seed)
    watched = four_students(room)
    teacher = ClassroomTeacher("dynamic")
    with lesson_bar("Teaching") as progress:
        comparison = compare_ways(
            room, ways=WAYS, lambdas=LAMBDAS, teacher=teacher, seed=seed, progress=progress
        )
        whole = teach_class(room, teacher=teacher, watch=list(watched.values()), seed=seed)
    files: Files = {"class.csv": room.save, "record.npz": whole.save}
    title = "One class, three ways to teach it"
    result = Result(title, comparison_values(room, comparison), files)
    result.sentence(
        "A class like the paper's. Every student starts elsewhere and has a different learning "
        "rate, and all are to learn the same target. The teacher observes the students exactly "
        "and shows one example per round.",
        on_screen=False,
    )
    goal = "the mean squared distance to the target is at most 0.1"
    result.facts([("class", class_in_words(room)), ("goal", goal)])
    result.facts((f"error, {way.name}", Curve(way.record.errors)) for way in comparison.ways)
    result.heading("What each way costs: T + λ S")
    add_comparison(result, comparison)
    _, by_rate, alone = (way.record for way in comparison.ways)
    result.add(error_chart(whole, watched), groups_chart(by_rate))
    result.chart(
        "individuals",
        lambda ax: _draw_individuals(ax, room, alone),
        "Rounds per student if all are taught one by one: few for each, many for the teacher.",
        height=3.0,
    )
    result.sentence(
        f"To watch a class being taught live, in a browser:\n  {find_command()} serve --demo"
    )
    return result


def _draw_individuals(ax: Axes, room: Classroom, record: Record) -> None:
    order = np.argsort(room.rates, kind="stable")
    plots.group_bars(record.sizes[order], record.transcript.rounds[order], ax=ax)
    ax.set_xlabel("students, the slowest first")


def find_command() -> str:
    """Return how to call this command again from here."""
    called = Path(sys.argv[0])
    found = shutil.which("homeroom")
    if called.parts[-2:] == ("homeroom", "__main__.py") and found is None:
        return f"{os.path.relpath(sys.executable)} -m homeroom"
    if called.name != "homeroom" or (found is not None and Path(found).samefile(called)):
        return "homeroom"
    return os.path.relpath(called)
