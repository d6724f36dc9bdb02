"""What an observer must implement, and the observer without errors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array
from homeroom._checks import InputError, InputTypeError, describe_value
from homeroom.classroom import Classroom, Example
from homeroom.goals import ClassProgress, Knows
from homeroom.moments import Observation


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What happened in a round, as far as it could be observed.

    Parameters
    ----------
    rates
        The learning rates of the students in this round, shape ``(students,)``.
    example
        The example they were shown; ``None`` if each student was shown a different one.
    answers
        Their answers, if they were asked, in a format that observer and class agree on.
    """

    rates: Array
    example: Example | None = None
    answers: Any = None


class ObservationNoise(NamedTuple):
    """Bounds on the error of what is observed, from which certificates are computed.

    ``states``: the greatest norm of the error of a state; infinite if it is unbounded. ``moments``:
    the operator norm of the error of the moment matrix ``W``. ``rate_deviation``: the standard
    deviation of random rates, if the moments are computed from their known means and allow for it.
    """

    states: float = 0.0
    moments: float = 0.0
    rate_deviation: float = 0.0


NOISELESS = ObservationNoise()
"""No errors: the class is observed exactly."""


class AbstractObserver(ABC):
    """What the teacher observes of the class.

    An observer keeps no state. What it learns in a lesson is its *memory*, which the lesson keeps
    and passes back: ``begin`` creates it, ``observe`` uses it, ``remember`` updates it.
    """

    needs_students = True
    """Whether it looks at single students.

    If not, it passes on the moments that the engine computes, with or without noise, and works with
    a sketch, a summary of a class without individual students.
    """

    @property
    def error_bounds(self) -> ObservationNoise | None:
        """Bounds on the error of what is observed; ``None`` if none are known."""
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

        An observer that updates its memory when it observes returns it in the observation's
        ``memory``.
        """

    @abstractmethod
    def remember(self, memory: Any, outcome: Outcome) -> Any:
        """Return the memory after a round."""


class AbstractExaminer(AbstractObserver):
    """An observer that estimates the progress of students whose states are not known.

    The lesson is then over when the estimate reaches the goal.
    """

    @abstractmethod
    def judged(self, memory: Any) -> ClassProgress | tuple[float, float] | None:
        """Return the expected progress of the class; ``None`` to use the true, simulated states.

        A :class:`ClassProgress`, or only the mean squared distance to the target and the distance
        of the farthest student.
        """

    def knows(self, memory: Any) -> Knows | None:
        """Return each student's expected share of right answers; ``None`` if unknown."""
        return None


def looked(
    observer: AbstractObserver, truth: Observation, memory: Any, rng: np.random.Generator
) -> tuple[Observation, Any]:
    """Return what an observer observes, and its memory afterwards.

    Raise if it returns something else than an observation of this class.
    """
    seen = observer.observe(truth, memory, rng)
    if seen is not truth:
        check_observation(observer, seen, truth)
    return seen, memory if seen.memory is None else seen.memory


def check_observation(observer: AbstractObserver, seen: Any, truth: Observation) -> None:
    """Raise if an observer returned something else than an observation of the class."""
    method = f"{type(observer).__name__}.observe"
    if not isinstance(seen, Observation):
        raise InputTypeError(
            f"{method} must return an Observation, such as truth.seen_with(gaps=...), but returned "
            f"{describe_value(seen)}."
        )
    # It may return only some students, or those of a live class, whose true states are not known.
    students = seen.gaps.shape[0] if _arrays.is_array(seen.gaps) else 0
    noise, square = seen.noise, (truth.width, truth.width)
    for part, values, shape in (
        ("gaps", seen.gaps, (students, truth.gaps.shape[1])),
        ("rates", seen.rates, (students,)),
        ("squared_rates", seen.squared_rates, (students,)),
        ("noise", noise, square),
        ("target", seen.target, truth.target.shape),
    ):
        if values is None:
            continue
        if tuple(getattr(values, "shape", ())) != tuple(shape):
            raise InputError(
                f"{method} must return `{part}` of shape {tuple(shape)}, but returned "
                f"{describe_value(values)}."
            )
        # In a class that diverges, the truth is not finite either.
        if values is not getattr(truth, part) and not _finite(values) and _finite(truth.gaps):
            raise InputError(
                f"{method} must return finite numbers, but `{part}` has NaN or infinity."
            )
    if seen.gentle is None and seen.rates is not truth.rates and not _positive(seen.rates):
        raise InputError(
            f"{method} must return a positive rate for some student, or `gentle`, the squared "
            "length from which the fastest student learns most."
        )
    if noise is not None and not np.allclose(noise, noise.T):
        raise InputError(
            f"{method} must return `noise` as a symmetric matrix of shape {square}: "
            "(noise + noise.T) / 2 is symmetric."
        )


def _finite(array: Array) -> bool:
    """Return whether all numbers are finite."""
    xp = _arrays.namespace(array)
    return bool(xp.all(xp.isfinite(array)))


def _positive(rates: Array) -> bool:
    """Return whether at least one rate is positive."""
    return bool(_arrays.namespace(rates).max(rates) > 0.0)


def judge_progress(observer: AbstractExaminer, memory: Any) -> ClassProgress | None:
    """Return the progress that an observer estimates, or ``None`` if it estimates none.

    Raise if it returns anything else.
    """
    judged: Any = observer.judged(memory)
    if judged is None or isinstance(judged, ClassProgress):
        return judged
    if not (isinstance(judged, tuple) and len(judged) == 2):
        raise InputTypeError(
            f"{type(observer).__name__}.judged must return a ClassProgress, the mean squared "
            f"distance and the farthest distance, or None, but returned {describe_value(judged)}."
        )
    return ClassProgress(*judged)


@dataclass(frozen=True)
class ExactObserver(AbstractObserver):
    """The teacher sees every state and every rate exactly (section 3 of the paper)."""

    needs_students = False

    @property
    def error_bounds(self) -> ObservationNoise:
        return NOISELESS

    def begin(self, room: Classroom) -> None:
        return None

    def observe(self, truth: Observation, memory: None, rng: np.random.Generator) -> Observation:
        return truth

    def remember(self, memory: None, outcome: Outcome) -> None:
        return None
