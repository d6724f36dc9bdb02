"""A map of any number of dimensions, laid out on the paper's two."""

from __future__ import annotations

import numpy as np

from homeroom._arrays import Floats

PLACES = 40
"""In how many places items are piled up, where a map has one dimension."""


def on_the_plane(items: Floats) -> Floats:
    """Return where the items go: their first two coordinates.

    With one dimension, items that would lie on each other are piled up.

    >>> on_the_plane(np.array([[1.0], [1.01], [3.0]]))
    array([[1.  , 0.  ],
           [1.01, 0.05],
           [3.  , 0.  ]])
    """
    if items.shape[1] > 1:
        return items[:, :2]
    return np.column_stack([items[:, 0], _piled(items[:, 0])])


def normals(people: Floats) -> Floats:
    """Return how people weigh the two coordinates of :func:`on_the_plane`."""
    if people.shape[-1] > 1:
        return people[..., :2]
    return np.concatenate([people, np.zeros_like(people)], axis=-1)


def _piled(values: Floats) -> Floats:
    """Return a height for each value: above the smaller ones that are in the same place."""
    span = float(values.max() - values.min()) or 1.0
    places = np.floor((values - values.min()) / span * PLACES).astype(np.int64)
    heights = np.zeros(len(values))
    seen: dict[int, int] = {}
    for at in np.argsort(values, kind="stable").tolist():
        heights[at] = seen.get(int(places[at]), 0)
        seen[int(places[at])] = int(heights[at]) + 1
    step = min(span / PLACES, 0.5 * span / max(1.0, float(heights.max())))
    return heights * step
