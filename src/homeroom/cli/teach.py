"""``homeroom teach``: teach a class, and see how it comes closer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from homeroom.classroom import Classroom
from homeroom.cli import report
from homeroom.cli.describe import (
    class_as_values,
    class_in_words,
    record_as_values,
    thing_in_words,
)
from homeroom.cli.folder import Folder, folder
from homeroom.cli.options import (
    ClassOptions,
    GroupsOption,
    LessonOptions,
    ResultOptions,
    grouping,
)
from homeroom.cli.screen import Screen, progress_bar, sparkline
from homeroom.cli.students import name_of, named, selected, who_in_words
from homeroom.groups import AbstractGrouping, WholeClass
from homeroom.lessons import Record
from homeroom.lessons import teach as teach_class

MAX_GROUPS_SHOWN = 20


def teach(
    which: ClassOptions,
    lesson: LessonOptions,
    result: ResultOptions,
    groups: GroupsOption = "whole",
    watch: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Students to watch, by name or by number from 0, as in Ada,Ben.",
            rich_help_panel="The result",
            show_default="four who differ",
        ),
    ] = None,
) -> None:
    """Teach a class until its goal is reached.

    The class is a file, or is drawn like the paper's. You see how it comes closer,
    how many examples the teacher showed (T) and a student saw on average (S).

    [bold]Examples[/bold]
    $ homeroom teach
    $ homeroom teach pupils.csv --groups by-rate --magnitude dynamic
    $ homeroom teach pupils.csv --pool questions.npy --eps 0.2 --out lesson
    """
    screen = Screen(as_json=result.json)
    room = which.room()
    split = grouping(groups, room)
    settings = lesson.settings(which.max_bytes)
    watched = _watched(room, split, watch)
    with folder(result.out) as out:
        with progress_bar("Teaching") as progress:
            record = teach_class(
                room,
                groups=split,
                watch=list(watched.values()),
                max_rounds=lesson.max_rounds,
                seed=which.seed,
                progress=progress,
                **settings,
            )
        document = _document(room, record, watched)
        if out:
            _write(out, room, record, watched, document)
    _show(screen, room, record, watched)
    screen.result(document)
    report.say_where(screen, result.out)


def _watched(room: Classroom, split: AbstractGrouping, names: str | None) -> dict[str, int]:
    if names is not None:
        return named(room, [name.strip() for name in names.split(",") if name.strip()])
    return selected(room) if isinstance(split, WholeClass) else {}


def _document(room: Classroom, record: Record, watched: Mapping[str, int]) -> dict[str, Any]:
    return {
        "class": class_as_values(room),
        "lesson": record_as_values(record),
        "settings": dict(record.settings),
        "errors": record.errors,
        "watched": [
            {"student": name_of(room, student), "who": who, "errors": record.watched_errors[:, i]}
            for i, (who, student) in enumerate(watched.items())
        ],
        "rounds_by_group": record.transcript.rounds,
        "students_by_group": record.sizes,
    }


def _write(
    out: Folder,
    room: Classroom,
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
    room: Classroom, record: Record, watched: Mapping[str, int]
) -> list[tuple[str, str, str, str]]:
    """Return a row for each watched student: who she is, rate, distance before and after."""
    return [
        (
            who_in_words(room, who, student),
            f"{float(room.rates[student]):.3g}",
            f"{record.watched_errors[0, i] ** 0.5:.3g}",
            f"{record.watched_errors[-1, i] ** 0.5:.3g}",
        )
        for i, (who, student) in enumerate(watched.items())
    ]


def _show(screen: Screen, room: Classroom, record: Record, watched: Mapping[str, int]) -> None:
    settings = record.settings
    screen.title("The lesson")
    screen.facts(
        [
            ("class", class_in_words(room)),
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
