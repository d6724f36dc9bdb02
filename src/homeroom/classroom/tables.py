"""A class as a table: one row per student, one for the target; pyarrow reads and writes it.

The columns are ``student`` (optional), ``rate`` and ``w1, w2, ...``; others are left alone. In a
table without ``w1, w2, ...``, all columns besides student and rate are coordinates of the state.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom._files import DamagedFileError
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

MOST_COMMENTS = 64
"""The most lines above the header."""

ROWS_TURNED = 1 << 12
"""Rows that are put together from columns at a time, while they are in the cache."""

CSV_BLOCK = 1 << 24
"""How much of a text file is split into cells at a time, 16 MiB; no row may be longer."""


@dataclass(frozen=True)
class Place:
    """Where rows come from, for error messages.

    Parameters
    ----------
    source
        The file or collection.
    first
        The number of the first row, counted from 1.
    letter
        The letter before the number of a column: ``w`` in a table.
    """

    source: str
    first: int = 1
    letter: str = "w"

    def row(self, row: int) -> str:
        """Return where a row is; ``row`` is counted from 0.

        >>> Place("class.parquet", first=11).row(0)
        'row 11 of class.parquet'
        """
        return f"row {self.first + row} of {self.source}"

    def skip(self, rows: int) -> Place:
        """Return the place ``rows`` rows later."""
        return Place(self.source, self.first + rows, self.letter)


def find_columns(
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
            places[part] = _find_place(path, header, given[part][0], part)
        elif normalized_header(header).count(part) > 1:
            raise InputError(f"{path} must have one column {part}, but has several.")
        elif (place := find_column(header, names)) is not None:
            places[part] = place
    if "states" in given:
        states = [_find_place(path, header, name, "states") for name in given["states"]]
    else:
        states = _find_numbered(path, header) or _find_others(path, header, set(places.values()))
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


def _find_place(path: Path | str, header: Sequence[str], name: str, part: str) -> int:
    """Return the position of a column that is named for some part."""
    spelt = normalized_header(header)
    found = spelt.count(normalized(name))
    if found != 1:
        raise InputError(
            f"{path} must have one column {name[:40]!r} for the {part}, but has {found or 'none'}: "
            f"its columns are {_show(header)}."
        )
    return spelt.index(normalized(name))


def _find_numbered(path: Path | str, header: Sequence[str]) -> list[int]:
    """Return the positions of ``w1, w2, ...``; empty if there is none."""
    lowered = [name.strip().lower() for name in header]
    weights = [name for name in lowered if name[:1] == "w" and name[1:].isdigit()]
    known = [f"w{i}" for i in range(1, len(weights) + 1)]
    if set(known) != set(weights):
        raise _no_states(path, header)
    places = {name: place for place, name in enumerate(lowered)}
    return [places[name] for name in known]


def _find_others(path: Path | str, header: Sequence[str], taken: set[int]) -> list[int]:
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
        f"{path} must have the columns w1, w2, ... without a gap, but has {_show(header)}."
    )


def no_rate(path: Path | str, header: Sequence[str]) -> InputError:
    """Return the error for a table without rates."""
    known = {normalized(name) for name in COLUMN_NAMES["student"]}
    free = [name.strip() for name in header if normalized(name) not in known]
    usual = (name for name in free if 0 < len(name) <= 40 and not name[1:].isdigit())
    example = next(usual, "Speed")
    return InputError(
        f"{path} must have a column rate: how fast each student learns. Its columns are "
        f"{_show(header)}. If one of them is the rate, name it: columns={{'rate': {example!r}}}, "
        f"--column rate={shell_word(example)}."
    )


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


def weight_names(dimensions: int) -> list[str]:
    """Return ``w1, w2, ...``, one for each dimension."""
    return [f"w{i}" for i in range(1, dimensions + 1)]


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


def _show(header: Sequence[str]) -> str:
    """Return the beginning of a header, for an error message."""
    some = [(repr if _has_usual_digits(name) else ascii)(name[:40])[1:-1] for name in header[:8]]
    return ", ".join(some) + (", ..." if len(header) > 8 else "")


def _has_usual_digits(name: str) -> bool:
    """Return whether all digits are ASCII, so that none looks like another."""
    return not any(one.isdigit() and not one.isascii() for one in name)


def class_parts(
    path: Path | str, table: Any, spelt: Mapping[str, str], header: Sequence[str], place: Place
) -> dict[str, Any]:
    """Return the parts of a class that a table holds: target, rates, states, names.

    Parameters
    ----------
    path, header
        The file and the names of all its columns, for errors.
    table
        A pyarrow table with the columns student, rate, w1, w2, ... that exist.
    spelt
        The file's own name for each of them.
    place
        Where the first row is.
    """
    if not table.num_rows:
        raise InputError(f"{path} has a header but no students.")
    targets = find_targets(table)
    if "student" not in spelt and "rate" not in spelt and table.num_rows == 1:
        targets = [0]  # a separate file for the target
    if len(targets) > 1:
        raise InputError(f"{path} must have one target row, but has {len(targets)}.")
    weights = [name for name in spelt if name[0] == "w"]
    parts: dict[str, Any] = {}
    for row in targets:
        parts["target"] = numbers(table[row : row + 1], place.skip(row), weights, spelt)[0]
    students = list(split_at(table, next(iter(targets), None), place))
    if students and "rate" not in spelt:
        raise no_rate(path, header)
    if students:
        parts["rates"] = _join([numbers(*some, ["rate"], spelt)[:, 0] for some in students])
        parts["states"] = _join([numbers(*some, weights, spelt) for some in students])
    if students and "student" in spelt:
        parts["names"] = [
            name for some, _ in students for name in to_texts(some["student"]).to_pylist()
        ]
    return parts


def _join(arrays: Sequence[Floats]) -> Floats:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def find_targets(table: Any) -> list[int]:
    """Return the rows that are the target, from 0; in another language, it has no rate."""
    from pyarrow import array, compute

    if "student" not in table.schema.names:
        return []
    names = to_texts(table["student"])
    lowered = compute.utf8_lower(compute.utf8_trim_whitespace(names))
    like = compute.is_in(lowered, value_set=array([TARGET, *OTHER_TARGETS]))
    rows = np.flatnonzero(like.to_numpy(zero_copy_only=False)).tolist()
    rates = table["rate"] if "rate" in table.schema.names else None
    return [
        row
        for row in rows
        if is_target(names[row].as_py()) or (rates is not None and rates[row].as_py() in (None, ""))
    ]


def split_at(table: Any, target: int | None, place: Place) -> Iterator[tuple[Any, Place]]:
    """Yield the rows before and after the target's, and where they begin; no empty part."""
    rows = table.num_rows
    if target is None or not 0 <= target < rows:
        target = rows
    for first, last in ((0, target), (target + 1, rows)):
        if first < last:
            yield table[first:last], place.skip(first)


