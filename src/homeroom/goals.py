"""When a lesson is over."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from inspect import Parameter, signature
from typing import Any

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats
from homeroom._checks import InputError, positive

__all__ = ["AbstractGoal", "AverageGoal", "ClassProgress", "EveryoneGoal"]

SHARPNESS = 8
"""The power ``p`` of the smooth maximum, which is at most ``N^(1/p)`` times too large."""


@dataclass(frozen=True, eq=False)
class ClassProgress:
    """How far a class is: what a goal is decided from.

    Parameters
    ----------
    mean_squared
        The class's mean squared distance to the target.
    farthest
        The distance of the farthest student to the target, not squared.
    states
        Returns the states, shape ``(students, dimensions)``; ``None`` where single students are not
        followed (a sketch) or not known (a live class).
    target
        The target, shape ``(dimensions,)``, where it is known.
    outputs
        The number of state vectors per student.
    knows
        What an observer that asks has estimated besides, such as the share of right answers.

    Examples
    --------
    >>> states = np.array([[1.0, 0.0], [0.0, -1.0]])
    >>> now = ClassProgress(1.0, 1.4, lambda: states, np.array([1.0, 1.0]))
    >>> now.accuracy(np.eye(2))
    array([1. , 0.5])
    """

    mean_squared: float
    farthest: float
    states: Callable[[], Array] | None = None
    target: Floats | None = None
    outputs: int = 1
    knows: Any = None

    def accuracy(self, items: Floats, labels: Floats | None = None) -> Floats:
        """Return the share of the items that each student gets right, shape ``(students,)``.

        An answer is the sign of the score, or with several outputs the class 1, 2, ... with the
        greatest score. Cost: O(students * items * dimensions).

        Parameters
        ----------
        items
            Shape ``(items, dimensions / outputs)``.
        labels
            The right answers, shape ``(items,)``; the target's own unless given.
        """
        if self.states is None or self.target is None:
            raise InputError(
                "Accuracy needs the states of single students, which are not known here: use "
                "engine='exact', and a goal that needs no states in a live class."
            )
        right = self._answers(self.target[None, :], items)[0] if labels is None else labels
        answers = self._answers(self.states(), items)
        share: Floats = (answers == np.asarray(right)).mean(axis=1)
        return share

    def _answers(self, states: Array, items: Floats) -> Floats:
        """Return the answers of these states, shape ``(students, items)``."""
        students = states.shape[0]
        xp = _arrays.namespace(states)
        vectors = xp.reshape(states, (students * self.outputs, -1))
        scores = _arrays.small(vectors @ _arrays.beside(items.T, states))
        if self.outputs == 1:
            return np.where(scores < 0.0, -1.0, 1.0)
        answers: Floats = scores.reshape(students, self.outputs, -1).argmax(axis=1) + 1.0
        return answers

    def farther_by(self, error: float, farthest: float) -> ClassProgress:
        """Return the progress with both distances larger by this much."""
        return replace(
            self, mean_squared=self.mean_squared + error, farthest=self.farthest + farthest
        )


def _both_ways(reached: Callable[..., bool]) -> Callable[..., bool]:
    """Return the method so that it takes a progress, or the two numbers of version 0.1."""
    required = [
        parameter
        for parameter in signature(reached).parameters.values()
        if parameter.default is Parameter.empty
        and parameter.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    ]
    two_numbers = len(required) == 3  # the first is `self`

    @wraps(reached)
    def either(self: Any, *args: Any, **distances: Any) -> bool:
        given = len(args) == 1 and isinstance(args[0], ClassProgress)
        progress = args[0] if given else ClassProgress(*args, **distances)
        if two_numbers:
            return reached(self, progress.mean_squared, progress.farthest)
        return reached(self, progress)

    return either


class AbstractGoal(ABC):
    """When a lesson is over, decided from how far the class is.

    ``reached`` takes a :class:`ClassProgress`. It can also be written with two arguments,
    ``reached(mean_squared, farthest)``, as in version 0.1. Either way it can be called with one
    progress or with the two numbers.

    The other members declare what the goal depends on. Engines, planner and certificates use them;
    the defaults are safe for any goal.
    """

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        if "reached" in vars(cls):
            cls.reached = _both_ways(vars(cls)["reached"])  # type: ignore[method-assign]

    @abstractmethod
    def reached(self, *args: Any, **kwargs: Any) -> bool:
        """Return whether the goal is reached.

        Parameters
        ----------
        progress
            How far the class is, a :class:`ClassProgress`.
        """

    @property
    def alone(self) -> float:
        """The squared distance at which a student who is taught alone is done.

        NaN if that is not a matter of the distance; each student is then taught one by one.
        """
        return math.nan

    @property
    def needs(self) -> frozenset[str]:
        """What the goal needs besides distances: ``"states"``, ``"knows"``, or nothing."""
        return frozenset()

    @property
    def mean_is_enough(self) -> bool:
        """Whether only the class's mean squared distance matters: at most ``alone``."""
        return False

    def enough_mean(self, students: int) -> float | None:
        """Return a mean squared distance at which so many students surely reach the goal.

        ``None`` if none is known: there is no certificate then.
        """
        return self.alone if self.mean_is_enough else None

    def score(self, squared_distances: Floats) -> float | None:
        """Return the number that must be at most ``alone``, from each student's squared distance.

        Planners minimise it. ``None`` if there is no such number: the goal cannot be planned for.
        """
        return None

    def smooth_score(self, squared_distances: Floats) -> tuple[float, Floats] | None:
        """Return a smooth upper bound of the score, and its slope in each squared distance.

        Optional: without it a plan is not polished.
        """
        return None


@dataclass(frozen=True)
class AverageGoal(AbstractGoal):
    """The class as a whole is close: ``mean |w_j - w*|^2 <= eps`` (Eq. 2).

    >>> AverageGoal(0.1).reached(mean_squared=0.05, farthest=3.0)
    True
    """

    eps: float = 0.1

    def __post_init__(self) -> None:
        positive(self.eps, "eps", example="0.1")

    def reached(self, progress: ClassProgress) -> bool:
        return progress.mean_squared <= self.eps

    @property
    def alone(self) -> float:
        return self.eps

    @property
    def mean_is_enough(self) -> bool:
        return True

    def score(self, squared_distances: Floats) -> float:
        return float(squared_distances.mean())


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

    def reached(self, progress: ClassProgress) -> bool:
        return progress.farthest <= self.eps

    @property
    def alone(self) -> float:
        return self.eps**2

    def enough_mean(self, students: int) -> float:
        # |e_j|^2 <= N mean |e|^2: the mean at eps^2 / N puts everyone within eps (erratum 1).
        return self.alone / students

    def score(self, squared_distances: Floats) -> float:
        return float(squared_distances.max())

    def smooth_score(self, squared_distances: Floats) -> tuple[float, Floats]:
        """Return ``(sum |e_j|^2p)^(1/p)``, the smooth maximum, and its slopes."""
        top = float(squared_distances.max())
        if not top > 0.0:
            return 0.0, np.zeros_like(squared_distances)
        shares = (squared_distances / top) ** (SHARPNESS - 1)
        total = float(shares @ (squared_distances / top))
        return top * total ** (1 / SHARPNESS), shares * total ** (1 / SHARPNESS - 1)
