"""What the readers of files share: a header, and some columns at a time, as texts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from homeroom._checks import InputError

Columns: TypeAlias = list[Sequence[str]]
"""Some rows of some columns: a list of texts for each column, all equally long."""

Tell: TypeAlias = Callable[[float], None]
"""Is told which part of a file has been read, from 0 to 1."""

MAX_COLUMNS = 100_000
CELLS = 1 << 14
"""How many cells are held as texts at a time.

Few, as Python looks through all that it holds again and again: 2^14, 2^16 and 2^18 cells take 1.5,
2.1 and 2.7 s for 10^6 answers.
"""


class AbstractSource(ABC):
    """A table in a file, of which never more than a few rows are held as texts.

    Attributes
    ----------
    path
        The file.
    header
        The names of the columns.
    dropped
        How many rows were left out so far, by the reason.
    notes
        What there is to say of how the file was read.
    rows
        How many rows there are, where that is known before they are read.
    is_matrix
        Whether every column is an item or a person, so that none may be overlooked.
    """

    path: Path
    header: list[str]
    dropped: Counter[str]
    notes: list[str]
    rows: int = 0
    is_matrix: bool = False

    @abstractmethod
    def chunks(self, wanted: Sequence[int]) -> Iterator[Columns]:
        """Yield the columns at these places, some rows at a time."""


def rows_at_a_time(width: int) -> int:
    """Return how many rows of this many cells are worked on together."""
    return max(1, CELLS // max(1, width))


def check_width(path: Path, width: int) -> None:
    """Refuse a table with too many columns."""
    if width > MAX_COLUMNS:
        raise InputError(f"{path} has {width} columns; at most {MAX_COLUMNS} are read.")


def refuse_ragged(source: AbstractSource) -> None:
    """Refuse a table that has been read, if rows of it had to be left out."""
    for why, rows in source.dropped.items():
        raise InputError(f"{source.path} has {why}: {rows} of them. Correct them first.")


def shown(names: Sequence[str], most: int = 8) -> str:
    """Return the first of some names, fit to print on one line.

    >>> shown(["a", "b", "c"], most=2)
    "'a', 'b', ..."
    >>> shown([])
    'none'
    """
    some = ", ".join(repr(name[:30]) for name in names[:most]) or "none"
    return some + (", ..." if len(names) > most else "")
