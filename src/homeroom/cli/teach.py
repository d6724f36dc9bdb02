"""``homeroom teach``: teach a class until its goal is reached."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any

from homeroom.classroom import Classroom, LargeClass
from homeroom.cli import describe
from homeroom.cli.group import MOST_GROUPS, groups_chart
from homeroom.cli.large import EngineOptions, opened
from homeroom.cli.options import ClassOptions, GroupsOption, LessonOptions, grouping
from homeroom.cli.output import ResultOptions, result_option
from homeroom.cli.report import Chart, CommandReport, Curve, Facts, Heading, Table
from homeroom.cli.screen import lesson_bars
from homeroom.groups import AbstractGrouping, WholeClass
from homeroom.lessons import Record, save_students
from homeroom.lessons import teach as teach_class
from homeroom.lessons.arguments import can_be_verified
from homeroom.lessons.strategies import is_small

if TYPE_CHECKING:
    from matplotlib.figure import Figure

USUAL = ("exact", "gradient", "gradient (loss squared)")
"""The observer and the learner that are not mentioned, as they are the usual ones."""


def teach(
    which: ClassOptions,
    lesson: LessonOptions,
    how: EngineOptions,
    result: ResultOptions,
    *,
    groups: GroupsOption = "whole",
    watch: Annotated[
        str | None,
        result_option(
            "Students to show one by one: names, or numbers from 0. Example: Ada,Ben.",
            metavar="NAMES",
            show_default="four different students, unless the class is very large",
        ),
    ] = None,
) -> None:
    """Teach a class until its goal is reached.

    The class is read from a file, or drawn at random like the paper's. The result
    shows how its error falls, how many examples the teacher showed (T), and how
    many a student saw on average (S). A Parquet or .npz file that does not fit
    into memory, or a folder of such files, is read in pieces, by several
    processes or on a Dask cluster.

    [bold]Examples[/bold]
    $ homeroom teach
    $ homeroom teach pupils.csv --groups by-rate --magnitude dynamic
    $ homeroom teach pupils.csv --pool questions.npy --eps 0.2 --out lesson
    $ homeroom teach students.parquet --verify --scheduler tcp://scheduler:8786
    """
    settings = lesson.settings(which.max_bytes)
    if how.verify:
        can_be_verified(settings["learner"])
    with result.folder() as out:
        with (
            lesson_bars("Teaching") as (progress, reading),
            opened(which, how, reading, single_students=_single_students(groups, watch)) as room,
        ):
            split = grouping(groups, room)
            watched = _watched(room, split, watch, how.engine)
            record = teach_class(
                room,
                groups=split,
                watch=list(watched.values()),
                max_rounds=lesson.max_rounds,
                engine=how.engine,
                verify=how.verify and not out,
                seed=which.seed,
                progress=progress,
                **settings,
            )
            if how.verify and out.path is not None:  # distances and the exact error in one pass
                ending = "parquet" if find_spec("pyarrow") else "csv"
                record = save_students(room, record, out.path / f"students.{ending}")
        report = lesson_report(room, record, watched)
        out.write(report)
    result.show(report)


def _single_students(groups: str, watch: str | None) -> str | None:
    """Return the option that needs single students, if there is one."""
    if watch is not None:
        return "--watch"
    return None if groups.strip() == "whole" else f"--groups {groups}"


def _watched(
    room: Classroom | LargeClass, split: AbstractGrouping, names: str | None, engine: str
) -> dict[str, int]:
    """Return the students to watch: those named, or four where all students are followed anyway."""
    if isinstance(room, LargeClass):
        return {}
    if names is not None:
        return describe.students_called(
            room, [name.strip() for name in names.split(",") if name.strip()]
        )
    exact = engine == "exact" or (engine == "auto" and is_small(room))
    return describe.four_students(room) if exact and isinstance(split, WholeClass) else {}


def lesson_report(
    room: Classroom | LargeClass, record: Record, watched: Mapping[str, int]
) -> CommandReport:
    """Return the report of a lesson."""
    report = CommandReport(
        "The lesson", _values(room, record, watched), {"record.npz": record.save}
    )
    parts = ("teacher", "goal", "groups", "observer", "learner")
    words = {part: describe.thing_in_words(record.settings[part]) for part in parts}
    chosen = [(part, text) for part, text in words.items() if text not in USUAL]
    report.add(
        Facts([("class", describe.class_in_words(room, record)), *chosen]),
        Heading("What it took"),
        Facts(
            [
                ("rounds, T", f"{record.rounds}"),
                ("workload, S", f"{record.workload:.1f}"),
                ("error", Curve(record.errors)),
            ],
            main=True,
        ),
        Facts(
            [
                *describe.plans_in_words(record),
                *describe.engine_in_words(record),
                *((name, str(number)) for name, number in record.counts.items() if number),
            ]
        ),
        error_chart(record, watched),
    )
    if watched:
        assert isinstance(room, Classroom)
        report.add(
            Table(("student", "rate", "distance before", "after"), _rows(room, record, watched))
        )
    groups = len(record.transcript.rounds)
    if groups > 1:
        report.add(groups_chart(record))
    if not watched and 1 < groups <= MOST_GROUPS:
        header = ("group", "students", "rounds")
        sizes = zip(record.sizes, record.transcript.rounds, strict=True)
        rows = [(str(group), str(size), str(n)) for group, (size, n) in enumerate(sizes, start=1)]
        report.add(Table(header, rows))
    report.ending(record)
    return report


def _values(
    room: Classroom | LargeClass, record: Record, watched: Mapping[str, int]
) -> dict[str, Any]:
    return {
        "class": describe.class_as_values(room, record),
        "lesson": describe.record_as_values(record),
        "settings": dict(record.settings),
        "errors": record.errors,
        "watched": [
            {
                "student": describe.name_of(room, student),
                "who": who,
                "errors": record.watched_errors[:, i],
            }
            for i, (who, student) in enumerate(watched.items())
            if isinstance(room, Classroom)
        ],
        "rounds_by_group": record.transcript.rounds,
        "students_by_group": record.sizes,
    }


def _rows(
    room: Classroom, record: Record, watched: Mapping[str, int]
) -> list[tuple[str, str, str, str]]:
    """Return a row for each watched student: name, rate, distance before and after."""
    return [
        (
            describe.student_in_words(room, who, student),
            f"{float(room.rates[student]):.3g}",
            f"{record.watched_errors[0, i] ** 0.5:.3g}",
            f"{record.watched_errors[-1, i] ** 0.5:.3g}",
        )
        for i, (who, student) in enumerate(watched.items())
    ]


def error_chart(record: Record, watched: Mapping[str, int]) -> Chart:
    """Return the chart of a lesson's error, with a thin line for each watched student."""

    def draw() -> Figure:
        from homeroom import plots

        own = {who: record.watched_errors[:, column] for column, who in enumerate(watched)}
        figure, ax = plots.panel(6.4, 3.6)
        plots.error_curve(record.errors, students=own, goal=record.goal_line, ax=ax)
        return figure

    caption = "The error of the class, round by round, on a logarithmic scale."
    if watched:
        caption += " The thin lines are single students, slow and fast, near and far."
    return Chart("error", draw, caption)
