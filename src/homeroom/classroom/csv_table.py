"""A class as ``.csv``, a table that a spreadsheet opens."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom._files import refuse_size
from homeroom.classroom import tables
from homeroom.classroom.room import Classroom
from homeroom.classroom.tables import Mask


def read(path: Path, max_bytes: int) -> dict[str, Any]:
    """Return the parts of a class that the file holds."""
    refuse_size(path, path.stat().st_size, max_bytes)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            radii, header = _read_head(path, file)
            places = tables.columns(path, header)
            lines = list(_rows(file))
        names = _names(path, lines, len(header), places.get("student"))
    except UnicodeDecodeError as reason:
        raise InputError(f"{path} must be UTF-8 text ({reason}): save it as such.") from None
    except csv.Error as reason:
        raise InputError(f"{path} cannot be read as a table: {reason}.") from None

    def numbers(chosen: Mask, wanted: list[str]) -> Floats:
        return _numbers(path, lines, chosen, {name: places[name] for name in wanted})

    return radii | tables.parts(path, places, names, len(lines), numbers)


def _read_head(path: Path, file: TextIO) -> tuple[dict[str, float], list[str]]:
    radii: dict[str, float] = {}
    for line in islice(file, 64):
        if line.startswith("#"):
            radii |= tables.radii_from(path, line.split())
        elif line.strip():
            return radii, next(csv.reader([line]))
    raise InputError(
        f"{path} has no header: the first line names the columns, as in student,rate,w1,w2."
    )


def _rows(file: TextIO) -> Iterator[str]:
    """Yield the rows that are not blank; a quoted name may run over several lines."""
    begun: list[str] = []
    inside_quotes = False
    for line in file:
        if '"' in line:
            inside_quotes ^= bool(line.count('"') % 2)
        if begun or inside_quotes:
            begun.append(line)
            if not inside_quotes:
                yield "".join(begun)
                begun = []
        elif not line.isspace():
            yield line
    if begun:
        yield "".join(begun)


def _names(path: Path, lines: list[str], width: int, place: int | None) -> list[str] | None:
    """Return the names in that column, if there is one, once every row has the right width."""
    names: list[str] = []
    for number, line in enumerate(lines, start=1):
        cells = _cells(line)
        if len(cells) != width:
            raise InputError(
                f"{path} must have {width} cells in each row, as in its header, "
                f"but row {number} after the header has {len(cells)}."
            )
        if place is not None:  # blanks around a name count only where quotes are used
            names.append(cells[place] if '"' in line else cells[place].strip())
    return None if place is None else names


def _cells(line: str) -> list[str]:
    if '"' in line:
        return next(csv.reader([line]))
    return line.rstrip("\r\n").split(",")


def _numbers(path: Path, lines: list[str], chosen: Mask, places: dict[str, int]) -> Floats:
    rows = [line for line, yes in zip(lines, chosen.tolist(), strict=True) if yes]
    try:
        # A quoted cell is read like any other: "0.5" is 0.5.
        table: Floats = np.loadtxt(
            rows,
            delimiter=",",
            usecols=list(places.values()),
            quotechar='"',
            comments=None,
            ndmin=2,
        )
    except ValueError as reason:
        where = _first_that_is_no_number(lines, chosen, places) or str(reason)
        raise InputError(f"{path} must have numbers in every row, but {where}.") from None
    return table


def _first_that_is_no_number(lines: list[str], chosen: Mask, places: dict[str, int]) -> str | None:
    for row in np.flatnonzero(chosen):
        cells = _cells(lines[row])
        for name, place in places.items():
            if math.isnan(_number(cells[place])):
                return (
                    f"has {cells[place][:40]!r} in column {name} of row {row + 1} after the header"
                )
    return None


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
