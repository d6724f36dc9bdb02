"""A class as Parquet: read whole, or opened and then read by groups of rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom._files import DamagedFileError, reading
from homeroom.classroom import tables
from homeroom.classroom.pieces.base import (
    BLOCK_BYTES,
    PIECE_BYTES,
    AbstractPiece,
    Block,
    Limits,
    Source,
    check_rates,
    rows_of,
)
from homeroom.classroom.room import Classroom
from homeroom.classroom.tables import NamedColumns, Place

METADATA = b"homeroom"
"""The key of the radii in the metadata of a file."""

BUFFER_BYTES = 1 << 20
"""How much of a column is read ahead; without it pyarrow holds a whole group of rows."""

BATCHES_PER_BLOCK = 4
"""pyarrow holds a multiple of a batch while it unpacks one: so a batch is a quarter of a block."""


@dataclass(frozen=True)
class ParquetPiece(AbstractPiece):
    """Some groups of rows of a Parquet file, without the target.

    Parameters
    ----------
    path
        The file.
    groups
        The numbers of the groups, from 0.
    first
        The number of rows before them in the file.
    target
        The row of the file, from 0, that is the target; ``None`` if there is none.
    dimensions
        The number of columns ``w1, w2, ...``.
    limits
        The range that every rate must be in.
    """

    path: str
    groups: range
    first: int
    target: int | None
    dimensions: int
    limits: Limits | None = None

    def read(self, part: str) -> Iterator[tuple[Place, Any]]:
        weights = tables.weight_names(self.dimensions)
        wanted = {"names": ["student"], "rates": ["rate"], "block": ["rate", *weights]}[part]
        with open_parquet(Path(self.path)) as file:
            spelt = spell_columns(self.path, file.schema_arrow.names, self.dimensions)
            if part == "names" and "student" not in spelt:
                return
            for start, batch in self.read_batches(file, spelt, wanted):
                target = None if self.target is None else self.target + 1 - start.first
                for rows, place in tables.split_at(batch, target, start):
                    if part == "names":
                        yield place, tables.to_texts(rows["student"]).to_pylist()
                        continue
                    rates = tables.numbers(rows, place, ["rate"], spelt)[:, 0]
                    if part == "rates":
                        yield place, rates
                    else:
                        yield place, Block(tables.numbers(rows, place, weights, spelt), rates)

    def read_batches(
        self, file: Any, spelt: dict[str, str], wanted: Sequence[str]
    ) -> Iterator[tuple[Place, Any]]:
        """Yield the wanted columns, a bounded number of rows at a time, and where they begin.

        The target is among them. ``spelt`` has the file's own names of the columns that it has.
        """
        if self.groups.stop > file.metadata.num_row_groups:
            raise DamagedFileError(
                Path(self.path), f"it has no group of rows {self.groups.stop - 1}"
            )
        own = [spelt[name] for name in wanted if name in spelt]
        place = Place(self.path, self.first + 1)
        for batch in file.iter_batches(
            batch_size=rows_of(BLOCK_BYTES // BATCHES_PER_BLOCK, self.dimensions),
            row_groups=list(self.groups),
            columns=own,
            use_threads=False,
        ):
            names = [name for name in wanted if name in spelt]
            yield place, batch.select(own).rename_columns(names)
            place = place.skip(batch.num_rows)


@contextmanager
def open_parquet(path: Path) -> Iterator[Any]:
    """Open a Parquet file to read it in small parts; raise an ``InputError`` if that fails."""
    import pyarrow
    from pyarrow.parquet import ParquetFile

    with reading(path):
        try:
            with ParquetFile(path, pre_buffer=False, buffer_size=BUFFER_BYTES) as file:
                yield file
        except (pyarrow.ArrowException, UnicodeDecodeError) as reason:
            raise DamagedFileError(path, reason) from None


def spell_columns(
    path: Path | str, header: Sequence[str], dimensions: int | None = None
) -> dict[str, str]:
    """Return the table's own name for each of the columns student, rate, w1, w2, ... that it has.

    ``dimensions`` is the number of dimensions in the other files, if it is known.
    """
    places = tables.find_columns(path, header)
    if "rate" not in places:
        raise tables.no_rate(path, header)
    count = sum(name[0] == "w" for name in places)
    if dimensions is not None and count != dimensions:
        raise InputError(
            f"{path} must have the columns w1 to w{dimensions} like the other files, but has w1 to "
            f"w{count}."
        )
    return {name: header[place] for name, place in places.items()}


def size_in_memory(path: Path) -> int:
    """Return the bytes that a file needs in memory: 8 per number, and 8 per name."""
    with open_parquet(path) as file:
        return 8 * int(file.metadata.num_rows) * len(spell_columns(path, file.schema_arrow.names))


def find_students(path: Path, limits: Limits | None, dimensions: int | None = None) -> Source:
    """Return the target and the range of the rates in a file, and its students in pieces.

    Names and rates are read here, the states only later. A piece has at most ``PIECE_BYTES``,
    unless a group of rows is larger. ``limits`` is the range that the user announced for the rates,
    and ``dimensions`` are those of the other files.
    """
    with open_parquet(path) as file:
        spelt = spell_columns(path, file.schema_arrow.names, dimensions)
        _check_names(path, file.schema_arrow, spelt)
        dimensions = sum(name[0] == "w" for name in spelt)
        whole = ParquetPiece(
            str(path.absolute()), range(file.metadata.num_row_groups), 0, None, dimensions
        )
        target, rates = _read_rates(whole, file, spelt, limits)
        pieces = [
            replace(whole, groups=groups, first=first, target=target, limits=rates)
            for groups, first in _cut_groups(file, dimensions, target)
        ]
        state = None if target is None else _read_state(whole, file, spelt, target)
        return Source(pieces, dimensions, state, _read_radii(path, file), rates)


def _read_rates(
    rows: ParquetPiece, file: Any, spelt: dict[str, str], limits: Limits | None
) -> tuple[int | None, Limits | None]:
    """Return the target's row in the file, from 0, and the range of all other rates."""
    targets: list[int] = []
    lowest, highest = math.inf, 0.0
    for place, batch in rows.read_batches(file, spelt, ["student", "rate"]):
        found = tables.find_targets(batch)
        targets += [place.first - 1 + row for row in found]
        for some, where in tables.split_at(batch, next(iter(found), None), place):
            rates = tables.numbers(some, where, ["rate"], spelt)[:, 0]
            check_rates(rates, where, limits)
            lowest, highest = min(lowest, float(rates.min())), max(highest, float(rates.max()))
    if len(targets) > 1:
        raise InputError(f"{rows.path} must have one target row, but has several.")
    return next(iter(targets), None), limits or ((lowest, highest) if highest else None)


