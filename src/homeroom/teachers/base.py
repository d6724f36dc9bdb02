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
from homeroom.pools import AbstractPool


class GreedyRule(NamedTuple):
    """How the best next example is chosen: from which pool, and how long it may be.

    The settings are those of :class:`~homeroom.ClassroomTeacher` and
    :class:`~homeroom.PoolTeacher`.
    """

    pool: AbstractPool
    magnitude: str = "static"
    safe: bool = False
    rates_within: float = 0.0


class AbstractTeacher(ABC):
    """Which example to show a class next.

    A teacher keeps nothing between rounds: the same observation and the same generator give the
    same example.
    """

    @property
    def needs(self) -> frozenset[str]:
        """What ``choose`` uses of the observation, with the squared loss.

        ``"states"``: single students, ``seen.gaps`` and ``seen.rates``. ``"moments"``: only
        ``seen.moments`` and what does not depend on single students. A teacher that needs no states
        can teach a sketch.
        """
        return frozenset({"states"})

    @property
    def assumes(self) -> str | None:
        """The registered name of the learner that the choice relies on; ``None`` if there is none.

        The teacher still runs with other learners, where its examples may help less than it
        expects. The benchmark of teachers marks the learners that a teacher assumes.
        """
        return None

    @property
    def own_labels(self) -> bool:
        """Whether examples may have labels other than the target's answers."""
        return False

    @property
    def greedy(self) -> GreedyRule | None:
        """The rule, if every example is the one that helps the class most (squared loss).

        Certificates, individual lessons in closed form and the search for groups rely on it.
        ``None`` for any other teacher.
        """
        return None

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
