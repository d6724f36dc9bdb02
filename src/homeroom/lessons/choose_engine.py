"""The choice of the faster engine, where both give the same lesson."""

from __future__ import annotations

from homeroom.classroom import Classroom
from homeroom.engines import why_not_sketched
from homeroom.goals import AverageGoal
from homeroom.lessons.lesson import Lesson

FEWEST = 30_000
STUDENTS_A_DIMENSION = 300
"""From how many students per group, and per dimension, the sketch is faster."""


def sketch_pays(lesson: Lesson) -> bool:
    """Return whether a sketch would give the same lesson in less time.

    The exact engine is used for students who learn at random (a sketch has only their average), for
    goals that depend on single students, and for small groups.
    """
    room = lesson.room
    if not isinstance(room, Classroom):
        return True
    enough = max(FEWEST, STUDENTS_A_DIMENSION * room.dimensions)
    return (
        room.students >= enough
        and not len(lesson.watch)
        and isinstance(lesson.goal, AverageGoal)
        and lesson.learner.shrinks_gaps
        and lesson.smallest_group >= enough
        and why_not_sketched(room, lesson.teacher, lesson.observer, lesson.learner) is None
    )
