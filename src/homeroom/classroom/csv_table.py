"""A class as ``.csv``, a table that a spreadsheet opens."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom._files import refuse_size
from homeroom.classroom import tables
from homeroom.classroom.room import Classroom
from homeroom.classroom.tables import Mask, NamedColumns
from homeroom.tables.text import (
    announced_delimiter,
    delimiter_of,
    encoding_of,
    has_decimal_commas,
)

MOST_COMMENTS = 64
"""The most lines above the header."""


def read(path: Path, max_bytes: int, named: NamedColumns | None = None) -> dict[str, Any]:
    """Return the parts of a class that the file holds.

    Cells may be separated by commas, semicolons, tabs, bars or blanks. Where they are not separated
    by commas, numbers may have a decimal comma.
    """
    refuse_size(path, path.stat().st_size, max_bytes)
    try:
        with path.open(encoding=encoding_of(path), newline="") as file:
            sheet = _read_head(path, iter(file))
            lines = list(sheet.rows(file))
        places = tables.columns(path, sheet.header, named)
        names = sheet.names(lines, places.get("student"))
        lines = sheet.with_points(lines, [places[name] for name in places if name != "student"])
    except csv.Error as reason:
        raise InputError(f"{path} cannot be read as a table: {reason}.") from None

    def numbers(chosen: Mask, wanted: list[str]) -> Floats:
        rows = [line for line, yes in zip(lines, chosen.tolist(), strict=True) if yes]
        return sheet.numbers(rows, np.flatnonzero(chosen), [places[name] for name in wanted])

    return sheet.radii | tables.parts(path, places, names, len(lines), numbers)


@dataclass(frozen=True)
class _Sheet:
    """How a table is written: what separates its cells, its header, and the radii above it."""

    path: Path
    delimiter: str | None
    header: list[str]
    radii: dict[str, float]

    def rows(self, lines: Iterator[str]) -> Iterator[str]:
        """Yield the rows that are not blank; a quoted name may run over several lines."""
        begun: list[str] = []
        inside_quotes = False
        blank = f" \t\r\n{self.delimiter or ''}"
        for line in lines:
            if '"' in line:
                inside_quotes ^= bool(line.count('"') % 2)
            if begun or inside_quotes:
                begun.append(line)
                if not inside_quotes:
                    yield "".join(begun)
                    begun = []
            elif line.strip(blank):  # spreadsheets write blank rows as ;;;;
                yield line
        if begun:
            yield "".join(begun)

    def names(self, lines: list[str], place: int | None) -> list[str] | None:
        """Return the names in that column, if there is one, once every row has the right width."""
        names: list[str] = []
        for number, line in enumerate(lines, start=1):
            cells = self.cells(line)
            if len(cells) != len(self.header):
                raise InputError(
                    f"{self.path} must have {len(self.header)} cells in each row, as in its header,"
                    f" but row {number} after the header has {len(cells)}."
                )
            if place is not None:  # blanks around a name count only where quotes are used
                names.append(cells[place] if '"' in line else cells[place].strip())
        return None if place is None else names

    def cells(self, line: str) -> list[str]:
        """Return the cells of a row."""
        if '"' in line:
            return next(csv.reader([line], delimiter=self.delimiter or " "))
        return line.rstrip("\r\n").split(self.delimiter)

    def numbers(self, rows: list[str], at: _arrays.Ints, places: list[int]) -> Floats:
        """Return the numbers in some columns, shape ``(rows, columns)``.

        ``at`` has the position of each row in the table, for errors.
        """
        try:
            # A quoted cell is read like any other: "0.5" is 0.5.
            table: Floats = np.loadtxt(
                rows,
                delimiter=self.delimiter,
                usecols=places,
                quotechar='"',
                comments=None,
                ndmin=2,
            )
        except ValueError as reason:
            where = self._first_that_is_no_number(rows, at, places) or str(reason)
            raise InputError(f"{self.path} must have numbers in every row, but {where}.") from None
        return table

    def with_points(self, rows: list[str], places: list[int]) -> list[str]:
        """Return the rows with decimal points instead of decimal commas."""
        if self.delimiter == "," or not any("," in row for row in rows):
            return rows
        cells = [each[place] for each in map(self.cells, rows) for place in places]
        commas = has_decimal_commas(self.path, cells)
        return [row.replace(",", ".") for row in rows] if commas else rows

    def _first_that_is_no_number(
        self, rows: list[str], at: _arrays.Ints, places: list[int]
    ) -> str | None:
        for row, line in zip(at.tolist(), rows, strict=True):
            cells = self.cells(line)
            for place in places:
                if math.isnan(_number(cells[place])):
                    return (
                        f"has {cells[place][:40]!r} in column "
                        f"{ascii(self.header[place].strip()[:40])[1:-1]} of row {row + 1} "
                        "after the header"
                    )
        return None


def _read_head(path: Path, lines: Iterator[str]) -> _Sheet:
    """Read up to the header, which names the columns."""
    radii: dict[str, float] = {}
    announced = None
    for line in islice(lines, MOST_COMMENTS):
        # A spreadsheet encloses a comment in quotes, and adds the delimiters of its other cells.
        bare = line.strip('" ,;|\t\r\n')
        if bare.startswith("#"):
            radii |= tables.radii_from(path, bare.split())
        elif announced is None and (mark := announced_delimiter(line)):
            announced = mark
        elif bare:
            delimiter = announced or delimiter_of(line)
            return _Sheet(path, delimiter, _header(line, lines, delimiter), radii)
    raise InputError(
        f"{path} has no header: the first line names the columns, as in student,rate,w1,w2."
    )


def _header(first: str, lines: Iterator[str], delimiter: str | None) -> list[str]:
    """Return the names of the columns; a quoted name may run over several lines."""
    if delimiter is None:
        return first.split()
    return next(csv.reader(chain([first], lines), delimiter=delimiter))


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return math.nan


def write(room: Classroom, path: Path) -> None:
    """Write the students, then the target; numbers in full, so that they come back the same."""
    states, rates = _arrays.to_numpy(room.states), _arrays.to_numpy(room.rates)
    names = tables.names_of(room)
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(f"# homeroom: {tables.radii_as_text(room)}\n")
        file.write(",".join(["student", "rate", *tables.weight_names(room)]) + "\n")
        for name, rate, row in zip(names, rates.tolist(), states.tolist(), strict=True):
            file.write(_line(name, repr(rate), row))
        file.write(_line(tables.TARGET, "", _arrays.small(room.target).tolist()))


def _line(name: str, rate: str, row: Sequence[float]) -> str:
    if any(mark in name for mark in ',"\r\n') or name != name.strip():
        name = '"' + name.replace('"', '""') + '"'
    return f"{name},{rate},{','.join(map(repr, row))}\n"
