"""Tables as JSON and as Parquet, and the choice of the format by a file's ending."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from homeroom._checks import InputError
from homeroom._files import DamagedFileError, check_file, reading
from homeroom.tables.delimited import read_text
from homeroom.tables.nested import to_rows
from homeroom.tables.spreadsheet import read_spreadsheet
from homeroom.tables.table import Table, quoted, rows_of_objects
from homeroom.tables.text import encoding_of

MAX_JSON = 1 << 28
"""The largest ``.json`` file, which is read whole: 256 MiB."""


def read_json(path: Path, encoding: str | None = None) -> Table:
    """Return the table in a ``.json`` file, a list of objects, or with one object per line.

    A column that an object leaves out is blank.
    """
    is_lines = path.suffix.lower() != ".json"
    if not is_lines and path.stat().st_size > MAX_JSON:
        raise InputError(
            f"{path} is larger than {MAX_JSON >> 20} MiB, and JSON is read whole: export .csv."
        )
    encoding = encoding_of(path, encoding)
    text = path.read_text(encoding=encoding)
    found = _lines_of_json(path, text) if is_lines else _parse(path, text, "it")
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise InputError(
            f"{path} must be a JSON list of objects, one per answer or as Label Studio exports "
            f"tasks, but is {type(found).__name__}: one object per line is .jsonl."
        )
    notes = [] if encoding.startswith("utf") else [f"text as {encoding}"]
    return rows_of_objects(path, to_rows(path, found), notes)


def _lines_of_json(path: Path, text: str) -> list[Any]:
    """Return the objects of a file with one per line."""
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line and not line.isspace():
            row = _parse(path, line, f"line {number}")
            if not isinstance(row, dict):
                raise InputError(
                    f"{path} must have one JSON object per line, as in "
                    '{"student": "Ada", "item": "moth", "answer": 1}, '
                    f"but line {number} is {type(row).__name__}."
                )
            found.append(row)
    return found


def _parse(path: Path, text: str, what: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as reason:
        why = " ".join(str(reason).split())[:120]
        raise InputError(f"{path} must be JSON, but {what} cannot be read ({why}).") from None


def read_parquet(path: Path) -> Table:
    """Return the table in a Parquet file; columns of lists and the like are left out."""
    import pyarrow
    from pyarrow import parquet

    try:
        found = parquet.read_table(path)
    except (pyarrow.ArrowException, OSError) as reason:
        raise DamagedFileError(path, reason) from None
    columns: dict[str, Any] = {}
    others: list[str] = []
    for name, column in zip(found.column_names, found.columns, strict=True):
        try:
            columns[name] = column.cast(pyarrow.large_string()).fill_null("")
        except pyarrow.ArrowException:
            others.append(f"{name} ({column.type})")
    notes = [f"columns left out, as they hold neither texts nor numbers: {quoted(others)}"]
    return Table(path, list(columns), list(columns.values()), notes if others else [])


_FORMATS: dict[str, Callable[..., Table]] = {
    **dict.fromkeys((".csv", ".tsv", ".tab", ".txt"), read_text),
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), read_json),
    ".parquet": read_parquet,
    **dict.fromkeys((".xlsx", ".ods"), read_spreadsheet),
}


def open_table(
    path: Path,
    encoding: str | None = None,
    *,
    quotes: bool = True,
    sheet: str | None = None,
    what: str = "a table",
) -> Table:
    """Return the table in a file; its ending determines the format.

    ``sheet`` chooses a sheet of a spreadsheet. ``what`` says in errors what the file should be, as
    in "a table of answers". For the other arguments see :func:`read_text`.
    """
    read = _FORMATS.get(path.suffix.lower())
    check_file(path)
    if read is None:
        raise InputError(
            f"{path} must end in {', '.join(_FORMATS)} to be {what}: save it as one of them."
        )
    with reading(path):
        if read is read_text:
            return read(path, encoding, quotes=quotes)
        if read is read_spreadsheet:
            return read(path, sheet)
        return read(path) if read is read_parquet else read(path, encoding)
