"""Students in a Dask collection: a piece is a partition, computed on the worker with its data."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from homeroom._checks import InputError, counted
from homeroom.classroom import tables
from homeroom.classroom.pieces.arrays import ArrayPiece, check_shapes
from homeroom.classroom.pieces.base import AbstractPiece, Limits
from homeroom.classroom.pieces.parquet import spell_columns
from homeroom.classroom.tables import Place


@dataclass(frozen=True, eq=False)
class Partition(AbstractPiece):
    """A partition of a collection that is not computed yet.

    Parameters
    ----------
    delayed
        What Dask computes: a frame, or states and rates.
    held
        Turns the result into a piece in memory.
    limits
        The range that every rate must be in.
    """

    delayed: tuple[Any, ...]
    held: Callable[..., AbstractPiece]
    limits: Limits | None = None

    def read(self, part: str) -> Iterator[tuple[Place, Any]]:
        import dask

        yield from self.held(*dask.compute(*self.delayed)).read(part)


def is_collection(source: object) -> bool:
    """Return whether a value is a Dask collection."""
    return hasattr(source, "to_delayed") and hasattr(source, "__dask_graph__")


def _partitions(
    delayed: Iterable[Any], hold: Callable[..., AbstractPiece], place: Place, limits: Limits | None
) -> list[Partition]:
    """Return what Dask computes as pieces; ``hold`` makes one in memory, given its place."""
    return [
        Partition(
            values,
            partial(
                hold,
                place=replace(place, source=f"partition {number} of {place.source}"),
                limits=limits,
            ),
            limits,
        )
        for number, values in enumerate(delayed)
    ]


def frame_pieces(frame: Any, limits: Limits | None) -> tuple[list[Partition], int]:
    """Return the partitions of a ``dask.dataframe``, and how many dimensions they have."""
    frame = frame.rename(columns={name: str(name) for name in frame.columns})
    spelt = spell_columns("The data frame", list(frame.columns))
    hold = partial(hold_frame, spelt=spelt)
    delayed = ((part,) for part in frame[list(spelt.values())].to_delayed())
    dimensions = sum(name[0] == "w" for name in spelt)
    return _partitions(delayed, hold, Place("the data frame"), limits), dimensions


def hold_frame(
    frame: Any, *, spelt: Mapping[str, str], place: Place, limits: Limits | None
) -> ArrayPiece:
    """Return the students of a data frame in memory, without the target's row.

    ``spelt`` has the frame's own name for each of the columns student, rate, w1, w2, ....
    """
    import pyarrow

    try:
        table = pyarrow.Table.from_pandas(frame[list(spelt.values())], preserve_index=False)
    except pyarrow.ArrowException as reason:
        why = " ".join(str(reason).split()).rstrip(".")
        raise InputError(f"{place.source} must have numbers in its columns: {why}.") from None
    parts: dict[str, Any] = {}
    if len(table):
        table = table.rename_columns(list(spelt))
        parts = tables.class_parts(place.source, table, spelt, list(spelt.values()), place)
    states = parts.get("states", np.empty((0, len(spelt))))
    rates, names = parts.get("rates", np.empty(0)), parts.get("names", ())
    return ArrayPiece(states, rates, place, limits, names)


def array_pieces(states: Any, rates: Any, limits: Limits | None) -> tuple[list[Partition], int]:
    """Return two ``dask.array`` collections as partitions, and how many dimensions they have."""
    states, rates = _align(states, rates)
    both = zip(states.to_delayed().ravel(), rates.to_delayed().ravel(), strict=True)
    place = Place("the Dask arrays", letter="")
    return _partitions(both, hold_arrays, place, limits), int(states.shape[1])


def hold_arrays(states: Any, rates: Any, *, place: Place, limits: Limits | None) -> ArrayPiece:
    """Return the students of two arrays in memory."""
    states, rates = np.asarray(states), np.asarray(rates)
    check_shapes(states, rates, place.source)
    return ArrayPiece(states, rates, place, limits)


def _align(states: Any, rates: Any) -> tuple[Any, Any]:
    """Repartition the collections, so that equal partition numbers hold the same students."""
    if states.ndim != 2 or rates.ndim != 1:
        raise InputError(
            "Dask arrays of students must have the shapes (students, dimensions) and (students,), "
            f"but these have {counted(states.ndim, 'axis', 'axes')} and {rates.ndim}."
        )
    states = states.rechunk({1: -1})
    known = not (math.isnan(states.shape[0]) or math.isnan(rates.shape[0]))
    if known and states.shape[0] == rates.shape[0]:
        return states, rates.rechunk((states.chunks[0],))
    if known or states.numblocks[0] != rates.numblocks[0]:
        raise InputError(
            "Dask arrays of students must belong together, but there are "
            f"{states.shape[0]} states in {states.numblocks[0]} partitions, and {rates.shape[0]} "
            f"rates in {rates.numblocks[0]}."
        )
    return states, rates
