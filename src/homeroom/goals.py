"""When a lesson is over."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from inspect import Parameter, signature
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from homeroom import _arrays, _checks
from homeroom._arrays import Array, Floats
from homeroom._checks import InputError, positive

__all__ = [
    "AbstractGoal",
    "AccuracyGoal",
    "AverageGoal",
    "ClassProgress",
    "EveryoneGoal",
    "Interval",
    "Knows",
    "MasteryGoal",
]

SHARPNESS = 8
"""The power ``p`` of the smooth maximum over N students, at most ``N^(1/p)`` times too large."""


class Interval(NamedTuple):
    """An estimate with its 90 % credible interval."""

    middle: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Knows:
    """What a class knows: the share of right answers of each student, as draws of a posterior.

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
        The share of right answers that an observer has estimated from answers, if there is one.

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
    knows: Knows | None = None

    def accuracy(self, items: Floats, labels: Floats | None = None) -> Floats:
        """Return the share of the items that each student gets right, shape ``(students,)``.

        An answer is the sign of the score, or with several outputs the class 1, 2, ... with the
        greatest score. Cost: O(students * items * dimensions).

        Parameters
        ----------
        items
            Shape ``(items, dimensions / outputs)``.
        labels
            The right answers, shape ``(items,)``: positive for yes, or classes counted from 1 or
            from 0; the target's own unless given.
        """
        states, target = self._known()
        if labels is None:
            right = self._answers(target[None, :], items)[0]
        elif self.outputs == 1:
            right = np.where(labels > 0, 1.0, -1.0)
        else:
            right = _checks.labels_among(np.arange(1.0, self.outputs + 1), labels)
        share: Floats = (self._answers(states(), items) == right).mean(axis=1)
        return share

    @property
    def width(self) -> int:
        """How many numbers an item has."""
        return len(self._known()[1]) // self.outputs

    def _known(self) -> tuple[Callable[[], Array], Floats]:
        """Return the function that returns the states, and the target; raise if not known."""
        if self.states is None or self.target is None:
            raise InputError(
                "Accuracy needs the states of single students, which are not known here: use "
                "engine='exact', and a goal that needs no states in a live class."
            )
        return self.states, self.target

    def _answers(self, states: Array, items: Floats) -> Floats:
        """Return the answers of these states, shape ``(students, items)``."""
        students = states.shape[0]
        xp = _arrays.namespace(states)
        vectors = xp.reshape(states, (students * self.outputs, -1))
        scores = _arrays.to_host(vectors @ _arrays.like(items.T, states))
        if self.outputs == 1:
            return np.where(scores < 0.0, -1.0, 1.0)
        answers: Floats = scores.reshape(students, self.outputs, -1).argmax(axis=1) + 1.0
        return answers

    def farther_by(self, error: float, farthest: float) -> ClassProgress:
        """Return the progress with a mean squared distance larger by ``error``.

        The distance of the farthest student is larger by ``farthest``.
        """
        return replace(
            self, mean_squared=self.mean_squared + error, farthest=self.farthest + farthest
        )


def _both_ways(reached: Callable[..., bool]) -> Callable[..., bool]:
    """Return a method ``reached`` that can be called with a progress or with two numbers.

    The wrapped method may take either; in version 0.1 it took the two numbers.
    """
    parameters = signature(reached).parameters
    required = [
        parameter
        for parameter in parameters.values()
        if parameter.default is Parameter.empty
        and parameter.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    ]
    two_numbers = len(required) == 3 or "mean_squared" in parameters  # the first is `self`

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

        NaN if the distance does not decide; students are then taught one after another.
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

    This goal limits the distance, and the average goal the squared distance, as in the paper.

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
        """Return ``(sum |e_j|^2p)^(1/p)``, the smooth maximum over the gaps, and its slopes."""
        top = float(squared_distances.max())
        if not top > 0.0:
            return 0.0, np.zeros_like(squared_distances)
        shares = (squared_distances / top) ** (SHARPNESS - 1)
        total = float(shares @ (squared_distances / top))
        return top * total ** (1 / SHARPNESS), shares * total ** (1 / SHARPNESS - 1)


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
        _check_of(self.of)
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

    def reached(self, progress: ClassProgress) -> bool:
        if progress.knows is None:
            raise InputError(
                "MasteryGoal needs an observer that estimates what students know: use "
                "observer=QuizObserver(...)."
            )
        return self.reached_by(progress.knows)

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"knows"})


