"""Students in a Dask collection: a piece is a partition, computed on the worker with its data."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from homeroom._arrays import Floats
from homeroom._checks import InputError, counted
from homeroom.classroom import tables
from homeroom.classroom.pieces.arrays import ArrayPiece, check_shapes
from homeroom.classroom.pieces.base import AbstractNamedPiece, Block, Limits, Place
from homeroom.classroom.pieces.parquet import names_in_file, weight_names


@dataclass(frozen=True, eq=False)
class Partition(AbstractNamedPiece):
    """A partition of a collection that is not computed yet.

    Parameters
    ----------
    delayed
        What Dask computes: a frame, or states and rates.
    held
        Turns the result into a piece in memory.
    """

    delayed: tuple[Any, ...]
    held: Callable[..., AbstractNamedPiece]

    def blocks(self) -> Iterator[Block]:
        yield from self._here().blocks()

    def rates(self) -> Iterator[Floats]:
        yield from self._here().rates()

    def names(self) -> Iterator[Any]:
        yield from self._here().names()

    def _here(self) -> AbstractNamedPiece:
        """Compute the partition in this process, and return it as a piece in memory."""
        import dask

        return self.held(*dask.compute(*self.delayed))


def is_collection(source: object) -> bool:
    """Return whether a value is a Dask collection."""
    return hasattr(source, "to_delayed") and hasattr(source, "__dask_graph__")


def frame_pieces(frame: Any, limits: Limits | None) -> tuple[list[Partition], int]:
    """Return the partitions of a ``dask.dataframe``, and how many dimensions they have."""
    spelt = names_in_file("The data frame", [str(name) for name in frame.columns])
    dimensions = sum(name[0] == "w" for name in spelt)
    chosen = frame[list(spelt.values())].rename(columns={at: name for name, at in spelt.items()})
    return [
        Partition(
            (delayed,),
            partial(
                held_frame,
                dimensions=dimensions,
                place=Place(f"partition {number} of the data frame"),
                limits=limits,
            ),
        )
        for number, delayed in enumerate(chosen.to_delayed())
    ], dimensions


def held_frame(frame: Any, *, dimensions: int, place: Place, limits: Limits | None) -> ArrayPiece:
    """Return the students of a data frame in memory, without the target's row."""
    names = None
    if "student" in frame.columns:
        names = np.array([_text(name) for name in frame["student"]], dtype=object)
        kept = np.array([not tables.is_target(name) for name in names], dtype=bool)
        frame, names = frame[kept], names[kept]
    weights = [_floats(frame, name, place) for name in weight_names(dimensions)]
    rates = _floats(frame, "rate", place)
    return ArrayPiece(np.stack(weights, axis=1), rates, place, limits, names)


def _text(name: Any) -> str:
    return "" if name is None or name != name else str(name)  # noqa: PLR0124 - only nan is not


def _floats(frame: Any, name: str, place: Place) -> Floats:
    """Return a column of a data frame as floats; nan where a number is missing."""
    try:
        numbers: Floats = frame[name].to_numpy(dtype=np.float64, na_value=math.nan)
    except (TypeError, ValueError) as reason:
        why = " ".join(str(reason).split()).rstrip(".")
        raise InputError(f"Column {name} of {place.source} must have numbers: {why}.") from None
    return numbers


def array_pieces(states: Any, rates: Any, limits: Limits | None) -> tuple[list[Partition], int]:
    """Return two ``dask.array`` collections as partitions, and how many dimensions they have."""
    states, rates = _aligned(states, rates)
    both = zip(states.to_delayed().ravel(), rates.to_delayed().ravel(), strict=True)
    return [
        Partition(
            pair,
            partial(
                held_arrays,
                place=Place(f"partition {number} of the Dask arrays", letter=""),
                limits=limits,
            ),
        )
        for number, pair in enumerate(both)
    ], int(states.shape[1])


def held_arrays(states: Any, rates: Any, *, place: Place, limits: Limits | None) -> ArrayPiece:
    """Return the students of two arrays in memory."""
    states, rates = np.asarray(states), np.asarray(rates)
    check_shapes(states, rates, place.source)
    return ArrayPiece(states, rates, place, limits)


def _aligned(states: Any, rates: Any) -> tuple[Any, Any]:
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
