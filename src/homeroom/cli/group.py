"""``homeroom group``: split a class into groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from homeroom import _arrays
from homeroom.classroom import Classroom
from homeroom.cli.options import ClassOptions, GroupsOption, LessonOptions, grouping
from homeroom.cli.output import ResultOptions, csv_file, lesson_bar
from homeroom.cli.report import (
    Chart,
    CommandReport,
    Facts,
    Table,
    class_as_values,
    class_in_words,
    name_of,
    record_as_values,
    setting_in_words,
)
from homeroom.lessons import Record
from homeroom.lessons import teach as teach_class

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_GROUPS = 20
"""The most groups that are shown one by one."""


def group(
    which: ClassOptions,
    lesson: LessonOptions,
    result: ResultOptions,
    groups: GroupsOption = "by-rate",
) -> None:
    """Split a class into groups, and show what each group needs.

    With --out, groups.csv lists the group of every student.

    [bold]Examples[/bold]
    $ homeroom group students.csv --groups by-knowledge:k=3
    $ homeroom group students.csv --groups by-rate --out groups
    $ homeroom teach students.csv --groups groups/groups.csv
    """
    room = which.room()
    split = grouping(groups, room)
    settings = lesson.settings(which.max_bytes)
    with result.folder() as out:
        with lesson_bar("Teaching the groups") as progress:
            record = teach_class(
                room,
                groups=split,
                max_rounds=lesson.max_rounds,
                seed=which.seed,
                progress=progress,
                **settings,
            )
        report = groups_report(room, record)
        out.write(report)
    result.show(report)


def groups_report(room: Classroom, record: Record) -> CommandReport:
    """Return the report of a split."""
    groups = _groups(room, record)
    values = {
        "class": class_as_values(room),
        "lesson": record_as_values(record),
        "settings": record.settings_and_results(),
        "groups": groups,
        "group_of": record.group_of + 1,
    }
    names = csv_file(
        ["student", "group"],
        lambda: (
            [name_of(room, student), int(number) + 1]
            for student, number in enumerate(record.group_of)
        ),
    )
    report = CommandReport("Groups", values, {"groups.csv": names, "record.npz": record.save})
    rows = [
        (
            str(each["group"]),
            str(each["students"]),
            f"{each['slowest_rate']:.3g}",
            f"{each['fastest_rate']:.3g}",
            str(each["rounds"]),
        )
        for each in groups
    ]
    longest = max(1, *(each["rounds"] for each in groups))
    report.add(
        Facts(
            [
                ("class", class_in_words(room)),
                ("groups", setting_in_words(record.settings["groups"])),
            ]
        ),
        Table(
            ("group", "students", "slowest", "fastest", "rounds"),
            rows,
            bars=[each["rounds"] / longest for each in groups],
            most=MOST_GROUPS,
        ),
        groups_chart(record),
        Facts([("rounds, T", f"{record.rounds}"), ("workload, S", f"{record.workload:.1f}")]),
    )
    report.add_ending(record)
    return report


def _groups(room: Classroom, record: Record) -> list[dict[str, Any]]:
    """Return size, range of rates and rounds of each group."""
    # O(students log students), whatever the number of groups.
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


def groups_chart(record: Record) -> Chart:
    """Return the chart of a lesson's groups, those that need most rounds first."""

    def draw() -> Figure:
        from homeroom import plots

        order = np.argsort(-record.transcript.rounds, kind="stable")
        figure, ax = plots.panel(6.4, 3.2)
        plots.group_bars(record.sizes[order], record.transcript.rounds[order], ax=ax)
        return figure

    return Chart(
        "groups",
        draw,
        "Rounds per group, the groups that need most first. The width of a bar is the size of its "
        "group, so its area is the work of its students.",
    )
