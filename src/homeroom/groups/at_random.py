"""Groups by lot, to compare with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from homeroom._arrays import Ints
from homeroom._checks import whole
from homeroom.classroom import Classroom
from homeroom.groups.base import AbstractGrouping


@dataclass(frozen=True)
class AtRandom(AbstractGrouping):
    """``k`` groups drawn by lot, as equal in size as can be (the paper's CTwP-Rand).

    >>> AtRandom(k=2).split(Classroom.sample(students=5), np.random.default_rng(0))
    array([0, 0, 1, 0, 1])
    """

    k: int = 2

    def __post_init__(self) -> None:
        whole(self.k, "k", at_least=1)

    def split(self, room: Classroom, rng: np.random.Generator) -> Ints:
        whole(self.k, "k", at_least=1, at_most=room.students)
        return rng.permutation(np.arange(room.students) % self.k)
