"""Clusters of annotators who would answer alike, and how many of them there are.

An annotator's line is ``(w, tau)``: weights and threshold, shape ``(d + 1,)``. The features of an
item at ``x`` are ``(x, -1)``, so the score ``<w, x> - tau`` is their product. With K > 2 classes
an annotator has K lines.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import ndtr, softmax

from homeroom._arrays import Floats, Ints
from homeroom._checks import whole
from homeroom.classroom import Classroom
from homeroom.crowd.fitting.parameters import MapParameters
from homeroom.groups import ByKnowledge

MOST = 8
"""The largest number of clusters that is tried."""
CLEAR, DRAWS = 0.2, 5
"""The silhouette that clusters must keep when all annotators are moved within their uncertainty,
and how often they are moved."""
AS_CLEAR = 0.02
"""By how much the silhouette must improve for more clusters to be preferred."""
REFERENCES, REFERENCE_SIZE = 10, 500
"""How many reference crowds without clusters there are of each shape, and their largest size."""
APART = 0.03
"""By how much the silhouette must exceed the best of the reference crowds."""
SAMPLE = 2000
"""Of more annotators than this, a sample is clustered, and the others join the nearest cluster."""
ITEMS = 300
"""Of more items than this, a sample is used to compare annotators; fewer with many classes."""


def clusters(
    found: MapParameters, covariances: Floats, k: int | None = None, *, seed: int = 0
) -> Ints:
    """Return the cluster of each annotator, the largest cluster first.

    Annotators are compared by what they would answer to the items, so that two with different
    weights but the same answers are alike. Clusters are found by k-means. If ``k`` is not given,
    the mean silhouette decides. There is only one cluster if reference crowds without clusters,
    with the same spread, reach nearly the same silhouette, or if the silhouette is small after
    moving all annotators within their uncertainty. (With five items, an annotator says yes 0, 1,
    ... or 5 times; that alone would look like six clusters.)

    Parameters
    ----------
    found
        The map: the places of the items, and the lines of the annotators.
    covariances
        The uncertainty of each annotator's ``(w, tau)``, shape ``(people, d + 1, d + 1)``, or with
        K > 2 classes ``(people, K, d + 1, d + 1)``.
    k
        The number of clusters.
    seed
        For the starts of k-means, the reference crowds, the moved annotators, and the samples of
        annotators and items.

    Examples
    --------
    >>> items, weights = np.array([[-1.0], [0.5]]), np.array([[2.0], [1.5], [-1.5], [1.8]])
    >>> clusters(MapParameters(items, weights, np.zeros(4)), np.full((4, 2, 2), 0.1), k=2)
    array([0, 0, 1, 0])
    """
    people = len(found.people)
    if k is not None:
        whole(k, "k", at_least=1, at_most=people)
    rng = np.random.default_rng(seed)
    most = max(2 * ITEMS // found.classes, 40)
    features = found.features[_sample_items(len(found.items), rng, most)]
    chosen = np.arange(people) if people <= SAMPLE else np.sort(rng.choice(people, SAMPLE, False))
    lines = found.lines
    rows = _probabilities(lines[chosen], features)
    if k is not None:
        labels = _k_means(rows, k, rng)
    else:
        labels = _clearest(lines[chosen], covariances[chosen], features, rng)
    if people > SAMPLE:
        numbers = range(int(labels.max()) + 1)
        centres = np.array([rows[labels == number].mean(axis=0) for number in numbers])
        parts = np.array_split(lines, -(-people // SAMPLE))  # all at once would need much memory
        each = (_probabilities(part, features) for part in parts)
        labels = np.concatenate([_distances(rows, centres).argmin(axis=1) for rows in each])
    return _largest_first(labels)


def _sample_items(items: int, rng: np.random.Generator, most: int = ITEMS) -> Ints:
    """Return the positions of all items, or of ``most`` drawn at random."""
    return np.arange(items) if items <= most else np.sort(rng.choice(items, most, replace=False))


def _clearest(
    lines: Floats, covariances: Floats, features: Floats, rng: np.random.Generator
) -> Ints:
    """Return the cluster of each annotator, for the number of clusters with the best silhouette.

    Of about equal silhouettes, the fewest clusters; one cluster if none stand out.
    """
    rows = _probabilities(lines, features)
    distances = _distances(rows, rows)
    found = [np.zeros(len(rows), dtype=np.int64)]
    clear = [CLEAR]
    for k in range(2, min(MOST, len(rows) - 1) + 1):
        found.append(_k_means(rows, k, rng))
        clear.append(silhouette(distances, found[-1]))
    enough = max(clear) - AS_CLEAR
    best = next(place for place, value in enumerate(clear) if value >= enough)
    stand_out = (
        best > 0
        and uncertain_silhouette(lines, covariances, features, found[best], rng) >= CLEAR
        and clear[best] >= reference_silhouette(lines, features, best + 1, rng) + APART
    )
    return found[best if stand_out else 0]


def uncertain_silhouette(
    lines: Floats, covariances: Floats, features: Floats, labels: Ints, rng: np.random.Generator
) -> float:
    """Return the mean silhouette when each line is moved by a draw from its uncertainty."""
    sizes, axes = np.linalg.eigh(covariances)  # a file may hold matrices that Cholesky refuses
    roots = axes * np.sqrt(np.maximum(sizes, 0.0))[..., None, :]
    found = []
    for _ in range(DRAWS):
        moves = (roots @ rng.standard_normal((*lines.shape, 1)))[..., 0]
        rows = _probabilities(lines + moves, features)
        found.append(silhouette(_distances(rows, rows), labels))
    return float(np.mean(found))


def reference_silhouette(
    lines: Floats, features: Floats, k: int, rng: np.random.Generator
) -> float:
    """Return the best silhouette of k clusters in reference crowds, which have no clusters."""
    found = [0.0]
    for _ in range(REFERENCES):
        for reference in reference_crowds(lines, min(REFERENCE_SIZE, len(lines)), rng):
            rows = _probabilities(reference, features)
            found.append(silhouette(_distances(rows, rows), _k_means(rows, k, rng)))
    return max(found)


def reference_crowds(lines: Floats, people: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Yield the lines of crowds without clusters, with the spread of a real crowd.

    The shape of a single cluster is not known, so there are two crowds. In the first, lines
    ``(w, tau)`` are Gaussian. In the second, the angle to the mean direction is Gaussian, and so
    are the length of ``w`` and ``tau``: annotators who weigh two features differently, but with the
    same strength, lie on an arc, and the halves of an arc have a better silhouette than those of a
    cloud. With one dimension there are no angles, and no second crowd; nor with more than two
    classes, where rows are near the crowd's row of their class.

    Parameters
    ----------
    lines
        Those of the real crowd, shape ``(people, d + 1)`` or ``(people, K, d + 1)``.
    people
        The number of annotators in the reference crowds.
    """
    if lines.ndim == 3:
        drawn = _gaussian_like(lines.reshape(len(lines), -1), people, rng)
        yield drawn.reshape(people, *lines.shape[1:])
        return
    yield _gaussian_like(lines, people, rng)
    d = lines.shape[1] - 1
    if d > 1:
        weights, thresholds = lines[:, :d], lines[:, d:]
        middle = _unit(weights.mean(axis=0))
        lengths = np.linalg.norm(weights, axis=1, keepdims=True)
        angles = _sphere_logarithm(weights, middle)
        drawn = _gaussian_like(np.column_stack([angles, lengths, thresholds]), people, rng)
        directions = _sphere_exponential(drawn[:, :d], middle)
        yield np.column_stack([drawn[:, d : d + 1] * directions, drawn[:, d + 1 :]])


