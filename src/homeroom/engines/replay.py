"""A whole lesson applied to the students at once, in float64.

An example ``x`` with the target's label moves a student's gap ``e`` (state minus target) by
``-rate <e, x> x``. Students do not affect each other, so a block of them can be taught everything
while it stays in the cache. O(students * dimensions * rounds).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats
from homeroom.classroom import AbstractPiece, Classroom

LONG = 2.0 * (1 + 1e-9)
"""A student whose ``rate * |x|^2`` is above this may move away from the target (squared loss)."""

MAY_MOVE_AWAY = "rounds in which a fast student may have moved away"
"""The name of their count in a record."""

TOLERANCE = 1e-9
"""Rounding errors below this fraction of the error are ignored."""


def replay(states: Array, target: Array, rates: Array, xs: Floats) -> Array:
    """Return the gaps of students after the examples, in float64.

    Parameters
    ----------
    states, target, rates
        The students at the start, in any precision. With several outputs a state is their vectors
        one after the other.
    xs
        The examples, shape ``(rounds, dimensions)``; their labels are the target's own.
    """
    xp = _arrays.namespace(states)
    states, target, rates = (xp.astype(part, xp.float64) for part in (states, target, rates))
    gaps = _arrays.by_rows(states - target)
    vectors = _arrays.split_rows(gaps, xs.shape[1])
    rates = _arrays.for_each_vector(rates, gaps.shape[1] // xs.shape[1])
    for rows in _arrays.blocks_of(vectors):
        for x in xs:
            here = _arrays.like(x, gaps)
            moves = rates[rows] * (vectors[rows, :] @ here)
            vectors = _arrays.subtract_outer(vectors, rows, moves, here)
    return _arrays.flat_again(vectors, gaps)


def replay_class(room: Classroom, xs: Floats) -> Classroom:
    """Return the class after the examples, which have the target's own labels."""
    gaps = replay(room.states, room.target, room.rates, xs)
    return room.with_states(gaps + room.target)


@dataclass(frozen=True)
class Verdict:
    """The result of a pass over all students, with nothing interpolated.

    Parameters
    ----------
    students
        How many students there were.
    total
        The sum of their squared distances to the target.
    farthest
        The greatest distance among them.
    """

    students: int
    total: float
    farthest: float

    @property
    def error(self) -> float:
        """The class's mean squared distance to the target."""
        return self.total / self.students

    def __add__(self, other: Verdict) -> Verdict:
        return Verdict(
            self.students + other.students,
            self.total + other.total,
            max(self.farthest, other.farthest),
        )


def verdict(gaps: Array) -> Verdict:
    """Return the verdict on these gaps, one row per student."""
    xp = _arrays.namespace(gaps)
    squared = _arrays.sum_squares(gaps)
    return Verdict(gaps.shape[0], float(xp.sum(squared)), float(xp.max(squared)) ** 0.5)


def verdict_on_piece(piece: AbstractPiece, *, target: Floats, xs: Floats) -> Verdict:
    """Return the verdict on a piece's students after the examples."""
    total = Verdict(0, 0.0, 0.0)
    for states, rates in piece.blocks():
        total += verdict(replay(np.asarray(states), target, np.asarray(rates), xs))
    return total
