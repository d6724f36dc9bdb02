"""A school's roster as OneRoster writes it: ``users.csv``, alone, in a folder or in a ``.zip``.

Version 1.1 says in ``users.csv`` who is a student; version 1.2 says so in ``roles.csv`` beside it.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

from homeroom.classroom.disk import damaged, reading
from homeroom.crowd.reading.columns import plain
from homeroom.crowd.reading.read import opened
from homeroom.crowd.reading.source import refuse_ragged, shown

Row: TypeAlias = Mapping[str, str]
"""What a line says, by the names of the columns in small letters."""

USERS, ROLES = "users.csv", "roles.csv"

MAX_UNPACKED = 1 << 30
"""The largest file that is unpacked: 1 GiB, about five million people."""


def students(path: Path, encoding: str | None = None) -> list[Row]:
    """Return the students of a roster, less those whose rows are to be deleted."""
    with _folder(path) as folder:
        users = folder / USERS if folder.is_dir() else folder
        rows = _rows(users, encoding, needed="sourcedid")
        roles = users.with_name(ROLES)
        known = None
        if users.name == USERS and roles.is_file():
            known = _with_a_students_role(_rows(roles, encoding, needed="usersourcedid"))
    return [row for row in rows if _is_student(row, known)]


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
                if entry.file_size > MAX_UNPACKED:
                    raise ValueError(f"{path} holds a {name} of more than 1 GiB: unpack it first.")
                (folder / name).write_bytes(archive.read(entry))
    except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError) as reason:
        raise damaged(path, reason) from None
    if not (folder / USERS).is_file():
        raise ValueError(f"{path} holds no {USERS}: is it an export of OneRoster?")


def _rows(path: Path, encoding: str | None, *, needed: str) -> list[dict[str, str]]:
    source = opened(path, encoding)
    header = [plain(name) for name in source.header]
    if needed not in header:
        called = {"sourcedid": "sourcedId", "usersourcedid": "userSourcedId"}[needed]
        raise ValueError(
            f"{source.path} must have the column {called}, as a {path.name} of OneRoster, "
            f"but has {shown(source.header)}."
        )
    rows = [
        {name: cell.strip() for name, cell in zip(header, row, strict=True)}
        for columns in source.chunks(range(len(header)))
        for row in zip(*columns, strict=True)
    ]
    refuse_ragged(source)
    return rows


def _with_a_students_role(roles: list[dict[str, str]]) -> set[str]:
    """Return who is a student according to ``roles.csv``."""
    return {
        row["usersourcedid"]
        for row in roles
        if row.get("role", "").lower() == "student" and not _is_gone(row)
    }


def _is_student(row: Row, known: set[str] | None) -> bool:
    if not row["sourcedid"] or _is_gone(row):
        return False
    if known is not None:
        return row["sourcedid"] in known
    return row.get("role", "").lower() in ("", "student")


def _is_gone(row: Row) -> bool:
    return row.get("status", "").lower() == "tobedeleted"
