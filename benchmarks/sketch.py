"""A round of the sketch for many students and for few, and its one pass over the students."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.timing import Line, Work, take_turns
from homeroom import Classroom, ClassroomTeacher, Lesson
from homeroom.engines import SketchClass
from homeroom.moments import sketch_of

ROUNDS = 100


def rounds_of(room: Classroom) -> Work:
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


def lines() -> Iterator[Line]:
    """Measure."""
    few = Classroom.sample(students=1_000, dimensions=25, rates=(0.1, 0.5))
    many = Classroom.sample(students=1_000_000, dimensions=25, rates=(0.1, 0.5))
    for_many, for_few = take_turns(rounds_of(many), rounds_of(few), turns=9)
    yield Line(
        "a round of the sketch, 1,000,000 students",
        for_many / ROUNDS,
        "for 1,000 students",
        for_few / ROUNDS,
        1.1,
    )
    gaps = many.gaps
    build, gram = take_turns(lambda: sketch_of(many), lambda: gaps.T @ gaps, turns=4)
    yield Line("building it, 33 nodes", build, "one Gram matrix", gram)
