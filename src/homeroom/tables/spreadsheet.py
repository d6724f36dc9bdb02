"""Spreadsheets (``.xlsx`` and ``.ods``), read with calamine after their size has been checked."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO
from xml.parsers import expat

from homeroom._checks import InputError
from homeroom._extras import needs
from homeroom._files import BROKEN, DamagedFileError
from homeroom.tables.delimited import rows_in
from homeroom.tables.table import (
    FIRST_LINES,
    Table,
    is_below_title,
    quoted,
    shell_word,
)

ENDINGS = (".xlsx", ".ods")
MAX_CELLS = 4_000_000
"""The most cells of a sheet, with the empty ones between the first and the last."""

MAX_UNPACKED = 256 << 20
"""The most bytes to which the parts of a file may unpack: 256 MiB."""

MAX_PARTS = 10_000
BLOCK = 1 << 16
ZIP = b"PK\x03\x04"
"""How spreadsheets begin."""

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)

SHEET_PART = re.compile(r"xl/worksheets/[^/]+\.xml|content\.xml", re.IGNORECASE)
"""The parts of a file that hold cells; those of ``.ods`` are all in ``content.xml``."""

ANSWERS = "RawReportData"
"""How the sheet with the answers begins in a report of Kahoot, which has several others."""

CELL = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")


def read_spreadsheet(path: Path, sheet: str | None = None) -> Table:
    """Return one sheet of a spreadsheet; ``sheet`` is needed only where several hold a table.

    The first row, or the first below a title, names the columns.
    """
    with path.open("rb") as file:
        rows = spreadsheet_rows(file, path.name, sheet=sheet)
    titles = _title_rows(rows[:FIRST_LINES])
    header = _filled(rows[titles]) if rows else []
    notes = [f"the header is {quoted(header)}, below a title"] if titles else []
    body = [row[: len(header)] for row in rows[titles + 1 :]]
    return Table.of_rows(path, header, body, notes=notes)


def spreadsheet_rows(
    file: BinaryIO, name: str, *, sheet: str | None = None, selectable: bool = True
) -> list[list[str]]:
    """Return the rows of a sheet as texts, without empty rows, all of the same length.

    Formulas are not computed: their values are those that the file contains.

    Parameters
    ----------
    file, name
        The open file, and its name for errors.
    sheet
        Which sheet; without it, the only one with a table. Sheets that are empty, or have text in a
        single column beside a wider one (remarks), are ignored.
    selectable
        Whether the user can name the sheet; if not, the error does not ask for that.

    Raises
    ------
    ValueError
        If the file is not a spreadsheet, is too large, or has several sheets to choose from.
    """
    with needs("Spreadsheets need python-calamine", "spreadsheets", otherwise="save it as .csv"):
        import python_calamine
    check_size(file, name)
    file.seek(0)
    try:
        book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(file.read()))
        # All sheets if there is none of this name: the error below lists them.
        chosen = [sheet] if sheet is not None and sheet in book.sheet_names else book.sheet_names
        found = {each: _texts(book.get_sheet_by_name(each).to_python()) for each in chosen}
    except (python_calamine.CalamineError, OSError, ValueError) as reason:
        raise DamagedFileError(Path(name), reason) from None
    found = {each: rows for each, rows in found.items() if rows}
    if sheet is not None and (sheet not in found or len(chosen) > 1):
        raise InputError(f"{name} has no sheet {sheet[:40]!r} with cells, but {quoted(chosen)}.")
    for each in found:
        if sheet is None and each.startswith(ANSWERS):
            return found[each]
    longest = max(found, key=lambda each: len(found[each]), default="")
    if len(found) > 1 and not _are_remarks(found, besides=longest):
        option = f"choose one, as in sheet={longest!r} (--sheet {shell_word(longest)}), or save it"
        advice = option if selectable else "save the one with the table"
        raise InputError(
            f"{name} has several sheets with cells, {quoted(list(found))}: {advice} alone."
        )
    return found.get(longest, [])


def rows_of_file(data: bytes, name: str) -> list[list[str]]:
    """Return the rows of a small table below its title, whether it is a spreadsheet or text."""
    if not data.startswith(ZIP):
        return list(rows_in(data, skip_title=True))
    rows = spreadsheet_rows(io.BytesIO(data), name, selectable=False)
    return rows[_title_rows(rows[:FIRST_LINES]) :]


def is_spreadsheet(data: bytes) -> bool:
    """Return whether a file is a zip with the sheets of ``.xlsx`` or ``.ods``."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return any(map(SHEET_PART.fullmatch, archive.namelist()))
    except (*BROKEN, NotImplementedError, OSError):
        return False


def _are_remarks(found: Mapping[str, list[list[str]]], *, besides: str) -> bool:
    """Return whether the longest sheet is the only one with text in several columns."""
    width = {name: max(sum(map(bool, row)) for row in rows) for name, rows in found.items()}
    return width.pop(besides) > 1 and set(width.values()) == {1}


def _title_rows(rows: list[list[str]]) -> int:
    """Return how many rows precede the header of a sheet with a title.

    The header has text in several cells, and so must the row after it. Otherwise, in a list of
    single names, a name with a remark beside it would be taken for the header.
    """
    for number, (row, following) in enumerate(pairwise(rows)):
        cells = _filled(row)
        if len(cells) - cells.count("") > 1:
            is_followed = sum(map(bool, following)) > 1
            if is_followed and is_below_title(cells, rows[:number]):
                return number
    return 0


