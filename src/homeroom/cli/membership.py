"""Groups from a file: the ``groups.csv`` that ``homeroom group --out`` writes, or your own."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from homeroom._checks import InputError
from homeroom._files import reading
from homeroom.classroom import Classroom
from homeroom.classroom.tables import semicolons
from homeroom.cli.students import by_name
from homeroom.groups import AsGiven


def read_groups(path: Path, room: Classroom) -> AsGiven:
    """Read a table with the columns ``student`` and ``group``, a row for each student."""
    try:
        with reading(path), path.open(encoding="utf-8-sig", newline="") as file:
            table = csv.DictReader(file, restval="")
            header, rows = table.fieldnames or [], list(table)
    except (UnicodeDecodeError, csv.Error) as reason:
        raise InputError(f"{path} cannot be read as a table ({reason}).") from None
    if not rows or not {"student", "group"} <= set(header):
        raise InputError(
            f"{path} must have the columns student and group, a row for each student."
            f"{semicolons(header)}"
        )
    group_of = _groups_by_name(path, [(row["student"], row["group"]) for row in rows], room)
    labels = list(group_of.values())
    if all(label.isdecimal() for label in labels):  # so that group 10 comes after group 9
        numbers = [int(label) for label in labels]
        place = {number: place for place, number in enumerate(sorted(set(numbers)))}
        return AsGiven(np.array([place[number] for number in numbers]))
    return AsGiven(np.array(labels))


def _groups_by_name(path: Path, rows: list[tuple[str, str]], room: Classroom) -> dict[str, str]:
    """Return each student's group by her name, in the order of the class."""
    group_of = dict.fromkeys(by_name(room), "")
    for student, group in rows:
        name = student.strip()
        if name not in group_of:
            raise InputError(
                f"{path} has a row for {name!r}, but there is no such student: leave it out."
            )
        if group_of[name]:
            raise InputError(f"{path} has two rows for {name!r}: leave one out.")
        group_of[name] = group.strip()
    for name, group in group_of.items():
        if not group:
            raise InputError(f"{path} does not say in which group student {name} is: add a row.")
    return group_of
