"""A school's roster as OneRoster writes it: ``users.csv``, alone, in a folder or in a ``.zip``.

Version 1.1 says in ``users.csv`` who is a student; version 1.2 says so in ``roles.csv`` beside it.
"""

from __future__ import annotations

import shutil
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

from homeroom.classroom.disk import damaged, reading, refuse_size
from homeroom.crowd.answers import MAX_BYTES
from homeroom.crowd.reading.columns import plain
from homeroom.crowd.reading.glance import refuse_at_a_glance
from homeroom.crowd.reading.read import opened
from homeroom.crowd.reading.source import refuse_ragged, shown

Row: TypeAlias = Mapping[str, str]
"""What a line says, by the names of the columns in small letters."""

USERS, ROLES = "users.csv", "roles.csv"

CALLED = {"sourcedid": ("sourcedId", USERS), "usersourcedid": ("userSourcedId", ROLES)}
"""How the columns that must be there are written, and in which file."""

MAX_UNPACKED = 1 << 30
"""The largest file that is unpacked: 1 GiB, about five million people."""

CELL_BYTES = 120
"""What a cell of a student's row costs beside its letters, the dictionary's own part included."""

ROW_BYTES = 10 * CELL_BYTES
"""What a student costs at the least: OneRoster demands ten columns."""


def students(path: Path, encoding: str | None = None, *, max_bytes: int = MAX_BYTES) -> list[Row]:
    """Return the students of a roster, less those whose rows are to be deleted."""
    with _folder(path) as folder:
        users = folder / USERS if folder.is_dir() else folder
        with reading(users):
            refuse_at_a_glance(users, max_bytes, ROW_BYTES)
        roles = users.with_name(ROLES)
        known = None
        if users.name == USERS and roles.is_file():
            rows = _rows(roles, encoding, needed="usersourcedid")
            learning = _within(max_bytes, roles, filter(has_a_students_role, rows))
            known = {row["usersourcedid"] for row in learning}
        rows = _rows(users, encoding, needed="sourcedid")
        return list(_within(max_bytes, users, (row for row in rows if is_student(row, known))))


def other_ids(row: Row) -> list[str]:
    """Return the numbers that other programs know somebody by, as ``userIds`` lists them.

    >>> other_ids({"userids": "{LDAP:ada},{LTI:a1}"})
    ['ada', 'a1']
    """
    pieces = row.get("userids", "").split(",")
    return [piece.strip(" {}").partition(":")[2].strip() for piece in pieces if ":" in piece]


@contextmanager
def _folder(path: Path) -> Iterator[Path]:
    """Give the folder of an export, unpacked if it is a ``.zip``; other paths as they are."""
    if path.suffix.lower() != ".zip":
        yield path
        return
    with TemporaryDirectory() as temporary:
        with reading(path):
            _unpack(path, Path(temporary))
        yield Path(temporary)


def _unpack(path: Path, folder: Path) -> None:
    """Write the two files that count into a folder; they may be in a folder of their own."""
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                name = Path(entry.filename).name
                if name not in (USERS, ROLES):
                    continue
                if (folder / name).exists():
                    raise ValueError(f"{path} holds several {name}: unpack it, and name one.")
                if entry.file_size > MAX_UNPACKED:
                    raise ValueError(f"{path} holds a {name} of more than 1 GiB: unpack it first.")
                with archive.open(entry) as packed, (folder / name).open("wb") as file:
                    shutil.copyfileobj(packed, file)
    except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError) as reason:
        raise damaged(path, reason) from None
    if not (folder / USERS).is_file():
        raise ValueError(f"{path} holds no {USERS}: is it an export of OneRoster?")


def _rows(path: Path, encoding: str | None, *, needed: str) -> Iterator[Row]:
    source = opened(path, encoding, what="a roster")
    header = [plain(name) for name in source.header]
    if needed not in header:
        called, kind = CALLED[needed]
        raise ValueError(
            f"{source.path} must have the column {called}, as a {kind} of OneRoster, "
            f"but has {shown(source.header)}."
        )
    for columns in source.chunks(range(len(header))):
        for row in zip(*columns, strict=True):
            yield {name: cell.strip() for name, cell in zip(header, row, strict=True)}
    refuse_ragged(source)


def _within(max_bytes: int, path: Path, rows: Iterable[Row]) -> Iterator[Row]:
    """Yield the rows that are kept, as long as they take no more memory than allowed."""
    size = 0
    for row in rows:
        size += CELL_BYTES * len(row) + sum(map(len, row.values()))
        refuse_size(path, size, max_bytes)
        yield row


def has_a_students_role(row: Row) -> bool:
    """Tell whether a row of ``roles.csv`` says that somebody is a student."""
    return row.get("role", "").lower() == "student" and not _is_gone(row)


def is_student(row: Row, known: set[str] | None) -> bool:
    """Tell whether a row of ``users.csv`` is a student's.

    Parameters
    ----------
    row
        The row.
    known
        Who is a student by ``roles.csv``, if there is one; else the row itself says it.
    """
    if not row["sourcedid"] or _is_gone(row):
        return False
    if known is not None:
        return row["sourcedid"] in known
    return row.get("role", "").lower() in ("", "student")


def _is_gone(row: Row) -> bool:
    return row.get("status", "").lower() == "tobedeleted"
