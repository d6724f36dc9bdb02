"""Names for numbers: a roster of students as schools export it (OneRoster's ``users.csv``)."""

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
"""What students are called in tables of answers: the first of these that fits counts."""


@dataclass(frozen=True)
class Roster:
    """Who is behind the numbers in a table of answers.

    Parameters
    ----------
    names
        A name for each way that somebody is called in tables.
    students
        The ``sourcedId`` of everybody on the roster.
    of_class
        The class that they are in, if it was chosen.

    Examples
    --------
    >>> roster = Roster({"s1": "Ada Lovelace"}, students=("s1",))
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
    ) -> Roster:
        """Read a ``users.csv`` of OneRoster, or the folder or the ``.zip`` that it is in.

        Rows whose status is ``tobedeleted`` or ``inactive`` are left out, and people who are no
        students: by their role in ``users.csv`` (OneRoster 1.1), or by ``roles.csv`` beside it
        (1.2). A roster that would take more memory than ``max_bytes`` is refused.

        With ``of_class="7b"`` only those count whom ``enrollments.csv`` has in this class as
        students, whenever that was. It is called by its title, its ``classCode`` or its
        ``sourcedId`` in ``classes.csv``, in large or small letters.
        """
        known = students(Path(path), encoding, of_class=of_class, max_bytes=max_bytes)
        if not known:
            raise InputError(f"{path} has no students: is it a users.csv of OneRoster?")
        called = _told_apart(_one_name_each(path, known))
        names: dict[str, str] = {}
        for numbers in _numbers(known):
            names |= {number: called[whose] for number, whose in _unshared(numbers).items()}
        return cls(names, tuple(called), of_class)

    def name(self, answers: Answers) -> Answers:
        """Return the answers with people's names; who is not on the roster stays as is."""
        people = tuple(self.names.get(person, person) for person in answers.people)
        missing = sum(1 for person in answers.people if person not in self.names)
        if missing == len(people):
            raise InputError(
                f"Nobody who answered is {self._there}: it has {quoted(list(self.names), 3)}, but "
                f"{quoted(answers.people, 3)} answered."
            )
        doubles = [name for name, number in Counter(people).items() if number > 1]
        if doubles:
            raise InputError(
                f"The roster gives several people in the table the name {doubles[0][:60]!r}, as "
                "they are called by their number in one row and by their user name in another: "
                "call them the same everywhere."
            )
        silent = len(self.students) - (len(people) - missing)
        notes = [] if self.of_class is None else [f"names of people {self._there} only"]
        if missing:
            notes.append(f"people who are not {self._there}, called as in the table: {missing}")
        if silent > 0:
            notes.append(f"students {self._there} who answered nothing: {silent}")
        return replace(answers, people=people, notes=(*answers.notes, *notes))

    @property
    def _there(self) -> str:
        return "on the roster" if self.of_class is None else f"in the class {self.of_class[:60]!r}"


def _numbers(known: list[Row]) -> Iterator[list[tuple[str, str]]]:
    """Yield what students are called by, and whose it is; kind by kind, the one that wins last."""
    yield [(number, row["sourcedid"]) for row in known for number in other_ids(row)]
    for kind in reversed(IDS):
        yield [(row[kind], row["sourcedid"]) for row in known if row.get(kind)]


def _unshared(numbers: list[tuple[str, str]]) -> dict[str, str]:
    """Return whose each number is, less those that several have, as brothers share an address."""
    whose: dict[str, str] = {}
    shared = {number for number, who in numbers if whose.setdefault(number, who) != who}
    return {number: who for number, who in whose.items() if number not in shared}


def _one_name_each(path: str | PathLike[str], known: list[Row]) -> dict[str, str]:
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
    """Return the name to show: the preferred one if there is one, else given and family name."""
    given = row.get("preferredgivenname") or row.get("givenname", "")
    family = row.get("preferredfamilyname") or row.get("familyname", "")
    return f"{given} {family}".strip() or row.get("username") or row["sourcedid"]


def _told_apart(names: Mapping[str, str]) -> dict[str, str]:
    """Return the name of each number, with the number where two share a name."""
    shared = Counter(names.values())
    return {
        number: f"{name} ({number})" if shared[name] > 1 else name for number, name in names.items()
    }
