"""Students in Parquet files, read batch by batch: a file may be larger than the memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom._files import damaged, reading
from homeroom.classroom import tables
from homeroom.classroom.parquet_table import needed_pyarrow
from homeroom.classroom.pieces.base import BLOCK_BYTES, AbstractNamedPiece, Block, rows_of
from homeroom.classroom.pieces.checked import Limits, Place, check_rates, checked

BUFFER_BYTES = 1 << 20
"""How much of a column is read ahead; without it pyarrow holds a whole group of rows."""

BATCH_BYTES = 1 << 24
"""How much pyarrow unpacks at a time, 16 MiB: it holds a multiple of that meanwhile."""

ROWS_TURNED = 1 << 12
"""Rows that are put together from columns at a time, while they are in the cache."""


@dataclass(frozen=True)
class RowGroup:
    """A group of rows of a Parquet file.

    Parameters
    ----------
    path
        The file.
    number
        Which group it is, counted from 0.
    first
        How many rows stand before it in the file.
    rows
        How many rows it has.
    target
        Which of its rows is the target and no student, counted from 0.
    """

    path: str
    number: int
    first: int
    rows: int
    target: int | None = None

    @property
    def students(self) -> int:
        """How many of the rows are students."""
        return self.rows - (self.target is not None)


@dataclass(frozen=True)
class ParquetPiece(AbstractNamedPiece):
    """Some groups of rows, of one file or of several.

    Parameters
    ----------
    groups
        Which ones.
    dimensions
        How many columns ``w1, w2, ...`` there are.
    named
        Whether all files have a column ``student``.
    limits
        The range that was announced for the rates.
    """

    groups: tuple[RowGroup, ...]
    dimensions: int
    named: bool = False
    limits: Limits | None = None

    def blocks(self) -> Iterator[Block]:
        weights = weight_names(self.dimensions)
        height, filled = rows_of(BLOCK_BYTES, self.dimensions), 0
        states, rates = np.empty((height, self.dimensions)), np.empty(height)
        for batch in self._batches(["rate", *weights]):
            if filled + batch.rows > height:
                yield Block(states[:filled], rates[:filled])
                states, rates, filled = np.empty_like(states), np.empty_like(rates), 0
            part = slice(filled, filled + batch.rows)
            rates[part] = batch.floats("rate")
            _side_by_side([batch.floats(name) for name in weights], states[part])
            checked(Block(states[part], rates[part]), batch.place, self.limits)
            filled += batch.rows
        if filled:
            yield Block(states[:filled], rates[:filled])

    def rates(self) -> Iterator[Floats]:
        for batch in self._batches(["rate"]):
            rates = batch.floats("rate")
            check_rates(rates, batch.place, self.limits)
            yield rates

    def names(self) -> Iterator[Any]:
        if self.named:
            for batch in self._batches(["student"]):
                yield batch.texts("student")

    def _batches(self, wanted: list[str]) -> Iterator[Batch]:
        for path, groups in groupby(self.groups, attrgetter("path")):
            with opened(Path(path)) as file:
                spelt = spelling(Path(path), file.schema_arrow.names, self.dimensions)
                chosen = {name: spelt[name] for name in wanted}
                for group in groups:
                    for batch in batches(file, group, chosen, self.dimensions):
                        yield from batch.students(group)


@dataclass(frozen=True)
class Batch:
    """Some rows of some columns, and where they come from."""

    columns: dict[str, Any]
    rows: int
    place: Place

    def floats(self, name: str) -> Floats:
        """Return a column of numbers."""
        column = self.columns[name]
        if column.null_count:
            row = int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
            raise InputError(
                f"Column {name} must have a number in every row, but {self.place.row(row)} has "
                "none. Fill it in, or drop the row."
            )
        pyarrow = needed_pyarrow()
        try:
            numbers: Floats = column.cast(pyarrow.float64()).to_numpy(zero_copy_only=False)
        except pyarrow.ArrowException as reason:
            row = _first_unreadable(column)
            raise InputError(
                f"Column {name} must have numbers, but {self.place.row(row)} has "
                f"{str(column[row])[:40]!r} ({_in_one_line(reason)})."
            ) from None
        return numbers

    def texts(self, name: str) -> Any:
        """Return a column of texts, those that are missing empty."""
        return self.columns[name].cast(needed_pyarrow().string()).fill_null("")

    def students(self, group: RowGroup) -> Iterator[Batch]:
        """Yield the rows before and after the target's, or all if it is not among them."""
        at = None if group.target is None else group.first + group.target + 1 - self.place.first
        parts = [(0, self.rows)] if at is None else [(0, at), (at + 1, self.rows)]
        for first, last in parts:
            first, last = max(first, 0), min(last, self.rows)  # noqa: PLW2901 - the part within
            if first < last:
                yield self.part(first, last)

    def part(self, first: int, last: int) -> Batch:
        """Return only some of the rows."""
        if last - first == self.rows:
            return self
        columns = {name: part[first:last] for name, part in self.columns.items()}
        return Batch(columns, last - first, self.place.moved(first))


