"""How a class is split into groups. Each group is then taught separately."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from homeroom import _arrays
from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError, whole
from homeroom.classroom import Classroom

__all__ = [
    "AbstractGrouping",
    "AbstractInformed",
    "AsGiven",
    "AtRandom",
    "ByKnowledge",
    "ByRate",
    "Individuals",
    "WholeClass",
]

KMEANS_STARTS = 8
KMEANS_ITERATIONS = 30


class AbstractGrouping(ABC):
    """A rule that splits a class into groups. Each group is taught separately."""

    @abstractmethod
    def split(self, room: Classroom, rng: np.random.Generator) -> Ints:
        """Return the group of each student, ``(students,)``: 0, 1, ..., none empty."""


class AbstractInformed(ABC):
    """A grouping that needs to know how its groups will be taught before it splits the class.

    Optional. A lesson calls :meth:`inform` on groupings that implement it.
    """

    @abstractmethod
    def inform(self, **lesson: Any) -> AbstractGrouping:
        """Return the grouping for this lesson.

        Parameters
        ----------
        lesson
            ``teacher``, ``goal``, ``observer``, ``learner`` and ``max_rounds``, as for
            :func:`homeroom.teach`, and ``progress``, a function to call from time to time.
        """


@dataclass(frozen=True)
class WholeClass(AbstractGrouping):
    """One group: classroom teaching (CT).

    >>> WholeClass().split(Classroom.sample(students=4), np.random.default_rng(0))
    array([0, 0, 0, 0])
    """

    def split(self, room: Classroom, rng: np.random.Generator) -> Ints:
        return np.zeros(room.students, dtype=np.int64)


@dataclass(frozen=True)
class Individuals(AbstractGrouping):
    """One group per student: individual teaching (IT).

    >>> Individuals().split(Classroom.sample(students=4), np.random.default_rng(0))
    array([0, 1, 2, 3])
    """

    def split(self, room: Classroom, rng: np.random.Generator) -> Ints:
        return np.arange(room.students, dtype=np.int64)


@dataclass(frozen=True)
class AtRandom(AbstractGrouping):
    """``k`` random groups, as equal in size as possible: a baseline (the paper's CTwP-Rand).

    >>> AtRandom(k=2).split(Classroom.sample(students=5), np.random.default_rng(0))
    array([0, 0, 1, 0, 1])
    """

    k: int = 2

    def __post_init__(self) -> None:
        whole(self.k, "k", at_least=1)

    def split(self, room: Classroom, rng: np.random.Generator) -> Ints:
        whole(self.k, "k", at_least=1, at_most=room.students)
        return rng.permutation(np.arange(room.students) % self.k)


@dataclass(frozen=True, eq=False)
class AsGiven(AbstractGrouping):
    """Groups chosen by the user: one label per student.

    >>> room = Classroom.sample(students=3)
    >>> AsGiven(["red", "blue", "red"]).split(room, np.random.default_rng(0))
    array([1, 0, 1])
    """

    labels: npt.ArrayLike

    def split(self, room: Classroom, rng: np.random.Generator) -> Ints:
        expected = f"`labels` must name the group of each of the {room.students} students"
        try:
            labels = np.asarray(self.labels)
        except ValueError:
            raise InputError(f"{expected}, but is a list of unequal rows.") from None
        if labels.shape != (room.students,):
            raise InputError(f"{expected}, but has shape {labels.shape}.")
        for student, label in enumerate(labels.tolist()):
            if label is None or (isinstance(label, float) and math.isnan(label)):
                raise InputError(f"{expected}, but student {student} has {label}.")
        return consecutive(labels.astype(np.str_) if labels.dtype == object else labels)


@dataclass(frozen=True)
class ByRate(AbstractGrouping):
    """The paper's groups: in each, the fastest student is less than twice as fast as the slowest.

    Doubling bins ``[2^i min, 2^(i+1) min)``, section 3 of the paper. Empty bins are left out.

    >>> room = Classroom(np.zeros((4, 1)), rates=[0.1, 0.19, 0.2, 0.8], target=[1.0])
    >>> ByRate().split(room, np.random.default_rng(0))
    array([0, 0, 1, 2])
    """

    def split(self, room: Classroom, rng: np.random.Generator) -> Ints:
        rates = _arrays.to_numpy(room.rates)
        slowest, fastest = float(rates.min()), float(rates.max())
        # Doubling is exact in floating point, so the bin edges are exact. A rate computed as a
        # multiple (0.7 * 0.8 compared with 0.07) can still miss its edge by rounding: hence slack.
        doublings = int(np.ceil(np.log2(fastest) - np.log2(slowest))) + 2
        slack = 1 + 8 * float(np.finfo(rates.dtype).eps)
        with np.errstate(over="ignore"):  # an edge that overflows is infinite: no rate reaches it
            edges = np.ldexp(slowest, np.arange(doublings)) / slack
        return consecutive(np.searchsorted(edges, rates, side="right"))


@dataclass(frozen=True)
class ByKnowledge(AbstractGrouping):
    """Clusters of students with similar states: k-means, the best of several starts.

    Parameters
    ----------
    k
        Number of groups (fewer if there are fewer different states).

    Examples
    --------
    >>> room = Classroom([[0.0], [0.1], [5.0], [5.1]], rates=[0.1] * 4, target=[1.0])
    >>> ByKnowledge(k=2).split(room, np.random.default_rng(0))
    array([0, 0, 1, 1])
    """

    k: int = 2

    def __post_init__(self) -> None:
        whole(self.k, "k", at_least=1)

    def split(self, room: Classroom, rng: np.random.Generator) -> Ints:
        whole(self.k, "k", at_least=1, at_most=room.students)
        states = _arrays.to_host(room.states)
        starts = KMEANS_STARTS if self.k > 1 else 1
        found = [_kmeans(states, self.k, rng) for _ in range(starts)]
        return _in_order_of_appearance(min(found, key=lambda one: one[0])[1])


def consecutive(labels: npt.NDArray[np.generic]) -> Ints:
    """Return labels of any kind as 0, 1, ... in their sorted order, without gaps."""
    return np.asarray(np.unique(labels, return_inverse=True)[1], dtype=np.int64).reshape(-1)


def _kmeans(states: Floats, k: int, rng: np.random.Generator) -> tuple[float, Ints]:
    """Return the within-cluster sum of squares and the cluster of each student.

    SciPy's k-means: O(students * dimensions * k) per iteration.
    """
    from scipy.cluster.vq import ClusterError, kmeans2, vq  # imported here: slow to import

    starts = _kmeans_plus_plus(states, k, rng)
    try:
        centres, labels = kmeans2(
            states,
            starts,
            iter=KMEANS_ITERATIONS,
            minit="matrix",
            missing="raise",
            check_finite=False,
        )
    except ClusterError:  # a cluster became empty; the starting centres have at least one each
        centres, labels = starts, vq(states, starts, check_finite=False)[0]
    gaps = states - centres[labels]
    return float((gaps * gaps).sum()), labels.astype(np.int64)


def _kmeans_plus_plus(states: Floats, k: int, rng: np.random.Generator) -> Floats:
    """Return up to k different starting centres; distant ones are more likely (k-means++).

    SciPy's own version fails when there are fewer than k different states.
    """
    starts = [states[rng.integers(len(states))]]
    squared = ((states - starts[0]) ** 2).sum(axis=1)
    while len(starts) < k and squared.any():
        start = states[rng.choice(len(states), p=squared / squared.sum())]
        starts.append(start)
        squared = np.minimum(squared, ((states - start) ** 2).sum(axis=1))
    return np.array(starts)


def _in_order_of_appearance(labels: Ints) -> Ints:
    """Return the labels renumbered: the first student is in group 0, and so on."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return consecutive(first[inverse.reshape(-1)])
