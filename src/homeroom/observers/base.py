"""What an observer must implement, and the observer that sees everything."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from homeroom._arrays import Array
from homeroom.classroom import Classroom, Example
from homeroom.goals import ClassProgress, Knows
from homeroom.moments import Observation


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What happened in a round, as far as it could be observed.

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


class ObservationNoise(NamedTuple):
    """Bounds on the error of what is observed, which certificates use.

    ``states``: the greatest length of the error of a state (infinite if it has none). ``moments``:
    the operator norm of the error of ``W``. ``rate_deviation``: the standard deviation of random
    rates, if the observed weights allow for it and are computed from the known mean rates.
    """

    states: float = 0.0
    moments: float = 0.0
    rate_deviation: float = 0.0


NOISELESS = ObservationNoise()
"""The class is observed as it is."""


class AbstractObserver(ABC):
    """What the teacher observes of the class.

    An observer keeps no state. What it learns in a lesson is its *memory*, which the lesson keeps
    and passes back: ``begin`` creates it, ``observe`` uses it, ``remember`` updates it.
    """

    @property
    def provides(self) -> frozenset[str]:
        """What the teacher can rely on.

        ``"moments"``: the engine's own moments are passed on, with noise or without; such an
        observer also works with a sketch, which has no single students. ``"states"``: what is
        observed of a student is the same in a class as alone, and all of it is in the observed
        gaps, rates and squared rates. Individuals can then be taught all at once, with one memory
        for all of them, and ``remember`` is not given the examples. ``"answers"``: the class is
        asked.
        """
        return frozenset()

    @property
    def error_bounds(self) -> ObservationNoise | None:
        """Bounds on the error of what is observed; ``None`` if there are none."""
        return None

    @property
    def is_live(self) -> bool:
        """Whether it waits for answers from outside, which a simulation does not have."""
        return False

    @abstractmethod
    def begin(self, room: Classroom) -> Any:
        """Return the memory at the start of a lesson."""

    @abstractmethod
    def observe(self, truth: Observation, memory: Any, rng: np.random.Generator) -> Observation:
        """Return what the teacher observes, given how the class really is.

        An observer that learns by looking puts its new memory into the observation's ``memory``.
        """

    @abstractmethod
    def remember(self, memory: Any, outcome: Outcome) -> Any:
        """Return the memory after a round."""


class AbstractExaminer(AbstractObserver):
    """An observer that estimates how far the class is, for students whose states are not known.

    The lesson is then over when the estimate reaches the goal.
    """

    @abstractmethod
    def judged(self, memory: Any) -> ClassProgress | tuple[float, float] | None:
        """Return how far the class is, in expectation; ``None`` to use the students' own states.

        A :class:`ClassProgress`, or only the mean squared distance to the target and the distance
        of the farthest student.
        """

    def knows(self, memory: Any) -> Knows | None:
        """Return what each student knows, as a share of right answers; ``None`` if unknown."""
        return None


@dataclass(frozen=True)
class ExactObserver(AbstractObserver):
    """The teacher sees every state and every rate as they are (section 3)."""

    @property
    def provides(self) -> frozenset[str]:
        return frozenset({"moments", "states"})

    @property
    def error_bounds(self) -> ObservationNoise:
        return NOISELESS

    def begin(self, room: Classroom) -> None:
        return None

    def observe(self, truth: Observation, memory: None, rng: np.random.Generator) -> Observation:
        return truth

    def remember(self, memory: None, outcome: Outcome) -> None:
        return None
