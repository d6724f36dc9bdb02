"""What ``.csv``, ``.parquet`` and spreadsheets share: one row per student, one for the target.

The columns are ``student`` (optional), ``rate`` and ``w1, w2, ...``; others are left alone. In a
table without ``w1, w2, ...``, all columns besides student and rate are coordinates of the state.
"""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from homeroom import _arrays
from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom._files import refuse_size
from homeroom.classroom.room import Classroom
from homeroom.tables import rows_of_file
from homeroom.tables.columns import (
    FULL_NAME,
    ColumnNames,
    find_column,
    normalized,
    normalized_header,
)
from homeroom.tables.delimited import title_lines
from homeroom.tables.table import FIRST_LINES, shell_word
from homeroom.tables.text import (
    DELIMITERS,
    announced_delimiter,
    delimiter_of,
    encoding_of,
    has_decimal_commas,
)

MAX_DIMENSIONS = 100_000
TARGET = "target"
RADII = ("state_radius", "example_radius")

COLUMN_NAMES: ColumnNames = {
    "student": (
        *("student", *(name for name in FULL_NAME if name != "kind"), "student id", "id"),
        "kind",  # German for child; elsewhere what kind of student it is
    ),
    "rate": (
        *("rate", "learning rate", "eta", "lr", "speed", "pace", "lernrate", "tempo", "vitesse"),
        *("taux", "ritmo", "velocidad", "velocità", "snelheid", "tempo uczenia", "学習率"),
    ),
}
"""The names by which a column is known, best first."""

ALSO_COORDINATES = frozenset(
    {"kind", "tempo", "vitesse", "taux", "ritmo", "velocidad", "velocità", "snelheid"}
)
"""Names that a coordinate may have as well, if other columns are the student and the rate."""

OTHER_TARGETS = frozenset({"ziel", "cible", "objetivo", "obiettivo", "doel", "cel", "mål", "目標"})
"""What the row of the target is called elsewhere; it has no rate."""

PARTS = ("student", "rate", "states")
"""The parts of a class whose columns may be named."""

NamedColumns: TypeAlias = Mapping[str, str | Sequence[str]]
"""The names of columns as users give them: for student and rate one, for states a list."""

Mask: TypeAlias = npt.NDArray[np.bool_]
Numbers: TypeAlias = Callable[[Mask, list[str]], Floats]
"""Gives the numbers in some rows and some columns, shape ``(rows, columns)``."""


def columns(
    path: Path | str, header: Sequence[str], named: NamedColumns | None = None
) -> dict[str, int]:
    """Return the positions of the columns ``student``, ``rate``, ``w1``, ``w2``, ... that exist.

    Parameters
    ----------
    path, header
        The table, for errors, and the names of its columns.
    named
        Names of columns that differ from the usual ones.
    """
    given = _check_named(named)
    places: dict[str, int] = {}
    for part, names in COLUMN_NAMES.items():
        if part in given:
            places[part] = _place(path, header, given[part][0], part)
        elif normalized_header(header).count(part) > 1:
            raise InputError(f"{path} must have one column {part}, but has several.")
        elif (place := find_column(header, names)) is not None:
            places[part] = place
    if "states" in given:
        states = [_place(path, header, name, "states") for name in given["states"]]
    else:
        states = _numbered(path, header) or _others(path, header, set(places.values()))
    if len(states) > MAX_DIMENSIONS:
        raise InputError(f"{path} has {len(states)} dimensions; at most {MAX_DIMENSIONS} are read.")
    for place, times in Counter([*places.values(), *states]).items():
        if times > 1:
            raise InputError(
                f"`columns` (--column) names {header[place].strip()[:40]!r} twice: leave one out."
            )
    return places | {f"w{number}": place for number, place in enumerate(states, start=1)}


