"""From a list of names, or a OneRoster export, to the names of the students in a class.

OneRoster is a standard for class lists: CSV files in a zip. ``sourcedId`` is its name for an id.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import islice
from typing import Any

from homeroom.live.activities.archive import unpacked
from homeroom.live.activities.table import QUOTED
from homeroom.live.messages.responses import OfferedClass
from homeroom.live.refused import Refused
from homeroom.tables import (
    cell,
    find_column,
    normalized,
    normalized_header,
    rows_in,
    rows_of_file,
    tidy,
)
from homeroom.tables.columns import FAMILY_NAME, FULL_NAME, GIVEN_NAME
from homeroom.tables.one_roster import (
    CLASSES,
    ENROLLMENTS,
    LONGEST_ID,
    ROLES,
    USERS,
    Row,
    columns_of,
    file_name,
    has_student_role,
    is_class,
    is_gone,
    is_student,
)
from homeroom.tables.spreadsheet import is_spreadsheet

NAME_ALONE = ("name", "nom", "naam", "namn", "navn", "név")
"""Columns that hold the last name beside a first name, and otherwise the whole name."""

ALSO_NAMES = frozenset({"ad", "adi", "kind", "nimi"})
"""Words for a name that are names themselves: "Ad van Dijk" is a student, not a header."""

CJK = re.compile("[\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\U00020000-\U0003ffff]")
"""The first character of Chinese, Japanese and Korean family names: they come first, and are
short."""

STATUS = ("sourcedid", "status", "role")
"""The columns that decide whether a user is a student of the class."""

MOST = 1000
"""How many names there may be."""

MOST_ROWS = 20_000
"""How many rows a file may have: a school with parents, teachers and former students."""

LONGEST = 40
"""Characters that a name may have."""

ZIP = (b"PK\x03\x04", b"PK\x05\x06")
"""The first bytes of a zip; the second if it is empty."""

ONLY_1_2 = "usermasteridentifier"
"""A column of ``users.csv`` since OneRoster 1.2, which keeps roles in another file."""


def names_in(sent: bytes | Mapping[str, bytes], of_class: str | None = None) -> list[str]:
    r"""Return a short, unique name for each student in a file, such as "Ada L.".

    A file is one of: a table with a column ``name``; OneRoster's ``users.csv``, where only students
    count; a list with one name per line. Without ids, equal names are one student; students with
    different ids and the same name get different names. A zip that is no spreadsheet is a OneRoster
    export.

    Parameters
    ----------
    sent
        A CSV file, a spreadsheet or a zip, or the files of a OneRoster export by name.
    of_class
        The ``sourcedId`` of the class whose names are wanted.

    Raises
    ------
    Refused
        If the file cannot be read, has no names or too many, or a name is too long.
    SeveralClasses
        If there are several classes, and none is chosen.

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
    names = _display_names(
        _names_by_id(rows, student_ids(export, _current_user_ids(rows), of_class))
    )
    if not names:
        raise Refused("no_names")
    if len(names) > MOST:
        raise Refused("names_in_file", most=MOST, names=len(names))
    long = next((name for name in names if len(name) > LONGEST), None)
    if long is not None:
        raise Refused("roster_long_name", most=LONGEST, name=long[:60])
    return names


def _export(sent: bytes | Mapping[str, bytes]) -> Export:
    """Return what was sent as an export; a table alone is its list of users."""
    if not isinstance(sent, bytes):
        return Export.of(sent)
    is_export = sent.startswith(ZIP) and not is_spreadsheet(sent)
    return Export.of(unpacked(sent, is_roster_file)) if is_export else Export(sent)


def _rows(data: bytes) -> list[list[str]]:
    """Return the rows of a table; refuse more than ``MOST_ROWS``.

    A title above the header is left out if the row below it names a known column.
    """
    rows = list(islice(table_rows(data), MOST_ROWS + 1))
    if len(rows) > MOST_ROWS:
        raise Refused("list_lines", most=MOST_ROWS)
    if rows and sum(map(bool, rows[0])) == 1:  # perhaps a title, which has only one cell
        below = list(table_rows(data, skip_title=True))
        return below if any(_name_columns(below)) else rows
    return rows


