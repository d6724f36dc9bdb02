"""Which example to show next."""

from homeroom.teachers.base import AbstractTeacher
from homeroom.teachers.baselines import MeanTeacher, RandomTeacher
from homeroom.teachers.planned import PlannedTeacher
from homeroom.teachers.pool import ClassroomTeacher, GreedyRule, PoolTeacher

__all__ = [
    "AbstractTeacher",
    "ClassroomTeacher",
    "GreedyRule",
    "MeanTeacher",
    "PlannedTeacher",
    "PoolTeacher",
    "RandomTeacher",
]
