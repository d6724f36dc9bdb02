"""Exports of school rosters in the OneRoster format: CSV files, alone, in a folder or a ``.zip``.

In version 1.1, ``users.csv`` says who is a student; in version 1.2, ``roles.csv`` does. In both,
``classes.csv`` and ``enrollments.csv`` say who is in which class.
"""

from __future__ import annotations

import shutil
import zipfile
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import TypeAlias

from homeroom._checks import InputError
from homeroom._files import damaged, reading, refuse_size
from homeroom.tables.columns import normalized, normalized_header
from homeroom.tables.formats import open_table
from homeroom.tables.table import quoted, refuse_dropped_rows, refuse_too_many_lines
from homeroom.tables.text import tidy

Row: TypeAlias = Mapping[str, str]
"""The cells of a line by the names of their columns, which are normalized: ``sourcedid``."""

USERS, ROLES, CLASSES, ENROLLMENTS = "users.csv", "roles.csv", "classes.csv", "enrollments.csv"

NEEDED = {
    USERS: ("sourcedId",),
    ROLES: ("userSourcedId",),
    CLASSES: ("sourcedId",),
    ENROLLMENTS: ("classSourcedId", "userSourcedId", "role"),
}
"""The columns that each file must have."""

GONE = ("tobedeleted", "inactive")
"""The status of rows that no longer count."""

CLASS_NAMES = ("title", "classcode", "sourcedid")
"""What a class can be chosen by; the first that fits counts."""

LONGEST_ID = 255
"""The longest ``sourcedId`` that OneRoster allows."""

FEW = 8
"""How many classes an error lists."""

