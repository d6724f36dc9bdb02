"""Files besides the class: a pool of items, and the groups of its students."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from homeroom import _plugins
from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom._files import read_arrays, read_npy, reading, refuse_size
from homeroom.classroom import Classroom
from homeroom.classroom.tables import COLUMN_NAMES
from homeroom.cli.report import students_by_name
from homeroom.groups import AsGiven
from homeroom.pools import AbstractPool, DirectionPool, ItemPool
from homeroom.tables import find_column, has_decimal_commas, quoted, refuse_dropped_rows
from homeroom.tables.delimited import DelimitedTable

GROUP = ("group", "group number", "team")
"""The names by which the column of groups is known."""


def read_pool(path: Path, *, rescalable: bool, max_bytes: int) -> AbstractPool:
    """Return the pool that a name stands for, or read it from ``.npy``, ``.npz`` or ``.csv``.

    With ``rescalable``, the teacher may scale each item.

    A ``.npz`` file holds ``items`` and, if they have answers of their own, ``labels``; a ``.csv``
    file has one row of numbers per item, with or without a header.
    """
    if str(path).partition(":")[0] in _plugins.names("pools") and not rescalable:
        pool: AbstractPool = _plugins.make("pools", str(path))
        return pool
    readers = {".npy": _pool_npy, ".npz": _pool_npz, ".csv": _pool_csv}
    read = readers.get(path.suffix.lower())
    if read is None:
        raise InputError(f"{path} must end in .npy, .npz or .csv to be a pool of items.")
    with reading(path):
        arrays = read(path, max_bytes)
    try:
        if rescalable:
            return DirectionPool(arrays["items"])
        return ItemPool(arrays["items"], arrays.get("labels"))
    except InputError as reason:
        raise InputError(f"{path} is not a pool of items: {reason}") from None


def _pool_npy(path: Path, max_bytes: int) -> dict[str, Any]:
    return {"items": read_npy(path, max_bytes)}


def _pool_npz(path: Path, max_bytes: int) -> dict[str, Any]:
    arrays: dict[str, Any] = dict(read_arrays(path, max_bytes))
    if "items" not in arrays:
        raise InputError(f"{path} must hold an array called `items`, one row per item.")
    return arrays


def _pool_csv(path: Path, max_bytes: int) -> dict[str, Any]:
    """Return the items of a pool in a table of numbers, with or without a header."""
    refuse_size(path, path.stat().st_size, max_bytes)
    table = DelimitedTable(path)
    if table.header and _is_number(table.header[0]):
        table = table.without_header()
    columns = _columns(table, range(len(table.header)))
    if not any(columns):
        raise InputError(f"{path} has no items: it needs one row of numbers per item.")
    cells = [cell for column in columns for cell in column]
    if table.delimiter != "," and has_decimal_commas(path, cells):
        cells = [cell.replace(",", ".") for cell in cells]
    try:
        numbers: Floats = np.array([float(cell) for cell in cells])
    except ValueError as reason:
        raise InputError(f"{path} must hold numbers in rows of equal length: {reason}.") from None
    return {"items": numbers.reshape(len(columns), -1).T.copy()}


def _columns(table: DelimitedTable, wanted: Sequence[int]) -> list[list[str]]:
    """Return some columns of a table; refuse one with rows that would be left out."""
    columns: list[list[str]] = [[] for _ in wanted]
    for chunk in table.chunks(wanted):
        for column, cells in zip(columns, chunk, strict=True):
            column.extend(cells)
    refuse_dropped_rows(table)
    return columns


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


def read_groups(path: Path, room: Classroom) -> AsGiven:
    """Read a table with the columns ``student`` and ``group``, as ``homeroom group`` writes it."""
    with reading(path):
        table = DelimitedTable(path)
        places = [find_column(table.header, names) for names in (COLUMN_NAMES["student"], GROUP)]
        student, group = places
        if student is None or group is None:
            raise InputError(
                f"{path} must have the columns student and group, one row per student, "
                f"but has {quoted(table.header)}."
            )
        rows = list(zip(*_columns(table, [student, group]), strict=True))
    group_of = _groups_by_name(path, rows, room)
    labels = list(group_of.values())
    if all(label.isdecimal() for label in labels):  # so that group 10 comes after group 9
        numbers = [int(label) for label in labels]
        place = {number: place for place, number in enumerate(sorted(set(numbers)))}
        return AsGiven(np.array([place[number] for number in numbers]))
    return AsGiven(np.array(labels))


def _groups_by_name(path: Path, rows: list[tuple[str, str]], room: Classroom) -> dict[str, str]:
    """Return each student's group by name, in the order of the class."""
    group_of = dict.fromkeys(students_by_name(room), "")
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
            raise InputError(f"{path} does not state the group of student {name}: add a row.")
    return group_of
