"""A round of the exact engine, compared with the textbook's, for 10^5 students."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.textbook import TextbookClass, same
from benchmarks.timing import Line, take_turns
from homeroom import Classroom, Lesson, teach

STUDENTS = 100_000


def lines() -> Iterator[Line]:
    """Measure, and yield the lines of the table."""
    yield _a_round(dimensions=25, turns=20, limit=4.0)
    yield _a_round(dimensions=200, turns=5, limit=6.0)
    yield _a_lesson(dimensions=25)


def _a_round(*, dimensions: int, turns: int, limit: float) -> Line:
    room = Classroom.sample(STUDENTS, dimensions)
    textbook, lesson = TextbookClass(room), Lesson(room, engine="exact")

    def ours() -> None:
        lesson.ask()
        lesson.tell()

    ours()  # the first round builds the moments; the line for a whole lesson counts it in
    textbook.round()
    # In a lesson a round follows a round: both may find the cache as their own last one left it.
    mine, theirs = take_turns(ours, textbook.round, turns=turns, in_a_row=4)
    same(lesson.parts[0].errors[-1], textbook.error)
    what = f"a round, {STUDENTS:,} students, {dimensions} dimensions"
    return Line(what, mine, "textbook round", theirs, limit, faster=True)


def _a_lesson(*, dimensions: int) -> Line:
    room = Classroom.sample(STUDENTS, dimensions)
    record = teach(room, engine="exact")
    same(record.errors, TextbookClass(room).lesson(eps=0.1))
    mine, theirs = take_turns(
        lambda: teach(room, engine="exact"), lambda: TextbookClass(room).lesson(eps=0.1), turns=2
    )
    what = f"the whole lesson of {record.rounds} rounds, {dimensions} dimensions"
    return Line(what, mine, "textbook lesson", theirs, faster=True)
