"""What it takes to split a class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Ints
from homeroom.classroom import Classroom


class AbstractGrouping(ABC):
    """How a class is split into groups that are each taught on their own."""

    @abstractmethod
    def split(self, room: Classroom, rng: np.random.Generator) -> Ints:
        """Return the group of each student, shape ``(students,)``: 0, 1, ..., none left empty."""


class AbstractInformed(ABC):
    """A grouping that wants to know how the groups will be taught before it splits the class.

    Optional: a lesson tells those that implement it.
    """

    @abstractmethod
    def informed(self, **lesson: Any) -> AbstractGrouping:
        """Return the grouping that knows the lesson.

        Parameters
        ----------
        lesson
            ``teacher``, ``goal``, ``observer``, ``learner`` and ``max_rounds``, as for
            :func:`homeroom.teach`, and ``progress``, to be called now and then.
        """


def numbered(labels: npt.NDArray[np.generic]) -> Ints:
    """Return labels of any kind as 0, 1, ... in their sorted order, without gaps."""
    return np.asarray(np.unique(labels, return_inverse=True)[1], dtype=np.int64).reshape(-1)
