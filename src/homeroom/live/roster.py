"""From a list of names, or a school's OneRoster file, to who is in a class."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import PurePosixPath

from homeroom.crowd.reading.one_roster import ROLES, USERS, has_a_students_role, is_student
from homeroom.live.activities.archive import unpacked
from homeroom.live.refused import Refused

NAME = ("nickname", "name", "student", "student name", "full name", "schüler", "vorname")
GIVEN = ("preferredgivenname", "preferredfirstname", "givenname", "first name", "firstname")
FAMILY = ("preferredfamilyname", "familyname", "last name", "lastname", "nachname")
GONE = ("tobedeleted", "inactive")
MOST = 1000
MOST_ROWS = 20_000
"""How many lines a file may have: a school's with parents, teachers and those who left."""

MOST_COLUMNS = 100
"""How many columns are looked at: OneRoster has about thirty."""

LONGEST = 40

ZIP = (b"PK\x03\x04", b"PK\x05\x06")
"""What a zip begins with; the second if there is nothing in it."""

ONLY_1_2 = "usermasteridentifier"
"""A column that ``users.csv`` has since OneRoster 1.2, which says elsewhere who is a student."""


def names_in(data: bytes, roles: bytes | None = None) -> list[str]:
    r"""Return the names in a file, each once.

    A table has a column ``name``; or those of OneRoster's ``users.csv``, of which only the
    students count; or just a name in each line. A zip is an export of OneRoster.

    Parameters
    ----------
    data
        A CSV file or a zip.
    roles
        The ``roles.csv`` that says who is a student, in OneRoster 1.2.

    Examples
    --------
    >>> names_in(b"name,seat\nAda,1\nBen,2\nAda,3\n")
    ['Ada', 'Ben']
    >>> names_in(b"Ada\nBen\n")
    ['Ada', 'Ben']
    >>> names_in(b"sourcedId,role,givenName,familyName\n1,student,Ada,Lovelace\n2,teacher,B,C\n")
    ['Ada L.']
    """
    if data.startswith(ZIP):
        data, roles = users_and_roles(unpacked(data))
    first: dict[str, str] = {}
    for name in filter(None, _names(_rows(data), None if roles is None else _rows(roles))):
        first.setdefault(name.casefold(), name)
    names = list(first.values())
    if not names:
        raise Refused("no_names")
    if len(names) > MOST:
        raise Refused("names_in_file", most=MOST, names=len(names))
    long = next((name for name in names if len(name) > LONGEST), None)
    if long is not None:
        raise Refused("roster_long_name", most=LONGEST, name=long[:60])
    return names


def users_and_roles(files: Mapping[str, bytes]) -> tuple[bytes, bytes | None]:
    """Return what ``users.csv`` and ``roles.csv`` hold, wherever they lie; of 1.1 the first alone.

    >>> users_and_roles({"export/users.csv": b"u", "export/orgs.csv": b"o"})
    (b'u', None)
    """
    found = {PurePosixPath(path).name.casefold(): data for path, data in files.items()}
    if USERS not in found:
        raise Refused("roster_no_users")
    return found[USERS], found.get(ROLES)


def _rows(data: bytes) -> list[list[str]]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    first = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=first.count)
    found = csv.reader(io.StringIO(text), delimiter=delimiter)
    try:
        rows = [row[:MOST_COLUMNS] for row in islice(filter(any, found), MOST_ROWS + 1)]
    except csv.Error as why:
        raise Refused("roster_unreadable", why=str(why)) from None
    if len(rows) > MOST_ROWS:
        raise Refused("names_in_file", most=MOST, names=text.count("\n"))
    return rows


def _names(rows: Sequence[Sequence[str]], roles: Sequence[Sequence[str]] | None) -> list[str]:
    if not rows:
        return []
    head = _head(rows)
    name = _column(head, NAME)
    given, family = ([head.index(one) for one in known if one in head] for known in (GIVEN, FAMILY))
    if name is None and not given:
        return [] if "sourcedid" in head else [_tidy(row[0]) for row in rows]
    students = _students(rows, roles)
    if not given:
        return [_cell(row, name) for row in students]
    whole = dict.fromkeys((_first(row, (*given, name)), _first(row, family)) for row in students)
    short = Counter(_short(*one) for one in whole)
    return [_short(*one) if short[_short(*one)] == 1 else " ".join(one).strip() for one in whole]


def _students(
    rows: Sequence[Sequence[str]], roles: Sequence[Sequence[str]] | None
) -> list[Sequence[str]]:
    """Return the rows of students who have not gone."""
    head = _head(rows)
    role, status = (_column(head, (known,)) for known in ("role", "status"))
    here = [row for row in rows[1:] if _cell(row, status).casefold() not in GONE]
    if "sourcedid" not in head:
        return [row for row in here if _cell(row, role).casefold() in ("student", "")]
    if roles is None and role is None and ONLY_1_2 in head:
        raise Refused("roster_roles")
    learning = None if roles is None else _learning(roles)
    return [row for row in here if is_student(_named(head, row), learning)]


def _learning(roles: Sequence[Sequence[str]]) -> set[str]:
    """Return who is a student by ``roles.csv``."""
    head = _head(roles) if roles else []
    said = (_named(head, row) for row in roles[1:])
    return {row.get("usersourcedid", "") for row in said if has_a_students_role(row)}


def _head(rows: Sequence[Sequence[str]]) -> list[str]:
    return [cell.strip().casefold() for cell in rows[0]]


def _named(head: Sequence[str], row: Sequence[str]) -> dict[str, str]:
    """Return a row by the names of its columns; what a short one lacks is empty."""
    return {name: _cell(row, column) for column, name in enumerate(head)}


def _short(given: str, family: str) -> str:
    """Return a first name with the family's initial: no more than a class needs."""
    return f"{given} {family[0]}." if family else given


def _column(head: Sequence[str], known: Sequence[str]) -> int | None:
    return next((head.index(one) for one in known if one in head), None)


def _first(row: Sequence[str], columns: Sequence[int | None]) -> str:
    """Return the first of some cells with something in it: few people have a preferred name."""
    return next((cell for column in columns if (cell := _cell(row, column))), "")


def _cell(row: Sequence[str], column: int | None) -> str:
    return "" if column is None or column >= len(row) else _tidy(row[column])


def _tidy(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())
