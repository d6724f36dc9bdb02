"""When a lesson is over."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from homeroom._arrays import Floats
from homeroom._checks import InputError, positive


class Interval(NamedTuple):
    """An estimate with its 90 % credible interval."""

    middle: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Knows:
    """What a class knows: the expected share of right answers of each student.

    Parameters
    ----------
    draws
        Draws of each student's share from the beliefs about them, shape ``(students, draws)``.
    counted
        The students who count in the class: 1, or 0 for those whose answers look unrelated to the
        questions, shape ``(students,)``.

    Examples
    --------
    >>> knows = Knows(np.array([[0.9, 0.95, 1.0], [0.5, 0.6, 0.7]]), np.ones(2))
    >>> knows.of_class.middle.round(3), knows.students[1].middle.round(3)
    (np.float64(0.775), np.float64(0.6))
    """

    draws: Floats
    counted: Floats

    @cached_property
    def students(self) -> tuple[Interval, ...]:
        """The estimate for each student."""
        low, high = np.quantile(self.draws, [0.05, 0.95], axis=1)
        return tuple(map(Interval, self.draws.mean(axis=1), low, high))

    @cached_property
    def class_draws(self) -> Floats:
        """Draws of the mean over the students who count, shape ``(draws,)``."""
        mean: Floats = self.counted @ self.draws / self.counted.sum()
        return mean

    @property
    def of_class(self) -> Interval:
        """The estimate for the class."""
        low, high = np.quantile(self.class_draws, [0.05, 0.95])
        return Interval(self.class_draws.mean(), low, high)


class AbstractGoal(ABC):
    """When a lesson is over, told from how far the class still is."""

    @abstractmethod
    def reached(self, mean_squared: float, farthest: float) -> bool:
        """Tell whether the goal is reached.

        Parameters
        ----------
        mean_squared
            The class's mean squared distance to the target.
        farthest
            The distance of the farthest student to the target, not squared.
        """

    @property
    @abstractmethod
    def alone(self) -> float:
        """The squared distance at which a student who is taught alone is done."""


@dataclass(frozen=True)
class AverageGoal(AbstractGoal):
    """The class as a whole is close: ``mean |w_j - w*|^2 <= eps`` (Eq. 2).

    >>> AverageGoal(0.1).reached(mean_squared=0.05, farthest=3.0)
    True
    """

    eps: float = 0.1

    def __post_init__(self) -> None:
        positive(self.eps, "eps", example="0.1")

    def reached(self, mean_squared: float, farthest: float) -> bool:
        return mean_squared <= self.eps

    @property
    def alone(self) -> float:
        return self.eps


@dataclass(frozen=True)
class EveryoneGoal(AbstractGoal):
    """Every student is close: ``|w_j - w*| <= eps`` for all j (Eq. 1).

    Mind the square: this goal is on the distance, the average goal on the squared distance, both
    as the paper has them.

    >>> EveryoneGoal(0.1).reached(mean_squared=0.05, farthest=3.0)
    False
    """

    eps: float = 0.1

    def __post_init__(self) -> None:
        positive(self.eps, "eps", example="0.1")

    def reached(self, mean_squared: float, farthest: float) -> bool:
        return farthest <= self.eps

    @property
    def alone(self) -> float:
        return self.eps**2


@dataclass(frozen=True)
class MasteryGoal(AbstractGoal):
    """The class knows the subject: the goal of a lesson for people.

    ``share`` of the answers are expected to be right, with posterior probability ``sure``. This
    needs an observer that estimates what students know, such as :class:`QuizObserver`.

    Parameters
    ----------
    share
        The share of right answers; 0.9 for the class and 0.8 for each student by default.
    of
        ``"class"``: the mean over the class; ``"each"``: each student separately.
    sure
        The posterior probability.

    Examples
    --------
    >>> knows = Knows(np.array([[0.9, 0.95, 1.0], [0.9, 0.9, 0.95]]), np.ones(2))
    >>> MasteryGoal().reached_by(knows), MasteryGoal(0.95, of="each").reached_by(knows)
    (True, False)
    """

    share: float | None = None
    of: str = "class"
    sure: float = 0.95

    def __post_init__(self) -> None:
        if self.of not in ("class", "each"):
            raise InputError(f'`of` must be "class" or "each", but is {self.of!r}.')
        for name, value in (("share", self.required), ("sure", self.sure)):
            if positive(value, name, example="0.9") >= 1.0:
                raise InputError(f"`{name}` must be below 1, such as 0.9, but is {value:g}.")

    @property
    def required(self) -> float:
        """The share of right answers that is required."""
        if self.share is None:
            return 0.9 if self.of == "class" else 0.8
        return self.share

    def reached_by(self, knows: Knows) -> bool:
        """Return whether the class knows enough."""
        if self.of == "class":
            return bool((knows.class_draws >= self.required).mean() >= self.sure)
        certain = (knows.draws >= self.required).mean(axis=1) >= self.sure
        return bool(certain[knows.counted > 0].all())

    def reached(self, mean_squared: float, farthest: float) -> bool:
        raise InputError(
            "MasteryGoal needs an observer that estimates what students know: use "
            "observer=QuizObserver(...)."
        )

    @property
    def alone(self) -> float:
        raise InputError("MasteryGoal has no distance: use AverageGoal or EveryoneGoal here.")
