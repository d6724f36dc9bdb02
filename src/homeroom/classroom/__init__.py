"""The class itself: its students, what they are to learn, and the examples they are shown."""

from homeroom.classroom.example import Example
from homeroom.classroom.room import Classroom, project

__all__ = ["Classroom", "Example", "project"]