def _check_named(named: NamedColumns | None) -> dict[str, list[str]]:
    """Return the given column names as lists, after checking that each part is known."""
    given: dict[str, list[str]] = {}
    for part, names in (named or {}).items():
        if part not in PARTS:
            raise InputError(
                f"`columns` (--column) can name {', '.join(PARTS)}, but names {str(part)[:40]!r}: "
                "write, for example, columns={'rate': 'Speed', 'states': ['algebra', 'geometry']}."
            )
        several = [names] if isinstance(names, str) else list(names)
        if not several or (part != "states" and len(several) > 1):
            raise InputError(f"`columns` (--column) must name one column for the {part}.")
        given[part] = several
    return given


def _place(path: Path | str, header: Sequence[str], name: str, part: str) -> int:
    """Return the position of a column that is named for some part."""
    spelt = normalized_header(header)
    found = spelt.count(normalized(name))
    if found != 1:
        raise InputError(
            f"{path} must have one column {name[:40]!r} for the {part}, but has {found or 'none'}: "
            f"its columns are {_shown(header)}."
        )
    return spelt.index(normalized(name))


def _numbered(path: Path | str, header: Sequence[str]) -> list[int]:
    """Return the positions of ``w1, w2, ...``; empty if there is none."""
    lowered = [name.strip().lower() for name in header]
    weights = [name for name in lowered if name[:1] == "w" and name[1:].isdigit()]
    known = [f"w{i}" for i in range(1, len(weights) + 1)]
    if set(known) != set(weights):
        raise _no_states(path, header)
    places = {name: place for place, name in enumerate(lowered)}
    return [places[name] for name in known]


def _others(path: Path | str, header: Sequence[str], taken: set[int]) -> list[int]:
    """Return the positions of all columns with a name that are not taken yet."""
    # Neither a second column for the students, nor the index that data frames store.
    known = {"", *(normalized(name) for names in COLUMN_NAMES.values() for name in names)}
    free = {
        place: name
        for place, name in enumerate(normalized_header(header))
        if name not in known - ALSO_COORDINATES
        and place not in taken
        and not header[place].startswith("__")
    }
    if not free:
        raise _no_states(path, header)
    name, times = Counter(free.values()).most_common(1)[0]
    if times > 1:
        raise InputError(f"{path} has several columns {name[:40]!r}: name each column once.")
    return list(free)


def _no_states(path: Path | str, header: Sequence[str]) -> InputError:
    return InputError(
        f"{path} must have the columns w1, w2, ... without a gap, but has {_shown(header)}."
    )


def parts(
    path: Path,
    header: Sequence[str],
    places: dict[str, int],
    names: list[str] | None,
    *,
    rows: int,
    numbers: Numbers,
) -> dict[str, Any]:
    """Return the parts of a class that the table holds: target, rates, states, names.

    Parameters
    ----------
    path, header
        The table, for errors, and the names of its columns.
    places
        The position of each column, as :func:`columns` returns them.
    names
        The text in the column ``student`` of each row, if there is one.
    rows
        The number of rows.
    numbers
        Returns the numbers in chosen rows and columns.
    """
    if not rows:
        raise InputError(f"{path} has a header but no students.")
    is_target = _target_rows(places, names, rows)
    weights = [name for name in places if name not in ("student", "rate")]
    found: dict[str, Any] = {}
    if is_target.any():
        if is_target.sum() > 1:
            raise InputError(f"{path} must have one target row, but has {is_target.sum()}.")
        found["target"] = numbers(is_target, weights)[0]
    if not is_target.all():
        if "rate" not in places:
            raise no_rate(path, header)
        table = numbers(~is_target, ["rate", *weights])
        found["rates"], found["states"] = table[:, 0].copy(), table[:, 1:].copy()
        if names is not None:
            found["names"] = [
                name for name, no in zip(names, is_target.tolist(), strict=True) if not no
            ]
    return found


