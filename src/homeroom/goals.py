"""When a lesson is over."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

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
    "DistanceGoal",
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
        Returns the share of right answers that an observer estimates from answers, if there is one.

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
    knows: Callable[[], Knows | None] | None = None

    def accuracy(self, items: Floats, labels: Floats | None = None, noise: float = 0.0) -> Floats:
        """Return the share of the items that each student gets right, shape ``(students,)``.

        An answer is the sign of the score, or with several outputs the class 1, 2, ... with the
        greatest score. With noise, it is the expected share. Cost: O(students * items *
        dimensions).

        Parameters
        ----------
        items
            Shape ``(items, dimensions / outputs)``.
        labels
            The right answers, shape ``(items,)``: positive for yes, or classes counted from 1 or
            from 0; the target's own unless given.
        noise
            As for :class:`AccuracyGoal`.
        """
        states, target = self._require_states()
        if labels is None:
            right = self._answers(target[None, :], items)[0]
        elif self.outputs == 1:
            right = np.where(labels > 0, 1.0, -1.0)
        else:
            right = _checks.labels_among(np.arange(1.0, self.outputs + 1), labels)
        share: Floats
        if noise > 0.0:
            share = self._chances(states(), items, right, noise).mean(axis=1)
        else:
            share = (self._answers(states(), items) == right).mean(axis=1)
        return share

    @property
    def squared_distances(self) -> Floats:
        """Each student's squared distance to the target, shape ``(students,)``."""
        states, target = self._require_states()
        squared: Floats = ((_arrays.to_host(_arrays.flat(states())) - target) ** 2).sum(axis=1)
        return squared

    @property
    def width(self) -> int:
        """How many numbers an item has."""
        return len(self._require_states()[1]) // self.outputs

    def _require_states(self) -> tuple[Callable[[], Array], Floats]:
        """Return the function that returns the states, and the target; raise if not known."""
        if self.states is None or self.target is None:
            raise InputError(
                "This goal needs the states of single students, which are not known here: use "
                "engine='exact', and goal=MasteryGoal() in a live class."
            )
        return self.states, self.target

    def _answers(self, states: Array, items: Floats) -> Floats:
        """Return the answers of these states, shape ``(students, items)``."""
        scores = self._scores(states, items)
        if self.outputs == 1:
            return np.where(scores[:, 0] < 0.0, -1.0, 1.0)
        answers: Floats = scores.argmax(axis=1) + 1.0
        return answers

    def _chances(self, states: Array, items: Floats, right: Floats, noise: float) -> Floats:
        """Return the chance that each answer is right, shape ``(students, items)``."""
        from scipy.special import ndtr, softmax  # here: most lessons do not need it

        scores = self._scores(states, items) / noise
        if self.outputs == 1:
            return np.asarray(ndtr(right * scores[:, 0]))
        chances: Floats = softmax(scores, axis=1)
        return chances[:, right.astype(np.int64) - 1, np.arange(len(right))]

    def _scores(self, states: Array, items: Floats) -> Floats:
        """Return the scores of these states, shape ``(students, outputs, items)``."""
        students = states.shape[0]
        xp = _arrays.namespace(states)
        vectors = xp.reshape(states, (students * self.outputs, -1))
        scores = _arrays.to_host(vectors @ _arrays.like(items.T, states))
        return scores.reshape(students, self.outputs, -1)

    def farther_by(self, error: float, farthest: float) -> ClassProgress:
        """Return the progress with a mean squared distance larger by ``error``.

        The distance of the farthest student is larger by ``farthest``.
        """
        return replace(
            self, mean_squared=self.mean_squared + error, farthest=self.farthest + farthest
        )


class AbstractGoal(ABC):
    """When a lesson is over, decided from how far the class is."""

    needs_students = False
    """Whether ``reached`` uses the states of single students, which a sketch does not have."""

    @abstractmethod
    def reached(self, progress: ClassProgress) -> bool:
        """Return whether the goal is reached."""


