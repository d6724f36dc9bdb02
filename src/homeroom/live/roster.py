"""From a list of names, or a school's OneRoster file, to who is in a class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice

from homeroom.crowd.reading.one_roster import has_a_students_role, is_student
from homeroom.live.activities.archive import unpacked
from homeroom.live.cells import cell, head, lines, tidy
from homeroom.live.one_roster import GONE, Export, enrolled
from homeroom.live.refused import Refused

NAME = ("nickname", "name", "student", "student name", "full name", "schüler", "vorname")
GIVEN = ("preferredgivenname", "preferredfirstname", "givenname", "first name", "firstname")
FAMILY = ("preferredfamilyname", "familyname", "last name", "lastname", "nachname")
MOST = 1000
MOST_ROWS = 20_000
"""How many lines a file may have: a school's with parents, teachers and those who left."""

LONGEST = 40

ZIP = (b"PK\x03\x04", b"PK\x05\x06")
"""What a zip begins with; the second if there is nothing in it."""

ONLY_1_2 = "usermasteridentifier"
"""A column that ``users.csv`` has since OneRoster 1.2, which says elsewhere who is a student."""


def names_in(sent: bytes | Mapping[str, bytes], of_class: str | None = None) -> list[str]:
    r"""Return the names in a file, each once.

    A table has a column ``name``; or those of OneRoster's ``users.csv``, of which only the
    students count; or just a name in each line. A zip is an export of OneRoster. If it has
    several classes, one must be chosen.

    Parameters
    ----------
    sent
        A CSV file or a zip; or the files of an export of OneRoster, by their names.
    of_class
        The ``sourcedId`` of the class whose names are wanted.

    Examples
    --------
    >>> names_in(b"name,seat\nAda,1\nBen,2\nAda,3\n")
    ['Ada', 'Ben']
    >>> names_in(b"Ada\nBen\n")
    ['Ada', 'Ben']
    >>> names_in(b"sourcedId,role,givenName,familyName\n1,student,Ada,Lovelace\n2,teacher,B,C\n")
    ['Ada L.']
    """
    export = _export(sent)
    rows = _rows(export.users)
    learning = enrolled(export, _people(rows), of_class)
    if learning is None and export.roles is not None:
        learning = _learning(_rows(export.roles))
    first: dict[str, str] = {}
    for name in filter(None, _names(rows, learning)):
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


def _export(sent: bytes | Mapping[str, bytes]) -> Export:
    if not isinstance(sent, bytes):
        return Export.of(sent)
    return Export.of(unpacked(sent)) if sent.startswith(ZIP) else Export(sent)


def _rows(data: bytes) -> list[list[str]]:
    rows = list(islice(lines(data), MOST_ROWS + 1))
    if len(rows) > MOST_ROWS:
        raise Refused("names_in_file", most=MOST, names=data.count(b"\n"))
    return rows


def _names(rows: Sequence[Sequence[str]], learning: set[str] | None) -> list[str]:
    if not rows:
        return []
    known = head(rows[0])
    name = _column(known, NAME)
    given, family = ([known.index(one) for one in ways if one in known] for ways in (GIVEN, FAMILY))
    if name is None and not given:
        return [] if "sourcedid" in known else [tidy(row[0]) for row in rows]
    students = _students(rows, learning)
    if not given:
        return [cell(row, name) for row in students]
    whole = dict.fromkeys((_first(row, (*given, name)), _first(row, family)) for row in students)
    short = Counter(_short(*one) for one in whole)
    return [_short(*one) if short[_short(*one)] == 1 else " ".join(one).strip() for one in whole]


def _students(rows: Sequence[Sequence[str]], learning: set[str] | None) -> list[Sequence[str]]:
    """Return the rows of students who have not gone; others may have said who learns."""
    known = head(rows[0])
    role = _column(known, ("role",))
    if "sourcedid" not in known:
        return [row for row in _here(rows) if cell(row, role).casefold() in ("student", "")]
    if learning is None and role is None and ONLY_1_2 in known:
        raise Refused("roster_roles")
    return [row for row in _here(rows) if is_student(_named(known, row), learning)]


def _people(rows: Sequence[Sequence[str]]) -> set[str]:
    """Return the number of everybody who has not gone, if people have numbers."""
    number = _column(head(rows[0]), ("sourcedid",)) if rows else None
    return set() if number is None else {cell(row, number) for row in _here(rows)} - {""}


def _here(rows: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Return the rows below the head of those who have not gone."""
    status = _column(head(rows[0]), ("status",))
    return [row for row in rows[1:] if cell(row, status).casefold() not in GONE]


def _learning(roles: Sequence[Sequence[str]]) -> set[str]:
    """Return who is a student by ``roles.csv``."""
    known = head(roles[0]) if roles else []
    said = (_named(known, row) for row in roles[1:])
    return {row.get("usersourcedid", "") for row in said if has_a_students_role(row)}


def _named(known: Sequence[str], row: Sequence[str]) -> dict[str, str]:
    """Return a row by the names of its columns."""
    return {name: cell(row, column) for column, name in enumerate(known)}


def _short(given: str, family: str) -> str:
    """Return a first name with the family's initial: no more than a class needs."""
    return f"{given} {family[0]}." if family else given


def _column(known: Sequence[str], ways: Sequence[str]) -> int | None:
    return next((known.index(one) for one in ways if one in known), None)


def _first(row: Sequence[str], columns: Sequence[int | None]) -> str:
    """Return the first of some cells with something in it: few people have a preferred name."""
    return next((said for column in columns if (said := cell(row, column))), "")
