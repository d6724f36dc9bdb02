"""A table in memory: a header, and columns of text that pyarrow holds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from homeroom._checks import InputError
from homeroom.tables.times import is_date

MAX_COLUMNS = 100_000
MAX_CELL = 1 << 17
"""The longest text of a cell, 131,072 bytes: a longer one is a quotation mark never closed."""

LONGEST_TO_TYPE = 200
"""The longest name that an error message shows in an option to type."""

FIRST_LINES = 12
"""How many lines are searched for a header below a title."""


@dataclass
class Table:
    """A table of texts.

    Parameters
    ----------
    path
        The file.
    header
        The names of the columns.
    columns
        One pyarrow array of texts per column; blank cells are empty texts.
    notes
        Remarks for the user on how the file was read.
    dropped
        How many rows were left out, by reason.
    delimiter, comment
        What separates the cells of a text file (``None``: blanks), and the last comment above it.
    program
        The program that exported the table, if its answers were found in the program's own way.
    """

    path: Path
    header: list[str]
    columns: list[Any]
    notes: list[str] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    delimiter: str | None = ","
    comment: str = ""
    program: str | None = None

    def __post_init__(self) -> None:
        check_width(self.path, len(self.header))

    @classmethod
    def of(
        cls, path: Path, header: Sequence[str], columns: Iterable[Sequence[str]], **more: Any
    ) -> Table:
        """Return a table of lists of texts."""
        return cls(path, list(header), [to_column(texts) for texts in columns], **more)

    @classmethod
    def of_rows(
        cls, path: Path, header: Sequence[str], rows: Sequence[Sequence[str]], **more: Any
    ) -> Table:
        """Return a table of rows, each as wide as the header."""
        columns = zip(*rows, strict=True) if rows else ((),) * len(header)
        return cls.of(path, header, columns, **more)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.columns[0]) if self.columns else 0

    def texts(self, at: int, most: int | None = None) -> list[str]:
        """Return the texts of a column, or the first ones, without blanks around them."""
        cells: list[str] = self.columns[at].slice(0, most).to_pylist()
        return [cell.strip() for cell in cells]

    def first(self, wanted: Sequence[int], most: int) -> list[tuple[str, ...]]:
        """Return the first rows of some columns, without blanks around texts."""
        return list(zip(*(self.texts(at, most) for at in wanted), strict=True))

    def joined(self, places: Sequence[int]) -> Any:
        """Return names that are spread over several columns as one column."""
        if len(places) == 1:
            return self.columns[places[0]]
        rows = zip(*map(self.texts, places), strict=True)
        return to_column([" / ".join(filter(None, pieces)) for pieces in rows])

    def keep(self, rows: npt.NDArray[np.bool_], why: str) -> Table:
        """Return the table with some of its rows; the others are counted as left out."""
        import pyarrow

        mask = pyarrow.array(rows)
        dropped = self.dropped + Counter({why: int((~rows).sum())})
        return replace(self, columns=[one.filter(mask) for one in self.columns], dropped=dropped)

    def without_header(self) -> Table:
        """Return the same table with columns named 1, 2, ...; its first line becomes a row."""
        columns = [[name, *self.texts(at)] for at, name in enumerate(self.header)]
        names = [str(number + 1) for number in range(len(columns))]
        bare = Table.of(self.path, names, columns)
        return replace(self, header=names, columns=bare.columns, notes=list(self.notes))


def to_column(texts: Sequence[str]) -> Any:
    """Return texts as a column of a table."""
    import pyarrow

    return pyarrow.chunked_array([pyarrow.array(texts, pyarrow.large_string())])


def rows_of_objects(path: Path, rows: Sequence[Mapping[str, str]], notes: list[str]) -> Table:
    """Return the table of rows that are mappings from names of columns to texts."""
    header = list(dict.fromkeys(chain.from_iterable(rows)))
    check_width(path, len(header))
    columns = ([row.get(name, "") for row in rows] for name in header)
    try:
        return Table.of(path, header, columns, notes=notes)
    except UnicodeEncodeError as reason:
        half = reason.object[reason.start]
        raise InputError(
            f"{path} has half a character ({half!a}), which is no text: export it again as UTF-8."
        ) from None


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


def check_width(path: Path, width: int) -> None:
    """Refuse a table with too many columns."""
    if width > MAX_COLUMNS:
        raise InputError(f"{path} has {width} columns; at most {MAX_COLUMNS} are read.")


def refuse_dropped_rows(table: Table) -> None:
    """Refuse a table, after it was read, if any of its rows had to be left out."""
    for why, rows in table.dropped.items():
        raise InputError(f"{table.path} has {why}: {rows} of them. Correct them first.")


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
