"""What it takes to teach."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from homeroom._arrays import Array, Ints
from homeroom.classroom import Classroom, Example
from homeroom.learners import AbstractLoss
from homeroom.moments import Observation


class AbstractTeacher(ABC):
    """Which example to show a class next.

    A teacher keeps nothing between rounds: the same observation and the same generator give the
    same example.
    """

    @abstractmethod
    def prepare(self, room: Classroom, loss: AbstractLoss) -> AbstractTeacher:
        """Return this teacher ready for a class, or say why the two do not fit."""

    @abstractmethod
    def choose(self, seen: Observation, rng: np.random.Generator) -> Example | None:
        """Return the next example, or ``None`` if none in reach brings the class closer."""


class Choices(NamedTuple):
    """An example for each student; a row of zeros where none helps.

    ``xs`` has shape ``(students, dimensions)``, ``ys`` and ``items`` (-1: made up) ``(students,)``.
    """

    xs: Array
    ys: Array
    items: Ints


class AbstractTutor(ABC):
    """A teacher who can also choose for each student alone, all at once.

    Optional: without it, individuals are taught one after the other, which is slower.
    """

    @abstractmethod
    def choose_each(self, seen: Observation, rng: np.random.Generator) -> Choices:
        """Return an example for each student, as if she were the whole class."""
