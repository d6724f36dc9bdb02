"""Which example to show next."""

from homeroom.teachers.base import AbstractTeacher, AbstractTutor, Choices
from homeroom.teachers.baselines import MeanTeacher, RandomTeacher
from homeroom.teachers.classroom import ClassroomTeacher
from homeroom.teachers.pool import PoolTeacher

__all__ = [
    "AbstractTeacher",
    "AbstractTutor",
    "Choices",
    "ClassroomTeacher",
    "MeanTeacher",
    "PoolTeacher",
    "RandomTeacher",
]
