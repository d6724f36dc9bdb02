"""What it takes to look at a class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from homeroom._arrays import Array
from homeroom.classroom import Classroom, Example
from homeroom.moments import Observation


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What happened in a round, as far as anybody could see it.

    Parameters
    ----------
    rates
        The rates the students used, shape ``(students,)``.
    example
        What they were shown; ``None`` where each was shown something else.
    answers
        What they answered, if they were asked: whatever an observer and its class agree on.
    """

    rates: Array
    example: Example | None = None
    answers: Any = None


class AbstractObserver(ABC):
    """What the teacher gets to see of the class.

    An observer keeps no state of its own. What it learns in a lesson is its *memory*, which the
    lesson holds and hands back: ``begin`` makes it, ``remember`` renews it, ``observe`` uses it.
    """

    @abstractmethod
    def begin(self, room: Classroom) -> Any:
        """Return the memory at the start of a lesson."""

    @abstractmethod
    def observe(self, truth: Observation, memory: Any, rng: np.random.Generator) -> Observation:
        """Return what the teacher sees, given how the class really is.

        An observer that learns by looking puts its new memory into the observation's ``memory``.
        """

    @abstractmethod
    def remember(self, memory: Any, outcome: Outcome) -> Any:
        """Return the memory after a round."""


class AbstractExaminer(AbstractObserver):
    """An observer who can say how far the class is where nobody sees it: in front of real people.

    Then the lesson is over when the examiner says so, not when simulated students would be done.
    """

    @abstractmethod
    def judged(self, memory: Any) -> tuple[float, float] | None:
        """Return how far the class is, in expectation; ``None`` to go by the students themselves.

        The mean squared distance to the target, and the distance of the farthest student.
        """
