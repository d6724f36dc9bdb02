"""The items of a pool for teachers that compare them one by one, and which answers are right."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError
from homeroom.classroom import Classroom, Example
from homeroom.learners import AbstractLoss
from homeroom.moments import Observation
from homeroom.pools import AbstractPool, Candidates, DirectionPool
from homeroom.teachers.base import AbstractTeacher
from homeroom.teachers.pool import fitted_pool


@dataclass(frozen=True, eq=False)
class AbstractPoolTeacher(AbstractTeacher):
    """A teacher whose examples come from a pool, with the pool's labels if it has some."""

    pool: AbstractPool

    @property
    def own_labels(self) -> bool:
        return self.pool.labels is not None

    def prepare(self, room: Classroom, loss: AbstractLoss) -> Self:
        return replace(self, pool=fitted_pool(self.pool, room, loss))


@dataclass(frozen=True, eq=False)
class AbstractItemTeacher(AbstractPoolTeacher):
    """A teacher that compares the items of a pool, which must therefore be a list."""

    def prepare(self, room: Classroom, loss: AbstractLoss) -> Self:
        ready = super().prepare(room, loss)
        if ready.pool.candidates(room.example_radius) is None:
            raise InputError(
                f"{type(self).__name__} compares the items of a pool, but "
                f"{type(self.pool).__name__} cannot be listed. Use a pool of items, such as "
                "ItemPool(items) or DirectionPool(directions)."
            )
        return ready


class Listed(NamedTuple):
    """Examples to compare: vectors, the item each comes from (-1: none), and their labels."""

    xs: Floats
    items: Ints
    labels: Floats

    def example(self, seen: Observation, row: int) -> Example:
        """Return one of them, as it is shown."""
        item = int(self.items[row])
        label = float(self.labels[row])
        return seen.example(self.xs[row], item=None if item < 0 else item, label=label)

    def shown(self, seen: Observation) -> Ints:
        """Return the rows of the items shown so far, in order, as far as they are in the list."""
        items = np.asarray(seen.shown, dtype=np.int64)
        rows: Ints = np.searchsorted(self.items, items[np.isin(items, self.items)])  # ascending
        return rows


def items_of(pool: AbstractPool, seen: Observation) -> Listed:
    """Return one example per item; directions at the best length for the fastest student."""
    if pool.directions is not None:
        xs = math.sqrt(seen.gentle_g) * pool.directions
        return _with_labels(Candidates(xs, np.arange(len(xs)), None), seen)
    listed = pool.candidates(seen.example_radius)
    assert listed is not None  # refused by `prepare`
    return _with_labels(listed, seen)


def examples_of(pool: AbstractPool, seen: Observation) -> Listed:
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
    return _with_labels(listed, seen)


def _with_labels(listed: Candidates, seen: Observation) -> Listed:
    """Return the candidates with their own labels, or else the target's."""
    labels = seen.labels(listed.xs) if listed.labels is None else listed.labels
    return Listed(listed.xs, listed.items, labels)


def scores_of(states: Floats, xs: Floats, outputs: int = 1) -> Floats:
    """Return ``<w, x>`` for each state and example, of each output if there are several.

    The shape is ``(states, examples)`` or ``(states, examples, outputs)``. Cost: O(states *
    examples * dimensions).
    """
    if outputs == 1:
        scores: Floats = states @ xs.T
        return scores
    return np.moveaxis(states.reshape(len(states), outputs, -1) @ xs.T, 1, 2)


def answers_right(scores: Floats, labels: Floats, outputs: int = 1) -> Floats:
    """Return 1 where an answer is right and 0 where not, ``(states, examples)``.

    An answer is the sign of the score, or with several outputs the class 1, 2, ... with the
    greatest score.
    """
    if outputs == 1:
        return np.asarray(scores * np.sign(labels) > 0.0, dtype=np.float64)
    return np.asarray(scores.argmax(axis=2) + 1 == labels, dtype=np.float64)


def share_right(seen: Observation, example: Example) -> float:
    """Return the share of the students who would answer an example rightly now."""
    outputs = seen.loss.outputs
    scores = scores_of(_arrays.to_host(seen.states), example.x[None, :], outputs)
    return float(answers_right(scores, np.array([example.y]), outputs).mean())
