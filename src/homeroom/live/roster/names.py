"""From a list of names, or a OneRoster export, to the names of the students in a class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from homeroom.live.activities.archive import unpacked
from homeroom.live.refused import Refused
from homeroom.live.roster.uploaded_roster import Export, counts, learning, listed
from homeroom.tables import cell, find_column, head, tidy
from homeroom.tables.one_roster import is_gone, is_student

NAME = ("nickname", "name", "student", "studentname", "fullname", "schüler")
GIVEN = ("preferredgivenname", "preferredfirstname", "givenname", "firstname", "vorname")
FAMILY = ("preferredfamilyname", "familyname", "lastname", "nachname")
"""The names of columns, best first, as :func:`homeroom.tables.normalized` writes them."""

STATUS = ("sourcedid", "status", "role")
"""The columns that decide whether a user is a student of the class."""

MOST = 1000
MOST_ROWS = 20_000
"""How many rows a file may have: a school with parents, teachers and former students."""

LONGEST = 40

ZIP = (b"PK\x03\x04", b"PK\x05\x06")
"""The first bytes of a zip; the second if it is empty."""

ONLY_1_2 = "usermasteridentifier"
"""A column of ``users.csv`` since OneRoster 1.2, which keeps roles in another file."""


def names_in(sent: bytes | Mapping[str, bytes], of_class: str | None = None) -> list[str]:
    r"""Return the names in a file, each once; two students with the same name get two.

    A table has a column ``name``, or the columns of OneRoster's ``users.csv``, of which only
    students count, or just one name per line. A zip is a OneRoster export. If it has several
    classes, one must be chosen.

    Parameters
    ----------
    sent
        A CSV file or a zip, or the files of a OneRoster export by name.
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
    """Return the given and the family name of each student, by id.

    Without ids, the name itself is the key, so that each name occurs once.
    """
    known = head(rows[0]) if rows else []
    number, name = find_column(known, ["sourcedid"]), find_column(known, NAME)
    given, family = ([known.index(one) for one in ways if one in known] for ways in (GIVEN, FAMILY))
    if given and not family and "name" in known:  # next to a first name, it is the last name
        family, name = [known.index("name")], None
    if name is None and not given:
        found = [("", (tidy(row[0]), "")) for row in rows] if number is None else []
    else:
        first, last = (*given, name), family if given else ()
        found = [
            (cell(row, number), (_first(row, first), _first(row, last)))
            for row in _students(rows, among)
        ]
    whole: dict[str, tuple[str, str]] = {}
    for one, both in found:
        whole.setdefault(one or _full(*both).casefold(), both)
    whole.pop("", None)
    return whole


def _called(students: Mapping[str, tuple[str, str]]) -> list[str]:
    """Return a different name for each student.

    It is the first name with an initial; the whole name if others share that; and with a number if
    they share even the whole name, in the order of the ids, so that the result is reproducible.
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
        unique = name
        while unique.casefold() in taken:
            again[name.casefold()] += 1
            unique = f"{name} ({again[name.casefold()] + 1})"
        taken.add(unique.casefold())
        yield unique


def _students(rows: Sequence[Sequence[str]], among: set[str] | None) -> list[Sequence[str]]:
    """Return the rows of current students; ``among`` are the students by other files."""
    known = head(rows[0])
    role = find_column(known, ["role"])
    if "sourcedid" not in known:
        return [row for row in _current(rows) if cell(row, role).casefold() in ("student", "")]
    if among is None and role is None and ONLY_1_2 in known:
        raise Refused("roster_roles")
    return [row for row in rows[1:] if is_student(_status(known, row), among)]


def _people(rows: Sequence[Sequence[str]]) -> set[str] | None:
    """Return the ids of all current users, if they have ids."""
    number = find_column(rows[0], ["sourcedid"]) if rows else None
    if number is None:
        return None
    return {cell(row, number) for row in _current(rows)} - {""}


def _current(rows: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Return the rows below the header, without users who are gone."""
    known = head(rows[0])
    return [row for row in rows[1:] if not is_gone(_status(known, row))]


def _status(known: Sequence[str], row: Sequence[str]) -> dict[str, str]:
    """Return the cells that decide whether a user is a student, by column."""
    return {one: cell(row, known.index(one)) for one in STATUS if one in known}


def _short(given: str, family: str) -> str:
    """Return a first name with the initial of the last name: a class needs no more."""
    return f"{given} {family[0]}." if given and family else given or family


def _full(given: str, family: str) -> str:
    return f"{given} {family}".strip()


def _first(row: Sequence[str], columns: Sequence[int | None]) -> str:
    """Return the first of these cells that is not empty: few users have a preferred name."""
    return next((text for column in columns if (text := cell(row, column))), "")