class DistanceGoal(AbstractGoal):
    """A goal that limits a power mean of the students' squared distances to the target.

    ``(mean |e_j|^2p)^(1/p) <= limit`` for the power ``p``: 1 is the average of the class (Eq. 2),
    infinity the farthest student (Eq. 1). Planner, sketch and certificates need nothing else: one
    formula gives the score, the mean that is enough for N students, and a smooth upper bound.
    """

    power: float

    @property
    @abstractmethod
    def limit(self) -> float:
        """The squared distance that is required; also that of a student who is taught alone."""

    def reached(self, progress: ClassProgress) -> bool:
        if self.power == 1.0:
            return progress.mean_squared <= self.limit
        if math.isinf(self.power):
            return progress.farthest**2 <= self.limit
        return self.score(progress.squared_distances) <= self.limit

    @property
    def needs_students(self) -> bool:  # type: ignore[override]  # other powers than the paper's
        return 1.0 < self.power < math.inf

    def score(self, squared_distances: Floats) -> float:
        """Return the power mean, which must be at most ``limit``."""
        if math.isinf(self.power):
            return float(squared_distances.max())
        mean = float((squared_distances**self.power).mean())
        return float(mean ** (1.0 / self.power))

    def enough_mean(self, students: int) -> float:
        """Return the mean squared distance at which so many students surely reach the goal.

        ``M_p <= N^(1 - 1/p) M_1`` (for the farthest student: erratum 1).
        """
        return float(self.limit / students ** (1.0 - 1.0 / self.power))

    def smooth_score(self, squared_distances: Floats) -> tuple[float, Floats]:
        """Return a smooth upper bound of the score, and its slope in each squared distance.

        ``N^(1/q) M_q`` with ``q = 8`` bounds the greatest of N; other powers are smooth themselves.
        """
        top = float(squared_distances.max())
        if not top > 0.0:
            return 0.0, np.zeros_like(squared_distances)
        power = min(self.power, SHARPNESS)
        number = 1 if self.power > SHARPNESS else len(squared_distances)
        relative = squared_distances / top
        shares = relative ** (power - 1.0) / number
        total = float(shares @ relative)
        return top * total ** (1.0 / power), shares * total ** (1.0 / power - 1.0)


def is_mean(goal: AbstractGoal) -> bool:
    """Return whether only the class's mean squared distance matters to a goal."""
    return isinstance(goal, DistanceGoal) and goal.power == 1.0


@dataclass(frozen=True)
class AverageGoal(DistanceGoal):
    """The class as a whole is close: ``mean |w_j - w*|^2 <= eps`` (Eq. 2).

    >>> AverageGoal(0.1).reached(ClassProgress(mean_squared=0.05, farthest=3.0))
    True
    """

    eps: float = 0.1
    power = 1.0

    def __post_init__(self) -> None:
        positive(self.eps, "eps", example="0.1")

    @property
    def limit(self) -> float:
        return self.eps


@dataclass(frozen=True)
class EveryoneGoal(DistanceGoal):
    """Every student is close: ``|w_j - w*| <= eps`` for all j (Eq. 1).

    This goal limits the distance, and the average goal the squared distance, as in the paper.

    >>> EveryoneGoal(0.1).reached(ClassProgress(mean_squared=0.05, farthest=3.0))
    False
    """

    eps: float = 0.1
    power = math.inf

    def __post_init__(self) -> None:
        positive(self.eps, "eps", example="0.1")

    @property
    def limit(self) -> float:
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
        knows = None if progress.knows is None else progress.knows()
        if knows is None:
            raise InputError(
                "MasteryGoal needs an observer that estimates what students know: use "
                "observer=QuizObserver(...)."
            )
        return self.reached_by(knows)


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
    noise
        The noise of answers: with 0, there is none. Otherwise an answer with the score ``s`` is yes
        with probability ``Phi(s / noise)``; with several outputs the probabilities of the classes
        are ``softmax(scores / noise)``. The expected share of right answers counts.

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
    noise: float
    class_names: tuple[str, ...] | None = field(init=False)

    def __init__(
        self,
        share: float = 0.9,
        items: npt.ArrayLike | None = None,
        labels: npt.ArrayLike | None = None,
        of: str = "class",
        noise: float = 0.0,
    ) -> None:
        _check_of(of)
        _checks.not_negative(noise, "noise", example="1.0")
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
        object.__setattr__(self, "noise", noise)
        object.__setattr__(self, "class_names", names)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AccuracyGoal) and (
            (self.share, self.of, self.noise, self.class_names)
            == (other.share, other.of, other.noise, other.class_names)
            and np.array_equal(self.items, other.items)  # type: ignore[arg-type]  # or None
            and np.array_equal(self.labels, other.labels)  # type: ignore[arg-type]  # or None
        )

    def __hash__(self) -> int:
        return hash((self.share, self.of))

    def reached(self, progress: ClassProgress) -> bool:
        if not math.isfinite(progress.mean_squared):
            return False
        right = progress.accuracy(self._items(progress), self._labels(progress.outputs), self.noise)
        return float(right.mean() if self.of == "class" else right.min()) >= self.share

    needs_students = True

    def use_test(self, items: Floats, labels: Floats, *, noise: float) -> AccuracyGoal:
        """Return the goal with a test set, if it has none; otherwise itself."""
        if self.items is not None:
            return self
        return AccuracyGoal(self.share, items, labels, self.of, self.noise or noise)

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
