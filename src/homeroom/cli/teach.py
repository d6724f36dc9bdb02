"""``homeroom teach``: teach a class, and see how it comes closer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from homeroom.classroom import Classroom, LargeClass
from homeroom.cli import report
from homeroom.cli.describe import (
    class_as_values,
    class_in_words,
    engine_in_words,
    plans_in_words,
    record_as_values,
    thing_in_words,
)
from homeroom.cli.folder import Folder, folder
from homeroom.cli.large import EngineOptions, opened
from homeroom.cli.options import (
    ClassOptions,
    GroupsOption,
    LessonOptions,
    ResultOptions,
    grouping,
)
from homeroom.cli.screen import Screen, progress_bars, sparkline
from homeroom.cli.students import name_of, named, selected, table_of_students, who_in_words
from homeroom.groups import AbstractGrouping, WholeClass
from homeroom.lessons import Record, save_students
from homeroom.lessons import teach as teach_class
from homeroom.lessons.arguments import can_be_verified
from homeroom.lessons.choose_engine import FEWEST

MAX_GROUPS_SHOWN = 20


def teach(
    which: ClassOptions,
    lesson: LessonOptions,
    how: EngineOptions,
    result: ResultOptions,
    *,
    groups: GroupsOption = "whole",
    watch: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Students to watch, by name or by number from 0, as in Ada,Ben.",
            rich_help_panel="The result",
            show_default="four who differ, unless there are very many",
        ),
    ] = None,
) -> None:
    """Teach a class until its goal is reached.

    The class is a file, or is drawn like the paper's. You see how it comes
    closer, how many examples the teacher showed (T) and a student saw on
    average (S). A Parquet or .npz file that does not fit into memory, or a
    folder of them, is read piece by piece, by several processes or on a Dask
    cluster.

    [bold]Examples[/bold]
    $ homeroom teach
    $ homeroom teach pupils.csv --groups by-rate --magnitude dynamic
    $ homeroom teach pupils.csv --pool questions.npy --eps 0.2 --out lesson
    $ homeroom teach students.parquet --verify --scheduler tcp://scheduler:8786
    """
    screen = Screen(as_json=result.json)
    settings = lesson.settings(which.max_bytes)
    if how.verify:
        can_be_verified(settings["learner"])
    with folder(result.out, force=result.force) as out:
        with (
            progress_bars("Teaching") as (progress, reading),
            opened(which, how, reading, splits=_splits(groups, watch)) as room,
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
            if how.verify and out:  # everybody's distance, and the exact error, in one pass
                record = save_students(room, record, out / table_of_students())
        document = _document(room, record, watched)
        if out:
            _write(out, room, record, watched, document)
    _show(screen, room, record, watched)
    screen.result(document)
    report.say_where(screen, result.out)


def _splits(groups: str, watch: str | None) -> str | None:
    """Return the option that asks for single students, if there is one."""
    if watch is not None:
        return "--watch"
    return None if groups.strip() == "whole" else f"--groups {groups}"


def _watched(
    room: Classroom | LargeClass, split: AbstractGrouping, names: str | None, engine: str
) -> dict[str, int]:
    """Return who is watched: those who are named, or four where a sketch would not be taken."""
    if isinstance(room, LargeClass):
        return {}
    if names is not None:
        return named(room, [name.strip() for name in names.split(",") if name.strip()])
    alone = engine == "exact" or (engine == "auto" and room.students < FEWEST)
    return selected(room) if alone and isinstance(split, WholeClass) else {}


def _document(
    room: Classroom | LargeClass, record: Record, watched: Mapping[str, int]
) -> dict[str, Any]:
    return {
        "class": class_as_values(room, record),
        "lesson": record_as_values(record),
        "settings": dict(record.settings),
        "errors": record.errors,
        "watched": _watched_as_values(room, record, watched),
        "rounds_by_group": record.transcript.rounds,
        "students_by_group": record.sizes,
    }


def _watched_as_values(
    room: Classroom | LargeClass, record: Record, watched: Mapping[str, int]
) -> list[dict[str, Any]]:
    if isinstance(room, LargeClass):
        return []
    return [
        {"student": name_of(room, student), "who": who, "errors": record.watched_errors[:, i]}
        for i, (who, student) in enumerate(watched.items())
    ]


def _write(
    out: Folder,
    room: Classroom | LargeClass,
    record: Record,
    watched: Mapping[str, int],
    document: dict[str, Any],
) -> None:
    record.save(out / "record.npz")
    pictures = report.lesson_figures(record, watched)
    for name, (drawn, _) in pictures.items():
        out.figure(name, drawn)
    out.page(report.lesson_page(room, record, pictures, student_rows(room, record, watched)))
    out.result(document)


def student_rows(
    room: Classroom | LargeClass, record: Record, watched: Mapping[str, int]
) -> list[tuple[str, str, str, str]]:
    """Return a row for each watched student: who she is, rate, distance before and after."""
    if isinstance(room, LargeClass):
        return []
    return [
        (
            who_in_words(room, who, student),
            f"{float(room.rates[student]):.3g}",
            f"{record.watched_errors[0, i] ** 0.5:.3g}",
            f"{record.watched_errors[-1, i] ** 0.5:.3g}",
        )
        for i, (who, student) in enumerate(watched.items())
    ]


def _show(
    screen: Screen, room: Classroom | LargeClass, record: Record, watched: Mapping[str, int]
) -> None:
    settings = record.settings
    screen.title("The lesson")
    screen.facts(
        [
            ("class", class_in_words(room, record)),
            ("teacher", thing_in_words(settings["teacher"])),
            ("goal", thing_in_words(settings["goal"])),
            ("groups", thing_in_words(settings["groups"])),
            *(
                (part, thing_in_words(settings[part]))
                for part, usual in (("observer", "exact"), ("learner", "gradient"))
                if thing_in_words(settings[part]) not in (usual, f"{usual} (loss squared)")
            ),
        ]
    )
    screen.title("What it took")
    screen.facts(
        [
            ("rounds, T", f"{record.rounds}"),
            ("workload, S", f"{record.workload:.1f}"),
            (
                "error",
                f"{record.errors[0]:.3g} → {record.errors[-1]:.3g}   {sparkline(record.errors)}",
            ),
            *plans_in_words(record),
            *engine_in_words(record),
            *((name, str(number)) for name, number in record.counts.items() if number),
        ]
    )
    if watched:
        screen.table(
            report.STUDENT_HEADER,
            student_rows(room, record, watched),
        )
    elif 1 < len(record.transcript.rounds) <= MAX_GROUPS_SHOWN:
        screen.table(("group", "students", "rounds"), report.group_rows(record))
    else:
        screen.gap()
    screen.ending(record)