def _filled(row: list[str]) -> list[str]:
    """Return a row up to its last cell with text."""
    last = max((place for place, cell in enumerate(row) if cell), default=-1)
    return row[: last + 1]


def _texts(rows: list[list[Any]]) -> list[list[str]]:
    return [cells for row in rows if any(cells := [_text(value) for value in row])]


def _text(value: object) -> str:
    """Return a cell as text, as a ``.csv`` file would have it.

    >>> _text(2.0), _text(True), _text(datetime(2025, 11, 16, 9, 5)), _text(" a  b ")
    ('2', 'true', '2025-11-16 09:05:00', 'a b')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime | date | time):
        return str(value)
    if isinstance(value, timedelta):
        return str(value.total_seconds())
    return " ".join(str(value).split())


def check_size(file: BinaryIO, name: str) -> None:
    """Refuse a file that is not a spreadsheet, or whose cells would fill the memory.

    A file of a few bytes can name a last cell so far away that the range up to it does not fit
    into any memory, or repeat a row a million times. So the cells are counted before they are read.
    """
    file.seek(0)
    try:
        with zipfile.ZipFile(file) as archive:
            parts = archive.infolist()
            if len(parts) > MAX_PARTS:
                raise InputError(f"{name} has {len(parts)} parts: it is not a spreadsheet.")
            left = MAX_UNPACKED
            sheets = [part for part in parts if SHEET_PART.fullmatch(part.filename)]
            if not sheets:
                raise InputError(f"{name} holds no sheet: is it a spreadsheet (.xlsx or .ods)?")
            for part in parts:
                if part.compress_type not in METHODS:
                    raise InputError(f"{name} is compressed in an unusual way: save it again.")
                counter = CellCounter(name) if part in sheets else None
                left -= _unpack(archive, part, left, name, counter)
    except InputError:
        raise
    except (*BROKEN, expat.ExpatError, NotImplementedError, OSError, IndexError) as reason:
        raise DamagedFileError(Path(name), reason) from None


def _unpack(
    archive: zipfile.ZipFile, part: zipfile.ZipInfo, most: int, name: str, into: CellCounter | None
) -> int:
    """Unpack a part piece by piece; return its true size, as the stated size may be false."""
    size = 0
    with archive.open(part) as file:
        while block := file.read(BLOCK):
            size += len(block)
            if size > most:
                raise InputError(
                    f"{name} unpacks to more than {MAX_UNPACKED >> 20} MiB: save a part of it."
                )
            if into is not None:
                into.read(block)
    return size


@dataclass
class CellCounter:
    """Reads the XML of a sheet, and refuses it if its cells span too large an area."""

    name: str
    rows: int = 0
    columns: int = 0
    _row: int = 0
    _column: int = 0
    _repeat_row: int = 1
    _repeat_cell: int = 1
    _parser: Any = field(init=False)

    def __post_init__(self) -> None:
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype

    def read(self, block: bytes) -> None:
        """Read some more of the XML."""
        self._parser.Parse(block)

    def _refuse_doctype(self, *_: object) -> None:
        raise InputError(f"{self.name} defines entities: save it again with a spreadsheet program.")

    def _start(self, tag: str, given: dict[str, str]) -> None:
        """Follow the rows and cells, and extend the area; ``given`` are the tag's attributes."""
        kind = tag.rpartition(":")[2]
        if kind == "c":  # .xlsx: an attribute states its place, as in B7
            place = CELL.fullmatch(given.get("r", ""))
            self._column = _column_number(place[1]) if place else self._column + 1
            self._row = int(place[2]) if place else self._row
            self._cover(self._row, self._column)
        elif kind == "row":
            self._row = int(given.get("r", self._row + 1))
            self._column = 0
        elif kind == "table":  # .ods: places follow from the numbers of repetitions
            self._row = 0
        elif kind == "table-row":
            self._repeat_row = _repetitions(given, "table:number-rows-repeated")
            self._column = 0
        elif kind in ("table-cell", "covered-table-cell"):
            self._repeat_cell = _repetitions(given, "table:number-columns-repeated")
            if any(key.startswith(("office:", "calcext:", "table:formula")) for key in given):
                self._cover(self._row + self._repeat_row, self._column + self._repeat_cell)
        elif kind == "p":  # .ods: a paragraph of text in the cell
            self._cover(self._row + self._repeat_row, self._column + self._repeat_cell)

    def _end(self, tag: str) -> None:
        kind = tag.rpartition(":")[2]
        if kind == "table-row":
            self._row += self._repeat_row
        elif kind in ("table-cell", "covered-table-cell"):
            self._column += self._repeat_cell

    def _cover(self, row: int, column: int) -> None:
        self.rows, self.columns = max(self.rows, row), max(self.columns, column)
        if self.rows * self.columns > MAX_CELLS:
            raise InputError(
                f"{self.name} has cells in {self.rows} rows and {self.columns} columns, but at "
                f"most {MAX_CELLS} cells are read: save the part that counts, or a .csv file."
            )


def _column_number(letters: str) -> int:
    """Return the number of a column, counted from 1.

    >>> _column_number("A"), _column_number("AB")
    (1, 28)
    """
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number


def _repetitions(given: dict[str, str], name: str) -> int:
    return max(1, int(given.get(name, "1")))
