"""Where files are written: a folder that is filled completely or not at all, or one file."""

from __future__ import annotations

import csv
import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from homeroom._checks import InputError
from homeroom._files import is_folder


@contextmanager
def new_folder(out: Path, *, force: bool) -> Iterator[Path]:
    """Yield a temporary folder, which becomes ``out`` when the block ends without an error.

    Whether ``out`` can be written is checked now, before the work. With ``force``, a folder with
    files in it is accepted, and keeps those that the result does not replace.
    """
    check_unused(out, force=force)
    temporary = _make_temporary(out)
    try:
        yield temporary
        _move(temporary, out)
    except OSError as reason:
        full = reason.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        if full or str(reason.filename).startswith(str(temporary)):
            raise InputError(f"--out {out} cannot be written: {reason.strerror}.") from None
        raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def check_unused(out: Path, *, force: bool) -> None:
    """Raise an error if a folder holds files, which a result would replace or mix with."""
    if force or not is_folder(out):
        return
    if any(not path.name.startswith(".") for path in out.iterdir()):
        raise InputError(
            f"{out} already holds files: choose another folder for --out, or add --force to write "
            "into this one."
        )


def check_file_to_write(
    path: Path, option: str = "--out", *, endings: Sequence[str] = (), force: bool
) -> None:
    """Raise an error if a file could not be written in the end, or would replace another."""
    if endings and path.suffix.lower() not in endings:
        raise InputError(f"{option} must end in {' or '.join(endings)}, but is {path}.")
    if is_folder(path):
        raise InputError(f"{option} must name a file, but {path} is a folder.")
    if not is_folder(path.parent):
        raise InputError(f"There is no folder {path.parent} for {option}: make it first.")
    if path.exists() and not force:
        raise InputError(f"{path} exists already: choose another {option}, or add --force.")


def csv_file(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Callable[[Path], None]:
    """Return a function that writes a table as ``.csv``; rows may be made only then."""

    def write(path: Path) -> None:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(header)
            writer.writerows(rows)

    return write


def make_folder(out: Path) -> None:
    """Create a folder; refuse one that cannot be made."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as reason:
        raise InputError(f"--out {out} cannot be written: {reason.strerror}.") from None


def _make_temporary(out: Path) -> Path:
    """Return a new folder on the same disk as ``out``."""
    near = out
    while not near.exists() and near != near.parent:
        near = near.parent
    if not near.is_dir():
        raise InputError(f"--out must name a folder, but {near} is a file: choose another name.")
    try:
        return Path(tempfile.mkdtemp(dir=near, prefix=".homeroom-"))
    except OSError as reason:
        raise InputError(
            f"--out cannot be written: {near} says '{reason.strerror}'; choose another folder."
        ) from None


def _move(temporary: Path, out: Path) -> None:
    """Move a temporary folder to ``out``, or its files into ``out`` if that exists."""
    if out.exists():
        for file in sorted(temporary.rglob("*")):
            place = out / file.relative_to(temporary)
            if file.is_dir():
                place.mkdir(exist_ok=True)
            else:
                file.replace(place)
        return
    out.parent.mkdir(parents=True, exist_ok=True)
    mask = os.umask(0)
    os.umask(mask)
    temporary.chmod(0o777 & ~mask)
    temporary.replace(out)
