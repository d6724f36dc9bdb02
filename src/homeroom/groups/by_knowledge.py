"""Groups of students who know about the same."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Floats, Ints
from homeroom._checks import whole
from homeroom.classroom import Classroom
from homeroom.groups.base import AbstractGrouping, numbered

STARTS = 8
ITERATIONS = 30


@dataclass(frozen=True)
class ByKnowledge(AbstractGrouping):
    """Clusters of like-minded students: k-means on the states, the best of several starts.

    Parameters
    ----------
    k
        How many groups (fewer, if fewer students differ).

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
        states = _arrays.small(room.states)
        labels = min(
            (_cluster(states, self.k, rng) for _ in range(STARTS if self.k > 1 else 1)),
            key=lambda found: found[0],
        )[1]
        return _in_order_of_appearance(labels)


def _cluster(states: Floats, k: int, rng: np.random.Generator) -> tuple[float, Ints]:
    """Return how tight the clusters are, and the cluster of each student.

    SciPy's k-means: O(students * dimensions * k) an iteration.
    """
    from scipy.cluster.vq import ClusterError, kmeans2, vq  # here: it takes long to import

    starts = _spread_out(states, k, rng)
    try:
        centres, labels = kmeans2(
            states, starts, iter=ITERATIONS, minit="matrix", missing="raise", check_finite=False
        )
    except ClusterError:  # a centre lost all its students: the starts themselves have one each
        centres, labels = starts, vq(states, starts, check_finite=False)[0]
    gaps = states - centres[labels]
    return float((gaps * gaps).sum()), labels.astype(np.int64)


def _spread_out(states: Floats, k: int, rng: np.random.Generator) -> Floats:
    """Return up to k different students to start from, far ones more likely (k-means++).

    SciPy's own way of doing this fails where fewer than k students differ.
    """
    starts = [states[rng.integers(len(states))]]
    squared = ((states - starts[0]) ** 2).sum(axis=1)
    while len(starts) < k and squared.any():
        start = states[rng.choice(len(states), p=squared / squared.sum())]
        starts.append(start)
        squared = np.minimum(squared, ((states - start) ** 2).sum(axis=1))
    return np.array(starts)


def _in_order_of_appearance(labels: Ints) -> Ints:
    """Return the labels renamed so that the first student is in group 0, and so on."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return numbered(first[inverse.reshape(-1)])
