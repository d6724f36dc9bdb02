"""A OneRoster export that was uploaded: its files, its classes, and the students in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from homeroom.live.messages.responses import OfferedClass
from homeroom.live.refused import Refused
from homeroom.tables import cell, rows_in
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
)

FILES = (USERS, ROLES, CLASSES, ENROLLMENTS)
"""The files of an export that are read."""

COUNTING = ("sourcedid", "status", "title", "classcode", "classsourcedid", "usersourcedid", "role")
"""The columns of roles, classes and enrollments that are read."""

MOST_COLUMNS = 100
"""How many columns are read: OneRoster has about thirty."""

MOST_CLASSES = 2000
"""How many classes there may be: those of a large school, for every subject and term."""

MOST_LINES = 200_000
"""How many lines one of these files may have: a hundred enrollments for each of 2000 students."""

LONGEST_TITLE = 80
"""Characters of a class's title that are shown."""


@dataclass(frozen=True)
class Export:
    """The contents of an export's files; any other list of names has only the first.

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
        """Return the export in these files, whatever folders they are in."""
        found: dict[str, bytes] = {}
        for path in filter(counts, files):
            name = file_name(path)
            if name in found:
                raise Refused("file_twice", name=name)
            found[name] = files[path]
        if USERS not in found:
            raise Refused("roster_no_users")
        classes, enrollments = (found.get(name) or None for name in (CLASSES, ENROLLMENTS))
        return cls(found[USERS], found.get(ROLES), classes, enrollments)


def counts(path: str) -> bool:
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


def learning(export: Export, people: Set[str] | None, chosen: str | None) -> set[str] | None:
    """Return the ids of the students in the chosen class, or in the only class.

    Without classes, all students are returned, or ``None`` if only ``users.csv`` has their
    roles. If there are several classes and none is chosen, :class:`SeveralClasses` lists them.

    Parameters
    ----------
    export
        The files.
    people
        The ids of all users; ``None`` if they have none.
    chosen
        The ``sourcedId`` of a class.
    """
    classes = _classes(export)
    if chosen is not None and chosen not in classes:
        raise Refused("roster_no_class", chosen=chosen[:LONGEST_TITLE])
    if classes and export.enrollments is not None:
        return _enrolled(export.enrollments, classes, people, chosen)
    if export.roles is None:
        return None
    return {row["usersourcedid"] for row in _rows(export.roles, ROLES) if has_student_role(row)}


def _enrolled(
    enrollments: bytes, classes: Mapping[str, str], people: Set[str] | None, chosen: str | None
) -> set[str]:
    """Return the students in the chosen class, or in the only class."""
    if people is None:
        raise Refused("roster_columns", name=USERS, column="sourcedId")
    students = _students(enrollments, classes, people)
    if not any(students.values()):
        raise Refused("roster_nobody")
    if chosen is None and len(classes) > 1:
        raise SeveralClasses(
            [
                OfferedClass(id=number, title=title, students=len(students[number]))
                for number, title in classes.items()
            ]
        )
    chosen = next(iter(classes)) if chosen is None else chosen
    if not students[chosen]:
        raise Refused("roster_empty_class", title=classes[chosen])
    return students[chosen]


def _classes(export: Export) -> dict[str, str]:
    """Return the title of each class by its ``sourcedId``."""
    there = {CLASSES: export.classes, ENROLLMENTS: export.enrollments}
    missing = [name for name, data in there.items() if data is None]
    if len(missing) == 1:
        raise Refused("roster_half", missing=missing[0])
    if export.classes is None:
        return {}
    found: dict[str, Row] = {}
    some_gone = False
    for row in _rows(export.classes, CLASSES):
        if is_class(row):
            found.setdefault(row["sourcedid"], row)
        else:
            some_gone = True
        if len(found) > MOST_CLASSES:
            raise Refused("roster_many_classes", most=MOST_CLASSES)
    if some_gone and not found:  # otherwise all users of the school would be imported
        raise Refused("roster_all_gone")
    return _unique_titles(found)


def _unique_titles(classes: Mapping[str, Row]) -> dict[str, str]:
    """Return the title of each class, with its code or ``sourcedId`` where two share it."""
    titles = {number: _cut(row.get("title") or number) for number, row in classes.items()}
    for kind in ("classcode", "sourcedid"):
        shared = Counter(titles.values())
        for number, row in classes.items():
            if shared[titles[number]] > 1 and row.get(kind):
                titles[number] += f" ({_cut(row[kind])})"
    return titles


def _students(data: bytes, classes: Iterable[str], people: Set[str]) -> dict[str, set[str]]:
    """Return the students of each class according to ``enrollments.csv``."""
    students: dict[str, set[str]] = {number: set() for number in classes}
    for row in filter(has_student_role, _rows(data, ENROLLMENTS)):
        number, student = row["classsourcedid"], row["usersourcedid"]
        if number in students and student in people:
            students[number].add(student)
    return students


def _rows(data: bytes, name: str) -> Iterator[Row]:
    """Yield the rows of a file, in the columns that are read."""
    rows = listed(data)
    try:
        known = columns_of(next(rows, []), name)
    except KeyError as missing:
        raise Refused("roster_columns", name=name, column=missing.args[0]) from None
    places = [(one, known.index(one)) for one in COUNTING if one in known]
    for number, row in enumerate(rows, start=1):
        if number > MOST_LINES:
            raise Refused("roster_lines", name=name, lines=data.count(b"\n"), most=MOST_LINES)
        cells = {column: cell(row, place) for column, place in places}
        if len(cells.get("sourcedid", "")) > LONGEST_ID:
            raise Refused("table_cell", name=name, line=number + 1, most=LONGEST_ID)
        yield cells


def listed(data: bytes) -> Iterator[list[str]]:
    """Yield the rows of a file, cut to the columns that are read."""
    try:
        for row in rows_in(data):
            yield row[:MOST_COLUMNS]
    except ValueError as why:
        raise Refused("roster_unreadable", why=str(why)) from None


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TITLE else f"{text[: LONGEST_TITLE - 1]}…"