def no_rate(path: Path | str, header: Sequence[str]) -> InputError:
    """Return the error for a table without rates."""
    known = {normalized(name) for name in COLUMN_NAMES["student"]}
    free = [name.strip() for name in header if normalized(name) not in known]
    usual = (name for name in free if 0 < len(name) <= 40 and not name[1:].isdigit())
    example = next(usual, "Speed")
    return InputError(
        f"{path} must have a column rate: how fast each student learns. Its columns are "
        f"{_shown(header)}. If one of them is the rate, name it: columns={{'rate': {example!r}}}, "
        f"--column rate={shell_word(example)}."
    )


def _target_rows(places: dict[str, int], names: list[str] | None, rows: int) -> Mask:
    """Return for each row whether it is the target's."""
    if names is not None:
        return np.asarray([is_target(name) for name in names], dtype=np.bool_)
    # A table of one row without a name and a rate is a separate file for the target.
    return np.full(rows, rows == 1 and "rate" not in places)


def is_target(name: str) -> bool:
    """Return whether a row of this name is the target."""
    stripped = name.strip()
    return len(stripped) == len(TARGET) and stripped.lower() == TARGET


def radii_from(path: Path, words: Iterable[str]) -> dict[str, float]:
    """Return the radii among words such as ``state_radius=2.0``."""
    radii: dict[str, float] = {}
    for word in words:
        name, _, value = word.partition("=")
        if name in RADII:
            try:
                radii[name] = float(value)
            except ValueError:
                raise InputError(f"{path} is not a class: {word[:60]!r} is not a number.") from None
    return radii


def radii_as_text(room: Classroom) -> str:
    """Return the words that :func:`radii_from` reads."""
    return f"state_radius={room.state_radius!r} example_radius={room.example_radius!r}"


def weight_names(room: Classroom) -> list[str]:
    """Return ``w1, w2, ...``, one for each dimension."""
    return [f"w{i}" for i in range(1, room.dimensions + 1)]


def names_of(room: Classroom) -> Sequence[str]:
    """Return the students' names, or their numbers if they have none."""
    names = room.names if room.names is not None else [str(i) for i in range(room.students)]
    for name in names:
        if is_target(name):
            raise InputError(
                f"A table cannot hold a student named {name!r}: rename that student, "
                "or save the class as .npz."
            )
    return names


def _shown(header: Sequence[str]) -> str:
    """Return the beginning of a header, for an error message."""
    some = [(repr if _has_usual_digits(name) else ascii)(name[:40])[1:-1] for name in header[:8]]
    return ", ".join(some) + (", ..." if len(header) > 8 else "")


def _has_usual_digits(name: str) -> bool:
    """Return whether all digits are ASCII, so that none looks like another."""
    return not any(one.isdigit() and not one.isascii() for one in name)


MOST_COMMENTS = 64
"""The most lines above the header."""


def read_csv(path: Path, max_bytes: int, named: NamedColumns | None = None) -> dict[str, Any]:
    """Return the parts of a class that the file holds.

    Cells may be separated by commas, semicolons, tabs, bars or blanks. Where they are not separated
    by commas, numbers may have a decimal comma. A title may be above the header.
    """
    refuse_size(path, path.stat().st_size, max_bytes)
    with path.open(encoding=encoding_of(path), newline="") as file:
        first = list(islice(file, FIRST_LINES))
        top = next((line for line in first if line.strip() and line[0] != "#"), "")
        titles = 0 if any(mark in top for mark in DELIMITERS) else title_lines(first)
        comments = [line for line in first[:titles] if line.startswith("#")]
        return _read_lines(path, chain(comments, first[titles:], file), named)


def read_spreadsheet(
    path: Path, max_bytes: int, named: NamedColumns | None = None
) -> dict[str, Any]:
    """Return the parts of a class in the only sheet with a table."""
    refuse_size(path, path.stat().st_size, max_bytes)
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows_of_file(path.read_bytes(), path.name))
    text.seek(0)
    return _read_lines(path, iter(text), named)


