"""``homeroom group``: split a class into groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from homeroom import _arrays, plots
from homeroom.classroom import Classroom
from homeroom.cli.command import command
from homeroom.cli.files import csv_file
from homeroom.cli.options import ClassOptions, LessonOptions, find_grouping
from homeroom.cli.output import lesson_bar
from homeroom.cli.result import (
    Chart,
    Result,
    class_in_words,
    effort_in_words,
    ending,
    lesson_values,
    name_of,
    setting_in_words,
)
from homeroom.lessons import Record
from homeroom.lessons import teach as teach_class

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_GROUPS = 20
"""The most groups that are shown one by one."""


@command()
def group(which: ClassOptions, lesson: LessonOptions, *, groups: str = "by-rate") -> Result:
    """Split a class into groups, and show what each group needs.

    With --out, groups.csv lists the group of every student.

    [bold]Examples[/bold]
    $ homeroom group students.csv --groups by-knowledge:k=3
    $ homeroom group students.csv --groups by-rate --out groups
    $ homeroom teach students.csv --groups groups/groups.csv

    Parameters
    ----------
    groups : NAME[:KEY=VALUE,...]
        How the class is split: {groups}. Example: by-knowledge:k=3, or a file, groups.csv.
    """
    room = which.room()
    split, settings = find_grouping(groups, room), lesson.settings()
    with lesson_bar("Teaching the groups") as progress:
        record = teach_class(room, groups=split, seed=which.seed, progress=progress, **settings)
    rows, group_of = describe_groups(room, record), record.group_of + 1
    names = ((name_of(room, student), int(number)) for student, number in enumerate(group_of))
    result = Result(
        "Groups",
        lesson_values(room, record, groups=rows, group_of=group_of),
        {"groups.csv": csv_file(["student", "group"], names), "record.npz": record.save},
    )
    words = setting_in_words(record.settings["groups"])
    result.facts([("class", class_in_words(room)), ("groups", words)])
    longest = max(1, *(row["rounds"] for row in rows))
    result.table(
        ("group", "students", "slowest", "fastest", "rounds"),
        [[f"{x:.3g}" if isinstance(x, float) else x for x in row.values()] for row in rows],
        bars=[row["rounds"] / longest for row in rows],
        most=MOST_GROUPS,
    )
    result.add(groups_chart(record))
    result.facts(effort_in_words(record))
    result.add(ending(record))
    return result


def describe_groups(room: Classroom, record: Record) -> list[dict[str, Any]]:
    """Return size, range of rates and rounds of each group."""
    # O(students log students), whatever the number of groups.
    rates = _arrays.to_numpy(room.rates)[np.argsort(record.group_of, kind="stable")]
    starts = np.cumsum(record.sizes) - record.sizes
    columns = {
        "group": np.arange(len(record.sizes)) + 1,
        "students": record.sizes,
        "slowest_rate": np.minimum.reduceat(rates, starts),
        "fastest_rate": np.maximum.reduceat(rates, starts),
        "rounds": record.transcript.rounds,
    }
    cells = zip(*(column.tolist() for column in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in cells]


def groups_chart(record: Record) -> Chart:
    """Return the chart of a lesson's groups, those that need most rounds first."""

    def draw(ax: Axes) -> None:
        order = np.argsort(-record.transcript.rounds, kind="stable")
        plots.group_bars(record.sizes[order], record.transcript.rounds[order], ax=ax)

    return Chart(
        "groups",
        draw,
        "Rounds per group, the groups that need most first. The width of a bar is the size of its "
        "group, so its area is the work of its students.",
        3.2,
    )
