"""Lessons: the loop of ``ask()`` and ``tell()``, and the record of it."""

from homeroom.lessons.group_lesson import (
    NextExample,
    estimated_progress,
    next_example,
    observed,
    unobserved,
)
from homeroom.lessons.lesson import Lesson
from homeroom.lessons.record import Record
from homeroom.lessons.second_pass import save_students
from homeroom.lessons.strategies import Progress
from homeroom.lessons.teach import teach
from homeroom.lessons.transcript import Examples, StoppedBecause

__all__ = [
    "Examples",
    "Lesson",
    "NextExample",
    "Progress",
    "Record",
    "StoppedBecause",
    "estimated_progress",
    "next_example",
    "observed",
    "save_students",
    "teach",
    "unobserved",
]