ITEMS = 200
"""The number of random directions in a test set, if none is given."""


@dataclass(frozen=True, init=False, eq=False)
class AccuracyGoal(AbstractGoal):
    """Students answer a test set: a share of the answers is right.

    An answer is the sign of the score, or with several outputs the class with the greatest score.
    Whether the students are close to the target does not matter.

    Parameters
    ----------
    share
        The share of right answers, above 0 and at most 1.
    items
        The test set, shape ``(items, dimensions)``; 200 random directions unless given.
    labels
        The right answers, shape ``(items,)``; the target's own unless given. Positive for yes (1
        and -1, 1 and 0) or two different texts; for a loss with m classes 1 to m, 0 to m - 1, or m
        different texts. Texts are classes in alphabetical order, as in scikit-learn.
    of
        ``"class"``: the mean over the class; ``"each"``: each student separately.

    Examples
    --------
    >>> from homeroom import AccuracyGoal, Classroom, teach
    >>> room = Classroom.sample(students=20, dimensions=3)
    >>> [teach(room, goal=AccuracyGoal(0.9, of=of)).rounds for of in ("class", "each")]
    [8, 19]
    """

    share: float
    items: Floats | None
    labels: Floats | None
    of: str
    class_names: tuple[str, ...] | None = field(init=False)

    def __init__(
        self,
        share: float = 0.9,
        items: npt.ArrayLike | None = None,
        labels: npt.ArrayLike | None = None,
        of: str = "class",
    ) -> None:
        _check_of(of)
        if positive(share, "share", example="0.9") > 1.0:
            raise InputError(f"`share` must be at most 1, but is {share:g}. Try share=0.9.")
        if labels is not None and items is None:
            raise InputError("`labels` are the right answers to `items`: give both.")
        rows = (
            None
            if items is None
            else _arrays.to_host(_checks.matrix(items, "items", "(items, dimensions)"))
        )
        right, names = None, None
        if rows is not None and labels is not None:
            right, names = _checks.labels(labels, rows)
        object.__setattr__(self, "share", share)
        object.__setattr__(self, "items", rows)
        object.__setattr__(self, "labels", right)
        object.__setattr__(self, "of", of)
        object.__setattr__(self, "class_names", names)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AccuracyGoal) and (
            (self.share, self.of, self.class_names) == (other.share, other.of, other.class_names)
            and np.array_equal(self.items, other.items)  # type: ignore[arg-type]  # or None
            and np.array_equal(self.labels, other.labels)  # type: ignore[arg-type]  # or None
        )

    def __hash__(self) -> int:
        return hash((self.share, self.of))

    def reached(self, progress: ClassProgress) -> bool:
        if not math.isfinite(progress.mean_squared):
            return False
        right = progress.accuracy(self._items(progress), self._labels(progress.outputs))
        return float(right.mean() if self.of == "class" else right.min()) >= self.share

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"states"})

    def _labels(self, outputs: int) -> Floats | None:
        """Return the right answers as numbers, also where they are texts."""
        if self.labels is None or self.class_names is None:
            return self.labels
        known = np.array([-1.0, 1.0]) if outputs == 1 else np.arange(1.0, outputs + 1)
        return _checks.labels_among(known, self.labels, self.class_names)

    def _items(self, progress: ClassProgress) -> Floats:
        """Return the test set; raise if it does not fit the class."""
        if self.items is None:
            return np.random.default_rng(0).standard_normal((ITEMS, progress.width))
        _checks.width(self.items, "items", progress.width)
        return self.items


def _check_of(of: str) -> None:
    if of not in ("class", "each"):
        raise InputError(f'`of` must be "class" or "each", but is {of!r}.')