def _read_state(rows: ParquetPiece, file: Any, spelt: dict[str, str], target: int) -> Floats:
    """Return the numbers w1, w2, ... in one row of the file."""
    names = tables.weight_names(rows.dimensions)
    for place, batch in rows.read_batches(file, spelt, names):
        row = target + 1 - place.first
        if row < batch.num_rows:
            state: Floats = tables.numbers(batch[row : row + 1], place.skip(row), names, spelt)[0]
            return state
    raise DamagedFileError(Path(rows.path), f"it has no row {target + 1}")


def _cut_groups(file: Any, dimensions: int, target: int | None) -> Iterator[tuple[range, int]]:
    """Yield the groups of each piece, and the number of rows before them."""
    most = rows_of(PIECE_BYTES, dimensions)
    groups = range(0)
    first = last = 0
    for number in range(file.metadata.num_row_groups):
        rows = file.metadata.row_group(number).num_rows
        if groups and last + rows - first > most:
            yield groups, first
            groups, first = range(number, number), last
        groups, last = range(groups.start, number + 1), last + rows
    if last - first > (target is not None and first <= target):  # not the target alone
        yield groups, first


def read_parquet(path: Path, named: NamedColumns | None = None) -> dict[str, Any]:
    """Return the parts of a class in a Parquet file; the radii are in its metadata."""
    with open_parquet(path) as file:
        header = file.schema_arrow.names
        spelt = {name: header[at] for name, at in tables.find_columns(path, header, named).items()}
        _check_names(path, file.schema_arrow, spelt)
        own = list(spelt.values())
        table = file.read(columns=own).select(own).rename_columns(list(spelt))
        parts = tables.class_parts(path, table, spelt, header, Place(str(path)))
        return _read_radii(path, file) | parts


def _check_names(path: Path, schema: Any, spelt: Mapping[str, str]) -> None:
    """Raise if the students' names are lists or the like."""
    from pyarrow import types

    kind = schema.field(spelt["student"]).type if "student" in spelt else None
    if kind is not None and types.is_nested(kind):
        raise InputError(
            f"{path} must have text in column {spelt['student']}, but has {kind}. Save the names "
            "as text, or drop the column."
        )


def _read_radii(path: Path, file: Any) -> dict[str, float]:
    """Return the radii in the metadata of a Parquet file."""
    words = (file.schema_arrow.metadata or {}).get(METADATA, b"").decode("utf-8", "replace")
    return tables.radii_from(path, words.split())


def write_parquet(room: Classroom, path: Path) -> None:
    """Write the students, then the target, whose rate is missing."""
    import pyarrow
    from pyarrow.parquet import write_table

    states = np.vstack([_arrays.to_numpy(room.states), _arrays.to_numpy(room.target)])
    table = {
        "student": [*tables.names_of(room), tables.TARGET],
        "rate": pyarrow.array([*_arrays.to_numpy(room.rates).tolist(), None], pyarrow.float64()),
        **{name: states[:, i] for i, name in enumerate(tables.weight_names(room.dimensions))},
    }
    metadata = {METADATA: tables.radii_as_text(room).encode()}
    write_table(pyarrow.table(table).replace_schema_metadata(metadata), path)
