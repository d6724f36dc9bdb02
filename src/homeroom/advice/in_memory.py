"""Advice is about single students, so it needs them in memory."""

from __future__ import annotations

from homeroom._checks import InputTypeError
from homeroom.classroom import Classroom


def in_memory(room: Classroom, name: str) -> Classroom:
    """Return the class with one row per student; raise if its students are not in memory."""
    if not isinstance(room, Classroom):
        raise InputTypeError(
            f"{name}() looks at every student: load the class with Classroom.load(...), "
            f"but `room` is {type(room).__name__}."
        )
    return room.flat