def _read_lines(path: Path, text: Iterator[str], named: NamedColumns | None) -> dict[str, Any]:
    """Return the parts of a class in the lines of a table."""
    try:
        sheet = _read_head(path, text)
        lines = list(sheet.rows(text))
        places = columns(path, sheet.header, named)
        names = sheet.names(lines, places.get("student"))
        if names is not None and "rate" in places:
            names = [
                TARGET if sheet.is_target(name, line, places["rate"]) else name
                for name, line in zip(names, lines, strict=True)
            ]
        lines = sheet.with_points(lines, [places[name] for name in places if name != "student"])
    except csv.Error as reason:
        raise InputError(f"{path} cannot be read as a table: {reason}.") from None

    def numbers(chosen: Mask, wanted: list[str]) -> Floats:
        rows = [line for line, yes in zip(lines, chosen.tolist(), strict=True) if yes]
        return sheet.numbers(rows, np.flatnonzero(chosen), [places[name] for name in wanted])

    return sheet.radii | parts(path, sheet.header, places, names, rows=len(lines), numbers=numbers)


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
        """Return the names in a column, if there is one, after checking the width of every row."""
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

    def is_target(self, name: str, line: str, rate: int) -> bool:
        """Return whether a row is the target in another language: it has no rate."""
        return name.strip().casefold() in OTHER_TARGETS and not self.cells(line)[rate].strip(' "')

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
            where = self._first_non_number(rows, at, places) or str(reason)
            raise InputError(f"{self.path} must have numbers in every row, but {where}.") from None
        return table

    def with_points(self, rows: list[str], places: list[int]) -> list[str]:
        """Return the rows with decimal points instead of decimal commas."""
        if self.delimiter == "," or not any("," in row for row in rows):
            return rows
        cells = [each[place] for each in map(self.cells, rows) for place in places]
        commas = has_decimal_commas(self.path, cells)
        return [row.replace(",", ".") for row in rows] if commas else rows

    def _first_non_number(self, rows: list[str], at: _arrays.Ints, places: list[int]) -> str | None:
        """Return where the first cell is that is not a number, as the end of a sentence."""
        for row, line in zip(at.tolist(), rows, strict=True):
            cells = self.cells(line)
            for place in places:
                if math.isnan(_number(cells[place])):
                    return (
                        f"has {cells[place][:40]!r} in column "
                        f"{_shown([self.header[place].strip()])} of row {row + 1} "
                        "after the header"
                    )
        return None


def _read_head(path: Path, lines: Iterator[str]) -> _Sheet:
    """Return how a table is written, after reading its lines up to the header."""
    radii: dict[str, float] = {}
    announced = None
    for line in islice(lines, MOST_COMMENTS):
        # A spreadsheet encloses a comment in quotes, and adds the delimiters of its other cells.
        bare = line.strip('" ,;|\t\r\n')
        if bare.startswith("#"):
            radii |= radii_from(path, bare.split())
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


def write_csv(room: Classroom, path: Path) -> None:
    """Write the students, then the target; numbers in full, so that they come back the same."""
    states, rates = _arrays.to_numpy(room.states), _arrays.to_numpy(room.rates)
    names = names_of(room)
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(f"# homeroom: {radii_as_text(room)}\n")
        file.write(",".join(["student", "rate", *weight_names(room)]) + "\n")
        for name, rate, row in zip(names, rates.tolist(), states.tolist(), strict=True):
            file.write(_line(name, repr(rate), row))
        file.write(_line(TARGET, "", _arrays.to_host(room.target).tolist()))


def _line(name: str, rate: str, row: Sequence[float]) -> str:
    """Return a row of a ``.csv`` file, with the name in quotation marks if it needs them."""
    if any(mark in name for mark in ',"\r\n') or name != name.strip():
        name = '"' + name.replace('"', '""') + '"'
    return f"{name},{rate},{','.join(map(repr, row))}\n"
