"""Pieces of Parquet files: what their footers state, and reading them by row groups."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom._files import damaged, reading
from homeroom.classroom import tables
from homeroom.classroom.files import METADATA, check_names, needed_pyarrow
from homeroom.classroom.pieces.base import (
    BLOCK_BYTES,
    PIECE_BYTES,
    AbstractNamedPiece,
    Block,
    Limits,
    Place,
    check_rates,
    checked,
    rows_of,
)

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
        The number of the group, from 0.
    first
        The number of rows before it in the file.
    rows
        The number of its rows.
    target
        The row of this group, from 0, that is the target instead of a student; ``None`` if there
        is none.
    """

    path: str
    number: int
    first: int
    rows: int
    target: int | None = None

    @property
    def students(self) -> int:
        """The number of rows that are students."""
        return self.rows - (self.target is not None)


@dataclass(frozen=True)
class ParquetPiece(AbstractNamedPiece):
    """Some groups of rows, of one file or of several.

    Parameters
    ----------
    groups
        The groups of rows.
    dimensions
        The number of columns ``w1, w2, ...``.
    named
        Whether all files have a column ``student``.
    limits
        The range that every rate must be in: given by the caller, or stated by the footers.
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
        """Yield the students batch by batch, with only the wanted columns."""
        for path, groups in groupby(self.groups, attrgetter("path")):
            with opened(Path(path)) as file:
                spelt = names_in_file(Path(path), file.schema_arrow.names, self.dimensions)
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
        """Return a column of texts; missing ones are empty."""
        return self.columns[name].cast(needed_pyarrow().string()).fill_null("")

    def targets(self) -> list[int]:
        """Return the rows that are named ``target``, from 0; the batch must have the names."""
        names, compute = self.texts("student"), needed_pyarrow().compute
        like = compute.equal(
            compute.ascii_lower(compute.utf8_trim_whitespace(names)), tables.TARGET
        )
        rows = np.flatnonzero(like.to_numpy(zero_copy_only=False)).tolist()
        return [row for row in rows if tables.is_target(names[row].as_py())]

    def students(self, group: RowGroup) -> Iterator[Batch]:
        """Yield the rows before and after the target's, or all if it is not among them."""
        at = None if group.target is None else group.first + group.target + 1 - self.place.first
        parts = [(0, self.rows)] if at is None else [(0, at), (at + 1, self.rows)]
        for first, last in parts:
            first, last = max(first, 0), min(last, self.rows)  # noqa: PLW2901 - the part within
            if first < last:
                yield self.part(first, last)

    def part(self, first: int, last: int) -> Batch:
        """Return the rows from ``first`` up to, but not including, ``last``."""
        if last - first == self.rows:
            return self
        columns = {name: part[first:last] for name, part in self.columns.items()}
        return Batch(columns, last - first, self.place.moved(first))


def weight_names(dimensions: int) -> list[str]:
    """Return ``w1, w2, ...``."""
    return [f"w{i}" for i in range(1, dimensions + 1)]


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """Open a Parquet file to read it in small parts; raise an ``InputError`` if that fails."""
    pyarrow = needed_pyarrow()
    with reading(path):
        try:
            with pyarrow.parquet.ParquetFile(
                path, pre_buffer=False, buffer_size=BUFFER_BYTES
            ) as file:
                yield file
        except (pyarrow.ArrowException, UnicodeDecodeError) as reason:
            raise damaged(path, reason) from None


def names_in_file(
    path: Path | str, header: Sequence[str], dimensions: int | None = None
) -> dict[str, str]:
    """Return the file's own name for each of the columns student, rate, w1, w2, ... that it has.

    ``dimensions`` is the number of dimensions in the other files, if it is known.
    """
    places = tables.columns(path, header)
    if "rate" not in places:
        raise tables.no_rate(path, header)
    found = sum(name[0] == "w" for name in places)
    if dimensions is not None and found != dimensions:
        raise InputError(
            f"{path} must have the columns w1 to w{dimensions} like the other files, but has w1 to "
            f"w{found}."
        )
    return {name: header[place] for name, place in places.items()}


