"""From a list of names, or a school's OneRoster file, to who is in a class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from homeroom.crowd.reading.one_roster import is_gone, is_student, tidy
from homeroom.live.activities.archive import unpacked
from homeroom.live.refused import Refused
from homeroom.live.roster.one_roster import Export, counts, learning, listed
from homeroom.live.sent_table import cell, head

NAME = ("nickname", "name", "student", "student name", "full name", "schüler")
GIVEN = (
    "preferredgivenname",
    "preferredfirstname",
    "givenname",
    "first name",
    "firstname",
    "vorname",
)
FAMILY = ("preferredfamilyname", "familyname", "last name", "lastname", "nachname")
WHO = ("sourcedid", "status", "role")
"""The columns that tell whether somebody counts."""

MOST = 1000
MOST_ROWS = 20_000
"""How many lines a file may have: a school's with parents, teachers and those who left."""

LONGEST = 40

ZIP = (b"PK\x03\x04", b"PK\x05\x06")
"""What a zip begins with; the second if there is nothing in it."""

ONLY_1_2 = "usermasteridentifier"
"""A column that ``users.csv`` has since OneRoster 1.2, which says elsewhere who is a student."""


def names_in(sent: bytes | Mapping[str, bytes], of_class: str | None = None) -> list[str]:
    r"""Return the names in a file, each once; but two students of one name have two.

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
    names = _called(_whole(rows, learning(export, _people(rows), of_class)))
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
    return Export.of(unpacked(sent, counts)) if sent.startswith(ZIP) else Export(sent)


def _rows(data: bytes) -> list[list[str]]:
    rows = list(islice(listed(data), MOST_ROWS + 1))
    if len(rows) > MOST_ROWS:
        raise Refused("list_lines", lines=data.count(b"\n"), most=MOST_ROWS)
    return rows


def _whole(rows: Sequence[Sequence[str]], among: set[str] | None) -> dict[str, tuple[str, str]]:
    """Return the given and the family name of each student, by the student's number.

    Where people have no numbers, it is by the name itself: each is there once.
    """
    known = head(rows[0]) if rows else []
    number, name = _column(known, ("sourcedid",)), _column(known, NAME)
    given, family = ([known.index(one) for one in ways if one in known] for ways in (GIVEN, FAMILY))
    if given and not family and "name" in known:  # beside a first name it is the family's
        family, name = [known.index("name")], None
    if name is None and not given:
        told = [("", (tidy(row[0]), "")) for row in rows] if number is None else []
    else:
        first, last = (*given, name), family if given else ()
        told = [
            (cell(row, number), (_first(row, first), _first(row, last)))
            for row in _students(rows, among)
        ]
    whole: dict[str, tuple[str, str]] = {}
    for one, both in told:
        whole.setdefault(one or _full(*both).casefold(), both)
    whole.pop("", None)
    return whole


def _called(students: Mapping[str, tuple[str, str]]) -> list[str]:
    """Return what to call each student, no two of them alike.

    That is a first name with an initial; the whole name, if others have the same; and a number
    after it if they share even that, in the order of their own numbers: next time it is the same.
    """
    in_order = sorted(students)
    short = {one: _short(*students[one]) or one for one in in_order}
    shared = Counter(map(str.casefold, short.values()))
    names = [
        short[one] if shared[short[one].casefold()] == 1 else _full(*students[one]) or one
        for one in in_order
    ]
    called = dict(zip(in_order, _numbered(names), strict=True))
    return [called[one] for one in students]


def _numbered(names: Iterable[str]) -> Iterator[str]:
    """Yield names, with a number from the second time on.

    >>> list(_numbered(["Ada", "Ben", "Ada", "ada"]))
    ['Ada', 'Ben', 'Ada (2)', 'ada (3)']
    """
    taken: set[str] = set()
    again: Counter[str] = Counter()
    for name in names:
        told = name
        while told.casefold() in taken:
            again[name.casefold()] += 1
            told = f"{name} ({again[name.casefold()] + 1})"
        taken.add(told.casefold())
        yield told


def _students(rows: Sequence[Sequence[str]], among: set[str] | None) -> list[Sequence[str]]:
    """Return the rows of students who have not gone; others may have said who learns."""
    known = head(rows[0])
    role = _column(known, ("role",))
    if "sourcedid" not in known:
        return [row for row in _here(rows) if cell(row, role).casefold() in ("student", "")]
    if among is None and role is None and ONLY_1_2 in known:
        raise Refused("roster_roles")
    return [row for row in rows[1:] if is_student(_told(known, row), among)]


def _people(rows: Sequence[Sequence[str]]) -> set[str] | None:
    """Return the number of everybody who has not gone, if people have numbers."""
    number = _column(head(rows[0]), ("sourcedid",)) if rows else None
    if number is None:
        return None
    return {cell(row, number) for row in _here(rows)} - {""}


def _here(rows: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Return the rows below the head of those who have not gone."""
    known = head(rows[0])
    return [row for row in rows[1:] if not is_gone(_told(known, row))]


def _told(known: Sequence[str], row: Sequence[str]) -> dict[str, str]:
    """Return what a row says of whether somebody counts, by the names of the columns."""
    return {one: cell(row, known.index(one)) for one in WHO if one in known}


def _short(given: str, family: str) -> str:
    """Return a first name with the family's initial: no more than a class needs."""
    return f"{given} {family[0]}." if given and family else given or family


def _full(given: str, family: str) -> str:
    return f"{given} {family}".strip()


def _column(known: Sequence[str], ways: Sequence[str]) -> int | None:
    return next((known.index(one) for one in ways if one in known), None)


def _first(row: Sequence[str], columns: Sequence[int | None]) -> str:
    """Return the first of some cells with something in it: few people have a preferred name."""
    return next((said for column in columns if (said := cell(row, column))), "")
