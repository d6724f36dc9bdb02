"""Files besides the class: a pool of items, and the groups of its students."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from homeroom import _plugins
from homeroom._checks import InputError
from homeroom._files import read_arrays, read_npy, reading
from homeroom.classroom import Classroom
from homeroom.classroom.tables import COLUMN_NAMES
from homeroom.cli.result import students_by_name
from homeroom.groups import AsGiven
from homeroom.pools import AbstractPool, DirectionPool, ItemPool
from homeroom.tables import Table, find_column, has_decimal_commas, quoted, refuse_dropped_rows
from homeroom.tables.delimited import read_text
from homeroom.tables.table import is_number

GROUP = ("group", "group number", "team")
"""The names by which the column of groups is known."""


def read_pool(path: Path, *, rescalable: bool) -> AbstractPool:
    """Return the pool that a name stands for, or read it from ``.npy``, ``.npz`` or ``.csv``.

    With ``rescalable``, the teacher may scale each item.

    A ``.npz`` file holds ``items`` and, if they have answers of their own, ``labels``; a ``.csv``
    file has one row of numbers per item, with or without a header.
    """
    if str(path).partition(":")[0] in _plugins.names("pools") and not rescalable:
        pool: AbstractPool = _plugins.make("pools", str(path))
        return pool
    readers: dict[str, Any] = {".npy": read_npy, ".npz": read_arrays, ".csv": _read_numbers}
    read = readers.get(path.suffix.lower())
    if read is None:
        raise InputError(f"{path} must end in .npy, .npz or .csv to be a pool of items.")
    with reading(path):
        content = read(path)
    arrays = content if isinstance(content, dict) else {"items": content}
    if "items" not in arrays:
        raise InputError(f"{path} must hold an array called `items`, one row per item.")
    try:
        if rescalable:
            return DirectionPool(arrays["items"])
        return ItemPool(arrays["items"], arrays.get("labels"))
    except InputError as reason:
        raise InputError(f"{path} is not a pool of items: {reason}") from None


def _read_numbers(path: Path) -> Any:
    """Return the rows of a table of numbers, with or without a header."""
    table = read_text(path)
    if table.header and is_number(table.header[0]):
        table = table.without_header()
    columns = _read_columns(table, range(len(table.header)))
    if not any(columns):
        raise InputError(f"{path} has no items: it needs one row of numbers per item.")
    cells = [cell for column in columns for cell in column]
    if table.delimiter != "," and has_decimal_commas(path, cells):
        cells = [cell.replace(",", ".") for cell in cells]
    try:
        numbers = np.array([float(cell) for cell in cells])
    except ValueError as reason:
        raise InputError(f"{path} must hold numbers in rows of equal length: {reason}.") from None
    return numbers.reshape(len(columns), -1).T.copy()


def _read_columns(table: Table, wanted: Sequence[int]) -> list[list[str]]:
    """Return some columns of a table; refuse one with rows that would be left out."""
    refuse_dropped_rows(table)
    return [table.texts(column) for column in wanted]


def read_groups(path: Path, room: Classroom) -> AsGiven:
    """Read a table with the columns ``student`` and ``group``, as ``homeroom group`` writes it."""
    with reading(path):
        table = read_text(path)
        student = find_column(table.header, COLUMN_NAMES["student"])
        group = find_column(table.header, GROUP)
        if student is None or group is None:
            raise InputError(
                f"{path} must have the columns student and group, one row per student, "
                f"but has {quoted(table.header)}."
            )
        students, groups = _read_columns(table, [student, group])
    labels = _order_labels(path, dict.fromkeys(students_by_name(room), ""), students, groups)
    if all(label.isdecimal() for label in labels):  # so that group 10 comes after group 9
        numbers = [int(label) for label in labels]
        place = {number: place for place, number in enumerate(sorted(set(numbers)))}
        return AsGiven(np.array([place[number] for number in numbers]))
    return AsGiven(np.array(labels))


def _order_labels(
    path: Path, group_of: dict[str, str], students: Sequence[str], groups: Sequence[str]
) -> list[str]:
    """Return the group of each student of ``group_of``, in that order."""
    for name, group in zip(map(str.strip, students), groups, strict=True):
        if name not in group_of:
            raise InputError(
                f"{path} has a row for {name!r}, but there is no such student: leave it out."
            )
        if group_of[name]:
            raise InputError(f"{path} has two rows for {name!r}: leave one out.")
        group_of[name] = group.strip()
    missing = [name for name, group in group_of.items() if not group]
    if missing:
        raise InputError(f"{path} does not state the group of student {missing[0]}: add a row.")
    return list(group_of.values())
