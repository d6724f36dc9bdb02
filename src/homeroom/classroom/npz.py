"""A class as ``.npz``: the arrays ``states``, ``rates`` and ``target``, and what goes with them."""

from __future__ import annotations

import lzma
import math
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from homeroom import _arrays
from homeroom.classroom.disk import MAX_BYTES, damaged, refuse_size
from homeroom.classroom.room import Classroom

BROKEN = (
    EOFError,
    KeyError,
    RuntimeError,  # encrypted, or packed in a way that zipfile does not know
    SyntaxError,
    TypeError,
    ValueError,
    lzma.LZMAError,
    struct.error,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What zipfile and NumPy raise on a file that is not what it says."""


def read_arrays(
    path: Path, max_bytes: int = MAX_BYTES, only: Sequence[str] | None = None
) -> dict[str, npt.NDArray[Any]]:
    """Read the arrays of a ``.npz`` file, or some of them, sizes checked before anything else."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = [
                member
                for member in archive.infolist()
                if only is None or member.filename.removesuffix(".npy") in only
            ]
            size = sum(member.file_size for member in members)
            if size <= max_bytes:
                return {
                    member.filename.removesuffix(".npy"): _read_member(archive, member)
                    for member in members
                }
    except BROKEN as reason:
        raise damaged(path, reason) from None
    refuse_size(path, size, max_bytes)
    raise AssertionError  # pragma: no cover - the line above refuses


def read_npy(path: Path, max_bytes: int = MAX_BYTES) -> npt.NDArray[Any]:
    """Read the array of a ``.npy`` file, its size checked first."""
    try:
        with path.open("rb") as file:
            promised = read_header(file, path.name).bytes + file.tell()
            if promised != path.stat().st_size:
                raise ValueError(f"it promises {promised} bytes, but has {path.stat().st_size}")
            file.seek(0)
            if promised <= max_bytes:
                array: npt.NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
                return array
    except BROKEN as reason:
        raise damaged(path, reason) from None
    refuse_size(path, promised, max_bytes)
    raise AssertionError  # pragma: no cover - the line above refuses


class Header(NamedTuple):
    """What an array in a file says of itself."""

    shape: tuple[int, ...]
    by_columns: bool
    dtype: np.dtype[Any]

    @property
    def bytes(self) -> int:
        """How many bytes its numbers fill."""
        return math.prod(self.shape) * self.dtype.itemsize


def _read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> npt.NDArray[Any]:
    """Read one array, once its header promises no more than the archive holds."""
    with archive.open(member) as file:
        promised = read_header(file, member.filename).bytes + file.tell()
    if promised != member.file_size:
        raise ValueError(f"{member.filename} promises {promised} bytes, but has {member.file_size}")
    with archive.open(member) as file:
        array: npt.NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
    return array


def read_header(file: IO[bytes], name: str) -> Header:
    """Read what an array says of itself; what follows in the file are its numbers."""
    version = np.lib.format.read_magic(file)
    if version == (1, 0):
        header = Header(*np.lib.format.read_array_header_1_0(file))
    elif version == (2, 0):
        header = Header(*np.lib.format.read_array_header_2_0(file))
    else:
        raise ValueError(f"{name} has the unknown format {version}")
    if header.dtype.hasobject:
        raise ValueError(f"{name} holds Python objects, not numbers or text")
    return header


def read(path: Path, max_bytes: int, only: Sequence[str] | None = None) -> dict[str, Any]:
    """Return the parts of a class that the file holds, or some of them."""
    parts: dict[str, Any] = dict(read_arrays(path, max_bytes, only))
    for radius in ("state_radius", "example_radius"):
        if radius in parts:
            if parts[radius].size != 1:
                raise ValueError(f"{path} is no class: `{radius}` must be one number.")
            parts[radius] = parts[radius].item()
    if "names" in parts:
        parts["names"] = _texts(path, parts["names"])
    return parts


def _texts(path: Path, names: npt.NDArray[Any]) -> list[str]:
    if names.dtype.kind == "S":
        try:
            names = np.char.decode(names, "utf-8")
        except UnicodeDecodeError as reason:
            raise ValueError(f"{path} is no class: `names` must be UTF-8 ({reason}).") from None
    if names.dtype.kind != "U" or names.ndim != 1:
        raise ValueError(
            f"{path} is no class: `names` must be a list of texts, but has dtype {names.dtype} "
            f"and shape {names.shape}."
        )
    return [str(name) for name in names]


def write(room: Classroom, path: Path) -> None:
    """Write the class with both radii, and with its names if it has any."""
    arrays: dict[str, Any] = {
        "states": _arrays.to_numpy(room.states),
        "rates": _arrays.to_numpy(room.rates),
        "target": _arrays.to_numpy(room.target),
        "state_radius": np.float64(room.state_radius),
        "example_radius": np.float64(room.example_radius),
    }
    if room.names is not None:
        arrays["names"] = np.asarray(room.names, dtype=np.str_)
    np.savez(path, **arrays)
