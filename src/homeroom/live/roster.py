"""From a list of names, or a school's OneRoster file, to who is in a class."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections import Counter
from collections.abc import Sequence

from homeroom.live.refused import Refused

NAME = ("nickname", "name", "student", "student name", "full name", "schüler", "vorname")
GIVEN = ("preferredgivenname", "preferredfirstname", "givenname", "first name", "firstname")
FAMILY = ("familyname", "last name", "lastname", "nachname")
GONE = ("tobedeleted", "inactive")
MOST = 1000
LONGEST = 40


def names_in(data: bytes) -> list[str]:
    r"""Return the names in a CSV file, each once.

    The file has a column ``name``; or those of OneRoster's ``users.csv``, of which only the
    students count; or just a name in each line.

    >>> names_in(b"name,seat\nAda,1\nBen,2\nAda,3\n")
    ['Ada', 'Ben']
    >>> names_in(b"Ada\nBen\n")
    ['Ada', 'Ben']
    >>> names_in(b"sourcedId,role,givenName,familyName\n1,student,Ada,Lovelace\n2,teacher,B,C\n")
    ['Ada L.']
    """
    rows = _rows(data)
    first: dict[str, str] = {}
    for name in filter(None, _names(rows)):
        first.setdefault(name.casefold(), name)
    names = list(first.values())
    if not names:
        raise Refused("There are no names in this file: give it a column `name`.", 422)
    if len(names) > MOST:
        raise Refused(f"A class has up to {MOST} students, but the file names {len(names)}.", 422)
    long = next((name for name in names if len(name) > LONGEST), None)
    if long is not None:
        raise Refused(f"A name may have up to {LONGEST} letters, but {long[:60]!r} has more.", 422)
    return names


def _rows(data: bytes) -> list[list[str]]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    first = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=first.count)
    try:
        return [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if any(row)]
    except csv.Error as why:
        raise Refused(f"The file cannot be read as CSV: {why}.", 422) from None


def _names(rows: Sequence[Sequence[str]]) -> list[str]:
    if not rows:
        return []
    head = [cell.strip().casefold() for cell in rows[0]]
    name, family = (_column(head, known) for known in (NAME, FAMILY))
    given = [head.index(one) for one in GIVEN if one in head]
    if name is None and not given:
        return [_tidy(row[0]) for row in rows]
    role, status = (_column(head, (known,)) for known in ("role", "status"))
    students = [
        row
        for row in rows[1:]
        if _cell(row, role).casefold() in ("student", "")
        and _cell(row, status).casefold() not in GONE
    ]
    if not given:
        return [_cell(row, name) for row in students]
    whole = dict.fromkeys((_first(row, (*given, name)), _cell(row, family)) for row in students)
    short = Counter(_short(*one) for one in whole)
    return [_short(*one) if short[_short(*one)] == 1 else " ".join(one).strip() for one in whole]


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
