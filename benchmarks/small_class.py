"""A round for the paper's class, record-keeping included, against the bare eigenvectors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.textbook import TextbookClass, same
from benchmarks.timing import Line, take_turns
from homeroom import Classroom, ClassroomTeacher, teach


def lines() -> Iterator[Line]:
    """Measure, and yield the lines of the table."""
    room = Classroom.sample()
    record = teach(room)
    matrix = room.gaps.T @ room.gaps / room.students

    def bare() -> None:
        for _ in range(record.rounds):
            np.linalg.eigh(matrix)

    def textbook() -> None:
        students = TextbookClass(room)
        for _ in range(record.rounds):
            students.round()

    same(record.errors, TextbookClass(room).lesson(eps=0.1))
    dynamic = ClassroomTeacher("dynamic")
    dynamic_rounds = teach(room, teacher=dynamic).rounds
    ours, theirs, plain, moving = take_turns(
        lambda: teach(room), bare, textbook, lambda: teach(room, teacher=dynamic), turns=30
    )
    bare_one, against = theirs / record.rounds, "bare eigh, 25 x 25"
    what = "a round, 300 students, 25 dimensions"
    yield Line(what, ours / record.rounds, against, bare_one, 3.0)
    yield Line("a round, dynamic magnitude", moving / dynamic_rounds, against, bare_one, 3.0)
    yield Line("the textbook's bare round", plain / record.rounds, against, bare_one)
