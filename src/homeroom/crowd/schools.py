"""Schools of thought: groups of people who would answer alike."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import ndtr, ndtri

from homeroom._arrays import Floats, Ints
from homeroom.classroom import Classroom
from homeroom.classroom.checks import whole
from homeroom.groups import ByKnowledge

MOST = 8
"""The most groups that are looked for."""
CLEAR = 0.25
"""How well groups must be told apart to be called groups (silhouette); below it there is one."""
AS_CLEAR = 0.02
"""By how much more groups must be told apart better to be preferred to fewer."""
CLOUDS, CLOUD = 10, 500
"""How many crowds of one school groups are held against, and how many people these have at most."""
APART = 0.05
"""By how much better than the best of those groups must be told apart."""
SAMPLE = 2000
"""Of more people than this, a sample finds the groups, and the others join the nearest."""
ITEMS = 300
"""Of more items than this, some are enough to say how alike people answer."""


def schools(
    probabilities: Floats, k: int | None = None, *, seed: int | np.random.Generator = 0
) -> Ints:
    """Return the group of each person, the largest group first.

    People are compared by what they would answer to the items, so that two who weigh them
    differently but say the same are alike. Groups are found by k-means; how many is, if not given,
    where they are told apart best (mean silhouette), and one if that is not clear: if crowds of
    one school, who differ as widely but evenly, are told apart nearly as well.

    Parameters
    ----------
    probabilities
        How likely each person says yes to each item, shape ``(people, items)``.
    k
        How many groups.
    seed
        For k-means' starts, and for the sample if there are very many people.

    Examples
    --------
    >>> schools(np.array([[0.1, 0.9], [0.2, 0.9], [0.9, 0.1], [0.1, 0.8]]), k=2)
    array([0, 0, 1, 0])
    """
    people = len(probabilities)
    if k is not None:
        whole(k, "k", at_least=1, at_most=people)
    rng = np.random.default_rng(seed)
    chosen = np.arange(people) if people <= SAMPLE else np.sort(rng.choice(people, SAMPLE, False))
    sample = probabilities[chosen]
    found = _split(sample, k, rng) if k is not None else _clearest(sample, rng)
    if people > SAMPLE:
        groups = range(int(found.max()) + 1)
        centres = np.array([sample[found == group].mean(axis=0) for group in groups])
        found = cdist(probabilities, centres).argmin(axis=1)
    return _largest_first(found)


def some_items(items: int, rng: np.random.Generator) -> Ints:
    """Return the places of as many items as are needed to compare people."""
    return np.arange(items) if items <= ITEMS else np.sort(rng.choice(items, ITEMS, replace=False))


def _clearest(rows: Floats, rng: np.random.Generator) -> Ints:
    distances = cdist(rows, rows)
    found = [np.zeros(len(rows), dtype=np.int64)]
    clear = [CLEAR]
    for k in range(2, min(MOST, len(rows) - 1) + 1):
        found.append(_split(rows, k, rng))
        clear.append(silhouette(distances, found[-1]))
    enough = max(clear) - AS_CLEAR
    best = next(place for place, value in enumerate(clear) if value >= enough)
    if best and clear[best] < by_chance(rows, best + 1, rng) + APART:
        return found[0]
    return found[best]


def by_chance(rows: Floats, k: int, rng: np.random.Generator) -> float:
    """Return how well k groups are told apart at the best in crowds where there are none.

    These are drawn from the one Gaussian that has the mean and the covariance of ``Phi^-1`` of the
    probabilities: as if people's lines were spread evenly around one middle.
    """
    certain = ndtri(np.clip(rows, 1e-15, 1 - 1e-15))
    middle = certain.mean(axis=0)
    spread = (certain - middle) / np.sqrt(max(1, len(rows) - 1))
    found = [0.0]
    for _ in range(CLOUDS):
        mixed = rng.standard_normal((min(CLOUD, len(rows)), len(rows))) @ spread
        cloud = np.asarray(ndtr(middle + mixed))
        found.append(silhouette(cdist(cloud, cloud), _split(cloud, k, rng)))
    return max(found)


def _split(rows: Floats, k: int, rng: np.random.Generator) -> Ints:
    room = Classroom(rows, np.ones(len(rows)), np.zeros(rows.shape[1]))
    return ByKnowledge(k).split(room, rng)


def silhouette(distances: Floats, labels: Ints) -> float:
    """Return how well groups are told apart, from -1 to 1: Rousseeuw's mean silhouette.

    For each person ``(b - a) / max(a, b)``, with the mean distance ``a`` to the own group and
    ``b`` to the nearest other; zero for somebody who is alone.

    >>> rows = np.array([[0.0], [0.0], [1.0], [1.0]])
    >>> silhouette(cdist(rows, rows), np.array([0, 0, 1, 1]))
    1.0
    """
    groups = int(labels.max()) + 1
    if groups < 2:
        return 0.0
    members = np.eye(groups)[labels]
    sizes = members.sum(axis=0)
    sums = distances @ members
    own = np.arange(len(labels)), labels
    inside = sums[own] / np.maximum(sizes[labels] - 1, 1)
    means = sums / sizes
    means[own] = np.inf
    outside = means.min(axis=1)
    largest = np.maximum(inside, outside)
    apart = (outside - inside) / np.where(largest > 0, largest, 1.0)
    return float(np.where(sizes[labels] > 1, apart, 0.0).mean())


def _largest_first(labels: Ints) -> Ints:
    _, first, places, sizes = np.unique(
        labels, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.lexsort((first, -sizes))
    new = np.empty(len(order), dtype=np.int64)
    new[order] = np.arange(len(order))
    return new[places]
