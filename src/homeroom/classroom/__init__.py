"""The class: its students, the target that they learn, and the examples that they are shown."""

from homeroom.classroom.large import LargeClass
from homeroom.classroom.pieces import AbstractPiece, Block
from homeroom.classroom.room import Classroom, Example, project
from homeroom.classroom.runners import AbstractRunner, OnDask, OneByOne

__all__ = [
    "AbstractPiece",
    "AbstractRunner",
    "Block",
    "Classroom",
    "Example",
    "LargeClass",
    "OnDask",
    "OneByOne",
    "project",
]
