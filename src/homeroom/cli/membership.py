"""Groups from a file: the ``groups.csv`` that ``homeroom group --out`` writes, or your own."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from homeroom.classroom import Classroom
from homeroom.cli.students import name_of
from homeroom.groups import AsGiven


def read_groups(path: Path, room: Classroom) -> AsGiven:
    """Read a table with the columns ``student`` and ``group``, a row for each student."""
    if not path.is_file():
        raise ValueError(f"There is no file {path}.")
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except (UnicodeDecodeError, csv.Error) as reason:
        raise ValueError(f"{path} cannot be read as a table ({reason}).") from None
    if not rows or not {"student", "group"} <= rows[0].keys():
        raise ValueError(f"{path} must have the columns student and group, a row for each student.")
    group_of = {row["student"].strip(): (row["group"] or "").strip() for row in rows}
    labels = []
    for student in range(room.students):
        name = name_of(room, student)
        if not group_of.get(name):
            raise ValueError(f"{path} does not say in which group student {name} is: add a row.")
        labels.append(group_of[name])
    if all(label.isdecimal() for label in labels):
        return AsGiven(np.array(labels, dtype=np.int64))  # so that group 10 comes after group 9
    return AsGiven(np.array(labels))
