"""Tables as text (``.csv``, ``.tsv``, ``.txt``) with cells between commas, tabs, semicolons, ..."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from io import StringIO
from itertools import chain, islice, pairwise, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from homeroom._checks import InputError
from homeroom.tables.table import (
    FIRST_LINES,
    AbstractTable,
    Columns,
    ReportFraction,
    check_width,
    is_below_title,
    rows_per_chunk,
)
from homeroom.tables.text import (
    DELIMITERS,
    announced_delimiter,
    decoded,
    delimiter_of,
    encoding_of,
    lines,
)

if TYPE_CHECKING:
    from _csv import Reader

CHARACTERS = 1 << 23
"""How many characters are held at a time, apart from the last ``STEP`` rows."""

STEP = 64
"""How many rows are read between two checks of their length."""

OTHER_WIDTH = "rows with more or fewer cells than the header"
"""The reason for which such rows are counted as dropped."""


class DelimitedTable(AbstractTable):
    """A table as text.

    The header is the first line that is not blank, a comment, a title, or one such as ``sep=;``.

    Parameters
    ----------
    path
        The file.
    encoding
        Its encoding, if it should not be detected.
    progress
        Called with the fraction that has been read.
    quotes
        Whether cells may be enclosed in quotation marks; if not, these are ordinary characters.
    """

    def __init__(
        self,
        path: Path,
        encoding: str | None = None,
        progress: ReportFraction | None = None,
        *,
        quotes: bool = True,
    ) -> None:
        self.path = path
        self.quotes = quotes
        self.dropped = Counter()
        self.encoding = encoding_of(path, encoding)
        self.notes = [] if self.encoding.startswith("utf") else [f"text as {self.encoding}"]
        self._progress = progress
        self._has_header = True
        self._characters = self._done = self._rows_read = 0
        self.delimiter: str | None = ""  # not known yet
        self.header = []
        self._titles = 0  # the number of lines above the header, if there is a title
        with self._open() as file:
            self._titles = title_lines(islice(lines(file, path, lambda _: None), FIRST_LINES))
        if self._titles:
            self.notes.append(f"the header is in line {self._titles + 1}, below a title")
        with self._open() as file:
            self.header = next(iter(self._next_rows(self._rows(file), most=1)), [])
        check_width(path, len(self.header))

    def without_header(self, *, skip_first: bool = False) -> DelimitedTable:
        """Return the same table with columns named 1, 2, ...; its first line becomes a row.

        With ``skip_first`` the first line is skipped instead.
        """
        bare = copy(self)
        bare.header = [str(number + 1) for number in range(len(self.header))]
        bare._has_header = skip_first
        return bare

    def last_comment(self) -> list[str]:
        """Return the cells of the last comment at the top, as in ``# table: student,item,answer``.

        Text before the last colon is left out, and so are quotation marks; one empty cell if there
        is no comment.
        """
        with self._open() as file:
            top = takewhile(_is_blank_or_comment, lines(file, self.path, lambda _: None))
            comment = "".join([line for line in top if line.strip()][-1:])
        return comment.lstrip("#").rpartition(":")[2].replace('"', "").split(self.delimiter)

    def chunks(self, wanted: Sequence[int]) -> Iterator[Columns]:
        """Yield the columns at the wanted positions, some rows at a time."""
        self._done, self._rows_read = 0, int(self._has_header)
        with self._open() as file:
            rows = self._rows(file)
            if self._has_header:
                next(rows, None)
            while some := self._next_rows(rows, rows_per_chunk(len(self.header))):
                kept = self._of_right_width(some)
                yield [[row[place] for row in kept] for place in wanted]

    def _open(self) -> TextIO:
        return self.path.open(encoding=self.encoding, newline="")

    def _rows(self, file: TextIO) -> Iterator[list[str]]:
        """Return the cells of each row, from the header on.

        The first call detects the delimiter; ``None`` is white space.
        """
        found = islice(lines(file, self.path, self._count), self._titles, None)
        first, announced, _ = _first_of(found)
        if self.delimiter == "":
            self.delimiter = announced or delimiter_of(first, quotes=self.quotes)
        content = chain([first], found)
        if self.delimiter is None:
            return map(str.split, content)
        return self._reader(content, self.delimiter)

    def _reader(self, content: Iterable[str], delimiter: str) -> Reader:
        return csv.reader(
            content,
            delimiter=delimiter,
            quoting=csv.QUOTE_MINIMAL if self.quotes else csv.QUOTE_NONE,
            skipinitialspace=True,
            strict=True,  # otherwise a stray quotation mark would swallow rows silently
        )

    def _next_rows(self, rows: Iterator[list[str]], most: int) -> list[list[str]]:
        """Return at most ``most`` of the next rows; fewer if they have many characters."""
        some: list[list[str]] = []
        self._characters = 0
        try:
            while len(some) < most and self._characters <= CHARACTERS:
                before = len(some)
                some.extend(
                    islice(rows, min(STEP, most - len(some)))
                )  # keeps the rows before an error
                if len(some) == before:
                    break
        except csv.Error as reason:
            line = self._line_of(self._rows_read + len(some))
            raise InputError(
                f"{self.path} cannot be read as a table from line {line} on: {reason}.{self._hint}"
            ) from None
        self._rows_read += len(some)
        return some

    def _line_of(self, row: int) -> int:
        """Return the line of the file in which a row begins; reads the file again up to it."""
        with self._open() as file:
            found = islice(lines(file, self.path, lambda _: None), self._titles, None)
            first, _, skipped = _first_of(found)
            reader = self._reader(chain([first], found), self.delimiter or ",")
            for _row in islice(reader, row):
                pass
        return self._titles + skipped + reader.line_num + 1

    @property
    def _hint(self) -> str:
        """What to do about quotation marks that do not match."""
        if not self.quotes:
            return ""
        return (
            " Is there a quotation mark that is never closed, or one within a cell? Leave it out, "
            'or double it, as in "a 5"" nail"; or, if none of them encloses a cell of answers or '
            "labels, read them as letters: quotes=False (--no-quotes)."
        )

    def _count(self, length: int) -> None:
        """Count the characters that were read, and report about which part of the file that is."""
        self._characters += length
        self._done += length
        if self._progress is not None:
            self._progress(min(1.0, self._done / max(1, self.path.stat().st_size)))

    def _of_right_width(self, rows: list[list[str]]) -> list[list[str]]:
        """Return the rows as wide as the header; count the others as dropped, except empty ones."""
        width = len(self.header)
        kept = [row for row in rows if len(row) == width]
        if len(kept) < len(rows):
            others = sum(1 for row in rows if len(row) != width and any(row))
            self.dropped += Counter({OTHER_WIDTH: others})  # leaves out a count of zero
        return kept


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
    file = StringIO(decoded(data), newline="")
    if skip_title:
        titles = title_lines(islice(file, FIRST_LINES))
        file.seek(0)
        for _ in range(titles):
            file.readline()
    start = file.tell()
    first = file.readline()
    delimiter = announced_delimiter(first)
    if delimiter is None:
        delimiter = max(",;\t", key=first.count)
        file.seek(start)
    try:
        yield from filter(any, csv.reader(file, delimiter=delimiter))
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
            above = [each.split(delimiter) for n, each in rows if n < number]
            as_wide = line.count(delimiter) == following.count(delimiter)
            if is_below_title(cells, above) and as_wide and not is_announced:
                return number
    return 0


def _first_of(found: Iterator[str]) -> tuple[str, str | None, int]:
    """Return the first line with cells, the announced delimiter if any, and the line's number.

    Blank lines, comments and a line such as ``sep=;`` may precede it. Lines count from 0.
    """
    content = ((n, line) for n, line in enumerate(found) if not _is_blank_or_comment(line))
    number, first = next(content, (0, ""))
    announced = announced_delimiter(first)
    if announced:
        number, first = next(content, (0, ""))
    return first, announced, number


def _is_blank_or_comment(line: str) -> bool:
    """Return whether a line is blank or a comment, as there may be above a table."""
    return not line.strip() or line[0] == "#"
