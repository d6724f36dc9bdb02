"""Names for numbers: a roster of students as schools export it (OneRoster's ``users.csv``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

from homeroom.crowd.answers import Answers
from homeroom.crowd.reading.columns import plain
from homeroom.crowd.reading.source import shown

IDS = ("sourcedid", "username", "identifier", "email")
"""What students are called in tables of answers: the first of these that fits counts."""

NOT_ON_ROSTER = "people who are not on the roster, called as in the table"


@dataclass(frozen=True)
class Roster:
    """Who is behind the numbers in a table of answers.

    Parameters
    ----------
    names
        A name for each way that somebody is called in tables.
    students
        The ``sourcedId`` of everybody on the roster.

    Examples
    --------
    >>> roster = Roster({"s1": "Ada Lovelace"}, students=("s1",))
    >>> answers = Answers.from_arrays(["s1", "s9"], ["moth", "moth"], [True, False])
    >>> roster.name(answers).people
    ('Ada Lovelace', 's9')
    """

    names: Mapping[str, str]
    students: tuple[str, ...]

    @classmethod
    def read(cls, path: str | PathLike[str], *, encoding: str | None = None) -> Roster:
        """Read a ``users.csv`` of OneRoster, or the folder that it is in.

        Rows whose status is ``tobedeleted`` and people who are no students are left out.
        """
        rows = _rows(Path(path), encoding)
        known = [row for row in rows if _is_student(row)]
        if not known:
            raise ValueError(f"{path} has no students: is it a users.csv of OneRoster?")
        called = _told_apart({row["sourcedid"]: _name(row) for row in known})
        names: dict[str, str] = {}
        for kind in reversed(IDS):  # so that a sourcedId wins over somebody else's user name
            for row in known:
                if row.get(kind):
                    names[row[kind]] = called[row["sourcedid"]]
        return cls(names, tuple(called))

    def name(self, answers: Answers) -> Answers:
        """Return the answers with people's names; who is not on the roster stays as is."""
        people = tuple(self.names.get(person, person) for person in answers.people)
        missing = sum(1 for person in answers.people if person not in self.names)
        if missing == len(people):
            raise ValueError(
                f"The roster has nobody who answered: it has {shown(list(self.names), 3)}, but the "
                f"answers are of {shown(answers.people, 3)}."
            )
        doubles = [name for name, number in Counter(people).items() if number > 1]
        if doubles:
            raise ValueError(
                f"The roster gives several people in the table the name {doubles[0][:60]!r}, as "
                "they are called by their number in one row and by their user name in another: "
                "call them the same everywhere."
            )
        silent = len(self.students) - (len(people) - missing)
        notes = [f"{NOT_ON_ROSTER}: {missing}"] if missing else []
        notes += [f"students on the roster who answered nothing: {silent}"] if silent > 0 else []
        return replace(answers, people=people, notes=(*answers.notes, *notes))


def _rows(path: Path, encoding: str | None) -> list[dict[str, str]]:
    from homeroom.crowd.reading.read import opened

    source = opened(path / "users.csv" if path.is_dir() else path, encoding)
    header = [plain(name) for name in source.header]
    if "sourcedid" not in header:
        raise ValueError(
            f"{source.path} must have the column sourcedId, as a users.csv of OneRoster, "
            f"but has {shown(source.header)}."
        )
    rows: list[dict[str, str]] = []
    for columns in source.chunks(range(len(header))):
        cells: Sequence[tuple[str, ...]] = list(zip(*columns, strict=True))
        rows += [
            {name: cell.strip() for name, cell in zip(header, row, strict=True)} for row in cells
        ]
    return rows


def _is_student(row: Mapping[str, str]) -> bool:
    gone = row.get("status", "").lower() == "tobedeleted"
    role = row.get("role", "").lower()
    return bool(row["sourcedid"]) and not gone and role in ("", "student")


def _name(row: Mapping[str, str]) -> str:
    """Return the name to show: the preferred one if there is one, else given and family name."""
    given = row.get("preferredfirstname") or row.get("givenname", "")
    family = row.get("preferredlastname") or row.get("familyname", "")
    return f"{given} {family}".strip() or row.get("username") or row["sourcedid"]


def _told_apart(names: Mapping[str, str]) -> dict[str, str]:
    """Return the name of each number, with the number where two share a name."""
    shared = Counter(names.values())
    return {
        number: f"{name} ({number})" if shared[name] > 1 else name for number, name in names.items()
    }
