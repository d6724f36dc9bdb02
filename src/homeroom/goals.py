"""When a lesson is over."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from homeroom._checks import positive


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
