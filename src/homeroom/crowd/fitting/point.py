"""A point in the space of maps: where items are, how people weigh them, where they say yes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats


class Point(NamedTuple):
    """One map: items ``(items, d)``, people ``(people, d)`` and thresholds ``(people,)``.

    A person says yes to an item with probability ``Phi(<w, x> - tau)``.
    """

    items: Floats
    people: Floats
    thresholds: Floats

    @property
    def dimensions(self) -> int:
        """How many numbers an item has."""
        return int(self.items.shape[1])

    def flat(self) -> Floats:
        """Return all numbers in one vector."""
        return np.concatenate([self.items.ravel(), self.people.ravel(), self.thresholds])

    def like(self, flat: Floats) -> Point:
        """Return the map whose numbers are these, in the order of :meth:`flat`."""
        items, people = self.items.size, self.people.size
        return Point(
            flat[:items].reshape(self.items.shape),
            flat[items : items + people].reshape(self.people.shape),
            flat[items + people :],
        )

    def turn(self, rotation: Floats) -> Point:
        """Return the same map turned: no answer becomes more or less probable."""
        return Point(self.items @ rotation, self.people @ rotation, self.thresholds)

    def certainty(self, person: npt.NDArray[np.integer], item: npt.NDArray[np.integer]) -> Floats:
        """Return ``<w, x> - tau`` of these people and items, pair by pair."""
        certain: Floats = (self.people[person] * self.items[item]).sum(axis=-1)
        certain -= self.thresholds[person]
        return certain

    @property
    def lines(self) -> Floats:
        """What each person's answer to an item is linear in, ``(w, tau)``: ``(people, d + 1)``."""
        return np.column_stack([self.people, self.thresholds])

    @property
    def features(self) -> Floats:
        """What a line is multiplied by, ``(x, -1)``: shape ``(items, d + 1)``."""
        return np.column_stack([self.items, np.full(len(self.items), -1.0)])