def batches(file: Any, group: RowGroup, spelt: dict[str, str], dimensions: int) -> Iterator[Batch]:
    """Yield some columns of a group of rows, a bounded number of rows at a time.

    ``spelt`` has the name in the file of each column that is read. ``dimensions`` only limits the
    number of rows per batch.
    """
    if group.number >= file.metadata.num_row_groups:
        raise damaged(Path(group.path), f"it has no group of rows {group.number}")
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
    """Copy columns into ``rows``, some rows at a time, which is a third faster."""
    for first in range(0, len(rows), ROWS_TURNED):
        part = rows[first : first + ROWS_TURNED]
        for number, column in enumerate(columns):
            part[:, number] = column[first : first + ROWS_TURNED]


def _first_unreadable(column: Any) -> int:
    """Return the first row that is not a number, found by bisection."""
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


@dataclass(frozen=True)
class ParquetFiles:
    """What is known about some files before their students are read.

    Parameters
    ----------
    groups
        Their groups of rows that have students.
    dimensions
        The number of columns ``w1, w2, ...``.
    named
        Whether all have a column ``student``.
    rates
        The lowest and the highest rate, if every footer states them.
    radii
        The radii in the metadata of the files.
    target
        The row named ``target``, if there is one.
    """

    groups: list[RowGroup]
    dimensions: int
    named: bool
    rates: Limits | None
    radii: dict[str, float]
    target: Floats | None

    def pieces(self, limits: Limits | None) -> list[ParquetPiece]:
        """Return the groups, in order, in pieces of at most ``PIECE_BYTES``.

        A larger group is a piece by itself.
        """
        pieces: list[list[RowGroup]] = []
        most = rows = rows_of(PIECE_BYTES, self.dimensions)
        for group in self.groups:
            rows += group.rows
            if rows > most:
                pieces.append([])
                rows = group.rows
            pieces[-1].append(group)
        return [
            ParquetPiece(tuple(groups), self.dimensions, self.named, limits) for groups in pieces
        ]


def read_footers(paths: Sequence[Path]) -> ParquetFiles:
    """Return what the footers of the files state; raise if they do not fit together."""
    footers = [_read_footer(paths[0], None)]
    footers += [_read_footer(path, footers[0].dimensions) for path in paths[1:]]
    ranges = [footer.rates for footer in footers if footer.groups]
    return ParquetFiles(
        list(chain.from_iterable(footer.groups for footer in footers)),
        footers[0].dimensions,
        all(footer.named for footer in footers),
        _widest(ranges),
        _radii(paths, footers),
        _one_target(paths, footers),
    )


def size_in_memory(path: Path) -> int:
    """Return the bytes that a file needs in memory: 8 per number, and 8 per name."""
    with opened(path) as file:
        spelt = names_in_file(path, file.schema_arrow.names)
        return 8 * int(file.metadata.num_rows) * len(spelt)


def _read_footer(path: Path, dimensions: int | None) -> ParquetFiles:
    """Return what the footer of one file states; ``dimensions`` are those of the other files."""
    with opened(path) as file:
        spelt = names_in_file(path, file.schema_arrow.names, dimensions)
        check_names(path, file.schema_arrow, spelt)
        dimensions = dimensions or sum(name[0] == "w" for name in spelt)
        words = (file.schema_arrow.metadata or {}).get(METADATA, b"").decode("utf-8", "replace")
        leaf = _leaf(file, spelt["rate"])
        groups, target = _groups(path, file, spelt)
        groups = [group for group in groups if group.students]
        return ParquetFiles(
            groups,
            dimensions,
            "student" in spelt,
            _widest([_range(file, leaf, group) for group in groups]),
            tables.radii_from(path, words.split()),
            target,
        )


def _groups(path: Path, file: Any, spelt: dict[str, str]) -> tuple[list[RowGroup], Floats | None]:
    """Return a file's groups of rows, and its target if it has one."""
    groups: list[RowGroup] = []
    target: Floats | None = None
    first = 0
    leaf = _leaf(file, spelt["student"]) if "student" in spelt else None
    for number in range(file.metadata.num_row_groups):
        rows = file.metadata.row_group(number).num_rows
        group = RowGroup(str(path.absolute()), number, first, rows)
        for row, weights in _targets(file, group, spelt, leaf):
            if target is not None:
                raise InputError(f"{path} must have one target row, but has several.")
            group, target = replace(group, target=row), weights
        groups.append(group)
        first += rows
    return groups, target


