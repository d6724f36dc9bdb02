"""The table of an activity: one item per row, with its label, text, explanation and place."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from typing import NamedTuple

from homeroom._checks import InputError
from homeroom.live.activities.base import MOST_OPTIONS
from homeroom.live.refused import Refused
from homeroom.tables import ColumnNames, find_column, head, rows_in
from homeroom.tables.spreadsheet import spreadsheet_rows

SPREADSHEET = b"PK\x03\x04"
"""How spreadsheets begin."""

LARGEST = 4 * 2**20
MOST_ITEMS = 2000
LONGEST = 2000
"""Characters that a cell may have."""

LONGEST_ID = 100
SEPARATOR = "|"
"""Separates the options of an item in one cell."""

NAMES: ColumnNames = {
    "item": ("item", "id", "name"),
    "label": ("label", "answer", "class"),
    "picture": ("picture", "image", "file", "filename"),
    "text": ("text", "statement"),
    "question": ("question",),
    "explanation": ("explanation", "because", "why"),
    "options": ("options", "answers", "choices"),
}
"""The accepted names of columns; places are in ``x1``, ``x2``, ... (or ``x``, ``y``), and the
options of an item in one column, separated by ``|``, or in ``option1``, ``option2``, ..."""


class Row(NamedTuple):
    """One item as the table has it."""

    item: str
    label: str
    picture: str
    text: str
    explanation: str
    place: tuple[float, ...]
    question: str = ""
    options: tuple[str, ...] = ()


def rows_of(data: bytes, name: str = "The table") -> list[Row]:
    r"""Return the items of a table.

    >>> rows_of(b"item,label,x1\nmoth,no,0.5\nbee,yes,-1")[1].place
    (-1.0,)
    >>> rows_of(b"item,label,options\nFrance,Paris,Lyon|Paris|Nice")[0].options
    ('Lyon', 'Paris', 'Nice')
    """
    if len(data) > LARGEST:
        raise Refused("table_large", name=name, most=LARGEST >> 20)
    cells = cells_of(data, name)
    if not cells:
        raise Refused("table_empty", name=name)
    header = head(cells[0])
    columns = _columns(header, name)
    body = [row for row in cells[1:] if any(cell.strip() for cell in row)]
    if len(body) > MOST_ITEMS:
        raise Refused("table_items", name=name, items=len(body), most=MOST_ITEMS)
    return [_row(row, columns, number, name) for number, row in enumerate(body, start=2)]


def cells_of(data: bytes, name: str) -> list[list[str]]:
    """Return the cells of a table; refuse a file that is not one."""
    if data.startswith(SPREADSHEET):
        try:
            return spreadsheet_rows(io.BytesIO(data), name)
        except InputError as why:
            raise Refused("spreadsheet", why=str(why)) from None
    try:
        cells = list(rows_in(data))
    except ValueError as why:
        raise Refused("table_unreadable", name=name, why=str(why)) from None
    if any("\0" in cell for row in cells for cell in row):
        raise Refused("table_no_text", name=name)
    return cells


class Columns(NamedTuple):
    """The columns of a table: those with a name, the axes of the places, and the options."""

    named: Mapping[str, int]
    axes: list[int]
    options: list[int]


def _columns(header: list[str], name: str) -> Columns:
    places = {part: find_column(header, names) for part, names in NAMES.items()}
    found = {part: place for part, place in places.items() if place is not None}
    if "item" not in found and "picture" in found:
        found["item"] = found["picture"]
    if "question" in found and not found.keys() & {"text", "options"} and "option1" not in header:
        found["text"] = found.pop("question")  # as in version 0.1
    if "item" not in found or "label" not in found:
        raise Refused("table_columns", name=name, columns=", ".join(header)[:200])
    axes = _numbered(header, "x") or _numbered(header, "xyz")
    return Columns(found, axes, _numbered(header, "option"))


def _numbered(header: list[str], name: str) -> list[int]:
    """Return the columns x1, x2, ... or option1, option2, ...; or x, y, z for ``"xyz"``."""
    names = list(name) if name == "xyz" else [f"{name}{number}" for number in range(1, 9)]
    found = []
    for one in names:
        if one not in header:
            break
        found.append(header.index(one))
    return found


def _row(row: list[str], columns: Columns, number: int, name: str) -> Row:
    if any(len(cell) > LONGEST for cell in row):
        raise Refused("table_cell", name=name, most=LONGEST, line=number)
    values = {
        part: row[column].strip() if column < len(row) else ""
        for part, column in columns.named.items()
    }
    if not values["item"] or not values["item"].isprintable() or len(values["item"]) > LONGEST_ID:
        raise Refused("table_item", name=name, line=number, most=LONGEST_ID)
    options = [row[column] for column in columns.options if column < len(row)]
    options += values.get("options", "").split(SEPARATOR)
    options = [option.strip() for option in options if option.strip()]
    right = 2 <= len(options) == len(set(options)) <= MOST_OPTIONS
    if options and not (right and max(map(len, options)) <= LONGEST_ID):
        longest = LONGEST_ID
        raise Refused("table_options", name=name, line=number, most=MOST_OPTIONS, longest=longest)
    return Row(
        values["item"],
        values["label"],
        values.get("picture", ""),
        values.get("text", ""),
        values.get("explanation", ""),
        tuple(_number(row, axis, number, name) for axis in columns.axes),
        values.get("question", ""),
        tuple(options),
    )


def _number(row: list[str], column: int, line: int, name: str) -> float:
    text = row[column].strip() if column < len(row) else ""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise Refused("table_place", name=name, place=text[:40], line=line)
    return value
