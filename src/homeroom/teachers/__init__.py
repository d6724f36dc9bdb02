"""Which example to show next."""

from homeroom.teachers.base import (
    AbstractPlanner,
    AbstractTeacher,
    AbstractTutor,
    Choices,
    GreedyRule,
    Task,
)
from homeroom.teachers.baselines import MeanTeacher, RandomTeacher
from homeroom.teachers.classroom import ClassroomTeacher
from homeroom.teachers.planned import PlannedTeacher
from homeroom.teachers.pool import PoolTeacher

__all__ = [
    "AbstractPlanner",
    "AbstractTeacher",
    "AbstractTutor",
    "Choices",
    "ClassroomTeacher",
    "GreedyRule",
    "MeanTeacher",
    "PlannedTeacher",
    "PoolTeacher",
    "RandomTeacher",
    "Task",
]
