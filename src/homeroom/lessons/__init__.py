"""Lessons: the loop of ``ask()`` and ``tell()``, and the record of it."""

from homeroom.lessons.group_lesson import (
    NextExample,
    estimate_progress,
    next_example,
    observe_nothing,
)
from homeroom.lessons.lesson import Lesson, Progress, teach
from homeroom.lessons.record import Record
from homeroom.lessons.second_pass import save_students
from homeroom.lessons.transcript import Examples, StoppedBecause

__all__ = [
    "Examples",
    "Lesson",
    "NextExample",
    "Progress",
    "Record",
    "StoppedBecause",
    "estimate_progress",
    "next_example",
    "observe_nothing",
    "save_students",
    "teach",
]
