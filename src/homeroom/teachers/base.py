"""What it takes to teach."""

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


class Task(NamedTuple):
    """What a planner is to achieve: the goal, within so many rounds.

    ``report`` is called now and then while she thinks, with how much of that is done (0 to 1) and
    how many rounds the plan at hand has.
    """

    goal: AbstractGoal
    rounds_left: int
    report: Callable[[float, int], None] = lambda _share, _rounds: None


class AbstractPlanner(ABC):
    """A teacher who thinks more than one round ahead.

    Optional: without it, every example is chosen on its own. A planner keeps no state either. What
    she has in mind is her *course*, which the lesson holds and hands back in the next round.
    """

    @abstractmethod
    def follow(
        self, course: Any, seen: Observation, task: Task, rng: np.random.Generator
    ) -> tuple[Example | None, Any]:
        """Return the next example (``None`` if none helps), and the course after it.

        Parameters
        ----------
        course
            What this method returned a round ago; ``None`` at the start.
        seen
            What the teacher sees of the class now, which need not be what she expected.
        task
            What is to be achieved.
        rng
            Where chance comes from.
        """

    @abstractmethod
    def told(self, course: Any) -> dict[str, Any]:
        """Return what a record says about a course, as plain JSON values."""