def numbers(table: Any, place: Place, names: Sequence[str], spelt: Mapping[str, str]) -> Floats:
    """Return some columns of a pyarrow table, shape ``(rows, columns)``."""
    columns = [_to_floats(table[name], spelt[name], place) for name in names]
    rows = np.empty((table.num_rows, len(names)))
    for first in range(0, len(rows), ROWS_TURNED):
        part = rows[first : first + ROWS_TURNED]
        for number, column in enumerate(columns):
            part[:, number] = column[first : first + ROWS_TURNED]
    return rows


def _to_floats(column: Any, name: str, place: Place) -> Floats:
    """Return a column of pyarrow as floats; raise if a number is missing or unreadable."""
    import pyarrow

    try:
        if not column.null_count:
            floats: Floats = column.cast(pyarrow.float64(), safe=False).to_numpy(False)
            return floats
    except pyarrow.ArrowException:
        pass  # the first such cell is named below
    cells = enumerate(column.to_pylist())
    row, cell = next(((row, cell) for row, cell in cells if not _is_number(cell)), (0, "no number"))
    raise InputError(
        f"Column {_show([name.strip()])} must have numbers, but {place.row(row)} has "
        f"{str('' if cell is None else cell)[:40]!r}. Fill it in, or drop the row."
    )


