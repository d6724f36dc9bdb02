"""Pieces of arrays in memory, or in ``.npy`` and uncompressed ``.npz`` files.

Arrays may be NumPy's (``numpy.load(path, mmap_mode="r")`` included), or any object with a shape
and row slicing. Arrays in files are memory-mapped: only the rows being read are mapped, and only
until they are copied, so a class may be larger than the memory of the machine.
"""

from __future__ import annotations

import math
import struct
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np
import numpy.typing as npt

from homeroom._checks import InputError
from homeroom._files import BROKEN, DamagedFileError, Header, read_header, reading
from homeroom.classroom.pieces.base import (
    BLOCK_BYTES,
    PIECE_BYTES,
    AbstractPiece,
    Block,
    Limits,
    Source,
    as_floats,
    as_rates,
    check_kind,
    rows_of,
)
from homeroom.classroom.tables import Place

_LOCAL_HEADER = struct.Struct("<26xHH")
"""The head of a member of a zip archive: how long the name and the extra field after it are."""


@dataclass(frozen=True)
class StoredArray:
    """Some rows of an array in a file, which are read only when they are sliced.

    ``offset`` is where the numbers begin, in bytes, and ``header`` describes the whole array. The
    rows are those from ``first`` up to, but without, ``last``.
    """

    path: str
    offset: int
    header: Header
    first: int
    last: int

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of these rows, and the lengths of the other axes."""
        return (self.last - self.first, *self.header.shape[1:])

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the numbers."""
        return self.header.dtype

    def part(self, first: int, last: int) -> StoredArray:
        """Return fewer rows, without reading any."""
        return replace(self, first=self.first + first, last=min(self.last, self.first + last))

    def __getitem__(self, rows: slice) -> npt.NDArray[Any]:
        """Return some rows, copied out of the file."""
        chosen = self.part(rows.start, rows.stop)
        path = Path(self.path)
        order: Literal["C", "F"] = "F" if self.header.by_columns else "C"
        with reading(path):
            try:
                mapped: Any = np.memmap(
                    path, self.header.dtype, "r", self.offset, self.header.shape, order
                )
            except ValueError as reason:  # the file is shorter than it was
                raise DamagedFileError(path, reason) from None
            return np.array(mapped[chosen.first : chosen.last], order="C")


def map_npy(path: Path) -> StoredArray:
    """Return the array of a ``.npy`` file, unread."""
    with reading(path):
        try:
            with path.open("rb") as file:
                return _map_array(path, file, path.stat().st_size)
        except BROKEN as reason:
            raise DamagedFileError(path, reason) from None


def map_npz(path: Path, names: tuple[str, ...]) -> dict[str, StoredArray] | None:
    """Return the named arrays that a ``.npz`` file has, unread; ``None`` if it is compressed."""
    with reading(path):
        try:
            with zipfile.ZipFile(path) as archive, path.open("rb") as file:
                members = {member.filename: member for member in archive.infolist()}
                if any(part.compress_type != zipfile.ZIP_STORED for part in members.values()):
                    return None
                return {
                    name: _member(path, file, members[f"{name}.npy"])
                    for name in names
                    if f"{name}.npy" in members
                }
        except BROKEN as reason:
            raise DamagedFileError(path, reason) from None


def _member(path: Path, file: IO[bytes], member: zipfile.ZipInfo) -> StoredArray:
    """Return the array in a member of an uncompressed zip archive, without reading it."""
    if member.flag_bits & 1:
        raise RuntimeError(f"{member.filename} is encrypted")
    file.seek(member.header_offset)
    lengths = _LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))
    file.seek(sum(lengths), 1)
    return _map_array(path, file, file.tell() + member.file_size)


def _map_array(path: Path, file: IO[bytes], end: int) -> StoredArray:
    """Return the array whose header begins here, after checking its size."""
    header = read_header(file, path.name)
    offset = file.tell()
    if not header.shape:
        raise InputError("it holds a single number")
    if offset + header.bytes != end or end > path.stat().st_size:
        raise InputError(f"it declares {header.bytes} bytes of numbers, but has {end - offset}")
    return StoredArray(str(path.absolute()), offset, header, 0, header.shape[0])


@dataclass(frozen=True, eq=False)
class ArrayPiece(AbstractPiece):
    """Students in two arrays.

    Parameters
    ----------
    own_states, own_rates
        Shapes ``(students, dimensions)`` or ``(students, outputs, dimensions)``, and
        ``(students,)``.
    place
        Where they come from.
    limits
        The range that every rate must be in.
    own_names
        A name for each student, if they have any.
    """

    own_states: Any
    own_rates: Any
    place: Place
    limits: Limits | None = None
    own_names: Sequence[str] = ()

    def read(self, part: str) -> Iterator[tuple[Place, Any]]:
        students, *numbers = self.own_states.shape
        height = rows_of(BLOCK_BYTES, math.prod(numbers))
        for first in range(0, students, height):
            rows = slice(first, min(students, first + height))
            place = self.place.skip(first)
            if part == "names":
                if self.own_names:
                    yield place, self.own_names[rows]
                continue
            rates = as_rates(self.own_rates[rows], f"`rates` of {place.source}")
            if part == "rates":
                yield place, rates
            else:
                states = as_floats(self.own_states[rows], f"`states` of {place.source}")
                yield place, Block(states.reshape(len(states), -1), rates)


def cut_arrays(states: Any, own_rates: Any, place: Place, limits: Limits | None) -> Source:
    """Return two arrays as pieces of about the same size."""
    check_kind(states.dtype, f"`states` of {place.source}")
    check_kind(own_rates.dtype, f"`rates` of {place.source}")
    check_shapes(states, own_rates, place.source)
    students, *outputs, dimensions = states.shape
    height = rows_of(PIECE_BYTES, math.prod(states.shape[1:]))
    pieces = [
        ArrayPiece(
            _part_of(states, first, first + height),
            _part_of(own_rates, first, first + height),
            place.skip(first),
            limits,
        )
        for first in range(0, students, height)
    ]
    return Source(pieces, dimensions, rates=limits, outputs=outputs[0] if outputs else None)


def check_shapes(states: Any, rates: Any, source: str) -> None:
    """Refuse arrays that are not a table of students and a rate for each."""
    if len(states.shape) not in (2, 3) or 0 in states.shape[1:]:
        raise InputError(
            f"`states` of {source} must have shape (students, dimensions), but has shape "
            f"{tuple(states.shape)}. With several outputs, (students, outputs, dimensions)."
        )
    if tuple(rates.shape) != tuple(states.shape[:1]):
        raise InputError(
            f"`rates` of {source} must have one number for each student, shape "
            f"({states.shape[0]},), but has shape {tuple(rates.shape)}."
        )


def _part_of(array: Any, first: int, last: int) -> Any:
    """Return some rows of an array; one that is stored in a file stays there."""
    return array.part(first, last) if hasattr(array, "part") else array[first:last]
