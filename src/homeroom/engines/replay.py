"""A whole lesson applied to the students at once, where the rounds in between do not matter.

Students do not affect each other, so a block of them can be taught everything while it stays in the
cache. O(students * dimensions * rounds).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats
from homeroom.classroom import AbstractPiece, Classroom
from homeroom.engines.digits import replayed_in_digits
from homeroom.moments.rounding import UNIT, GapRounding, off_by

LONG = 2.0 * (1 + 1e-9)
"""A student whose ``rate * |x|^2`` is above this may move away from the target (squared loss)."""

MAY_MOVE_AWAY = "rounds in which a fast student may have moved away"
"""The name of their count in a record."""

TOLERANCE = 1e-9
"""Rounding errors below this fraction of the error are ignored."""


def replayed(gaps: Array, rates: Array, xs: Floats, squares: Floats | None = None) -> Array:
    """Return where these gaps are after the examples; the gaps may be changed in place.

    ``squares``, shape ``(rounds,)``, has the sum of the squared gaps before each example added to
    it if given. With several outputs a gap is their vectors one after the other.
    """
    xp = _arrays.namespace(gaps)
    vectors = _arrays.split_rows(gaps, xs.shape[1])
    rates = _arrays.for_each_vector(rates, gaps.shape[1] // xs.shape[1])
    for rows in _arrays.blocks_of(vectors):
        for number, x in enumerate(xs):
            here = _arrays.like(x, gaps)
            if squares is not None:
                squares[number] += float(xp.sum(_arrays.squared_lengths(vectors[rows, :])))
            moves = rates[rows] * (vectors[rows, :] @ here)
            vectors = _arrays.subtract_outer(vectors, rows, moves, here)
    return _arrays.flat_again(vectors, gaps)


def replayed_exactly(states: Array, target: Array, rates: Array, xs: Floats) -> Array:
    """Return the gaps after the examples in float64, without rounding errors that have grown.

    Where propagating the errors does not show that they stay small, the students are replayed with
    as many digits as needed.

    Parameters
    ----------
    states, target, rates
        The students at the start, in any precision.
    xs
        The examples, shape ``(rounds, dimensions)``; their labels are the target's own.
    """
    xp = _arrays.namespace(states)
    states, target, rates = (xp.astype(part, xp.float64) for part in (states, target, rates))
    gaps = _arrays.by_rows(states - target)
    on_host = _arrays.to_host(rates)
    if float(on_host.max()) * longest(xs) <= LONG:
        return replayed(gaps, rates, xs)
    squares = np.zeros(len(xs))
    gaps = replayed(gaps, rates, xs, squares)
    after = float(xp.mean(_arrays.squared_lengths(gaps)))
    rounding = GapRounding(on_host, xs.shape[1], UNIT)
    rounding.show(xs, squares / gaps.shape[0])
    if not off_by(after, rounding.spread) <= TOLERANCE * after:
        return _arrays.like(replayed_with_digits(states, target, rates, xs), gaps)
    return gaps


def replayed_with_digits(states: Array, target: Array, rates: Array, xs: Floats) -> Floats:
    """Return the gaps after the examples, with as many digits as the fast students need.

    Rounding errors of the other students do not grow, so float64 is enough for them. If no student
    is fast, all are replayed with more digits.
    """
    states, target, rates = (_arrays.to_host(part) for part in (states, target, rates))
    fast = rates * longest(xs) > LONG
    rows = np.flatnonzero(fast) if fast.any() else np.arange(len(rates))
    gaps: Floats = replayed(states - target, rates, xs)
    width = xs.shape[1]
    for first in range(0, len(target), width):  # the vector of each output
        own = slice(first, first + width)
        gaps[rows, own] = replayed_in_digits(states[rows, own], target[own], rates[rows], xs)
    return gaps


def longest(xs: Floats) -> float:
    """Return the squared length of the longest example, 0 if there is none."""
    return float(np.vecdot(xs, xs).max(initial=0.0))


def taught(room: Classroom, xs: Floats) -> Classroom:
    """Return the class after the examples, which have the target's own labels."""
    gaps = replayed(_arrays.by_rows(room.gaps), room.rates, xs)
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
    """Return the verdict on these gaps."""
    xp = _arrays.namespace(gaps)
    squared = _arrays.squared_lengths(gaps)
    return Verdict(gaps.shape[0], float(xp.sum(squared)), float(xp.max(squared)) ** 0.5)


def verdict_on_piece(piece: AbstractPiece, *, target: Floats, xs: Floats) -> Verdict:
    """Return the verdict on a piece's students after the examples."""
    total = Verdict(0, 0.0, 0.0)
    for states, rates in piece.blocks():
        total += verdict(replayed_exactly(np.asarray(states), target, np.asarray(rates), xs))
    return total
