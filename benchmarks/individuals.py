"""Individual lessons for 10^6 students, compared with one pass over them."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.textbook import squared_distances
from benchmarks.timing import Line, peak_bytes, take_turns
from homeroom import Classroom, Individuals, teach

STUDENTS = 1_000_000


def lines() -> Iterator[Line]:
    """Measure, and yield the lines of the table."""
    room = Classroom.sample(STUDENTS)
    gaps = room.gaps

    def ours() -> None:
        teach(room, groups=Individuals())

    mine, theirs = take_turns(ours, lambda: squared_distances(gaps), turns=7)
    what = f"individual lessons for {STUDENTS:,} students"
    yield Line(what, mine, "their squared distances", theirs, 10.0)
    yield Line(
        f"{what}, extra memory", peak_bytes(ours), "states", room.states.nbytes, 4.0, unit="B"
    )
