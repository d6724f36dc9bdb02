"""What a teacher must implement."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from homeroom.classroom import Classroom, Example
from homeroom.goals import AbstractGoal
from homeroom.learners import AbstractLearner, AbstractLoss
from homeroom.moments import Observation

if TYPE_CHECKING:
    from homeroom.teachers.pool import GreedyRule

Report = Callable[[float, int], None]
"""Called during planning: the part that is done (0 to 1), and the rounds of the current plan."""


class AbstractTeacher(ABC):
    """Which example to show a class next.

    A teacher keeps nothing between rounds. What it must remember (a plan, which items were
    answered rightly) is its *memory*: ``begin`` creates it, the lesson keeps it, and ``next``
    receives it and returns the new one. Most teachers need none, and implement ``choose``.
    """

    needs_students = True
    """Whether ``choose`` uses single students, ``seen.gaps`` and ``seen.rates``.

    A teacher that uses only ``seen.moments``, and shows the target's own labels, can teach a
    sketch, which summarises a class in a few matrices.
    """

    @property
    def rule(self) -> GreedyRule | None:
        """The teacher's rule, if every example is the one that helps the class most.

        This assumes the squared loss, and examples that are labelled with the target's answers.
        Certificates, individual lessons in closed form and the search for groups rely on it.
        ``None`` for any other teacher.
        """
        return None

    def prepare(self, room: Classroom, loss: AbstractLoss) -> AbstractTeacher:
        """Return this teacher ready for a class, or raise if the two do not fit."""
        return self

    def begin(
        self,
        learner: AbstractLearner,
        goal: AbstractGoal,
        max_rounds: int,
        report: Report = lambda _share, _rounds: None,
    ) -> Any:
        """Return the memory at the start of a lesson.

        Parameters
        ----------
        learner
            How the students change.
        goal, max_rounds
            When the lesson is over.
        report
            To be called during work that takes long.
        """
        return None

    def next(
        self, seen: Observation, memory: Any, rng: np.random.Generator
    ) -> tuple[Example | None, Any]:
        """Return the next example (``None`` if none helps), and the memory after it."""
        return self.choose(seen, rng), memory

    @abstractmethod
    def choose(self, seen: Observation, rng: np.random.Generator) -> Example | None:
        """Return the next example, or ``None`` if none brings the class closer."""

    def describe_plan(self, memory: Any) -> dict[str, Any] | None:
        """Return what the record states about the memory, as plain JSON values, if anything."""
        return None
