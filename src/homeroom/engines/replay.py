"""Showing students a whole lesson at once, where the rounds between do not matter.

Students do not see each other, so a block of them can be taught everything while it stays in the
cache. O(students * dimensions * rounds).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats
from homeroom.classroom import AbstractPiece, Classroom


def replayed(gaps: Array, rates: Array, xs: Floats) -> Array:
    """Return where these gaps are after the examples; the gaps may be changed in place."""
    for rows in _arrays.blocks_of(gaps):
        for x in xs:
            here = _arrays.beside(x, gaps)
            moves = rates[rows] * (gaps[rows, :] @ here)
            gaps = _arrays.subtract_outer(gaps, rows, moves, here)
    return gaps


def taught(room: Classroom, xs: Floats) -> Classroom:
    """Return the class after the examples, which have the target's own labels."""
    gaps = replayed(_arrays.by_rows(room.gaps), room.rates, xs)
    return room.with_states(gaps + room.target)


@dataclass(frozen=True)
class Verdict:
    """What a second pass over the students found: nothing interpolated, nobody left out.

    Parameters
    ----------
    students
        How many students were looked at.
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
    """Return what there is to say of these gaps."""
    xp = _arrays.namespace(gaps)
    squared = _arrays.squared_lengths(gaps)
    return Verdict(gaps.shape[0], float(xp.sum(squared)), float(xp.max(squared)) ** 0.5)


def verdict_on_piece(piece: AbstractPiece, *, target: Floats, xs: Floats) -> Verdict:
    """Return what the examples make of a piece's students."""
    total = Verdict(0, 0.0, 0.0)
    for states, rates in piece.blocks():
        gaps = np.subtract(states, target, dtype=np.float64)
        total += verdict(replayed(gaps, np.asarray(rates, dtype=np.float64), xs))
    return total
