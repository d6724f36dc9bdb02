"""The interface of pieces, and the checks of a block of students as it is read."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats
from homeroom._checks import InputError, rate_advice
from homeroom.classroom.tables import Place

BLOCK_BYTES = 1 << 26
"""The part of a piece that is in memory at a time: 64 MiB of states."""

PIECE_BYTES = 1 << 27
"""The size of a piece where it can be chosen: 128 MiB of states.

Large enough that sending its sums over a network is cheap in comparison, and small enough that a
few gigabytes keep a cluster busy and that little is lost if a worker dies.
"""


Limits = tuple[float, float]
"""The slowest and the fastest learning rate that a class was announced to have."""


class Block(NamedTuple):
    """Some students: ``states`` of shape ``(students, dimensions)`` and their ``rates``."""

    states: Any
    rates: Any


class AbstractPiece(ABC):
    """Some students of a class, in memory or elsewhere; can be pickled and read independently.

    A piece without students has no blocks. A block has at least one student.
    """

    limits: Limits | None = None
    """The range that every rate must be in: given by the caller, or stated by the file."""

    @abstractmethod
    def read(self, part: str) -> Iterator[tuple[Place, Any]]:
        """Yield some students at a time: where the first one is, and their part of the class.

        ``part`` is ``"rates"``, ``"names"`` (nothing if they have none), or ``"block"``.
        """

    def blocks(self) -> Iterator[Block]:
        """Yield the students in NumPy blocks of bounded size, after checking them."""
        for place, block in self.read("block"):
            check_rates(block.rates, place, self.limits)
            check_states(block.states, place)
            yield block

    def rates(self) -> Iterator[Any]:
        """Yield only the rates, block by block, which may be much faster."""
        for place, rates in self.read("rates"):
            check_rates(rates, place, self.limits)
            yield rates

    def names(self) -> Iterator[Sequence[str]]:
        """Yield the names in the order of ``blocks``, some at a time; nothing if there are none."""
        for _, names in self.read("names"):
            yield names


@dataclass(frozen=True)
class Source:
    """What is known about a class before its students are read.

    Parameters
    ----------
    pieces
        Where the students are.
    dimensions
        The number of coordinates of a state.
    target
        The target, if the source contains it.
    radii
        The radii that the source states.
    rates
        The range of the rates, if the source states it.
    outputs
        The number of vectors per state; ``None`` where the states have no axis for it.
    """

    pieces: Sequence[AbstractPiece]
    dimensions: int
    target: Any = None
    radii: Mapping[str, float] = field(default_factory=dict)
    rates: Limits | None = None
    outputs: int | None = None


def rows_of(size: int, dimensions: int) -> int:
    """Return how many students (float64) fit into ``size`` bytes; at least one."""
    return max(1, size // (8 * max(1, dimensions)))


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
    """Refuse states that are not finite, or whose squares overflow."""
    with np.errstate(over="ignore", invalid="ignore"):
        flat = states.reshape(-1)
        # One read of the block: infinite or nan if any number is, or is too large. The distance of
        # two states is at most twice the longer one, and its square four times as large.
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
    """Return numbers with contiguous rows: float32 stays, anything else becomes float64.

    ``what`` names them in the error if they are not real numbers.
    """
    check_kind(array.dtype, what)
    single = array.dtype == np.float32
    with np.errstate(over="ignore"):  # a long double beyond float64 is refused as infinite
        return np.ascontiguousarray(array, dtype=np.float32 if single else np.float64)


def check_kind(dtype: np.dtype[np.generic], what: str) -> None:
    """Refuse anything but real numbers."""
    if dtype.kind not in "fiub":
        raise InputError(f"{what} must be real numbers, but has dtype {dtype}.")


def as_rates(array: npt.NDArray[np.generic], what: str) -> Floats:
    """Return rates as float64, whatever they were."""
    return as_floats(array, what).astype(np.float64, copy=False)
