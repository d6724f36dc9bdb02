"""Reading arrays from files without executing code, and writing files completely or not at all."""

from __future__ import annotations

import lzma
import math
import os
import secrets
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from homeroom._checks import InputError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path, which replaces ``path`` when the block ends without an error.

    Symbolic links are followed, and the permissions of an existing file are kept.
    """
    place = Path(os.path.realpath(path))
    temporary = place.with_name(f".homeroom-{secrets.token_hex(8)}{path.suffix.lower()}")
    try:
        temporary.touch(exist_ok=False)
        try:
            yield temporary
            if place.is_file():
                temporary.chmod(place.stat().st_mode & 0o777)
            temporary.replace(place)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as reason:
        raise InputError(f"{path} cannot be written: {reason.strerror or reason}.") from None
    except UnicodeEncodeError as reason:
        raise InputError(
            f"{path} cannot be written: a name is not valid text ({reason})."
        ) from None


class MissingError(FileNotFoundError, InputError):
    """A file does not exist, at least not on this machine."""


class DamagedFileError(InputError):
    """A file is damaged or cut off; the reason is shortened to one line."""

    def __init__(self, path: Path, reason: object) -> None:
        text = " ".join(str(reason).split()).rstrip(".")
        super().__init__(f"{path} cannot be read: it is damaged or cut off ({text[:200]}).")


def check_file(path: Path) -> None:
    """Raise an error if a path is not a file."""
    if is_folder(path):
        raise InputError(f"{path} is a folder, but a file is needed.")
    try:
        exists = path.is_file()
    except OSError as reason:  # a path that is too long, for example
        raise MissingError(f"There is no file {path}: {reason.strerror}.") from None
    if not exists:
        raise MissingError(f"There is no file {path}.")


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn errors of the operating system while a file is read into an ``InputError``."""
    try:
        check_file(path)
        yield
    except InputError:  # a missing file is also an OSError, and has its own sentence
        raise
    except OSError as reason:
        if reason.errno is None:  # pyarrow raises this for damaged data
            raise DamagedFileError(path, reason) from None
        raise InputError(f"{path} cannot be read: {reason.strerror}.") from None
    except MemoryError:
        raise InputError(
            f"{path} cannot be read: this machine does not have enough memory."
        ) from None


def is_folder(path: Path) -> bool:
    """Return whether this is a folder; ``False`` for a path that is not valid."""
    try:
        return path.is_dir()
    except OSError:
        return False


BROKEN = (
    EOFError,
    KeyError,
    RuntimeError,  # encrypted, or compressed by a method that zipfile lacks
    SyntaxError,
    TypeError,
    ValueError,
    lzma.LZMAError,
    struct.error,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What zipfile and NumPy raise for a damaged file."""


def read_arrays(path: Path, only: Sequence[str] | None = None) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of a ``.npz`` file by name, or only some, after checking their headers."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = {
                member.filename.removesuffix(".npy"): member for member in archive.infolist()
            }
            return {
                name: _read_member(archive, member)
                for name, member in members.items()
                if only is None or name in only
            }
    except BROKEN as reason:
        raise DamagedFileError(path, reason) from None


def read_npy(path: Path) -> npt.NDArray[Any]:
    """Read the array of a ``.npy`` file after checking its header."""
    try:
        with path.open("rb") as file:
            _check_header(file, path.name, path.stat().st_size)
            file.seek(0)
            array: npt.NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
            return array
    except BROKEN as reason:
        raise DamagedFileError(path, reason) from None


class Header(NamedTuple):
    """Shape, order (``by_columns``: Fortran order) and type of an array in a file."""

    shape: tuple[int, ...]
    by_columns: bool
    dtype: np.dtype[Any]

    @property
    def bytes(self) -> int:
        """The size of its numbers in bytes."""
        return math.prod(self.shape) * self.dtype.itemsize


def _read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> npt.NDArray[Any]:
    """Read one array if its header agrees with its size in the archive."""
    with archive.open(member) as file:
        _check_header(file, member.filename, member.file_size)
    with archive.open(member) as file:
        array: npt.NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
    return array


def _check_header(file: IO[bytes], name: str, size: int) -> None:
    """Raise if an array's header declares another size than the file has."""
    declared = read_header(file, name).bytes + file.tell()
    if declared != size:
        raise InputError(f"{name} declares {declared} bytes, but has {size}")


def read_header(file: IO[bytes], name: str) -> Header:
    """Return an array's header; the file is then positioned at its numbers.

    ``name`` is for error messages.
    """
    version = np.lib.format.read_magic(file)
    if version == (1, 0):
        header = Header(*np.lib.format.read_array_header_1_0(file))
    elif version == (2, 0):
        header = Header(*np.lib.format.read_array_header_2_0(file))
    else:
        raise InputError(f"{name} has the unknown format {version}")
    if header.dtype.hasobject:
        raise InputError(f"{name} holds Python objects, not numbers or text")
    return header