def _targets(
    file: Any, group: RowGroup, spelt: dict[str, str], leaf: int | None
) -> Iterator[tuple[int, Floats]]:
    """Yield the row, from 0 in the group, and the weights of each target.

    ``leaf`` is the number of the column of names in the footer. The names are read unless the
    footer shows that none is ``target``; the weights only if one is.
    """
    if "student" not in spelt or not _may_have_target(_statistics(file, leaf, group.number)):
        return
    only = {"student": spelt["student"]}
    if not any(batch.targets() for batch in batches(file, group, only, 1)):
        return
    weights = weight_names(len(spelt) - 2)
    for batch in batches(file, group, spelt, len(weights)):
        for at in batch.targets():
            row = batch.part(at, at + 1)
            found = np.concatenate([row.floats(name) for name in weights])
            yield batch.place.first + at - group.first - 1, found


def _may_have_target(statistics: Any) -> bool:
    """Return whether a name may be ``target``, given the footer's statistics of names."""
    if statistics is None or not statistics.has_min_max:
        return True
    low, high = statistics.min, statistics.max
    if not isinstance(low, str):
        return not isinstance(low, int | float)
    low, high = low[:1], high[:1]
    # Capitals and blanks before the name do not matter; some blanks are not ASCII.
    return low <= " " or high > "~" or low <= "T" <= high or low <= "t" <= high


def _leaf(file: Any, name: str) -> int | None:
    """Return the number of a column in the footer, which also counts nested columns."""
    columns = file.metadata.num_columns
    return next((at for at in range(columns) if file.schema.column(at).path == name), None)


def _statistics(file: Any, leaf: int | None, number: int) -> Any:
    """Return the footer's statistics of a column in a group of rows, or ``None``."""
    if leaf is None:
        return None
    column = file.metadata.row_group(number).column(leaf)
    return column.statistics if column.is_stats_set else None


def _range(file: Any, leaf: int | None, group: RowGroup) -> Limits | None:
    """Return the lowest and the highest rate of a group's students, if the footer states it.

    ``leaf`` is the number of the column of rates in the footer.
    """
    statistics = _statistics(file, leaf, group.number)
    if statistics is None or not statistics.has_min_max:
        return None
    if group.target is not None and not statistics.null_count:
        return None  # the target has a rate, which may be the lowest or the highest
    low, high = statistics.min, statistics.max
    if not (isinstance(low, int | float) and isinstance(high, int | float)):
        return None  # a rate that is text, say: its order is not that of numbers
    return (float(low), float(high)) if 0 < low <= high < math.inf else None


def _widest(ranges: Sequence[Limits | None]) -> Limits | None:
    """Return the range that contains all ranges; ``None`` if one is not known."""
    known = [each for each in ranges if each is not None]
    if not known or len(known) < len(ranges):
        return None
    return min(low for low, _ in known), max(high for _, high in known)


def _radii(paths: Sequence[Path], footers: Sequence[ParquetFiles]) -> dict[str, float]:
    """Return the radii that the files state; refuse files that differ."""
    radii: dict[str, float] = {}
    for path, footer in zip(paths, footers, strict=True):
        for name, radius in footer.radii.items():
            if radii.setdefault(name, radius) != radius:
                raise InputError(
                    f"{path} says {name}={radius!r}, but a file before it says {radii[name]!r}: "
                    "these files are not one class."
                )
    return radii


def _one_target(paths: Sequence[Path], footers: Sequence[ParquetFiles]) -> Floats | None:
    """Return the target that one of the files has, if any; refuse several."""
    having = [number for number, footer in enumerate(footers) if footer.target is not None]
    if len(having) > 1:
        raise InputError(
            f"{paths[having[1]]} has a target row, but so has {paths[having[0]]}: keep one of them."
        )
    return footers[having[0]].target if having else None
