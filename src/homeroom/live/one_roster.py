"""A school's export of OneRoster: the files that count, its classes, and who is in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from homeroom.crowd.reading.one_roster import (
    CLASSES,
    ENROLLMENTS,
    NEEDED,
    ROLES,
    USERS,
    Row,
    has_a_students_role,
    is_class,
)
from homeroom.live.cells import cell, head, lines
from homeroom.live.messages.told import OfferedClass
from homeroom.live.refused import Refused

GONE = ("tobedeleted", "inactive")
"""The status of who or what is no longer there."""

COUNTING = ("sourcedid", "status", "title", "classcode", "classsourcedid", "usersourcedid", "role")
"""The columns of classes and enrollments that are looked at."""

MOST_CLASSES = 2000
"""How many lines ``classes.csv`` may have: a large school's, for every subject and term."""

MOST_ENROLLMENTS = 200_000
"""How many lines ``enrollments.csv`` may have: a hundred for each of 2000 students."""

LONGEST_ID = 255
"""How many letters a ``sourcedId`` may have, by OneRoster."""

LONGEST_TITLE = 80
"""How many letters of a class's title are told."""


@dataclass(frozen=True)
class Export:
    """What the files of an export hold; any other list of names has but the first.

    Parameters
    ----------
    users
        Everybody.
    roles
        Who is a student, since OneRoster 1.2.
    classes
        The classes.
    enrollments
        Who is in which.

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
        """Take what counts from some files, wherever they lie."""
        found = {PurePosixPath(path).name.casefold(): data for path, data in files.items()}
        if USERS not in found:
            raise Refused("roster_no_users")
        classes, enrollments = (found.get(name) or None for name in (CLASSES, ENROLLMENTS))
        return cls(found[USERS], found.get(ROLES), classes, enrollments)


class SeveralClasses(Refused):
    """The wish to import an export with several classes, of which none was chosen.

    Parameters
    ----------
    classes
        Those that can be chosen.
    """

    def __init__(self, classes: Sequence[OfferedClass]) -> None:
        super().__init__("roster_classes", classes=len(classes))
        self.classes = classes

    @property
    def problem(self) -> dict[str, Any]:
        """What is answered: the classes too."""
        return {**super().problem, "classes": [one.model_dump() for one in self.classes]}


def enrolled(export: Export, people: Set[str], chosen: str | None) -> set[str] | None:
    """Return who of some people is a student in the chosen class, or in the only one there is.

    Where there are no classes, nobody can tell: None. Where there are several and none is chosen,
    they are offered.
    """
    classes = _classes(export)
    if chosen is not None and chosen not in classes:
        raise Refused("roster_no_class", chosen=chosen[:LONGEST_TITLE])
    if not classes or export.enrollments is None:
        return None
    students = _students(export.enrollments, classes, people)
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
    """Return what to call each class, by its ``sourcedId``."""
    there = {CLASSES: export.classes, ENROLLMENTS: export.enrollments}
    missing = [name for name, data in there.items() if data is None]
    if len(missing) == 1:
        raise Refused("roster_half", missing=missing[0])
    if export.classes is None:
        return {}
    found: dict[str, Row] = {}
    for row in filter(is_class, _rows(export.classes, CLASSES, MOST_CLASSES)):
        found.setdefault(row["sourcedid"], row)
    return _told_apart(found)


def _told_apart(classes: Mapping[str, Row]) -> dict[str, str]:
    """Return the title of each class, with its code or else its number where two share it."""
    titles = {number: _cut(row.get("title") or number) for number, row in classes.items()}
    for kind in ("classcode", "sourcedid"):
        shared = Counter(titles.values())
        for number, row in classes.items():
            if shared[titles[number]] > 1 and row.get(kind):
                titles[number] += f" ({_cut(row[kind])})"
    return titles


def _students(data: bytes, classes: Iterable[str], people: Set[str]) -> dict[str, set[str]]:
    """Return the students of each class, by ``enrollments.csv``."""
    students: dict[str, set[str]] = {number: set() for number in classes}
    for row in filter(has_a_students_role, _rows(data, ENROLLMENTS, MOST_ENROLLMENTS)):
        number, student = row["classsourcedid"], row["usersourcedid"]
        if number in students and student in people:
            students[number].add(student)
    return students


def _rows(data: bytes, name: str, most: int) -> Iterator[Row]:
    """Yield what the lines of a file say in the columns that count, less those that are gone."""
    rows = lines(data)
    known = head(next(rows, []))
    for column in NEEDED[name]:
        if column.casefold() not in known:
            raise Refused("roster_columns", name=name, column=column)
    places = [(one, known.index(one)) for one in COUNTING if one in known]
    for number, row in enumerate(rows, start=1):
        if number > most:
            raise Refused("roster_lines", name=name, lines=data.count(b"\n"), most=most)
        told = {column: cell(row, place) for column, place in places}
        if len(told.get("sourcedid", "")) > LONGEST_ID:
            raise Refused("table_cell", name=name, line=number + 1, most=LONGEST_ID)
        if told.get("status", "").casefold() not in GONE:
            yield told


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TITLE else f"{text[: LONGEST_TITLE - 1]}…"
