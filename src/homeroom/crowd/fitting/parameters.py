"""The parameters of a map, and how maps that differ only by a rotation are compared."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats


class MapParameters(NamedTuple):
    """A map: items ``(items, d)``, weights of annotators ``(people, d)``, thresholds ``(people,)``.

    An annotator with weights ``w`` and threshold ``tau`` says yes to an item at ``x`` with
    probability ``Phi(<w, x> - tau)``, where ``Phi`` is the normal distribution function. With K > 2
    classes there are weights and a threshold per class, shapes ``(people, K, d)`` and
    ``(people, K)``, and an annotator says c with probability ``softmax_c(<w_c, x> - tau_c)``.
    """

    items: Floats
    people: Floats
    thresholds: Floats

    @classmethod
    def of(cls, items: Floats, lines: Floats) -> MapParameters:
        """Return the map with these items and lines ``(w, tau)``, shape ``(people, d + 1)``.

        With K > 2 classes, lines have shape ``(people, K, d + 1)``.
        """
        return cls(items, lines[..., :-1], lines[..., -1])

    @property
    def classes(self) -> int:
        """The number of classes: 2, or as many as an annotator has rows."""
        return 2 if self.people.ndim == 2 else int(self.people.shape[1])

    @property
    def outputs(self) -> list[tuple[Floats, Floats]]:
        """The weights and thresholds per score, as views: one score, or one per class."""
        if self.people.ndim == 2:
            return [(self.people, self.thresholds)]
        return [(self.people[:, c], self.thresholds[:, c]) for c in range(self.classes)]

    @property
    def dimensions(self) -> int:
        """The number of coordinates of an item."""
        return int(self.items.shape[1])

    def flat(self) -> Floats:
        """Return all numbers in one vector."""
        return np.concatenate([self.items.ravel(), self.people.ravel(), self.thresholds.ravel()])

    def like(self, flat: Floats) -> MapParameters:
        """Return the map with these numbers, in the order of :meth:`flat`."""
        items, people = self.items.size, self.people.size
        return MapParameters(
            flat[:items].reshape(self.items.shape),
            flat[items : items + people].reshape(self.people.shape),
            flat[items + people :].reshape(self.thresholds.shape),
        )

    def rotate(self, rotation: Floats) -> MapParameters:
        """Return the rotated map, which gives every answer the same probability."""
        return MapParameters(self.items @ rotation, self.people @ rotation, self.thresholds)

    def certainty(self, person: npt.NDArray[np.integer], item: npt.NDArray[np.integer]) -> Floats:
        """Return ``<w, x> - tau`` of these annotators and items, pair by pair.

        With K > 2 classes, the last axis is that of the classes.
        """
        places = self.items[item] if self.people.ndim == 2 else self.items[item][..., None, :]
        certain: Floats = (self.people[person] * places).sum(axis=-1)
        certain -= self.thresholds[person]
        return certain

    @property
    def lines(self) -> Floats:
        """The lines ``(w, tau)`` of annotators: ``(people, d + 1)`` or ``(people, K, d + 1)``."""
        return np.concatenate([self.people, self.thresholds[..., None]], axis=-1)

    @property
    def features(self) -> Floats:
        """What a line is multiplied by, ``(x, -1)``, shape ``(items, d + 1)``."""
        return np.column_stack([self.items, np.full(len(self.items), -1.0)])


def canonical_rotation(found: MapParameters) -> Floats:
    """Return the rotation after which items differ most along the first axis.

    The axes become the eigenvectors of ``X'X`` (``X`` are the items), largest eigenvalue first.
    Each points to where annotators say yes more often on average, or, where their weights cancel,
    to the longer tail of the items.
    """
    _, axes = np.linalg.eigh(found.items.T @ found.items)
    axes = axes[:, ::-1]
    rows = found.people.reshape(-1, found.dimensions) @ axes
    weights, size = rows.sum(axis=0), np.abs(rows).sum(axis=0)
    tails = ((found.items @ axes) ** 3).sum(axis=0)
    towards = np.where(np.abs(weights) > 1e-3 * size, weights, tails)
    rotation: Floats = axes * np.where(towards < 0, -1.0, 1.0)
    return rotation


def rotation_onto(rows: Floats, other: Floats) -> Floats:
    """Return the rotation or reflection that brings rows closest to others, ``rows @ rotation``.

    Orthogonal Procrustes: the polar factor of ``rows' other``.

    >>> rotation_onto(np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[0.0, 1.0], [2.0, 0.0]])).round(
    ...     9
    ... )
    array([[0., 1.],
           [1., 0.]])
    """
    left, _, right = np.linalg.svd(rows.T @ other)
    rotation: Floats = left @ right
    return rotation


def disparity(rows: Floats, other: Floats) -> float:
    """Return how different two maps of the same items are, from 0 (the same) to 1.

    The squared distance that remains after both are centred and scaled to size one, and one is
    rotated and scaled onto the other (``scipy.spatial.procrustes`` calls it disparity).

    >>> square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]])
    >>> round(disparity(square, 3 * square[:, ::-1] + 7), 12)
    0.0
    """
    first, second = _standardized(rows), _standardized(other)
    overlap = np.linalg.svd(first.T @ second, compute_uv=False).sum()
    return max(0.0, 1.0 - float(overlap) ** 2)


def _standardized(rows: Floats) -> Floats:
    """Return the rows centred, and scaled so that all their squares sum to one."""
    rows = rows - rows.mean(axis=0)
    size = np.linalg.norm(rows)
    return rows / size if size > 0 else rows
