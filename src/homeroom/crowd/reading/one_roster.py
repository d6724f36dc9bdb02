"""A school's roster as OneRoster writes it: ``users.csv``, alone, in a folder or in a ``.zip``.

Version 1.1 says in ``users.csv`` who is a student; version 1.2 says so in ``roles.csv`` beside it.
Both say in ``classes.csv`` and ``enrollments.csv`` who is in which class.
"""

from __future__ import annotations

import shutil
import unicodedata
import zipfile
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import TypeAlias

from homeroom._checks import InputError
from homeroom._files import damaged, reading, refuse_size
from homeroom.crowd.answers import MAX_BYTES
from homeroom.crowd.reading.columns import plain
from homeroom.crowd.reading.glance import refuse_at_a_glance
from homeroom.crowd.reading.read import opened
from homeroom.crowd.reading.source import refuse_ragged, shown

Row: TypeAlias = Mapping[str, str]
"""What a line says, by the names of the columns in small letters."""

USERS, ROLES, CLASSES, ENROLLMENTS = "users.csv", "roles.csv", "classes.csv", "enrollments.csv"

NEEDED = {
    USERS: ("sourcedId",),
    ROLES: ("userSourcedId",),
    CLASSES: ("sourcedId",),
    ENROLLMENTS: ("classSourcedId", "userSourcedId", "role"),
}
"""The columns that must be there, in each file."""

GONE = ("tobedeleted", "inactive")
"""The status of who or what is no longer there."""

CLASS_CALLED = ("title", "classcode", "sourcedid")
"""What a class is called by; the first of these that fits counts."""

LONGEST_ID = 255
"""How many letters a ``sourcedId`` may have, by OneRoster."""

FEW = 8
"""How many classes a refusal names."""

MAX_UNPACKED = 1 << 30
"""The largest file that is unpacked: 1 GiB, about five million people."""

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""How a ``.zip`` may be packed, as schools' programs do; the others fail in ways of their own."""

CELL_BYTES = 120
"""What a cell of a student's row costs beside its letters, the dictionary's own part included."""

ROW_BYTES = 10 * CELL_BYTES
"""What a student costs at the least: OneRoster demands ten columns."""


def students(
    path: Path,
    encoding: str | None = None,
    *,
    of_class: str | None = None,
    max_bytes: int = MAX_BYTES,
) -> list[Row]:
    """Return the students of a roster, less those who are gone.

    Parameters
    ----------
    path
        A ``users.csv``, or the folder or the ``.zip`` that it is in.
    encoding
        How the files are written, if it cannot be told.
    of_class
        The only class whose students are wanted: its title, its ``classCode`` or its ``sourcedId``.
    max_bytes
        How much memory they may take.
    """
    wanted = (USERS, ROLES) if of_class is None else (USERS, CLASSES, ENROLLMENTS)
    with _folder(path, wanted) as folder:
        users = folder / USERS if folder.is_dir() else folder
        with reading(users):
            refuse_at_a_glance(users, max_bytes, ROW_BYTES)
        if of_class is None:
            known = _by_roles(users, encoding, max_bytes)
        else:
            _refuse_lone_users(path, users, of_class)
            known = _enrolled(path, users, of_class, encoding, max_bytes)
        rows = _rows(users, encoding, USERS)
        found = list(_within(max_bytes, users, (row for row in rows if is_student(row, known))))
    if not found and of_class is not None:
        raise InputError(
            f"{path} has no students in the class {of_class[:60]!r}: nobody in {USERS} is "
            f"enrolled in it as a student by {ENROLLMENTS}. Choose another class."
        )
    return found


def _by_roles(users: Path, encoding: str | None, max_bytes: int) -> set[str] | None:
    """Return who is a student by ``roles.csv``, if that lies beside ``users.csv``."""
    roles = users.with_name(ROLES)
    if users.name != USERS or not roles.is_file():
        return None
    rows = filter(has_a_students_role, _rows(roles, encoding, ROLES))
    return {row["usersourcedid"] for row in _within(max_bytes, roles, rows)}


def _refuse_lone_users(path: Path, users: Path, of_class: str) -> None:
    """Refuse to look for a class where nothing beside ``users.csv`` tells who is in it."""
    beside = [users.with_name(name) for name in (CLASSES, ENROLLMENTS)]
    missing = [one.name for one in beside if users.name != USERS or not one.is_file()]
    if missing:
        raise InputError(
            f"{path} comes without {' and '.join(missing)}, so that it cannot be told who is in "
            f"the class {of_class[:60]!r}: give the folder or the .zip of the whole export, or "
            "leave the class (of_class, --class) out."
        )


def _enrolled(
    path: Path, users: Path, of_class: str, encoding: str | None, max_bytes: int
) -> set[str]:
    """Return who is a student in a class, by ``enrollments.csv``."""
    classes, enrollments = users.with_name(CLASSES), users.with_name(ENROLLMENTS)
    number = _class_called(path, of_class, filter(is_class, _rows(classes, encoding, CLASSES)))
    rows = filter(has_a_students_role, _rows(enrollments, encoding, ENROLLMENTS))
    in_it = (row for row in rows if row["classsourcedid"] == number)
    return {row["usersourcedid"] for row in _within(max_bytes, enrollments, in_it)}


