"""Reading files within a size limit, and writing them completely or not at all."""

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

MAX_BYTES = 8 << 30
"""The default limit for files that are read into memory: 8 GiB."""


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
            raise damaged(path, reason) from None
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


def refuse_size(path: Path, size: float, max_bytes: int) -> None:
    """Raise an error if a file would fill more memory than allowed."""
    if size > max_bytes:
        raise InputError(
            f"{path} would fill {size / 2**30:.1f} GiB of memory, more than the limit of "
            f"{max_bytes / 2**30:.1f} GiB. Raise max_bytes (--max-gib) if there is enough memory."
        )


def damaged(path: Path, reason: object) -> InputError:
    """Return the error for a damaged file, its reason shortened to one line."""
    text = " ".join(str(reason).split()).rstrip(".")
    return InputError(f"{path} cannot be read: it is damaged or cut off ({text[:200]}).")


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


def read_arrays(
    path: Path, max_bytes: int = MAX_BYTES, only: Sequence[str] | None = None
) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of a ``.npz`` file by name, or only some, after checking their size."""
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
    """Read the array of a ``.npy`` file after checking its size."""
    try:
        with path.open("rb") as file:
            promised = read_header(file, path.name).bytes + file.tell()
            if promised != path.stat().st_size:
                raise InputError(f"it declares {promised} bytes, but has {path.stat().st_size}")
            file.seek(0)
            if promised <= max_bytes:
                array: npt.NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
                return array
    except BROKEN as reason:
        raise damaged(path, reason) from None
    refuse_size(path, promised, max_bytes)
    raise AssertionError  # pragma: no cover - the line above refuses


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
        promised = read_header(file, member.filename).bytes + file.tell()
    if promised != member.file_size:
        raise InputError(f"{member.filename} declares {promised} bytes, but has {member.file_size}")
    with archive.open(member) as file:
        array: npt.NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
    return array


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
