"""The items and the target of an activity, in the units of a lesson."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.live.refused import Refused


@dataclass(frozen=True, eq=False)
class Space:
    """Items and target as vectors.

    Items are ``(place, 1)``, scaled so that their mean squared length is 1; the target has length
    1. A student with state ``w`` says yes to item ``i`` with probability ``Phi(<w, rows[i]> /
    sigma)``.

    Parameters
    ----------
    ids
        The items, in the order of the rows.
    rows
        Shape ``(items, dimensions)``.
    target
        The target state, shape ``(dimensions,)``.
    labels
        +1 for yes, -1 for no, shape ``(items,)``.
    sigma
        The width of the transition between yes and no.
    """

    ids: tuple[str, ...]
    rows: Floats
    target: Floats
    labels: Floats
    sigma: float

    @classmethod
    def of(
        cls,
        places: Mapping[str, Sequence[float]],
        target: Sequence[float] | Floats,
        labels: Mapping[str, int],
    ) -> Space:
        """Return the space of items at these places.

        Items without a label are left out, and items whose label contradicts the rule.

        Parameters
        ----------
        places
            The place of each item.
        target
            The rule to be taught, ``(w, -tau)``: yes where ``<w, place> > tau``.
        labels
            The right answer to each item, 1 or -1.

        Examples
        --------
        >>> places = {"moth": (-1.0,), "bee": (1.0,), "fly": (2.0,)}
        >>> space = Space.of(places, (2.0, 0.0), {"moth": -1, "bee": 1, "fly": -1})
        >>> space.ids, space.rows.round(2).tolist()
        (('moth', 'bee'), [[-0.71, 0.71], [0.71, 0.71]])
        >>> space.target.tolist(), round(space.sigma, 2)
        ([1.0, 0.0], 0.35)
        """
        rule = np.asarray(target, dtype=np.float64)
        ids = tuple(
            item
            for item, place in places.items()
            if item in labels and (rule[:-1] @ np.asarray(place) + rule[-1]) * labels[item] > 0
        )
        if not ids:
            raise Refused("nothing_to_teach")
        where = np.array([places[item] for item in ids], dtype=np.float64)
        rows = np.column_stack([where, np.ones(len(ids))])
        size = float(np.sqrt((rows * rows).sum(axis=1).mean()))
        length = size * float(np.sqrt(rule @ rule))
        signs = np.array([labels[item] for item in ids], dtype=np.float64)
        return cls(ids, rows / size, size / length * rule, signs, 1.0 / length)

    @property
    def dimensions(self) -> int:
        """The number of components of a state."""
        return len(self.target)

    @cached_property
    def longest(self) -> float:
        """The length of the longest item."""
        return float(np.sqrt((self.rows * self.rows).sum(axis=1).max()))

    @cached_property
    def number(self) -> dict[str, int]:
        """The row of each item."""
        return {item: row for row, item in enumerate(self.ids)}

    def numbers(self, items: Sequence[str]) -> Ints:
        """Return the rows of some items."""
        return np.array([self.number[item] for item in items], dtype=np.int64)

    @cached_property
    def taught(self) -> Floats:
        """The score that students learn from each item's label, shape ``(items,)``.

        It is the target's score, but at least ``2 sigma``: a student who has seen the label of an
        item near the boundary knows it.
        """
        scores: Floats = self.labels * np.maximum(np.abs(self.rows @ self.target), 2.0 * self.sigma)
        return scores

    @cached_property
    def signed(self) -> Floats:
        """The rows, with a sign such that yes is right, shape ``(items, dimensions)``."""
        return self.rows * self.labels[:, None]