def _class_called(path: Path, name: str, classes: Iterable[Row]) -> str:
    """Return the ``sourcedId`` of the one class that is called so, in large or small letters.

    A ``sourcedId`` that is written exactly like this counts first: there is always a way to say
    which class is meant. Then titles count, and then codes.
    """
    wanted = tidy(name)
    others: dict[str, None] = {}  # of all only a few are kept
    fitting: dict[str, dict[str, str]] = {kind: {} for kind in CLASS_CALLED}
    for row in classes:
        if tidy(row["sourcedid"]) == wanted:
            return row["sourcedid"]
        called = {kind: tidy(row.get(kind, "")) for kind in CLASS_CALLED}
        fits = [one for one in CLASS_CALLED if called[one].casefold() == wanted.casefold() != ""]
        for kind in fits:
            if len(fitting[kind]) <= FEW:
                fitting[kind][row["sourcedid"]] = _in_words(called)
        if not fits and len(others) <= FEW:
            others[called["title"] or called["sourcedid"]] = None
    found = next(filter(None, fitting.values()), {})
    if not found:
        raise InputError(
            f"{path} has no class {wanted[:60]!r}, by title, classCode or sourcedId; "
            f"its classes are {shown(list(others), FEW)}: choose one of them."
        )
    if len(found) > 1:
        some = ", ".join([*found.values()][:FEW]) + (", ..." if len(found) > FEW else "")
        raise InputError(
            f"{path} has several classes that are called {wanted[:60]!r}, {some}: choose one by "
            "its sourcedId."
        )
    return next(iter(found))


def _in_words(called: Mapping[str, str]) -> str:
    """Return a class's number with its title and its code, to choose it by.

    >>> _in_words({"sourcedid": "c2", "title": "Art", "classcode": "7B"})
    "'c2' ('Art', '7B')"
    """
    beside = ", ".join(repr(called[kind][:30]) for kind in ("title", "classcode") if called[kind])
    return f"{called['sourcedid'][:80]!r} ({beside})" if beside else f"{called['sourcedid'][:80]!r}"


def other_ids(row: Row) -> list[str]:
    """Return the numbers that other programs know somebody by, as ``userIds`` lists them.

    >>> other_ids({"userids": "{LDAP:ada},{LTI:a1}"})
    ['ada', 'a1']
    """
    pieces = row.get("userids", "").split(",")
    return [piece.strip(" {}").partition(":")[2].strip() for piece in pieces if ":" in piece]


@contextmanager
def _folder(path: Path, wanted: Collection[str]) -> Iterator[Path]:
    """Give the folder of an export, unpacked if it is a ``.zip``; other paths as they are."""
    if path.suffix.lower() != ".zip":
        yield path
        return
    with TemporaryDirectory() as temporary:
        with reading(path):
            _unpack(path, Path(temporary), wanted)
        try:
            yield Path(temporary)
        except ValueError as reason:  # which names a file that nobody knows
            raise InputError(str(reason).replace(temporary, str(path))) from None


def file_called(path: str) -> str:
    r"""Return what a file is called, in small letters, wherever it lies.

    >>> file_called("export\\Users.csv")
    'users.csv'
    """
    return PurePosixPath(path.replace("\\", "/")).name.casefold()


def _unpack(path: Path, folder: Path, wanted: Collection[str]) -> None:
    """Write the files that count into a folder; they may be in a folder of their own."""
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                name = file_called(entry.filename)
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
    """Yield what the lines of a file say, which is to be of this kind (``users.csv``, ...)."""
    source = opened(path, encoding, what="a roster")
    header = [plain(name) for name in source.header]
    missing = [name for name in NEEDED[kind] if plain(name) not in header]
    if missing:
        raise InputError(
            f"{source.path} has the columns {shown(source.header)}, but must have {missing[0]} "
            f"too, as OneRoster's {kind} has."
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
    """Tell whether a row of ``roles.csv`` or ``enrollments.csv`` says that one is a student."""
    return row.get("role", "").lower() == "student" and not is_gone(row)


def is_class(row: Row) -> bool:
    """Tell whether a row of ``classes.csv`` is that of a class that there still is."""
    return bool(row["sourcedid"]) and not is_gone(row)


def is_student(row: Row, known: set[str] | None) -> bool:
    """Tell whether a row of ``users.csv`` is a student's.

    Parameters
    ----------
    row
        The row.
    known
        Who is a student by another file, if there is one; else the row itself says it.
    """
    if not row["sourcedid"] or is_gone(row):
        return False
    if known is not None:
        return row["sourcedid"] in known
    return row.get("role", "").lower() in ("", "student")


def is_gone(row: Row) -> bool:
    """Tell whether a row of any file says that it counts no longer."""
    return row.get("status", "").lower() in GONE


def tidy(text: str) -> str:
    """Return a text in one line, its letters written in one way.

    The letters of one that is longer than a name stay as they are: its accents may take minutes.

    >>> tidy(" Ada  Lee ")
    'Ada Lee'
    """
    line = " ".join(text.split())
    return line if len(line) > LONGEST_ID else unicodedata.normalize("NFC", line)
