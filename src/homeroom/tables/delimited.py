"""Tables as text (``.csv``, ``.tsv``, ``.txt``) with cells between commas, tabs, semicolons, ..."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from homeroom._checks import InputError
from homeroom.tables.table import FIRST_LINES, MAX_CELL, Table, check_width, is_below_title
from homeroom.tables.text import (
    DELIMITERS,
    MAX_LINE,
    announced_delimiter,
    decoded,
    delimiter_of,
    encoding_of,
)

BLANK = 1 << 10
BLOCK = 1 << 24
"""How much of a file is split into cells at a time, 16 MiB.

The first ``BLANK`` bytes show if it has rows.
"""

OTHER_WIDTH = "rows with more or fewer cells than the header"
"""The reason for which such rows are counted as dropped."""


def read_text(path: Path, encoding: str | None = None, *, quotes: bool = True) -> Table:
    """Return a table as text.

    The header is the first line that is not blank, a comment, a title, or one such as ``sep=;``.
    pyarrow splits the rows. Where quotation marks may be wrong, Python's ``csv`` does, which is
    slower and finds the line of a mark that is never closed.

    Parameters
    ----------
    path
        The file.
    encoding
        Its encoding, if it should not be detected.
    quotes
        Whether cells may be enclosed in quotation marks; if not, these are ordinary characters.
    """
    data, notes = _utf_8(path, encoding)
    lines = _Lines(path, data)
    head = _read_head(lines, quotes=quotes)
    check_width(path, len(head.header))
    if head.titles:
        notes.append(f"the header is in line {head.titles + 1}, below a title")
    table = Table.of_rows(
        path, head.header, [], notes=notes, delimiter=head.delimiter, comment=head.comment
    )
    rest = memoryview(data)[lines.consumed :]
    has_quotes = quotes and b'"' in data
    if head.delimiter is None:
        _fill(table, [line.split() for line in lines])
    elif (has_quotes and _has_stray_quotes(rest, head.delimiter)) or not _fill_fast(
        table, rest, has_quotes=has_quotes
    ):
        _fill(table, list(_split(lines, head.delimiter, quotes=quotes)))
    return table


def _utf_8(path: Path, encoding: str | None) -> tuple[bytes, list[str]]:
    """Return a file as UTF-8, and a note if it is in another encoding."""
    data = path.read_bytes()
    if encoding is None and data.isascii() and b"\0" not in data:
        return data, []
    name = encoding_of(path, encoding)
    return (
        data if name == "utf-8" else data.decode(name).encode(),
        [] if name.startswith("utf") else [f"text as {name}"],
    )


class _Lines:
    """The lines of a text, and how many of its lines and bytes were read."""

    def __init__(self, path: Path, data: bytes) -> None:
        self.path = path
        self.number = self.consumed = 0
        rest = io.TextIOWrapper(io.BytesIO(data), "utf-8", newline="")
        self.first = list(islice(rest, FIRST_LINES))
        self._all = chain(self.first, rest)

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._all)
        if len(line) > MAX_LINE:
            raise InputError(
                f"{self.path} has a line of more than {MAX_LINE} characters: it is not a table."
            )
        self.number += 1
        self.consumed += len(line) if line.isascii() else len(line.encode())
        return line


class _Head(NamedTuple):
    """What is above the rows: header, delimiter, number of lines of the title, last comment."""

    header: list[str]
    delimiter: str | None
    titles: int = 0
    comment: str = ""


def _read_head(lines: _Lines, *, quotes: bool) -> _Head:
    """Return what is above the rows, whose lines are then the next ones."""
    titles = title_lines(lines.first)
    announced, comment = None, ""
    for line in islice(lines, titles, None):
        if _is_blank_or_comment(line):
            comment = line if line.strip() else comment
        elif announced is None and (mark := announced_delimiter(line)):
            announced = mark
        else:
            delimiter = announced or delimiter_of(line, quotes=quotes)
            cells = line.split()
            if delimiter is not None:
                cells = next(_split(lines, delimiter, quotes=quotes, before=line))
            return _Head(cells, delimiter, titles, comment)
    return _Head([], announced or ",")


def _split(
    lines: _Lines, delimiter: str, *, quotes: bool, before: str | None = None
) -> Iterator[list[str]]:
    """Yield the cells of each row; ``before`` is the first line, if it was read already.

    Raises
    ------
    ValueError
        If a quotation mark is never closed, or is followed by text: the line, and what to do.
    """
    reader = csv.reader(
        lines if before is None else chain([before], lines),
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE,
        skipinitialspace=True,
        strict=True,  # otherwise a stray quotation mark would swallow rows silently
    )
    first = lines.number + (before is None)
    try:
        for row in reader:
            yield row
            first = lines.number + 1
    except csv.Error as reason:
        raise InputError(
            f"{lines.path} cannot be read as a table from line {first} on: {reason}."
            f"{ABOUT_QUOTES if quotes else ''}"
        ) from None


ABOUT_QUOTES = (
    " Is there a quotation mark that is never closed, or one within a cell? Leave it out, "
    'or double it, as in "a 5"" nail"; or, if none of them encloses a cell of answers or '
    "labels, read them as letters: quotes=False (--no-quotes)."
)
"""What to do about quotation marks that do not match."""


def _fill(table: Table, rows: list[list[str]]) -> None:
    """Put rows into an empty table; those of another width are counted, unless they are blank."""
    width = len(table.header)
    kept = [row for row in rows if len(row) == width]
    others = sum(1 for row in rows if len(row) != width and any(map(str.strip, row)))
    table.dropped += Counter({OTHER_WIDTH: others})  # leaves out a count of zero
    table.columns = Table.of_rows(table.path, table.header, kept).columns


def _fill_fast(table: Table, data: memoryview, *, has_quotes: bool) -> bool:
    """Put the rows of a text into an empty table; return whether pyarrow could split them."""
    import pyarrow
    from pyarrow import compute
    from pyarrow import csv as arrow_csv

    others: list[str] = []

    def skip_row(row: Any) -> str:
        others.append(row.text)
        return "skip"

    if not bytes(data[:BLANK]).strip():
        return not bytes(data).strip()
    names = [str(place) for place in range(len(table.header))]
    try:
        found = arrow_csv.read_csv(
            pyarrow.BufferReader(data),
            arrow_csv.ReadOptions(column_names=names, block_size=BLOCK),
            arrow_csv.ParseOptions(
                delimiter=table.delimiter,
                quote_char='"' if has_quotes else False,
                newlines_in_values=has_quotes,
                invalid_row_handler=skip_row,
            ),
            arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, pyarrow.large_string()),
                strings_can_be_null=False,
            ),
        )
    except pyarrow.ArrowException:
        return False
    if has_quotes:
        several_lines = (compute.match_substring(one, "\n") for one in found.columns)
        if any('"' in row for row in others) or any(map(_any, several_lines)):
            return False
    lengths = (compute.max(compute.binary_length(one)).as_py() for one in found.columns)
    if max((length or 0 for length in lengths), default=0) > MAX_CELL:
        return False
    blank = f"{table.delimiter} \t"
    table.dropped += Counter({OTHER_WIDTH: sum(1 for row in others if row.strip(blank))})
    table.columns = found.columns
    return True


def _any(values: Any) -> bool:
    from pyarrow import compute

    return bool(compute.any(values).as_py())


def _has_stray_quotes(data: memoryview, delimiter: str) -> bool:
    """Return whether the quotation marks of a text may not match.

    Each is beside a delimiter, another quotation mark or the end of a line, and their number is
    even; otherwise they have to be looked at one by one.
    """
    text = np.frombuffer(data, dtype=np.uint8)
    marks = np.flatnonzero(text == ord('"'))
    beside = np.isin(np.arange(256), [*f'"\r\n{delimiter}'.encode()])
    before = beside[text[marks - 1]] | (marks == 0)
    after = beside[text[np.minimum(marks + 1, len(text) - 1)]]
    return len(marks) % 2 == 1 or not (before | after).all()


def rows_in(data: bytes, *, skip_title: bool = False) -> Iterator[list[str]]:
    r"""Yield the rows of a small table in memory, header included; blank rows are left out.

    Cells are separated by commas, semicolons or tabs, whichever occurs most in the first line, or
    by what a first line such as ``sep=;`` announces. ``skip_title`` leaves out a title above the
    header.

    Raises
    ------
    ValueError
        If the data cannot be read; the message says why.

    Examples
    --------
    >>> list(rows_in(b"name;seat\n\nAda;1\n"))
    [['name', 'seat'], ['Ada', '1']]
    """
    text = io.StringIO(decoded(data), newline="")
    first = list(islice(text, FIRST_LINES))  # the rest stays one text: a list of lines is larger
    if skip_title:
        first = first[title_lines(first) :]
    delimiter = announced_delimiter(first[0]) if first else ","
    if delimiter is None:
        delimiter = max(",;\t", key=first[0].count)
    else:
        first = first[1:]
    try:
        yield from filter(any, csv.reader(chain(first, text), delimiter=delimiter))
    except csv.Error as reason:
        raise InputError(str(reason)) from None


def title_lines(first: Iterable[str]) -> int:
    r"""Return how many lines precede the header of a table with a title; 0 without a title.

    A title has text in one cell. The header below has text in several cells, no numbers, and a row
    with as many cells follows.

    >>> title_lines(["Export of 2025\n", "\n", "name,item,answer\n", "Ada,moth,1\n"])
    2
    >>> title_lines(["x y\n", "1,5 2\n", "2,5 3\n"])
    0
    """
    rows = [(n, line) for n, line in enumerate(first) if not _is_blank_or_comment(line)]
    is_announced = any(announced_delimiter(line) for _, line in rows[:1])
    for (number, line), (_, following) in pairwise(rows):
        delimiter = max(DELIMITERS, key=line.count)
        cells = [cell.strip() for cell in line.split(delimiter)]
        if len(cells) > 1 and all(cells):
            top = [each for n, each in rows if n < number]
            as_wide = line.count(delimiter) == following.count(delimiter)
            # In `a,b` above `c,d;e;f`, the semicolons are within a cell.
            others = [mark for mark in DELIMITERS if mark != delimiter]
            within = any(0 < line.count(m) == each.count(m) for m in others for each in top)
            above = [each.split(delimiter) for each in top]
            if is_below_title(cells, above) and as_wide and not (is_announced or within):
                return number
    return 0


def _is_blank_or_comment(line: str) -> bool:
    """Return whether a line is blank or a comment, as there may be above a table.

    A number sign alone in its cell is the name of a column.
    """
    return not line.strip() or (line[0] == "#" and line[1:2] not in DELIMITERS)
