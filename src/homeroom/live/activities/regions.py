"""A map of items with several classes: their places on a plane, and the region of each class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from homeroom._arrays import Floats

RIDGE = 0.05
"""Added to the spread within classes, relative to the spread of all items: few items, or equal
ones, must not decide the directions alone."""


class Region(NamedTuple):
    """A class is right where its score ``<normal, place> - offset`` is the largest."""

    label: int
    normal: tuple[float, float]
    offset: float


class ClassPlane(NamedTuple):
    """The place of each item on the plane, and the region of each class."""

    places: Mapping[str, tuple[float, float]]
    regions: tuple[Region, ...]


def class_plane(
    places: Mapping[str, Sequence[float]], labels: Mapping[str, int]
) -> ClassPlane | None:
    """Return the plane on which the classes differ most; ``None`` with fewer than two classes.

    With two coordinates they are the plane. With more, it has the two directions in which the means
    of the classes are farthest apart, relative to the spread within the classes (linear
    discriminant analysis); the regions are those of its rule. Cost: O(items * dimensions^2).

    Parameters
    ----------
    places
        The place of each item.
    labels
        The class of each item that has one.

    Examples
    --------
    >>> places = {"a": (0.0, 0.0), "b": (1.0, 0.0), "c": (0.0, 1.0)}
    >>> plane = class_plane(places, {"a": 1, "b": 2, "c": 3})
    >>> plane.places["b"], [region.label for region in plane.regions]
    ((1.0, 0.0), [1, 2, 3])
    """
    known = [item for item in places if item in labels]
    classes = sorted({labels[item] for item in known})
    if len(classes) < 2:
        return None
    xs = np.array([places[item] for item in places], dtype=np.float64)
    if xs.shape[1] < 2:
        xs = np.column_stack([xs, np.zeros(len(xs))])
    seen = xs[[item in labels for item in places]]
    of = np.array([classes.index(labels[item]) for item in known])
    if xs.shape[1] > 2:
        directions = _directions(seen, of)
        middle = seen.mean(axis=0)
        xs, seen = (xs - middle) @ directions, (seen - middle) @ directions
    means, within = _spread(seen, of)
    normals = np.linalg.solve(within, means.T).T
    offsets = (normals * means).sum(axis=1) / 2.0
    return ClassPlane(
        {item: (float(x), float(y)) for item, (x, y) in zip(places, xs, strict=True)},
        tuple(
            Region(label, (float(normal[0]), float(normal[1])), float(offset))
            for label, normal, offset in zip(classes, normals, offsets, strict=True)
        ),
    )


def _spread(xs: Floats, of: Floats) -> tuple[Floats, Floats]:
    """Return the mean of each class, and the covariance within the classes, with a ridge."""
    means = np.array([xs[of == one].mean(axis=0) for one in range(int(of.max()) + 1)])
    apart = xs - means[of]
    every = xs - xs.mean(axis=0)
    size = float((every * every).sum(axis=1).mean()) / xs.shape[1]
    ridge = RIDGE * (size or 1.0) * np.eye(xs.shape[1])
    return means, apart.T @ apart / len(xs) + ridge


def _directions(xs: Floats, of: Floats) -> Floats:
    """Return the two directions in which the classes differ most, ``(dimensions, 2)``."""
    means, within = _spread(xs, of)
    values, vectors = np.linalg.eigh(within)
    whiten = vectors / np.sqrt(values)
    _, _, rows = np.linalg.svd((means - means.mean(axis=0)) @ whiten)
    found = whiten @ rows[:2].T
    signs = np.sign(found[np.abs(found).argmax(axis=0), [0, 1]])  # the same on every machine
    directions: Floats = found * signs
    return directions
