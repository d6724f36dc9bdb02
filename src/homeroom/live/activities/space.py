"""The items and the target of an activity, in the units of a lesson."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.live.refused import Refused
from homeroom.observers.quizzing.fitted_people import SHEPARD
from homeroom.people_order import Coverage


@dataclass(frozen=True, eq=False)
class Space:
    """Items and target as vectors.

    Items are ``(place, 1)``, scaled so that their mean squared length is 1; the target has length
    1. A student with state ``w`` says yes to item ``i`` with probability ``Phi(<w, rows[i]> /
    sigma)``, where ``Phi`` is the normal distribution function.

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

        Items without a label, on the boundary, or with a label that contradicts the rule are left
        out. Raises ``Refused`` if none is left.

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
        length = float(np.sqrt(rule @ rule))
        signs = np.array([labels[item] for item in ids], dtype=np.float64)
        # In the units of the rule, the transition between yes and no has width 1.
        return cls(ids, rows / size, rule / length, signs, 1.0 / (size * length))

    @property
    def dimensions(self) -> int:
        """The number of components of a state."""
        return len(self.target)

    @cached_property
    def longest(self) -> float:
        """The length of the longest item."""
        return float(np.sqrt((self.rows * self.rows).sum(axis=1).max()))

    @cached_property
    def row_of(self) -> dict[str, int]:
        """The row of each item."""
        return {item: row for row, item in enumerate(self.ids)}

    @staticmethod
    def value(answer: int) -> int:
        """Return an answer in the form that beliefs use: 1 for yes, -1 for no."""
        return answer

    def rows_of(self, items: Sequence[str]) -> Ints:
        """Return the rows of some items."""
        return np.array([self.row_of[item] for item in items], dtype=np.int64)

    @cached_property
    def taught(self) -> Floats:
        """The score ``<w, row>`` that a student learns from each item's label, shape ``(items,)``.

        It is the target's score, with an absolute value of at least a margin that was fitted to
        students' answers: a student who has seen the label of an item near the boundary knows it.
        """
        least = SHEPARD.margin.value * self.sigma
        scores: Floats = self.labels * np.maximum(np.abs(self.rows @ self.target), least)
        return scores

    @cached_property
    def coverage(self) -> Coverage:
        """How similar the items are: the order in which they are shown."""
        return Coverage.of(self.rows, self.labels)

    @cached_property
    def signed(self) -> Floats:
        """The rows times their labels, shape ``(items, dimensions)``: a positive score is right."""
        return self.rows * self.labels[:, None]


@dataclass(frozen=True, eq=False)
class AnswerList:
    """Items without a rule for two answers: with several answers, or facts that share no rule.

    Parameters
    ----------
    ids
        The items.
    keys
        The number of the right answer to each item, from 1, shape ``(items,)``.
    options
        How many answers each item offers, shape ``(items,)``.
    facts
        Whether each item is learned separately; otherwise items with the same right answer are of
        one kind, and students learn the kinds.
    places
        The places of the items on a map, shape ``(items, dimensions)``, if all have one.

    Examples
    --------
    >>> trees = AnswerList(("a", "b"), np.array([2, 1]), np.array([3, 3]), facts=False)
    >>> trees.row_of, trees.value(3), trees.value(-1)
    ({'a': 0, 'b': 1}, 3, 2)
    """

    ids: tuple[str, ...]
    keys: Ints
    options: Ints
    facts: bool
    places: Floats | None = None

    @cached_property
    def coverage(self) -> Coverage | None:
        """How similar items on a map are: the order in which they are shown."""
        if self.facts or self.places is None:
            return None
        return Coverage.of(self.places, self.keys)

    @property
    def dimensions(self) -> int:
        """The number of kinds of items: one per answer; 0 for facts."""
        return 0 if self.facts else int(self.options.max())

    @cached_property
    def row_of(self) -> dict[str, int]:
        """The position of each item."""
        return {item: row for row, item in enumerate(self.ids)}

    def rows_of(self, items: Sequence[str]) -> Ints:
        """Return the positions of some items."""
        return np.array([self.row_of[item] for item in items], dtype=np.int64)

    @property
    def taught(self) -> Floats:
        """What each item's label teaches, as beliefs use it, shape ``(items,)``.

        Here it is the number of the right answer; in :class:`Space` it is a score.
        """
        return self.keys.astype(np.float64)

    @staticmethod
    def value(answer: int) -> int:
        """Return the number of an answer; of two answers, -1 is the second."""
        return 2 if answer == -1 else answer