MAX_UNPACKED = 1 << 30
"""The largest file that is unpacked: 1 GiB, about five million users."""

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""The compression methods that are read; the others fail in ways of their own."""

CELL_BYTES = 120
"""The memory that a cell needs beside its characters, with its part of the dictionary."""

ROW_BYTES = 10 * CELL_BYTES
"""The memory that a student needs at least: OneRoster requires ten columns."""


def students(
    path: Path, encoding: str | None = None, *, of_class: str | None = None, max_bytes: int
) -> list[Row]:
    """Return the rows of the students in an export, without those who are gone.

    Parameters
    ----------
    path
        A ``users.csv``, or the folder or the ``.zip`` that contains it.
    encoding
        The encoding of the files, if it should not be detected.
    of_class
        The class whose students are wanted: its title, ``classCode`` or ``sourcedId``.
    max_bytes
        The memory that the rows may need.
    """
    wanted = (USERS, ROLES) if of_class is None else (USERS, CLASSES, ENROLLMENTS)
    with _folder(path, wanted) as folder:
        users = folder / USERS if folder.is_dir() else folder
        with reading(users):
            refuse_too_many_lines(users, max_bytes, ROW_BYTES)
        if of_class is None:
            known = _students_by_role(users, encoding, max_bytes)
        else:
            _refuse_lone_users(path, users, of_class)
            known = _enrolled(path, users, of_class, encoding, max_bytes)
        rows = _rows(users, encoding, USERS)
        found = list(_within(max_bytes, users, (row for row in rows if is_student(row, known))))
    if not found and of_class is not None:
        raise InputError(
            f"{path} has no students in the class {of_class[:60]!r}: no user in {USERS} is "
            f"enrolled in it as a student by {ENROLLMENTS}. Choose another class."
        )
    return found


def columns_of(header: Sequence[str], kind: str) -> list[str]:
    """Return the normalized names of the columns of a file such as ``users.csv``.

    Raises
    ------
    KeyError
        If a required column is missing; its argument is the name of the column.
    """
    names = normalized_header(header)
    for column in NEEDED[kind]:
        if normalized(column) not in names:
            raise KeyError(column)
    return names


def has_student_role(row: Row) -> bool:
    """Return whether a row of ``roles.csv`` or ``enrollments.csv`` makes its user a student."""
    return row.get("role", "").lower() == "student" and not is_gone(row)


def is_class(row: Row) -> bool:
    """Return whether a row of ``classes.csv`` is a class that still exists."""
    return bool(row["sourcedid"]) and not is_gone(row)


def is_student(row: Row, known: Collection[str] | None) -> bool:
    """Return whether a row of ``users.csv`` is a student's.

    ``known`` are the students according to another file; without one, the role in the row counts.
    """
    if not row["sourcedid"] or is_gone(row):
        return False
    if known is not None:
        return row["sourcedid"] in known
    return row.get("role", "").lower() in ("", "student")


def is_gone(row: Row) -> bool:
    """Return whether a row of any file no longer counts."""
    return row.get("status", "").lower() in GONE


def other_ids(row: Row) -> list[str]:
    """Return the ids that other programs use for a user, from the column ``userIds``.

    >>> other_ids({"userids": "{LDAP:ada},{LTI:a1}"})
    ['ada', 'a1']
    """
    pieces = row.get("userids", "").split(",")
    return [piece.strip(" {}").partition(":")[2].strip() for piece in pieces if ":" in piece]


def file_name(path: str) -> str:
    r"""Return the name of a file in lower case, without its folders.

    >>> file_name("export\\Users.csv")
    'users.csv'
    """
    return PurePosixPath(path.replace("\\", "/")).name.casefold()


def _students_by_role(users: Path, encoding: str | None, max_bytes: int) -> set[str] | None:
    """Return the students according to ``roles.csv``, if it is next to ``users.csv``."""
    roles = users.with_name(ROLES)
    if users.name != USERS or not roles.is_file():
        return None
    rows = filter(has_student_role, _rows(roles, encoding, ROLES))
    return {row["usersourcedid"] for row in _within(max_bytes, roles, rows)}


def _refuse_lone_users(path: Path, users: Path, of_class: str) -> None:
    """Refuse to look for a class without the files that say who is in it."""
    others = [users.with_name(name) for name in (CLASSES, ENROLLMENTS)]
    missing = [one.name for one in others if users.name != USERS or not one.is_file()]
    if missing:
        raise InputError(
            f"{path} comes without {' and '.join(missing)}, which say who is in the class "
            f"{of_class[:60]!r}: give the folder or the .zip of the whole export, or "
            "leave the class (of_class, --class) out."
        )


def _enrolled(
    path: Path, users: Path, of_class: str, encoding: str | None, max_bytes: int
) -> set[str]:
    """Return the students of a class according to ``enrollments.csv``."""
    classes, enrollments = users.with_name(CLASSES), users.with_name(ENROLLMENTS)
    chosen = _chosen_class(path, of_class, filter(is_class, _rows(classes, encoding, CLASSES)))
    rows = filter(has_student_role, _rows(enrollments, encoding, ENROLLMENTS))
    in_class = (row for row in rows if row["classsourcedid"] == chosen)
    return {row["usersourcedid"] for row in _within(max_bytes, enrollments, in_class)}


def _chosen_class(path: Path, name: str, classes: Iterable[Row]) -> str:
    """Return the ``sourcedId`` of the one class with this name, in upper or lower case.

    An exact ``sourcedId`` comes first, so that every class can be chosen; then titles, then codes.
    """
    wanted = tidy(name)
    others: dict[str, None] = {}  # only a few are kept
    fitting: dict[str, dict[str, str]] = {kind: {} for kind in CLASS_NAMES}
    for row in classes:
        if tidy(row["sourcedid"]) == wanted:
            return row["sourcedid"]
        names = {kind: tidy(row.get(kind, "")) for kind in CLASS_NAMES}
        fits = [one for one in CLASS_NAMES if names[one].casefold() == wanted.casefold() != ""]
        for kind in fits:
            if len(fitting[kind]) <= FEW:
                fitting[kind][row["sourcedid"]] = _described(names)
        if not fits and len(others) <= FEW:
            others[names["title"] or names["sourcedid"]] = None
    found = next(filter(None, fitting.values()), {})
    if not found:
        raise InputError(
            f"{path} has no class {wanted[:60]!r}, by title, classCode or sourcedId; "
            f"its classes are {quoted(list(others), FEW)}: choose one of them."
        )
    if len(found) > 1:
        some = ", ".join([*found.values()][:FEW]) + (", ..." if len(found) > FEW else "")
        raise InputError(
            f"{path} has several classes that are called {wanted[:60]!r}, {some}: choose one by "
            "its sourcedId."
        )
    return next(iter(found))


def _described(names: Mapping[str, str]) -> str:
    """Return a class's ``sourcedId`` with its title and code.

    >>> _described({"sourcedid": "c2", "title": "Art", "classcode": "7B"})
    "'c2' ('Art', '7B')"
    """
    more = ", ".join(repr(names[kind][:30]) for kind in ("title", "classcode") if names[kind])
    return f"{names['sourcedid'][:80]!r} ({more})" if more else f"{names['sourcedid'][:80]!r}"


@contextmanager
def _folder(path: Path, wanted: Collection[str]) -> Iterator[Path]:
    """Yield the folder of an export, unpacked if it is a ``.zip``; any other path as it is."""
    if path.suffix.lower() != ".zip":
        yield path
        return
    with TemporaryDirectory() as temporary:
        with reading(path):
            _unpack(path, Path(temporary), wanted)
        try:
            yield Path(temporary)
        except InputError as reason:  # names a temporary file that the user does not know
            raise InputError(str(reason).replace(temporary, str(path))) from None


def _unpack(path: Path, folder: Path, wanted: Collection[str]) -> None:
    """Write the wanted files into a folder, wherever they are in the archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                name = file_name(entry.filename)
                if name not in wanted or entry.is_dir():
                    continue
                if (folder / name).exists():
                    raise InputError(f"{path} holds several {name}: unpack it, and name one.")
                if entry.file_size > MAX_UNPACKED:
                    raise InputError(f"{path} holds a {name} of more than 1 GiB: unpack it first.")
                if entry.compress_type not in METHODS:
                    raise InputError(f"{path} is packed in an unusual way: unpack it first.")
                with archive.open(entry) as packed, (folder / name).open("wb") as file:
                    shutil.copyfileobj(packed, file)
    except (zipfile.BadZipFile, zlib.error, EOFError, IndexError, RuntimeError) as reason:
        raise damaged(path, reason) from None
    if not (folder / USERS).is_file():
        raise InputError(f"{path} holds no {USERS}: is it an export of OneRoster?")


def _rows(path: Path, encoding: str | None, kind: str) -> Iterator[Row]:
    """Yield the rows of a file of this kind (``users.csv``, ...)."""
    table = open_table(path, encoding, what="a roster")
    try:
        header = columns_of(table.header, kind)
    except KeyError as missing:
        raise InputError(
            f"{table.path} has the columns {quoted(table.header)}, but must have {missing.args[0]} "
            f"too, as OneRoster's {kind} has."
        ) from None
    for columns in table.chunks(range(len(header))):
        for row in zip(*columns, strict=True):
            yield {name: text.strip() for name, text in zip(header, row, strict=True)}
    refuse_dropped_rows(table)


def _within(max_bytes: int, path: Path, rows: Iterable[Row]) -> Iterator[Row]:
    """Yield rows that are kept, as long as they need no more memory than allowed."""
    size = 0
    for row in rows:
        size += CELL_BYTES * len(row) + sum(map(len, row.values()))
        refuse_size(path, size, max_bytes)
        yield row
