"""Names instead of ids: the students of a OneRoster export."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

from homeroom._checks import InputError
from homeroom.crowd.answers import MAX_BYTES, Answers
from homeroom.tables import quoted
from homeroom.tables.one_roster import Row, other_ids, students

IDS = ("sourcedid", "username", "identifier", "usermasteridentifier", "email")
"""The ids that a table of answers may use for a student; the first of these that fits counts."""


@dataclass(frozen=True)
class RosterNames:
    """The names of the students whose ids are in a table of answers.

    Parameters
    ----------
    names
        The name for each id that a table may use.
    students
        The ``sourcedId`` of all students on the roster.
    of_class
        The class that they are in, if one was chosen.

    Examples
    --------
    >>> roster = RosterNames({"s1": "Ada Lovelace"}, students=("s1",))
    >>> answers = Answers.from_arrays(["s1", "s9"], ["moth", "moth"], [True, False])
    >>> roster.name(answers).people
    ('Ada Lovelace', 's9')
    """

    names: Mapping[str, str]
    students: tuple[str, ...]
    of_class: str | None = None

    @classmethod
    def read(
        cls,
        path: str | PathLike[str],
        *,
        of_class: str | None = None,
        max_bytes: int = MAX_BYTES,
        encoding: str | None = None,
    ) -> RosterNames:
        """Read OneRoster's ``users.csv``, or the folder or ``.zip`` that contains it.

        Rows with the status ``tobedeleted`` or ``inactive`` are left out, and so are users who are
        not students: by their role in ``users.csv`` (OneRoster 1.1), or by ``roles.csv`` next to it
        (1.2). A roster that would need more memory than ``max_bytes`` is refused.

        With ``of_class="7b"`` only the students count whom ``enrollments.csv`` lists in this class,
        whatever the dates. The class is given by its title, ``classCode`` or ``sourcedId`` in
        ``classes.csv``, in upper or lower case.
        """
        known = students(Path(path), encoding, of_class=of_class, max_bytes=max_bytes)
        if not known:
            raise InputError(f"{path} has no students: is it a users.csv of OneRoster?")
        called = _unique_names(_one_name_each(path, known))
        names: dict[str, str] = {}
        for ids in _ids(known):
            names |= {one: called[whose] for one, whose in _unshared(ids).items()}
        return cls(names, tuple(called), of_class)

    def name(self, answers: Answers) -> Answers:
        """Return the answers with names; an id that is not on the roster stays as it is."""
        people = tuple(self.names.get(person, person) for person in answers.people)
        missing = sum(1 for person in answers.people if person not in self.names)
        if missing == len(people):
            raise InputError(
                f"No annotator is {self._there}: it has {quoted(list(self.names), 3)}, but "
                f"{quoted(answers.people, 3)} answered."
            )
        repeated = [name for name, number in Counter(people).items() if number > 1]
        if repeated:
            raise InputError(
                f"The table uses several ids for {repeated[0][:60]!r}, such as the number in one "
                "row and the user name in another: use the same id everywhere."
            )
        silent = len(self.students) - (len(people) - missing)
        notes = [] if self.of_class is None else [f"names of students {self._there} only"]
        if missing:
            notes.append(f"annotators who are not {self._there}, under their id: {missing}")
        if silent > 0:
            notes.append(f"students {self._there} without an answer: {silent}")
        return replace(answers, people=people, notes=(*answers.notes, *notes))

    @property
    def _there(self) -> str:
        return "on the roster" if self.of_class is None else f"in the class {self.of_class[:60]!r}"


def _ids(known: list[Row]) -> Iterator[list[tuple[str, str]]]:
    """Yield a list per kind of id, with the ``sourcedId`` of each id's owner.

    Where two kinds have the same id, the later list takes precedence.
    """
    yield [(one, row["sourcedid"]) for row in known for one in other_ids(row)]
    for kind in reversed(IDS):
        yield [(row[kind], row["sourcedid"]) for row in known if row.get(kind)]


def _unshared(ids: list[tuple[str, str]]) -> dict[str, str]:
    """Return the owner of each id, without ids that several share (siblings share an address)."""
    owner: dict[str, str] = {}
    shared = {one for one, who in ids if owner.setdefault(one, who) != who}
    return {one: who for one, who in owner.items() if one not in shared}


def _one_name_each(path: str | PathLike[str], known: list[Row]) -> dict[str, str]:
    """Return the name for each ``sourcedId``; refused if students with one id differ in name."""
    names: dict[str, str] = {}
    for row in known:
        number, name = row["sourcedid"], _name(row)
        if names.setdefault(number, name) != name:
            raise InputError(
                f"{path} has several students with the sourcedId {number[:40]!r}, such as "
                f"{names[number][:40]!r} and {name[:40]!r}: correct it first."
            )
    return names


def _name(row: Row) -> str:
    """Return the preferred name if there is one, else given and family name."""
    given = row.get("preferredgivenname") or row.get("givenname", "")
    family = row.get("preferredfamilyname") or row.get("familyname", "")
    return f"{given} {family}".strip() or row.get("username") or row["sourcedid"]


def _unique_names(names: Mapping[str, str]) -> dict[str, str]:
    """Return the name for each id, with the id added where two students share a name."""
    shared = Counter(names.values())
    return {
        number: f"{name} ({number})" if shared[name] > 1 else name for number, name in names.items()
    }