def _is_number(cell: Any) -> bool:
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return not isinstance(cell, str) or (cell.isascii() and "_" not in cell)


def to_texts(column: Any) -> Any:
    """Return a column of pyarrow as texts; missing ones are empty."""
    return column.cast("string").fill_null("")


def read_csv(path: Path, named: NamedColumns | None = None) -> dict[str, Any]:
    """Return the parts of a class that the file holds.

    Cells may be separated by commas, semicolons, tabs, bars or blanks. Where they are not separated
    by commas, numbers may have a decimal comma. A title may be above the header.
    """
    data = path.read_bytes()
    if not data.isascii() or b"\0" in data:
        data = data.decode(encoding_of(path)).encode()
    return _read_text(path, data, named)


def read_spreadsheet(path: Path, named: NamedColumns | None = None) -> dict[str, Any]:
    """Return the parts of a class in the only sheet with a table."""
    return _read_text(path, _to_csv(rows_of_file(path.read_bytes(), path.name)), named)


def _to_csv(rows: Iterable[Sequence[str]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


def _read_text(path: Path, data: bytes, named: NamedColumns | None) -> dict[str, Any]:
    """Return the parts of a class in a table as UTF-8 text."""
    try:
        sheet = _read_head(path, data)
    except csv.Error as reason:
        raise InputError(f"{path} cannot be read as a table: {reason}.") from None
    places = find_columns(path, sheet.header, named)
    spelt = {name: sheet.header[place] for name, place in places.items()}
    table = _read_numbers(sheet, places) or _read_cells(path, sheet, places)
    place = Place(f"{path} (after the header)")
    parts = sheet.radii | class_parts(path, table, spelt, sheet.header, place)
    if "names" in parts and not sheet.radii:  # blanks around names count in our own files
        parts["names"] = [name.strip() for name in parts["names"]]
    return parts


class _Sheet(NamedTuple):
    """How a table is written: what separates its cells, its header, the radii above, its rows."""

    delimiter: str
    header: list[str]
    radii: dict[str, float]
    rows: Any
    has_quotes: bool
    may_have_commas: bool

    def read(self, places: Mapping[str, int], number: Any, **options: Any) -> Any:
        """Return columns as a pyarrow table: the student as text, others as type ``number``."""
        import pyarrow
        from pyarrow import csv as arrow_csv

        kinds = {
            str(place): pyarrow.string() if name == "student" else number
            for name, place in places.items()
        }
        table = arrow_csv.read_csv(
            pyarrow.BufferReader(self.rows),
            arrow_csv.ReadOptions(
                column_names=[str(place) for place in range(len(self.header))],
                block_size=CSV_BLOCK,
                use_threads=number != pyarrow.string(),  # else rows have no numbers
            ),
            arrow_csv.ParseOptions(
                delimiter=self.delimiter, newlines_in_values=self.has_quotes, **options
            ),
            arrow_csv.ConvertOptions(
                include_columns=list(kinds), column_types=kinds, null_values=[""]
            ),
        )
        return table.rename_columns(list(places))


def _read_numbers(sheet: _Sheet, places: Mapping[str, int]) -> Any:
    """Return a table whose weights are numbers in every row; ``None`` if it is not one."""
    import pyarrow

    try:
        table = sheet.read(places, pyarrow.float64())
    except pyarrow.ArrowException:
        return None
    missing = any(table[name].null_count for name in places if name[0] == "w")
    return None if missing else table


def _read_cells(path: Path, sheet: _Sheet, places: Mapping[str, int]) -> Any:
    """Return a table as text, with decimal points and without blank rows."""
    import pyarrow
    from pyarrow import compute

    if not bytes(sheet.rows).strip():
        return pyarrow.table({name: [] for name in places})
    wrong: list[Any] = []

    def skip_row(row: Any) -> str:
        wrong.append(row)
        return "skip"

    everything = {str(place): place for place in range(len(sheet.header))}
    try:
        table = sheet.read(everything, pyarrow.string(), invalid_row_handler=skip_row)
    except pyarrow.ArrowException as reason:
        raise DamagedFileError(path, reason) from None
    blank = f" \t\r\n{sheet.delimiter}"  # spreadsheets write blank rows as ;;;;
    for blanks, row in enumerate(wrong):
        if row.text.strip(blank):
            raise InputError(
                f"{path} must have {len(sheet.header)} cells in each row, as in its header, "
                f"but row {row.number - blanks} after the header has {row.actual_columns}."
            )
    whole_rows = compute.binary_join_element_wise(*table.columns, "")
    table = table.filter(compute.not_equal(compute.utf8_trim_whitespace(whole_rows), ""))
    used = {name: table[str(place)] for name, place in places.items()}
    numeric = [name for name in places if name != "student"]
    used |= {name: compute.utf8_trim_whitespace(used[name]) for name in numeric}
    cells = (cell for name in numeric for cell in used[name].to_pylist())
    if sheet.may_have_commas and has_decimal_commas(path, list(cells)):
        used |= {name: compute.replace_substring(used[name], ",", ".") for name in numeric}
    return pyarrow.table(used)


def _read_head(path: Path, data: bytes) -> _Sheet:
    """Return how a table is written, after reading its lines up to the header."""
    text = io.TextIOWrapper(io.BytesIO(data), "utf-8", newline="")
    first = list(islice(text, FIRST_LINES))
    top = next((line for line in first if line.strip() and line[0] != "#"), "")
    titles = 0 if any(mark in top for mark in DELIMITERS) else title_lines(first)
    consumed = 0

    def read_lines() -> Iterator[str]:
        nonlocal consumed
        for number, line in enumerate(chain(first, text)):
            consumed += len(line.encode())
            if number >= titles or line.startswith("#"):
                yield line

    lines = read_lines()
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
            if delimiter is None:
                rows = _to_csv(map(_split_at_blanks, lines))
                return _Sheet(",", line.split(), radii, rows, True, True)
            header = next(csv.reader(chain([line], lines), delimiter=delimiter))
            rest = memoryview(data)[consumed:]
            return _Sheet(delimiter, header, radii, rest, b'"' in data, delimiter != ",")
    raise InputError(
        f"{path} has no header: the first line names the columns, as in student,rate,w1,w2."
    )


def _split_at_blanks(line: str) -> list[str]:
    return next(csv.reader([line], delimiter=" ")) if '"' in line else line.split()


def write_csv(room: Classroom, path: Path) -> None:
    """Write the students, then the target; numbers in full, so that they come back the same."""
    states, rates = _arrays.to_numpy(room.states), _arrays.to_numpy(room.rates)
    names = names_of(room)
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(f"# homeroom: {radii_as_text(room)}\n")
        file.write(",".join(["student", "rate", *weight_names(room.dimensions)]) + "\n")
        for name, rate, row in zip(names, rates.tolist(), states.tolist(), strict=True):
            file.write(_line(name, repr(rate), row))
        file.write(_line(TARGET, "", _arrays.to_host(room.target).tolist()))


def _line(name: str, rate: str, row: Sequence[float]) -> str:
    """Return a row of a ``.csv`` file, with the name in quotation marks if it needs them."""
    if any(mark in name for mark in ',"\r\n') or name != name.strip():
        name = '"' + name.replace('"', '""') + '"'
    return f"{name},{rate},{','.join(map(repr, row))}\n"