def _gaussian_like(rows: Floats, number: int, rng: np.random.Generator) -> Floats:
    """Draw from the Gaussian that has the mean and covariance of the rows."""
    middle = rows.mean(axis=0)
    spread = (rows - middle) / np.sqrt(max(1, len(rows) - 1))
    drawn: Floats = middle + rng.standard_normal((number, len(rows))) @ spread
    return drawn


def _sphere_logarithm(weights: Floats, middle: Floats) -> Floats:
    """Return the tangent vector at the middle that points to each direction."""
    along = weights @ middle
    across = weights - along[:, None] * middle
    angles = np.arctan2(np.linalg.norm(across, axis=1), along)
    vectors: Floats = angles[:, None] * _unit(across)
    return vectors


def _sphere_exponential(vectors: Floats, middle: Floats) -> Floats:
    """Return the directions that these tangent vectors point to."""
    angles = np.linalg.norm(vectors, axis=1, keepdims=True)
    directions: Floats = np.cos(angles) * middle + np.sin(angles) * _unit(vectors)
    return directions


def _unit(vectors: Floats) -> Floats:
    """Return the vectors with length one; zero vectors stay."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    directions: Floats = vectors / np.where(lengths > 0, lengths, 1.0)
    return directions


def _probabilities(lines: Floats, features: Floats) -> Floats:
    """Return how likely each annotator says yes to each item, shape ``(people, items)``.

    With K > 2 classes how likely each answer is, shape ``(people, K * items)``.
    """
    scores = lines @ features.T
    if lines.ndim == 2:
        return np.asarray(ndtr(scores))
    return np.asarray(softmax(scores, axis=1)).reshape(len(lines), -1)


def _k_means(rows: Floats, k: int, rng: np.random.Generator) -> Ints:
    """Return which of k clusters each row is in, counted from 0."""
    room = Classroom(rows, np.ones(len(rows)), np.zeros(rows.shape[1]))
    return ByKnowledge(k).split(room, rng)


def _distances(rows: Floats, others: Floats) -> Floats:
    from scipy.spatial.distance import cdist  # imported here: slow to import

    return cdist(rows, others)


def silhouette(distances: Floats, labels: Ints) -> float:
    """Return how well clusters are separated, from -1 to 1: Rousseeuw's mean silhouette.

    For each annotator ``(b - a) / max(a, b)``, with the mean distance ``a`` to their own cluster
    and ``b`` to the nearest other; zero for an annotator alone in a cluster. The shape of
    ``distances`` is ``(people, people)``.

    >>> rows = np.array([[0.0], [0.0], [1.0], [1.0]])
    >>> silhouette(_distances(rows, rows), np.array([0, 0, 1, 1]))
    1.0
    """
    number = int(labels.max()) + 1
    if number < 2:
        return 0.0
    members = np.eye(number)[labels]
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
    """Return the clusters renumbered from 0, the largest first; of equals, the first to appear."""
    _, first, places, sizes = np.unique(
        labels, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.lexsort((first, -sizes))
    new = np.empty(len(order), dtype=np.int64)
    new[order] = np.arange(len(order))
    return new[places]
