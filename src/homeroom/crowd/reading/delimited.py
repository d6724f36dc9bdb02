"""Tables as text: ``.csv``, ``.tsv``, ``.txt``; commas, tabs, semicolons, bars or blanks."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from itertools import chain, islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from homeroom._checks import InputError
from homeroom.crowd.reading.source import (
    AbstractSource,
    Columns,
    Tell,
    check_width,
    rows_at_a_time,
)
from homeroom.crowd.reading.text import encoding_of, lines

if TYPE_CHECKING:
    from _csv import Reader

MARKS = ("\t", ",", ";", "|")
CHARACTERS = 1 << 23
"""How many characters are held at a time at most, one line aside."""

STEP = 64
"""How many rows are read before it is looked how long they were."""

OTHER_WIDTH = "rows with more or fewer cells than the header"


class Delimited(AbstractSource):
    """A table as text, whose first line that is neither blank nor a comment names the columns.

    Cells may stand in quotation marks, unless ``quotes`` says that these are letters like others.
    """

    def __init__(
        self,
        path: Path,
        encoding: str | None = None,
        tell: Tell | None = None,
        *,
        quotes: bool = True,
    ) -> None:
        self.path = path
        self.quotes = quotes
        self.dropped = Counter()
        self.encoding = encoding_of(path, encoding)
        self.notes = [] if self.encoding.startswith("utf") else [f"text as {self.encoding}"]
        self._tell = tell
        self._has_header = True
        self._characters = self._done = self._read = 0
        self.mark: str | None = ""  # not known yet
        self.header = []
        with self._open() as file:
            self.header = next(iter(self._some(self._rows(file), most=1)), [])
        check_width(path, len(self.header))

    def without_header(self, *, skip_first: bool = False) -> Delimited:
        """Return the same table with columns called 1, 2, ..., its first line a row like others.

        Unless that line is to be skipped.
        """
        bare = copy(self)
        bare.header = [str(number + 1) for number in range(len(self.header))]
        bare._has_header = skip_first
        return bare

    def last_comment(self) -> list[str]:
        """Return the cells of the last comment at the top, as in ``# table: student,item,answer``.

        What stands before a colon is left out, and so are quotation marks.
        """
        with self._open() as file:
            top = takewhile(_is_above, lines(file, self.path, lambda _: None))
            comment = "".join([line for line in top if line.strip()][-1:])
        return comment.lstrip("#").rpartition(":")[2].replace('"', "").split(self.mark)

    def chunks(self, wanted: Sequence[int]) -> Iterator[Columns]:
        self._done, self._read = 0, int(self._has_header)
        with self._open() as file:
            rows = self._rows(file)
            if self._has_header:
                next(rows, None)
            while some := self._some(rows, rows_at_a_time(len(self.header))):
                kept = self._of_right_width(some)
                yield [[row[place] for row in kept] for place in wanted]

    def _open(self) -> TextIO:
        return self.path.open(encoding=self.encoding, newline="")

    def _rows(self, file: TextIO) -> Iterator[list[str]]:
        """Return the cells of each line, less the blank lines and the comments at the top."""
        found = lines(file, self.path, self._count)
        first, announced, _ = _first_of(found)
        if self.mark == "":
            self.mark = announced or mark_of(first, quotes=self.quotes)
        return self._cells(chain([first], found))

    def _cells(self, content: Iterable[str]) -> Iterator[list[str]]:
        return map(str.split, content) if self.mark is None else self._reader(content, self.mark)

    def _reader(self, content: Iterable[str], mark: str) -> Reader:
        return csv.reader(
            content,
            delimiter=mark,
            quoting=csv.QUOTE_MINIMAL if self.quotes else csv.QUOTE_NONE,
            skipinitialspace=True,
            strict=True,  # a stray quotation mark would swallow all rows up to the next, unseen
        )

    def _some(self, rows: Iterator[list[str]], most: int) -> list[list[str]]:
        """Return the next rows: not too many, nor too many characters."""
        some: list[list[str]] = []
        self._characters = 0
        try:
            while len(some) < most and self._characters <= CHARACTERS:
                before = len(some)
                some.extend(islice(rows, min(STEP, most)))  # keeps what comes before an error
                if len(some) == before:
                    break
        except csv.Error as reason:
            line = self._line_of(self._read + len(some))
            raise InputError(
                f"{self.path} cannot be read as a table from line {line} on: {reason}.{self._cure}"
            ) from None
        self._read += len(some)
        return some

    def _line_of(self, row: int) -> int:
        """Return in which line of the file a row begins; costs a pass over what is before it."""
        with self._open() as file:
            found = lines(file, self.path, lambda _: None)
            first, _, skipped = _first_of(found)
            reader = self._reader(chain([first], found), self.mark or ",")
            for _row in islice(reader, row):
                pass
        return skipped + reader.line_num + 1

    @property
    def _cure(self) -> str:
        """What may be done where quotation marks are not as they should be."""
        if not self.quotes:
            return ""
        return (
            " Is there a quotation mark that is never closed, or one within a cell? Leave it out, "
            'or double it, as in "a 5"" nail"; or, if none of them encloses a cell of answers or '
            "labels, read them as letters: quotes=False (--no-quotes)."
        )

    def _count(self, length: int) -> None:
        self._characters += length
        self._done += length
        if self._tell is not None:
            self._tell(min(1.0, self._done / max(1, self.path.stat().st_size)))

    def _of_right_width(self, rows: list[list[str]]) -> list[list[str]]:
        width = len(self.header)
        kept = [row for row in rows if len(row) == width]
        if len(kept) < len(rows):
            others = sum(1 for row in rows if len(row) != width and any(row))
            self.dropped += Counter({OTHER_WIDTH: others})  # which keeps no zeros
        return kept


def _first_of(found: Iterator[str]) -> tuple[str, str | None, int]:
    """Return the first line with cells, the mark that is announced above it, and its number.

    Blank lines, comments and a line such as ``sep=;`` come before it; lines are counted from 0.
    """
    content = ((n, line) for n, line in enumerate(found) if not _is_above(line))
    number, first = next(content, (0, ""))
    announced = announced_mark(first)
    if announced:
        number, first = next(content, (0, ""))
    return first, announced, number


def _is_above(line: str) -> bool:
    """Tell whether a line is blank or a comment, as there may be above a table."""
    return not line.strip() or line[0] == "#"


def announced_mark(line: str) -> str | None:
    """Return the mark that a first line such as ``sep=;`` announces, as spreadsheets write it."""
    text = line.rstrip("\r\n")
    return text[4] if len(text) == 5 and text[:4].lower() == "sep=" and text[4] in MARKS else None


def mark_of(line: str, *, quotes: bool = True) -> str | None:
    """Return what separates the cells of a line; ``None`` for blanks.

    What stands in quotation marks separates nothing, unless these are letters like others.

    >>> mark_of("student;item;answer"), mark_of("0 12 1")
    (';', None)
    """
    outside = "".join(line.split('"')[::2]) if quotes else line
    best = max(MARKS, key=outside.count)
    if best in outside:
        return best
    quoted = quotes and '"' in line
    return None if len(line.split()) > 1 and not quoted else ","
