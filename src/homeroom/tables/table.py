"""What all tables have in common: a header, and columns of text that are read in chunks."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from homeroom._checks import InputError
from homeroom._files import refuse_size
from homeroom.tables.times import is_date

Columns: TypeAlias = list[Sequence[str]]
"""Some rows of some columns: one list of texts per column, all of the same length."""

ReportFraction: TypeAlias = Callable[[float], None]
"""Called with the fraction of a file that has been read, from 0 to 1."""

MAX_COLUMNS = 100_000
CELLS = 1 << 14
"""How many cells are held as text at a time.

The number is small because Python's garbage collector visits all of them repeatedly: with 2^14,
2^16 and 2^18 cells, 10^6 rows take 1.5, 2.1 and 2.7 s.
"""

SAMPLE_BYTES = 1 << 20
"""How much of a file is read to estimate its number of lines."""

LONGEST_TO_TYPE = 200
"""The longest name that an error message shows in an option to type."""

FIRST_LINES = 12
"""How many lines are searched for a header below a title."""

MARGIN = 1.25
"""An estimate of memory must exceed the limit by this factor: first lines may be shorter."""


class AbstractTable(ABC):
    """A table in a file. Only a few rows are held as text at a time.

    Attributes
    ----------
    path
        The file.
    header
        The names of the columns.
    dropped
        How many rows were left out so far, by reason.
    notes
        Remarks for the user on how the file was read.
    rows
        The number of rows, if it is known before they are read.
    is_matrix
        Whether every column is an item or an annotator, so that none may be left out.
    """

    path: Path
    header: list[str]
    dropped: Counter[str]
    notes: list[str]
    rows: int = 0
    is_matrix: bool = False

    @abstractmethod
    def chunks(self, wanted: Sequence[int]) -> Iterator[Columns]:
        """Yield the columns at these positions, some rows at a time."""


def is_below_title(cells: Sequence[str], above: Sequence[Sequence[str]]) -> bool:
    """Return whether cells name the columns of a table that has a title above.

    They have text, and none is a number or a date. Each row above has text in one cell, or in two
    of at least four, as in ``Exported,2025-11-16,,``.

    >>> is_below_title(["name", "1. Is it a moth?"], [["Export of 2025", ""]])
    True
    >>> is_below_title(["Ada", "3"], [["Export of 2025", ""]])
    False
    """
    most = 2 if len(cells) >= 4 else 1
    is_title = all(1 <= sum(map(bool, map(str.strip, row))) <= most for row in above)
    return (
        bool(above)
        and is_title
        and len(cells) > 1
        and all(cell and not is_number(cell) and not is_date(cell) for cell in cells)
    )


def is_number(text: str) -> bool:
    """Return whether a text is a number, with a decimal point or a decimal comma."""
    try:
        float(text.replace(",", ".", 1))
    except ValueError:
        return False
    return True


def rows_per_chunk(width: int) -> int:
    """Return how many rows with this many cells are read at a time."""
    return max(1, CELLS // max(1, width))


def check_width(path: Path, width: int) -> None:
    """Refuse a table with too many columns."""
    if width > MAX_COLUMNS:
        raise InputError(f"{path} has {width} columns; at most {MAX_COLUMNS} are read.")


def refuse_dropped_rows(table: AbstractTable) -> None:
    """Refuse a table, after it was read, if any of its rows had to be left out."""
    for why, rows in table.dropped.items():
        raise InputError(f"{table.path} has {why}: {rows} of them. Correct them first.")


def refuse_too_many_lines(path: Path, max_bytes: int, bytes_per_line: int) -> None:
    """Refuse a text file whose lines would clearly take more memory than allowed.

    The number of lines is estimated from the size of the file and its first lines. Without this
    check, such a file would be refused only after minutes, when most of it has been read.
    """
    with path.open("rb") as file:
        start = file.read(SAMPLE_BYTES)
    lines = start.count(b"\n") + start.count(b"\r") - start.count(b"\r\n")
    estimate = bytes_per_line * lines * path.stat().st_size / max(1, len(start))
    if estimate > MARGIN * max_bytes:
        refuse_size(path, estimate, max_bytes)


def quoted(names: Sequence[str], most: int = 8) -> str:
    """Return the first few names for an error message, in quotation marks and on one line.

    Long names are shortened, but two different names never look the same.

    >>> quoted(["a", "b", "c"], most=2)
    "'a', 'b', ..."
    >>> quoted([])
    'none'
    """
    some = ", ".join(map(repr, distinct(names[:most]))) or "none"
    return some + (", ..." if len(names) > most else "")


def distinct(names: Sequence[str], length: int = 30) -> list[str]:
    """Return the names shortened to some length, or longer where two would become the same.

    >>> distinct(["It is a butterfly with eyespots", "It is a butterfly without"], 20)
    ['It is a butterfly with eyespot...', 'It is a butterfly without']
    >>> distinct(["0" * 99 + "1", "0" * 99 + "2"], 10)
    ['00000...00001', '00000...00002']
    """
    different = len(set(names))
    for most in (length, 3 * length // 2, 2 * length, 3 * length):
        short = [_cut(name, most) for name in names]
        if len(set(short)) == different:
            return short
    for end in (length // 2, length, 2 * length, 4 * length):
        short = [
            name if len(name) <= length + end else f"{name[: length // 2]}...{name[-end:]}"
            for name in names
        ]
        if len(set(short)) == different:
            return short
    return list(names)


def to_type(name: str) -> str:
    """Return a name to type as the value of an option: whole, or only dots if it is very long.

    >>> to_type("Is it a moth?"), to_type("x" * 5000)
    ('Is it a moth?', '...')
    """
    return name if len(name) <= LONGEST_TO_TYPE else "..."


def shell_word(text: str) -> str:
    """Return a value of an option as it is typed, in quotation marks if it needs them."""
    text = to_type(text)
    return text if re.fullmatch(r"[\w.-]+", text) else f'"{text}"'


def _cut(name: str, most: int) -> str:
    return name if len(name) <= most else f"{name[:most]}..."
