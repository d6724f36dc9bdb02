"""The sketch: a round for many students and for few, its one pass, and a whole lesson."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np

from benchmarks.textbook import TextbookClass, same
from benchmarks.timing import Line, Work, peak_bytes, take_turns
from homeroom import Classroom, ClassroomTeacher, Lesson, teach
from homeroom.engines import SketchClass
from homeroom.moments import sketch_of
from homeroom.moments.sketch import lagrange

ROUNDS = 100


def lines() -> Iterator[Line]:
    """Measure, and yield the lines of the table."""
    yield _a_round()
    yield from _the_pass()
    yield _a_lesson()


def _a_round() -> Line:
    few = Classroom.sample(students=1_000, rates=(0.1, 0.5))
    many = Classroom.sample(students=10_000_000, rates=(0.1, 0.5))
    for_many, for_few = take_turns(_rounds_of(many), _rounds_of(few), turns=9)
    return Line(
        "a round of the sketch, 10,000,000 students",
        for_many / ROUNDS,
        "for 1,000 students",
        for_few / ROUNDS,
        1.1,
    )


def _rounds_of(room: Classroom) -> Work:
    """Return work that looks and learns a hundred times, the sketch already built."""
    lesson = Lesson(room, engine="sketch")
    students, teacher = lesson.parts[0].students, ClassroomTeacher()
    assert isinstance(students, SketchClass)
    examples = []
    for _ in range(ROUNDS):
        example = teacher.choose(students.look(), lesson.rng)
        assert example is not None
        examples.append(example)
        students.learn(example)

    def work() -> None:
        for example in examples:
            teacher.choose(students.look(), lesson.rng)
            students.learn(example)

    return work


def _the_pass() -> Iterator[Line]:
    room = Classroom.sample(students=1_000_000, rates=(0.1, 5.0))
    gaps = room.gaps
    _check(room, gaps)
    build, gram = take_turns(lambda: sketch_of(room), lambda: gaps.T @ gaps, turns=5)
    yield Line("building it, 1,000,000 students, 33 nodes", build, "one Gram matrix", gram, 8.0)
    extra = peak_bytes(functools.partial(sketch_of, room))
    yield Line("extra memory of that", extra, "300 MB", 300e6, 1.0, unit="B")


def _check(room: Classroom, gaps: np.ndarray) -> None:
    """Compare some matrices of the sketch with their definition."""
    sketch = sketch_of(room)
    shares = lagrange(sketch.nodes, room.rates)
    for node in (0, 7, 16, 32):
        expected = (shares[:, node, None] * gaps).T @ gaps / room.students
        off = np.linalg.norm(sketch.matrices[node] - expected) / np.linalg.norm(expected)
        if off > 1e-11:
            raise SystemExit(f"The matrix of node {node} is off by {off:.2g}.")


def _a_lesson() -> Line:
    room = Classroom.sample(students=100_000, rates=(0.1, 5.0))
    record = teach(room, engine="sketch")
    textbook: list[list[float]] = []
    mine, theirs = take_turns(
        lambda: teach(room, engine="sketch"),
        lambda: textbook.append(TextbookClass(room).lesson(eps=0.1)),
        turns=2,
    )
    same(record.errors, textbook[0])
    what = f"the whole lesson of {record.rounds} rounds, 100,000 students, its pass included"
    return Line(what, mine, "textbook lesson", theirs, 30.0, faster=True)
