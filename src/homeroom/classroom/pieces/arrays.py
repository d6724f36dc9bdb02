"""Students in two arrays, of which some rows are looked at at a time.

The arrays may be NumPy's own (``numpy.load(path, mmap_mode="r")`` among them), or anything that has
a shape and gives some of its rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom.classroom.pieces.base import BLOCK_BYTES, AbstractNamedPiece, Block, rows_of
from homeroom.classroom.pieces.checked import (
    Limits,
    Place,
    as_floats,
    as_rates,
    check_rates,
    checked,
)


@dataclass(frozen=True, eq=False)
class ArrayPiece(AbstractNamedPiece):
    """Students in two arrays.

    Parameters
    ----------
    states, own_rates
        Shapes ``(students, dimensions)`` and ``(students,)``.
    place
        Where they come from.
    limits
        The range that was announced for the rates.
    own_names
        A name for each student, if they have any.
    """

    states: Any
    own_rates: Any
    place: Place
    limits: Limits | None = None
    own_names: Any = None

    def blocks(self) -> Iterator[Block]:
        for rows in self._rows():
            states = as_floats(self.states[rows], f"`states` of {self.place.source}")
            yield checked(Block(states, self._rates(rows)), self._at(rows), self.limits)

    def rates(self) -> Iterator[Floats]:
        for rows in self._rows():
            rates = self._rates(rows)
            check_rates(rates, self._at(rows), self.limits)
            yield rates

    def names(self) -> Iterator[Any]:
        if self.own_names is not None and len(self.own_names):
            yield self.own_names

    def _rows(self) -> Iterator[slice]:
        students, dimensions = self.states.shape
        height = rows_of(BLOCK_BYTES, dimensions)
        for first in range(0, students, height):
            yield slice(first, min(students, first + height))

    def _rates(self, rows: slice) -> Floats:
        return as_rates(self.own_rates[rows], f"`rates` of {self.place.source}")

    def _at(self, rows: slice) -> Place:
        return self.place.moved(rows.start)


def check_shapes(states: Any, rates: Any, source: str) -> None:
    """Refuse arrays that are not a table of students and a rate for each."""
    if len(states.shape) != 2 or not states.shape[1]:
        raise InputError(
            f"`states` of {source} must have shape (students, dimensions), but has shape "
            f"{tuple(states.shape)}."
        )
    if tuple(rates.shape) != tuple(states.shape[:1]):
        raise InputError(
            f"`rates` of {source} must have one number for each student, shape "
            f"({states.shape[0]},), but has shape {tuple(rates.shape)}."
        )


def part_of(array: Any, first: int, last: int) -> Any:
    """Return some rows of an array; one that is stored in a file stays there."""
    return array.part(first, last) if hasattr(array, "part") else array[first:last]
