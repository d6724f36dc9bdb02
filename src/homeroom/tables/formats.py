"""Tables as JSON lines and as Parquet, and the choice of the format by a file's ending."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from homeroom._checks import InputError
from homeroom._extras import needs
from homeroom._files import check_file, damaged, reading
from homeroom.tables.delimited import DelimitedTable
from homeroom.tables.exports import json_table
from homeroom.tables.spreadsheet import SpreadsheetTable
from homeroom.tables.table import (
    AbstractTable,
    Columns,
    ReportFraction,
    check_width,
    quoted,
    refuse_too_many_lines,
    rows_per_chunk,
)
from homeroom.tables.text import encoding_of, lines

HEADER_ROWS = 1000
"""How many rows are searched for the names of columns, as a row may leave some out."""


class JsonLinesTable(AbstractTable):
    """A file with one JSON object per line. A column that an object leaves out is blank."""

    def __init__(
        self, path: Path, encoding: str | None = None, progress: ReportFraction | None = None
    ) -> None:
        self.path = path
        self.dropped = Counter()
        self.encoding = encoding_of(path, encoding)
        self.notes = [] if self.encoding.startswith("utf") else [f"text as {self.encoding}"]
        self._progress = progress
        found: dict[str, None] = {}
        for _, row in islice(self._objects(), HEADER_ROWS):
            found.update(dict.fromkeys(row))
            check_width(path, len(found))
        self.header = list(found)

    def chunks(self, wanted: Sequence[int]) -> Iterator[Columns]:
        """Yield the columns at the wanted positions, some rows at a time."""
        names = [self.header[place] for place in wanted]
        known = set(self.header)
        objects = self._objects()
        most = rows_per_chunk(len(wanted))
        while some := list(islice(objects, most)):
            for number, row in some:
                if not row.keys() <= known:
                    self._refuse_late_items(number, row.keys() - known)
                    known.update(row)
                    check_width(self.path, len(known))
            yield [[self._text(number, row.get(name)) for number, row in some] for name in names]
        if late := sorted(known.difference(self.header)):
            note = (
                f"columns left out, as no line of the first {HEADER_ROWS} has them: {quoted(late)}"
            )
            self.notes += [] if note in self.notes else [note]

    def _objects(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the number of each line that is not blank, counted from 1, and its object."""
        size, done = max(1, self.path.stat().st_size), 0

        def count(length: int) -> None:
            nonlocal done
            done += length
            if self._progress is not None:
                self._progress(min(1.0, done / size))

        with self.path.open(encoding=self.encoding) as file:
            for number, line in enumerate(lines(file, self.path, count), start=1):
                if not line.isspace():
                    yield number, self._object(number, line)

    def _object(self, number: int, line: str) -> dict[str, Any]:
        """Return the JSON object in a line."""
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as reason:
            raise InputError(
                f"{self.path} must have one JSON object per line, but line {number} cannot be "
                f"read ({' '.join(str(reason).split())[:120]})."
            ) from None
        if not isinstance(row, dict):
            raise InputError(
                f"{self.path} must have one JSON object per line, as in "
                '{"student": "Ada", "item": "moth", "answer": 1}, '
                f"but line {number} is {type(row).__name__}."
            )
        return row

    def _refuse_late_items(self, number: int, late: set[str]) -> None:
        """Refuse a matrix in which a line has columns (items) that no line before it has."""
        if self.is_matrix:
            raise InputError(
                f"{self.path} has {min(late)[:40]!r} in line {number}, but not in its first "
                f"{HEADER_ROWS} lines: name every item in line 1, with null for no answer."
            )

    def _text(self, number: int, value: Any) -> str:
        """Return a JSON value as the text of a cell; ``number`` is its line, for errors."""
        if value is None:
            return ""
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, float) and value.is_integer():
            return str(int(value))
        if isinstance(value, str | int | float):
            return str(value)
        raise InputError(
            f"{self.path} must hold texts and numbers, but line {number} holds "
            f"a {type(value).__name__}."
        )


class ParquetTable(AbstractTable):
    """A Parquet file, whose columns are converted to text batch by batch."""

    def __init__(
        self, path: Path, encoding: str | None = None, progress: ReportFraction | None = None
    ) -> None:
        self.path = path
        self.dropped = Counter()
        self.notes = []
        self._progress = progress
        with needs("Parquet files need pyarrow", "parquet", otherwise="use .csv"):
            import pyarrow.parquet
        self._pyarrow: Any = pyarrow
        try:
            with self._pyarrow.parquet.ParquetFile(path) as file:
                self.header = list(file.schema_arrow.names)
                self.rows = file.metadata.num_rows
        except self._pyarrow.ArrowException as reason:
            raise damaged(path, reason) from None
        check_width(path, len(self.header))

    def chunks(self, wanted: Sequence[int]) -> Iterator[Columns]:
        """Yield the columns at the wanted positions, some rows at a time."""
        names = [self.header[place] for place in wanted]
        done = 0
        try:
            with self._pyarrow.parquet.ParquetFile(self.path) as file:
                for batch in file.iter_batches(rows_per_chunk(len(names)), columns=names):
                    done += batch.num_rows
                    if self._progress is not None:
                        self._progress(done / max(1, self.rows))
                    yield [self._texts(batch.column(name), name) for name in names]
        except self._pyarrow.ArrowException as reason:
            raise damaged(self.path, reason) from None

    def _texts(self, column: Any, name: str) -> list[str]:
        """Return a column as texts; missing values are blank."""
        try:
            texts = column.cast(self._pyarrow.string()).to_pylist()
        except self._pyarrow.ArrowException:
            raise InputError(
                f"{self.path} must hold texts and numbers, but column {name[:40]!r} holds "
                f"{column.type}."
            ) from None
        return ["" if text is None else text for text in texts]


_FORMATS: dict[str, Callable[[Path, str | None, ReportFraction | None], AbstractTable]] = {
    ".csv": DelimitedTable,
    ".tsv": DelimitedTable,
    ".tab": DelimitedTable,
    ".txt": DelimitedTable,
    ".jsonl": JsonLinesTable,
    ".ndjson": JsonLinesTable,
    ".json": json_table,
    ".parquet": ParquetTable,
    ".xlsx": SpreadsheetTable,
    ".ods": SpreadsheetTable,
}


def open_table(
    path: Path,
    encoding: str | None = None,
    progress: ReportFraction | None = None,
    *,
    max_bytes: int | None = None,
    bytes_per_line: int = 0,
    quotes: bool = True,
    sheet: str | None = None,
    what: str = "a table",
) -> AbstractTable:
    """Return the table in a file; its ending determines the format.

    A text file is refused if its lines, with ``bytes_per_line`` each, clearly exceed ``max_bytes``.
    ``sheet`` chooses a sheet of a spreadsheet. ``what`` says in errors what the file should be, as
    in "a table of answers". For the other arguments see :class:`DelimitedTable`.
    """
    format_of = _FORMATS.get(path.suffix.lower())
    check_file(path)
    if format_of is None:
        raise InputError(
            f"{path} must end in {', '.join(_FORMATS)} to be {what}: save it as one of them."
        )
    with reading(path):
        if max_bytes is not None and format_of in (DelimitedTable, JsonLinesTable):
            refuse_too_many_lines(path, max_bytes, bytes_per_line)
        if format_of is DelimitedTable:
            return DelimitedTable(path, encoding, progress, quotes=quotes)
        if format_of is SpreadsheetTable:
            return SpreadsheetTable(path, encoding, progress, sheet=sheet)
        return format_of(path, encoding, progress)