def weight_names(dimensions: int) -> list[str]:
    """Return ``w1, w2, ...``."""
    return [f"w{i}" for i in range(1, dimensions + 1)]


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """Open a Parquet file to be read in small parts; say in one sentence if that fails."""
    pyarrow = needed_pyarrow()
    with reading(path):
        try:
            with pyarrow.parquet.ParquetFile(
                path, pre_buffer=False, buffer_size=BUFFER_BYTES
            ) as file:
                yield file
        except (pyarrow.ArrowException, IndexError, UnicodeDecodeError) as reason:
            raise damaged(path, reason) from None


def spelling(
    path: Path | str, header: Sequence[str], dimensions: int | None = None
) -> dict[str, str]:
    """Return how the columns that count are spelt in this file."""
    places = tables.columns(path, header)
    if "rate" not in places:
        raise InputError(f"{path} must have a column rate: how fast each student learns.")
    found = sum(name[0] == "w" for name in places)
    if dimensions is not None and found != dimensions:
        raise InputError(
            f"{path} must have the columns w1 to w{dimensions} like the other files, but has w1 to "
            f"w{found}."
        )
    return {name: header[place] for name, place in places.items()}


def batches(file: Any, group: RowGroup, spelt: dict[str, str], dimensions: int) -> Iterator[Batch]:
    """Yield some columns of a group of rows, a bounded number of rows at a time."""
    place = Place(group.path, group.first + 1)
    for read in file.iter_batches(
        batch_size=rows_of(min(BATCH_BYTES, BLOCK_BYTES), dimensions),
        row_groups=[group.number],
        columns=list(spelt.values()),
        use_threads=False,
    ):
        columns = {name: read.column(spelled) for name, spelled in spelt.items()}
        yield Batch(columns, read.num_rows, place)
        place = place.moved(read.num_rows)


def _side_by_side(columns: list[Floats], rows: Floats) -> None:
    """Put columns beside each other into rows; a part at a time is a third faster."""
    for first in range(0, len(rows), ROWS_TURNED):
        part = rows[first : first + ROWS_TURNED]
        for number, column in enumerate(columns):
            part[:, number] = column[first : first + ROWS_TURNED]


def _first_unreadable(column: Any) -> int:
    """Return the first row that is no number, by halves."""
    first, last = 0, len(column)
    while last - first > 1:
        middle = (first + last) // 2
        first, last = (middle, last) if _is_readable(column[first:middle]) else (first, middle)
    return first


def _is_readable(column: Any) -> bool:
    pyarrow = needed_pyarrow()
    try:
        column.cast(pyarrow.float64())
    except pyarrow.ArrowException:
        return False
    return True


def _in_one_line(reason: Exception) -> str:
    return " ".join(str(reason).split()).rstrip(".")[:120]
