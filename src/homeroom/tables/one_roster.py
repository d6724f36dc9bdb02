"""The files and columns of OneRoster, a standard for the class lists of schools.

In version 1.1, ``users.csv`` says who is a student; in version 1.2, ``roles.csv`` does. In both,
``classes.csv`` and ``enrollments.csv`` say who is in which class.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePosixPath
from typing import TypeAlias

from homeroom.tables.columns import normalized, normalized_header

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

LONGEST_ID = 255
"""The longest ``sourcedId`` that OneRoster allows."""


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


def file_name(path: str) -> str:
    r"""Return the name of a file in lower case, without its folders.

    >>> file_name("export\\Users.csv")
    'users.csv'
    """
    return PurePosixPath(path.replace("\\", "/")).name.casefold()
