"""The two ends: everybody together, and everybody alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from homeroom._arrays import Ints
from homeroom.classroom import Classroom
from homeroom.groups.base import AbstractGrouping


@dataclass(frozen=True)
class WholeClass(AbstractGrouping):
    """One group: classroom teaching (CT).

    >>> WholeClass().split(Classroom.sample(students=4), np.random.default_rng(0))
    array([0, 0, 0, 0])
    """

    def split(self, room: Classroom, rng: np.random.Generator) -> Ints:
        return np.zeros(room.students, dtype=np.int64)


@dataclass(frozen=True)
class Individuals(AbstractGrouping):
    """A group for each student: individual teaching (IT).

    >>> Individuals().split(Classroom.sample(students=4), np.random.default_rng(0))
    array([0, 1, 2, 3])
    """

    def split(self, room: Classroom, rng: np.random.Generator) -> Ints:
        return np.arange(room.students, dtype=np.int64)
