"""Students to look at more closely."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from homeroom import _arrays
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
        return {f"student {name_of(room, student)}": student for student in range(room.students)}
    distances = _arrays.to_numpy(room.squared_distances)
    by_rate = np.argsort(_arrays.to_numpy(room.rates), kind="stable")
    quarter = max(2, room.students // 4)
    chosen: dict[str, int] = {}
    for pace, students in (("slow", by_rate[:quarter]), ("fast", by_rate[-quarter:])):
        chosen[f"{pace}, near"] = int(students[distances[students].argmin()])
        chosen[f"{pace}, far"] = int(students[distances[students].argmax()])
    return chosen


def named(room: Classroom, names: Sequence[str]) -> dict[str, int]:
    """Return the students with these names, or these numbers (from 0) if there are no names."""
    known = (
        {str(number): number for number in range(room.students)}
        if room.names is None
        else {name: number for number, name in enumerate(room.names)}
    )
    chosen: dict[str, int] = {}
    for name in names:
        if name not in known:
            first = ", ".join(list(known)[:3])
            raise ValueError(
                f"--watch names {name!r}, but there is no such student: they are {first}, ... "
                f"({room.students} in all)."
            )
        chosen[f"student {name}"] = known[name]
    return chosen
