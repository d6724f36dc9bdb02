"""Groups that somebody else has decided on."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Ints
from homeroom._checks import InputError
from homeroom.classroom import Classroom
from homeroom.groups.base import AbstractGrouping, numbered


@dataclass(frozen=True, eq=False)
class AsGiven(AbstractGrouping):
    """The groups you say, one label a student.

    >>> room = Classroom.sample(students=3)
    >>> AsGiven(["red", "blue", "red"]).split(room, np.random.default_rng(0))
    array([1, 0, 1])
    """

    labels: npt.ArrayLike

    def split(self, room: Classroom, rng: np.random.Generator) -> Ints:
        expected = f"`labels` must name the group of each of the {room.students} students"
        try:
            labels = np.asarray(self.labels)
        except ValueError:
            raise InputError(f"{expected}, but is a list of unequal rows.") from None
        if labels.shape != (room.students,):
            raise InputError(f"{expected}, but has shape {labels.shape}.")
        for student, label in enumerate(labels.tolist()):
            if label is None or (isinstance(label, float) and math.isnan(label)):
                raise InputError(f"{expected}, but student {student} has {label}.")
        return numbered(labels.astype(np.str_) if labels.dtype == object else labels)
