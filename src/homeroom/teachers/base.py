"""What a teacher must implement."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from homeroom._arrays import Array, Ints
from homeroom.classroom import Classroom, Example
from homeroom.goals import AbstractGoal
from homeroom.learners import AbstractLoss
from homeroom.moments import Observation


class AbstractTeacher(ABC):
    """Which example to show a class next.

    A teacher keeps nothing between rounds: the same observation and the same generator give the
    same example.
    """

    @abstractmethod
    def prepare(self, room: Classroom, loss: AbstractLoss) -> AbstractTeacher:
        """Return this teacher ready for a class, or raise if the two do not fit."""

    @abstractmethod
    def choose(self, seen: Observation, rng: np.random.Generator) -> Example | None:
        """Return the next example, or ``None`` if none brings the class closer."""


class Choices(NamedTuple):
    """One example per student; a row of zeros where none helps.

    ``xs`` has shape ``(students, dimensions)``, ``ys`` and ``items`` (-1: synthesised)
    ``(students,)``.
    """

    xs: Array
    ys: Array
    items: Ints


class AbstractTutor(ABC):
    """A teacher that can also choose an example for each student alone, all at once.

    Optional: without it, individuals are taught one after the other, which is slower.
    """

    @abstractmethod
    def choose_each(self, seen: Observation, rng: np.random.Generator) -> Choices:
        """Return an example for each student, as if they were the whole class."""


class Task(NamedTuple):
    """What a planner must achieve: the goal, within a number of rounds.

    ``report`` is called during planning, with the part of it that is done (0 to 1) and the number
    of rounds of the current plan.
    """

    goal: AbstractGoal
    rounds_left: int
    report: Callable[[float, int], None] = lambda _share, _rounds: None


class AbstractPlanner(ABC):
    """A teacher that plans more than one round ahead.

    Optional: without it, every example is chosen separately. A planner keeps no state either. Its
    plan, and how far the lesson is in it, is the *course*: the lesson keeps it and passes it back
    in the next round.
    """

    @abstractmethod
    def follow(
        self, course: Any, seen: Observation, task: Task, rng: np.random.Generator
    ) -> tuple[Example | None, Any]:
        """Return the next example (``None`` if none helps), and the course after it.

        Parameters
        ----------
        course
            What this method returned in the last round; ``None`` at the start.
        seen
            What the teacher observes of the class now, which need not be what was expected.
        task
            What the lesson must achieve.
        rng
            Draws random numbers.
        """

    @abstractmethod
    def told(self, course: Any) -> dict[str, Any]:
        """Return the record's entries about a course, as plain JSON values."""
