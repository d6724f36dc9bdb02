"""What Parquet files say of themselves: their groups of rows, and what is known without reading.

The target may be a row of its own, named ``target``, without a rate. The footers count how many
rates are missing in each group of rows, so only such groups are searched for it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom.classroom import tables
from homeroom.classroom.parquet_table import METADATA
from homeroom.classroom.pieces.base import PIECE_BYTES, rows_of
from homeroom.classroom.pieces.checked import Limits
from homeroom.classroom.pieces.parquet import (
    ParquetPiece,
    RowGroup,
    batches,
    opened,
    spelling,
    weight_names,
)


@dataclass(frozen=True)
class ParquetFiles:
    """What is known of some files before any student is read.

    Parameters
    ----------
    groups
        Their groups of rows, those that have students.
    dimensions
        How many columns ``w1, w2, ...`` they have.
    named
        Whether all have a column ``student``.
    rates
        The lowest and the highest rate, if every footer tells.
    radii
        Those that the files' metadata tell.
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
        """Return the groups in pieces of about the same size, a large group by itself."""
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
    """Return what the files say of themselves, once they belong together."""
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
    """Return how many bytes the students of a file would fill."""
    with opened(path) as file:
        spelt = spelling(path, file.schema_arrow.names)
        return 8 * int(file.metadata.num_rows) * len(spelt)


def _read_footer(path: Path, dimensions: int | None) -> ParquetFiles:
    with opened(path) as file:
        spelt = spelling(path, file.schema_arrow.names, dimensions)
        dimensions = dimensions or sum(name[0] == "w" for name in spelt)
        words = (file.schema_arrow.metadata or {}).get(METADATA, b"").decode("utf-8", "replace")
        leaf = _leaf(file, spelt["rate"])
        groups, target = _groups(path, file, spelt, leaf)
        groups = [group for group in groups if group.students]
        return ParquetFiles(
            groups,
            dimensions,
            "student" in spelt,
            _widest([_range(file, leaf, group.number) for group in groups]),
            tables.radii_from(path, words.split()),
            target,
        )


def _groups(
    path: Path, file: Any, spelt: dict[str, str], leaf: int | None
) -> tuple[list[RowGroup], Floats | None]:
    """Return a file's groups of rows, and its target if it has one."""
    groups: list[RowGroup] = []
    target: Floats | None = None
    first = 0
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
    """Yield the target's rows in a group, counted from 0, and what stands in them."""
    if "student" not in spelt or not _may_miss_rates(file, group, spelt, leaf):
        return
    weights = weight_names(len(spelt) - 2)
    for batch in batches(file, group, spelt, len(weights)):
        missing = batch.columns["rate"].is_null().to_numpy(zero_copy_only=False)
        names = batch.texts("student")
        for at in np.flatnonzero(missing).tolist():
            if tables.is_target(names[at].as_py()):
                row = batch.part(at, at + 1)
                found = np.concatenate([row.floats(name) for name in weights])
                yield batch.place.first + at - group.first - 1, found


def _may_miss_rates(file: Any, group: RowGroup, spelt: dict[str, str], leaf: int | None) -> bool:
    """Tell whether a rate is missing in a group of rows; its rates are read if no footer says."""
    said = _statistics(file, leaf, group.number)
    if said is not None and said.has_null_count:
        return bool(said.null_count)
    only = {"rate": spelt["rate"]}
    return any(batch.columns["rate"].null_count for batch in batches(file, group, only, 1))


def _leaf(file: Any, name: str) -> int | None:
    """Return where a column stands in the footer, where columns within columns count too."""
    columns = file.metadata.num_columns
    return next((at for at in range(columns) if file.schema.column(at).path == name), None)


def _statistics(file: Any, leaf: int | None, number: int) -> Any:
    """Return what the footer says of a column in a group of rows, or ``None``."""
    if leaf is None:
        return None
    column = file.metadata.row_group(number).column(leaf)
    return column.statistics if column.is_stats_set else None


def _range(file: Any, leaf: int | None, number: int) -> Limits | None:
    """Return the lowest and the highest rate of a group of rows, if its footer tells."""
    said = _statistics(file, leaf, number)
    if said is None or not said.has_min_max:
        return None
    low, high = said.min, said.max
    if not (isinstance(low, int | float) and isinstance(high, int | float)):
        return None  # a rate that is text, say: its order is not that of numbers
    return (float(low), float(high)) if 0 < low <= high < math.inf else None


def _widest(ranges: Sequence[Limits | None]) -> Limits | None:
    known = [each for each in ranges if each is not None]
    if not known or len(known) < len(ranges):
        return None
    return min(low for low, _ in known), max(high for _, high in known)


def _radii(paths: Sequence[Path], footers: Sequence[ParquetFiles]) -> dict[str, float]:
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
    having = [number for number, footer in enumerate(footers) if footer.target is not None]
    if len(having) > 1:
        raise InputError(
            f"{paths[having[1]]} has a target row, but so has {paths[having[0]]}: keep one of them."
        )
    return footers[having[0]].target if having else None