def _names_by_id(
    rows: Sequence[Sequence[str]], among: set[str] | None
) -> dict[str, tuple[str, str]]:
    """Return the given and the family name of each student, by id.

    A whole name is stored as the given name. Without ids, the name in lower case is the key, so
    that each name occurs once. ``among`` is as for :func:`_students`.
    """
    header = rows[0] if rows else []
    id_column, (given, family) = find_column(header, ["sourcedid"]), _name_columns(rows)
    if given:
        found = [
            (cell(row, id_column), (_first(row, given), _first(row, family)))
            for row in _students(rows, among)
        ]
    elif id_column is None:
        found = [("", (text, "")) for text in _names_without_header(rows)]
    else:
        found = []
    names: dict[str, tuple[str, str]] = {}
    for student, both in found:
        names.setdefault(student or _full(*both).casefold(), both)
    names.pop("", None)
    return names


def _name_columns(rows: Sequence[Sequence[str]]) -> tuple[list[int], list[int]]:
    """Return the positions of given names and of family names in a table, preferred ones first.

    A column of whole names counts as given names, and so do family names without any other. Beside
    a first name, "Nom" is the last name; beside a last name, "Nombre" is the first. If no column
    has a known name, the first that contains such a word has the whole names, as "Name of the
    student"; but not if names below contain the word too, as "Learner A 1".

    >>> _name_columns([["Nom", "Prénom"]]), _name_columns([["Nr", "Name of the student"]])
    (([1], [0]), ([1], []))
    """
    header = rows[0] if rows else []
    known = normalized_header(header)
    whole = find_column(header, FULL_NAME)
    given, family = (
        [known.index(one) for one in names if one in known] for names in (GIVEN_NAME, FAMILY_NAME)
    )
    if whole is not None:
        is_family = given and not family and known[whole] in NAME_ALONE
        return (given, [whole]) if is_family else ([*given, whole], family)
    if given or family:
        return (given, family) if given else (family, [])
    words = {*FULL_NAME, *GIVEN_NAME, *FAMILY_NAME} - ALSO_NAMES
    for at, text in enumerate(header):
        parts = _words(text)
        if len(parts) < 3:  # "Student 1" is a student, but "Schüler/in" is a header
            parts = re.findall(r"\w+", known[at])
        found = words.intersection(parts)
        if found and not any(found.intersection(_words(cell(row, at))) for row in rows[1:]):
            return [at], []
    return [], []


def _words(text: str) -> list[str]:
    """Return the words of a cell, normalized."""
    return [normalized(part) for part in re.findall(r"[^\W_]+", tidy(text))]


