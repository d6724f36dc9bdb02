"""The interface of pieces, and the checks of a block of students as it is read."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats
from homeroom._checks import InputError, rate_advice

BLOCK_BYTES = 1 << 26
"""How much of a piece is in memory at a time: 64 MiB of states."""

PIECE_BYTES = 1 << 27
"""How large a piece is, if that can be chosen: 128 MiB of states.

Large enough that its sums are worth sending over a network, small enough that a few gigabytes keep
a cluster busy, and that little is lost with a machine.
"""


class Block(NamedTuple):
    """Some students: ``states`` of shape ``(students, dimensions)`` and their ``rates``."""

    states: Any
    rates: Any


class AbstractPiece(ABC):
    """Some of a class's students, wherever they are; can be pickled and read on its own.

    Nobody may be in it: then it has no blocks. A block has at least one student.
    """

    @abstractmethod
    def blocks(self) -> Iterator[Block]:
        """Yield the piece's students in NumPy blocks of bounded size, checked."""

    @abstractmethod
    def rates(self) -> Iterator[Any]:
        """Yield only their rates, block by block, which may cost far less."""


class AbstractNamedPiece(AbstractPiece):
    """A piece whose students may have names."""

    @abstractmethod
    def names(self) -> Iterator[Any]:
        """Yield their names, some at a time, in the order of ``blocks``; nothing without names."""


def rows_of(size: int, dimensions: int) -> int:
    """Return how many students fill this many bytes; at least one."""
    return max(1, size // (8 * max(1, dimensions)))


Limits = tuple[float, float]


@dataclass(frozen=True)
class Place:
    """Where rows come from, for a sentence.

    Parameters
    ----------
    source
        The file, or what else they are in.
    first
        The number of the first row, counted from 1.
    letter
        What stands before the number of a column: ``w`` in a table.
    """

    source: str
    first: int = 1
    letter: str = "w"

    def row(self, row: int) -> str:
        """Return where a row is, counted from 0 here.

        >>> Place("class.parquet", first=11).row(0)
        'row 11 of class.parquet'
        """
        return f"row {self.first + row} of {self.source}"

    def moved(self, rows: int) -> Place:
        """Return the place this many rows further on."""
        return Place(self.source, self.first + rows, self.letter)


def checked(block: Block, place: Place, limits: Limits | None) -> Block:
    """Return the block, once every number in it can be worked with."""
    check_rates(block.rates, place, limits)
    check_states(block.states, place)
    return block


def check_rates(rates: npt.NDArray[np.floating], place: Place, limits: Limits | None) -> None:
    """Raise an error if a rate is not positive and finite, or not within the limits."""
    low, high = float(rates.min()), float(rates.max())  # nan if there is one
    if not (low > 0 and high < math.inf):
        row = int(np.flatnonzero(~((rates > 0) & (rates < math.inf)))[0])
        raise InputError(
            f"`rates` must be positive and finite, but {place.row(row)} has the rate "
            f"{float(rates[row])}. {rate_advice(float(rates[row]))}"
        )
    if limits is None:
        return
    slowest, fastest = limits
    if low < slowest or high > fastest:
        row = int(np.flatnonzero((rates < slowest) | (rates > fastest))[0])
        raise InputError(
            f"`rates` were announced to be between {slowest:.6g} and {fastest:.6g}, but "
            f"{place.row(row)} has the rate {float(rates[row]):.6g}. Announce a wider range, or "
            "none: then the rates are read first."
        )


def check_states(states: npt.NDArray[np.floating], place: Place) -> None:
    """Refuse states that are no finite numbers, or whose squares are none."""
    with np.errstate(over="ignore", invalid="ignore"):
        flat = states.reshape(-1)
        # One read of the block: infinite or nan if any number is, or is too large.
        if math.isfinite(4.0 * float(np.dot(flat, flat))):
            return
    bad: npt.NDArray[np.int64] = np.argwhere(~np.isfinite(states))
    if len(bad):
        row, column = bad[0]
        raise InputError(
            f"`states` must be finite, but {place.row(row)} has {float(states[row, column])} in "
            f"column {place.letter}{column + 1}. Fill in or drop the rows with missing numbers."
        )
    row, column = np.unravel_index(int(np.abs(states).argmax()), states.shape)
    raise InputError(
        f"`states` must be so small that squared distances fit into {states.dtype}, but "
        f"{place.row(int(row))} has {float(states[row, column]):.3g} in column "
        f"{place.letter}{column + 1}. Divide all states and the target by a number."
    )


def as_floats(array: npt.NDArray[np.generic], what: str) -> npt.NDArray[np.floating]:
    """Return numbers as float32 if they are that, else as float64, rows one after the other.

    ``what`` names them in a refusal of what are no real numbers.
    """
    check_kind(array.dtype, what)
    single = array.dtype == np.float32
    with np.errstate(over="ignore"):  # a long double beyond float64 is refused as infinite
        return np.ascontiguousarray(array, dtype=np.float32 if single else np.float64)


def check_kind(dtype: np.dtype[np.generic], what: str) -> None:
    """Refuse numbers that are not real ones."""
    if dtype.kind not in "fiub":
        raise InputError(f"{what} must be real numbers, but has dtype {dtype}.")


def as_rates(array: npt.NDArray[np.generic], what: str) -> Floats:
    """Return rates as float64, whatever they were."""
    return as_floats(array, what).astype(np.float64, copy=False)
