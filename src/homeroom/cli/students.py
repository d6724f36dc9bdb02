"""Students to look at more closely."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

import numpy as np

from homeroom import _arrays
from homeroom._checks import InputError
from homeroom.classroom import Classroom


def name_of(room: Classroom, student: int) -> str:
    """Return a student's name, or her number (counted from 0) if the class has no names."""
    return str(student) if room.names is None else room.names[student]


def selected(room: Classroom) -> dict[str, int]:
    """Return four students who differ: slow and fast ones, near to the target and far from it.

    Slow and fast are the slowest and the fastest quarter; of each the nearest and the farthest. In
    a class of at most four it is everybody.

    >>> selected(Classroom.sample(students=40, dimensions=3))
    {'slow, near': 11, 'slow, far': 21, 'fast, near': 9, 'fast, far': 38}
    """
    if room.students <= 4:
        names = [name_of(room, student).strip() for student in range(room.students)]
        if len(set(names)) < len(names):  # numbers tell those apart who share a name
            names = [str(student) for student in range(room.students)]
        return {_called(name): student for student, name in enumerate(names)}
    distances = _arrays.to_numpy(room.squared_distances)
    by_rate = np.argsort(_arrays.to_numpy(room.rates), kind="stable")
    quarter = max(2, room.students // 4)
    chosen: dict[str, int] = {}
    for pace, students in (("slow", by_rate[:quarter]), ("fast", by_rate[-quarter:])):
        chosen[f"{pace}, near"] = int(students[distances[students].argmin()])
        chosen[f"{pace}, far"] = int(students[distances[students].argmax()])
    return chosen


def by_name(room: Classroom) -> dict[str, int]:
    """Return everybody's number by name (blanks around it aside), once no two share a name."""
    numbers: dict[str, int] = {}
    for student in range(room.students):
        name = name_of(room, student).strip()
        if name in numbers:
            raise InputError(
                f"The students {numbers[name]} and {student} (counted from 0) are both called "
                f"{name!r}: give each a name of her own, so that they can be told apart."
            )
        numbers[name] = student
    return numbers


def named(room: Classroom, names: Sequence[str]) -> dict[str, int]:
    """Return the students with these names, or these numbers (from 0) if there are no names."""
    known = by_name(room)
    chosen: dict[str, int] = {}
    for name in names:
        if name not in known:
            first = ", ".join(list(known)[:3])
            raise InputError(
                f"--watch names {name!r}, but there is no such student: they are {first}, ... "
                f"({room.students} in all)."
            )
        chosen[_called(name)] = known[name]
    return chosen


def who_in_words(room: Classroom, who: str, student: int) -> str:
    """Return how a watched student is called in a table: what she is watched for, and her name."""
    name = name_of(room, student).strip()
    return name if who == _called(name) else f"{who}: {name}"


def _called(name: str) -> str:
    return f"student {name}"


def table_of_students() -> str:
    """Return what the file with everybody's distance is called: .csv without pyarrow."""
    return "students.parquet" if find_spec("pyarrow") else "students.csv"
