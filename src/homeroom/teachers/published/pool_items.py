"""The items of a pool for teachers that compare them one by one, and which answers are right."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError
from homeroom.classroom import Classroom, Example
from homeroom.learners import AbstractLoss
from homeroom.moments import Observation
from homeroom.pools import AbstractPool, Ball, DirectionPool
from homeroom.teachers.base import AbstractTeacher
from homeroom.teachers.pool import fit_pool


@dataclass(frozen=True, eq=False)
class AbstractPoolTeacher(AbstractTeacher):
    """A teacher whose examples come from a pool, with the pool's labels if it has some.

    It implements ``choose``; or, if it has a memory, ``next``, which gets ``None`` at first.
    """

    pool: AbstractPool = field(default_factory=Ball)

    def prepare(self, room: Classroom, loss: AbstractLoss) -> Self:
        return replace(self, pool=fit_pool(self.pool, room, loss))

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example | None:
        return self.next(seen, None, rng)[0]


@dataclass(frozen=True, eq=False)
class AbstractItemTeacher(AbstractPoolTeacher):
    """A teacher that compares the items of a pool, which must therefore be a list."""

    pool: AbstractPool

    def prepare(self, room: Classroom, loss: AbstractLoss) -> Self:
        ready = super().prepare(room, loss)
        if ready.pool.candidates(room.example_radius) is None:
            raise InputError(
                f"{type(self).__name__} compares the items of a pool, but "
                f"{type(self.pool).__name__} cannot be listed. Use a pool of items, such as "
                "ItemPool(items) or DirectionPool(directions)."
            )
        return ready


class LabelledItems(NamedTuple):
    """Examples to compare: vectors, the item each comes from (-1: none), and their labels."""

    xs: Floats
    items: Ints
    labels: Floats

    def example(self, seen: Observation, row: int) -> Example:
        """Return one of them, as it is shown."""
        item = int(self.items[row])
        label = float(self.labels[row])
        return seen.example(self.xs[row], item=None if item < 0 else item, label=label)

    def rows_shown(self, seen: Observation) -> Ints:
        """Return the rows of the items shown so far, in order, as far as they are in the list."""
        items = np.asarray(seen.shown, dtype=np.int64)
        rows: Ints = np.searchsorted(self.items, items[np.isin(items, self.items)])  # ascending
        return rows


def list_items(pool: AbstractPool, seen: Observation) -> LabelledItems:
    """Return one example per item; directions at the best length for the fastest student."""
    if pool.directions is None:
        return list_examples(pool, seen)
    xs = math.sqrt(seen.gentle_g) * pool.directions
    return LabelledItems(xs, np.arange(len(xs)), seen.labels(xs))


def list_examples(pool: AbstractPool, seen: Observation) -> LabelledItems:
    """Return examples to compare: the pool's candidates, or the main axes of the class.

    The axes are for pools that cannot be listed, such as the ball. They are the principal
    directions of the gaps and their mean, at several lengths.
    """
    listed = pool.candidates(seen.example_radius)
    if listed is None:
        rows = _arrays.to_host(seen.gaps).reshape(-1, seen.width)
        axes = np.linalg.svd(rows, full_matrices=False)[2]
        mean = rows.mean(axis=0, keepdims=True)
        axes = np.vstack([axes, mean]) if mean.any() else axes
        listed = DirectionPool(axes).candidates(seen.example_radius)
        listed = listed._replace(items=np.full(len(listed.xs), -1, dtype=np.int64))
    labels = seen.labels(listed.xs) if listed.labels is None else listed.labels
    return LabelledItems(listed.xs, listed.items, labels)


def measure_scores(states: Floats, xs: Floats, outputs: int = 1) -> Floats:
    """Return ``<w, x>`` for each state and example, of each output if there are several.

    The shape is ``(states, examples)`` or ``(states, examples, outputs)``. Cost: O(states *
    examples * dimensions).
    """
    if outputs == 1:
        scores: Floats = states @ xs.T
        return scores
    return np.moveaxis(states.reshape(len(states), outputs, -1) @ xs.T, 1, 2)


def check_answers(scores: Floats, labels: Floats, outputs: int = 1) -> Floats:
    """Return 1 where an answer is right and 0 where not, ``(states, examples)``.

    An answer is the sign of the score, or with several outputs the class 1, 2, ... with the
    greatest score.
    """
    if outputs == 1:
        return np.asarray(scores * np.sign(labels) > 0.0, dtype=np.float64)
    return np.asarray(scores.argmax(axis=2) + 1 == labels, dtype=np.float64)
