"""Schools of thought: groups of people who would answer alike."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import ndtr

from homeroom._arrays import Floats, Ints
from homeroom._checks import whole
from homeroom.classroom import Classroom
from homeroom.crowd.fitting.point import Point
from homeroom.crowd.one_school import one_school
from homeroom.groups import ByKnowledge

MOST = 8
"""The most groups that are looked for."""
CLEAR, DRAWS = 0.2, 5
"""How well groups must be told apart to be called groups (silhouette) with everybody moved as far
as they may be off, and how often that is tried."""
AS_CLEAR = 0.02
"""By how much more groups must be told apart better to be preferred to fewer."""
CLOUDS, CLOUD = 10, 500
"""How many crowds of one school groups are held against, of each shape, and how many people these
have at most."""
APART = 0.03
"""By how much better than the best of those groups must be told apart."""
SAMPLE = 2000
"""Of more people than this, a sample finds the groups, and the others join the nearest."""
ITEMS = 300
"""Of more items than this, some are enough to say how alike people answer."""


def schools(point: Point, covariances: Floats, k: int | None = None, *, seed: int = 0) -> Ints:
    """Return the group of each person, the largest group first.

    People are compared by what they would answer to the items, so that two who weigh them
    differently but say the same are alike. Groups are found by k-means; how many is, if not given,
    where they are told apart best (mean silhouette), and one if that is not clear: if crowds of
    one school, who differ as widely but evenly, are told apart nearly as well; or if little is left
    of the groups with everybody moved as far as they may be off. (To five items a person says yes
    never, once, ... or five times; that alone would look like six groups.)

    Parameters
    ----------
    point
        The map.
    covariances
        How unsure each person's ``(w, tau)`` is, shape ``(people, d + 1, d + 1)``.
    k
        How many groups.
    seed
        For k-means' starts, for the crowds that groups are held against, for how people are moved,
        and for the sample if there are very many people or items.

    Examples
    --------
    >>> items, weights = np.array([[-1.0], [0.5]]), np.array([[2.0], [1.5], [-1.5], [1.8]])
    >>> schools(Point(items, weights, np.zeros(4)), np.full((4, 2, 2), 0.1), k=2)
    array([0, 0, 1, 0])
    """
    people = len(point.people)
    if k is not None:
        whole(k, "k", at_least=1, at_most=people)
    rng = np.random.default_rng(seed)
    features = point.features[some_items(len(point.items), rng)]
    chosen = np.arange(people) if people <= SAMPLE else np.sort(rng.choice(people, SAMPLE, False))
    lines = point.lines
    rows = _chances(lines[chosen], features)
    if k is not None:
        found = _split(rows, k, rng)
    else:
        found = _clearest(lines[chosen], covariances[chosen], features, rng)
    if people > SAMPLE:
        groups = range(int(found.max()) + 1)
        centres = np.array([rows[found == group].mean(axis=0) for group in groups])
        parts = np.array_split(lines, -(-people // SAMPLE))  # a table of all would be large
        nearest = [cdist(_chances(part, features), centres).argmin(axis=1) for part in parts]
        found = np.concatenate(nearest)
    return _largest_first(found)


def some_items(items: int, rng: np.random.Generator) -> Ints:
    """Return the places of as many items as are needed to compare people."""
    return np.arange(items) if items <= ITEMS else np.sort(rng.choice(items, ITEMS, replace=False))


def _clearest(
    lines: Floats, covariances: Floats, features: Floats, rng: np.random.Generator
) -> Ints:
    rows = _chances(lines, features)
    distances = cdist(rows, rows)
    found = [np.zeros(len(rows), dtype=np.int64)]
    clear = [CLEAR]
    for k in range(2, min(MOST, len(rows) - 1) + 1):
        found.append(_split(rows, k, rng))
        clear.append(silhouette(distances, found[-1]))
    enough = max(clear) - AS_CLEAR
    best = next(place for place, value in enumerate(clear) if value >= enough)
    stand_out = (
        best > 0
        and in_doubt(lines, covariances, features, found[best], rng) >= CLEAR
        and clear[best] >= by_chance(lines, features, best + 1, rng) + APART
    )
    return found[best if stand_out else 0]


def in_doubt(
    lines: Floats, covariances: Floats, features: Floats, labels: Ints, rng: np.random.Generator
) -> float:
    """Return how well groups are told apart with everybody moved as far as they may be off.

    Each line moves by a draw from the Gaussian with its covariance.
    """
    sizes, axes = np.linalg.eigh(covariances)  # a file may hold what Cholesky would refuse
    roots = axes * np.sqrt(np.maximum(sizes, 0.0))[:, None, :]
    found = []
    for _ in range(DRAWS):
        moves = (roots @ rng.standard_normal((*lines.shape, 1)))[:, :, 0]
        rows = _chances(lines + moves, features)
        found.append(silhouette(cdist(rows, rows), labels))
    return float(np.mean(found))


def by_chance(lines: Floats, features: Floats, k: int, rng: np.random.Generator) -> float:
    """Return how well k groups are told apart at the best in crowds where there are none."""
    found = [0.0]
    for _ in range(CLOUDS):
        for cloud in one_school(lines, min(CLOUD, len(lines)), rng):
            rows = _chances(cloud, features)
            found.append(silhouette(cdist(rows, rows), _split(rows, k, rng)))
    return max(found)


def _chances(lines: Floats, features: Floats) -> Floats:
    """Return how likely each person says yes to each item, shape ``(people, items)``."""
    return np.asarray(ndtr(lines @ features.T))


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
