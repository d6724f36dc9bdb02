"""``homeroom group``: who learns with whom."""

from __future__ import annotations

import csv
from typing import Any

import numpy as np

from homeroom import _arrays
from homeroom._words import counted
from homeroom.classroom import Classroom
from homeroom.cli import report
from homeroom.cli.describe import class_as_values, class_in_words, record_as_values, thing_in_words
from homeroom.cli.folder import Folder, folder
from homeroom.cli.options import (
    ClassOptions,
    GroupsOption,
    LessonOptions,
    ResultOptions,
    grouping,
)
from homeroom.cli.screen import Screen, progress_bar
from homeroom.cli.students import name_of
from homeroom.lessons import Record
from homeroom.lessons import teach as teach_class

MAX_SHOWN = 20


def group(
    which: ClassOptions,
    lesson: LessonOptions,
    result: ResultOptions,
    groups: GroupsOption = "by-rate",
) -> None:
    """Split a class into groups, and see what each needs.

    With --out, groups.csv says for every student which group she is in.

    [bold]Examples[/bold]
    $ homeroom group pupils.csv --groups by-knowledge:k=3
    $ homeroom group pupils.csv --groups by-rate --out groups
    $ homeroom teach pupils.csv --groups groups/groups.csv
    """
    screen = Screen(as_json=result.json)
    room = which.room()
    split = grouping(groups, room)
    settings = lesson.settings(which.max_bytes)
    with folder(result.out, force=result.force) as out:
        with progress_bar("Teaching the groups") as progress:
            record = teach_class(
                room,
                groups=split,
                max_rounds=lesson.max_rounds,
                seed=which.seed,
                progress=progress,
                **settings,
            )
        document = _document(room, record)
        if out:
            _write(out, room, record, document)
    _show(screen, room, record)
    screen.result(document)
    report.say_where(screen, result.out)


def _groups(room: Classroom, record: Record) -> list[dict[str, Any]]:
    # O(students log students), however many groups there are.
    rates = _arrays.to_numpy(room.rates)[np.argsort(record.group_of, kind="stable")]
    starts = np.cumsum(record.sizes) - record.sizes
    slowest, fastest = np.minimum.reduceat(rates, starts), np.maximum.reduceat(rates, starts)
    return [
        {
            "group": number + 1,
            "students": int(record.sizes[number]),
            "slowest_rate": float(slowest[number]),
            "fastest_rate": float(fastest[number]),
            "rounds": int(record.transcript.rounds[number]),
        }
        for number in range(len(record.transcript.rounds))
    ]


def _rows(groups: list[dict[str, Any]]) -> list[tuple[str, str, str, str, str]]:
    return [
        (
            str(each["group"]),
            str(each["students"]),
            f"{each['slowest_rate']:.3g}",
            f"{each['fastest_rate']:.3g}",
            str(each["rounds"]),
        )
        for each in groups
    ]


def _document(room: Classroom, record: Record) -> dict[str, Any]:
    return {
        "class": class_as_values(room),
        "lesson": record_as_values(record),
        "settings": dict(record.settings),
        "groups": _groups(room, record),
        "group_of": record.group_of + 1,
    }


def _write(out: Folder, room: Classroom, record: Record, document: dict[str, Any]) -> None:
    with (out / "groups.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["student", "group"])
        writer.writerows(
            [name_of(room, student), int(number) + 1]
            for student, number in enumerate(record.group_of)
        )
    record.save(out / "record.npz")
    pictures: report.Pictures = {"groups": (report.group_figure(record), report.GROUP_CAPTION)}
    out.figure("groups", pictures["groups"][0])
    out.page(report.groups_page(record, _rows(document["groups"]), pictures))
    out.result(document)


def _show(screen: Screen, room: Classroom, record: Record) -> None:
    screen.title("Who learns with whom")
    screen.facts(
        [("class", class_in_words(room)), ("groups", thing_in_words(record.settings["groups"]))]
    )
    groups = _groups(room, record)
    most = max(1, *(each["rounds"] for each in groups))
    bars = [each["rounds"] / most for each in groups]
    screen.table(report.GROUP_HEADER, _rows(groups)[:MAX_SHOWN], bars=bars)
    if len(groups) > MAX_SHOWN:
        more = counted(len(groups) - MAX_SHOWN, "group")
        screen.say(f"  ... and {more} more; --json and --out have all.")
    screen.facts([("rounds, T", f"{record.rounds}"), ("workload, S", f"{record.workload:.1f}")])
    screen.gap()
    screen.ending(record)