def _names_without_header(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the names in a table without a known column.

    They are in the first column; or in the second, if the first one numbers the rows. Then a first
    row without a number is a header, and is skipped.
    """
    cells = [[tidy(text) for text in row] for row in rows]
    numbers = [one[0].rstrip(".").isdecimal() for one in cells if one]
    is_numbered = len(numbers) > 1 and all(numbers[1:]) and all(len(one) > 1 for one in cells)
    for at, one in enumerate(cells):
        if is_numbered and (at or numbers[0]):
            yield one[1]
        elif not is_numbered:
            yield one[0]


def _display_names(students: Mapping[str, tuple[str, str]]) -> list[str]:
    """Return a unique name for each student, in the order given.

    It is the first name with an initial; the whole name if others share that; and with a number if
    they share even the whole name. A student without a name is shown by id. Numbers are given in
    the order of ids, so the order of the rows does not matter.
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
    """Return the rows of current students.

    ``among`` holds the ids of the students according to the other files of the export; ``None`` if
    no other file has them, and then the column ``role`` decides. In a table without ids, ``among``
    is not used. A ``users.csv`` of OneRoster 1.2 without roles is refused.
    """
    known = normalized_header(rows[0])
    role = find_column(known, ["role"])
    if "sourcedid" not in known:
        return [row for row in _current(rows) if cell(row, role).casefold() in ("student", "")]
    if among is None and role is None and ONLY_1_2 in known:
        raise Refused("roster_roles")
    return [row for row in rows[1:] if is_student(_status(known, row), among)]


def _current_user_ids(rows: Sequence[Sequence[str]]) -> set[str] | None:
    """Return the ids of all current users; ``None`` if there is no column with ids."""
    id_column = find_column(normalized_header(rows[0]), ["sourcedid"]) if rows else None
    if id_column is None:
        return None
    return {cell(row, id_column) for row in _current(rows)} - {""}


def _current(rows: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Return the rows below the header, without users who have left."""
    known = normalized_header(rows[0])
    return [row for row in rows[1:] if not is_gone(_status(known, row))]


def _status(known: Sequence[str], row: Sequence[str]) -> dict[str, str]:
    """Return the cells that decide whether a user is a student, by column."""
    return {one: cell(row, known.index(one)) for one in STATUS if one in known}


def _short(given: str, family: str) -> str:
    """Return a first name with the initial of the last name: a class needs no more.

    Names in Chinese, Japanese and Korean are short, and remain whole.

    >>> _short("Ada", "Lovelace"), _short("太郎", "山田")
    ('Ada L.', '山田太郎')
    """
    if CJK.match(family):
        return _full(given, family)
    return f"{given} {family[0]}." if given and family else given or family


def _full(given: str, family: str) -> str:
    """Return the whole name, in the order of its script.

    >>> _full("Ada", "Lovelace"), _full("太郎", "山田")
    ('Ada Lovelace', '山田太郎')
    """
    if CJK.match(family):
        return f"{family}{given}"
    return f"{given} {family}".strip()


def _first(row: Sequence[str], columns: Sequence[int]) -> str:
    """Return the first non-empty cell of these columns; empty if there is none.

    For example, the preferred name comes before the given name.
    """
    return next((text for column in columns if (text := cell(row, column))), "")


FILES = (USERS, ROLES, CLASSES, ENROLLMENTS)
"""The files of an export that are read."""

COLUMNS_READ = (
    "sourcedid",
    "status",
    "title",
    "classcode",
    "classsourcedid",
    "usersourcedid",
    "role",
)
"""The columns of roles, classes and enrollments that are read."""

MOST_COLUMNS = 100
"""How many columns are read: OneRoster has about thirty."""

MOST_CLASSES = 2000
"""How many classes there may be: those of a large school, for every subject and term."""

MOST_LINES = 200_000
"""How many rows one of these files may have: a hundred enrollments for each of 2000 students."""

LONGEST_TITLE = 80
"""Characters of a class's title that are shown."""


@dataclass(frozen=True)
class Export:
    """The contents of the files of a OneRoster export; a plain list of names has only ``users``.

    Parameters
    ----------
    users
        All users.
    roles
        The roles of users, since OneRoster 1.2.
    classes
        The classes.
    enrollments
        The users in each class.

    Examples
    --------
    >>> Export.of({"export/users.csv": b"u", "export/orgs.csv": b"o"})
    Export(users=b'u', roles=None, classes=None, enrollments=None)
    """

    users: bytes
    roles: bytes | None = None
    classes: bytes | None = None
    enrollments: bytes | None = None

    @classmethod
    def of(cls, files: Mapping[str, bytes]) -> Export:
        """Return the export in these files, whatever folders they are in.

        An empty file other than ``users.csv`` counts as missing.
        """
        found: dict[str, bytes] = {}
        for path in filter(is_roster_file, files):
            name = file_name(path)
            if name in found:
                raise Refused("file_twice", name=name)
            found[name] = files[path]
        if USERS not in found:
            raise Refused("roster_no_users")
        return cls(
            found[USERS], *(found.get(name) or None for name in (ROLES, CLASSES, ENROLLMENTS))
        )


def is_roster_file(path: str) -> bool:
    """Return whether this is the path of a file that is read."""
    return file_name(path) in FILES


class SeveralClasses(Refused):
    """The refusal of an export with several classes, none of which was chosen.

    Parameters
    ----------
    classes
        The classes to choose from.
    """

    def __init__(self, classes: Sequence[OfferedClass]) -> None:
        super().__init__("roster_classes", classes=len(classes))
        self.classes = classes

    @property
    def problem(self) -> dict[str, Any]:
        """The body of the response, with the classes."""
        return {**super().problem, "classes": [one.model_dump() for one in self.classes]}


def student_ids(export: Export, users: Set[str] | None, chosen: str | None) -> set[str] | None:
    """Return the ids of the students in the chosen class, or in the only class.

    Without classes, all students are returned, or ``None`` if only ``users.csv`` has their
    roles. If there are several classes and none is chosen, :class:`SeveralClasses` is raised.

    Parameters
    ----------
    export
        The files.
    users
        The ids of all current users; ``None`` if ``users.csv`` has no column of ids.
    chosen
        The ``sourcedId`` of the chosen class; ``None`` if none was chosen.
    """
    classes = _classes(export)
    if chosen is not None and chosen not in classes:
        raise Refused("roster_no_class", chosen=chosen[:LONGEST_TITLE])
    if classes and export.enrollments is not None:
        return _enrolled(export.enrollments, classes, users, chosen)
    if export.roles is None:
        return None
    return {
        row["usersourcedid"]
        for row in _rows_of_export(export.roles, ROLES)
        if has_student_role(row)
    }


def _enrolled(
    enrollments: bytes, classes: Mapping[str, str], users: Set[str] | None, chosen: str | None
) -> set[str]:
    """Return the ids of the students in the chosen class, or in the only class."""
    if users is None:
        raise Refused("roster_columns", name=USERS, column="sourcedId")
    students = _students_by_class(enrollments, classes, users)
    if not any(students.values()):
        raise Refused("roster_nobody")
    if chosen is None and len(classes) > 1:
        raise SeveralClasses(
            [
                OfferedClass(id=class_id, title=title, students=len(students[class_id]))
                for class_id, title in classes.items()
            ]
        )
    chosen = next(iter(classes)) if chosen is None else chosen
    if not students[chosen]:
        raise Refused("roster_empty_class", title=classes[chosen])
    return students[chosen]


def _classes(export: Export) -> dict[str, str]:
    """Return the title of each current class by its ``sourcedId``; none without ``classes.csv``.

    Refuse one of ``classes.csv`` and ``enrollments.csv`` without the other.
    """
    there = {CLASSES: export.classes, ENROLLMENTS: export.enrollments}
    missing = [name for name, data in there.items() if data is None]
    if len(missing) == 1:
        raise Refused("roster_half", missing=missing[0])
    if export.classes is None:
        return {}
    found: dict[str, Row] = {}
    some_unusable = False
    for row in _rows_of_export(export.classes, CLASSES):
        if is_class(row):
            found.setdefault(row["sourcedid"], row)
        else:
            some_unusable = True
        if len(found) > MOST_CLASSES:
            raise Refused("roster_many_classes", most=MOST_CLASSES)
    if some_unusable and not found:  # otherwise all users of the school would be imported
        raise Refused("roster_all_gone")
    return _unique_titles(found)


def _unique_titles(classes: Mapping[str, Row]) -> dict[str, str]:
    """Return a title for each class, by its id.

    Classes with the same title get their class code added; if that does not tell them apart, their
    ``sourcedId``.
    """
    titles = {class_id: _cut(row.get("title") or class_id) for class_id, row in classes.items()}
    for kind, longest in (("classcode", LONGEST_TITLE), ("sourcedid", LONGEST_ID)):
        shared = Counter(titles.values())
        for class_id, row in classes.items():
            if shared[titles[class_id]] > 1 and row.get(kind):
                titles[class_id] += f" ({_cut(row[kind], longest)})"
    return titles


def _students_by_class(data: bytes, classes: Iterable[str], users: Set[str]) -> dict[str, set[str]]:
    """Return the ids of the students of each class according to ``enrollments.csv``.

    Only ids in ``users`` count, and only these classes.
    """
    students: dict[str, set[str]] = {class_id: set() for class_id in classes}
    for row in filter(has_student_role, _rows_of_export(data, ENROLLMENTS)):
        class_id, student = row["classsourcedid"], row["usersourcedid"]
        if class_id in students and student in users:
            students[class_id].add(student)
    return students


def _rows_of_export(data: bytes, name: str) -> Iterator[Row]:
    """Yield each row as a dictionary from the column to the cell, for ``COLUMNS_READ``."""
    rows = table_rows(data)
    try:
        known = columns_of(next(rows, []), name)
    except KeyError as missing:
        raise Refused("roster_columns", name=name, column=missing.args[0]) from None
    places = [(one, known.index(one)) for one in COLUMNS_READ if one in known]
    for number, row in enumerate(rows, start=1):
        if number > MOST_LINES:
            raise Refused("roster_lines", name=name, most=MOST_LINES)
        cells = {column: cell(row, place) for column, place in places}
        if len(cells.get("sourcedid", "")) > LONGEST_ID:
            raise Refused("table_cell", name=name, row=" ".join(row)[:QUOTED], most=LONGEST_ID)
        yield cells


def table_rows(data: bytes, *, skip_title: bool = False) -> Iterator[list[str]]:
    """Yield the rows of a table, each cut to ``MOST_COLUMNS`` cells; refuse an unreadable one.

    ``skip_title`` leaves out a title above the header; spreadsheets are always read without it.
    """
    is_sheet = is_spreadsheet(data)
    try:
        rows = rows_of_file(data, "The list") if is_sheet else rows_in(data, skip_title=skip_title)
        for row in rows:
            yield row[:MOST_COLUMNS]
    except ValueError as why:
        raise Refused("roster_unreadable", why=str(why)) from None


def _cut(text: str, longest: int = LONGEST_TITLE) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
