"""A whole lesson applied to the students at once, in float64 or with as many digits as needed.

An example ``x`` with the target's label moves a student's gap ``e`` (state minus target) by
``-rate <e, x> x``. Students do not affect each other, so a block of them can be taught everything
while it stays in the cache. O(students * dimensions * rounds).

With more digits, a number is a row of integer digits in base ``2^bits``, each held as a float64.
The base is so small that matrix products of digits are exact: every product and every sum stays
below ``2^53``. BLAS computes all students at once, with any number of digits and on any machine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats
from homeroom.classroom import AbstractPiece, Classroom
from homeroom.moments.rounding import UNIT, GapRounding, off_by

LONG = 2.0 * (1 + 1e-9)
"""A student whose ``rate * |x|^2`` is above this may move away from the target (squared loss)."""

MAY_MOVE_AWAY = "rounds in which a fast student may have moved away"
"""The name of their count in a record."""

TOLERANCE = 1e-9
"""Rounding errors below this fraction of the error are ignored."""


def replayed(gaps: Array, rates: Array, xs: Floats, squares: Floats | None = None) -> Array:
    """Return the gaps after the examples; the input may be changed in place.

    ``xs`` has shape ``(rounds, dimensions)``. If ``squares``, shape ``(rounds,)``, is given, the
    sum of all squared gaps before each example is added to it. With several outputs a gap is their
    vectors one after the other.
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
    """Return the verdict on these gaps, one row per student."""
    xp = _arrays.namespace(gaps)
    squared = _arrays.squared_lengths(gaps)
    return Verdict(gaps.shape[0], float(xp.sum(squared)), float(xp.max(squared)) ** 0.5)


def verdict_on_piece(piece: AbstractPiece, *, target: Floats, xs: Floats) -> Verdict:
    """Return the verdict on a piece's students after the examples."""
    total = Verdict(0, 0.0, 0.0)
    for states, rates in piece.blocks():
        total += verdict(replayed_exactly(np.asarray(states), target, np.asarray(rates), xs))
    return total


FEWEST, MOST = 6, 192
"""How many digits a replay begins with, and how many it has at most (about 22 bits each)."""

AGREEMENT = 1e-12
"""Two replays agree if no student's gap differs by more than this fraction of its length."""

NOTHING = 1e-30
"""A difference of this fraction of the longest gap at the start counts as agreement too."""


def replayed_in_digits(states: Floats, target: Floats, rates: Floats, xs: Floats) -> Floats:
    """Return the gaps after the examples, accurate to the last digits of float64.

    The number of digits is doubled until two replays agree. Where they do not, or where a gap is
    too large for float64, all gaps of that block are infinite.

    Cost: O(students * dimensions * rounds * digits^2) in BLAS.

    Parameters
    ----------
    states, target, rates
        The students at the start, as float64.
    xs
        The examples, shape ``(rounds, dimensions)``; their labels are the target's own.
    """
    gaps = np.empty(states.shape)
    for rows in _arrays.blocks(len(states), FEWEST * len(target)):
        gaps[rows] = _agreed(states[rows], target, rates[rows], xs)
    return gaps


def _agreed(states: Floats, target: Floats, rates: Floats, xs: Floats) -> Floats:
    """Return the gaps after a replay that agrees with one of half the digits.

    They are infinite if no two replays agree.
    """
    nothing = NOTHING * _arrays.farthest(states, target)
    before, digits = None, FEWEST
    while digits <= MOST:
        after = _replay(states, target, rates, xs, digits)
        if before is not None and after is not None:
            apart, length = (np.linalg.norm(gaps, axis=1) for gaps in (after - before, after))
            if (apart <= AGREEMENT * length + nothing).all():
                return after
        before, digits = after, 2 * digits
    return np.full(states.shape, math.inf)


def _replay(
    states: Floats, target: Floats, rates: Floats, xs: Floats, digits: int
) -> Floats | None:
    """Return the gaps after the examples with so many digits, or ``None`` if they overflow.

    States are scaled by ``2^-scale`` and examples by ``2^-length``, so that all are at most one;
    rates are scaled by ``2^(2 length)`` in return.
    """
    base = _Base(digits, len(target))
    whole = digits // 3  # a third of the digits for growth, the others for precision
    scale = _exponent(np.vstack([states, target]))
    length = _exponent(xs)
    gaps = base.split(np.ldexp(states, -scale), whole)
    gaps -= base.split(np.ldexp(target[None], -scale), whole)
    change = np.empty_like(gaps)
    rates_in_digits = base.split(np.ldexp(rates, 2 * length), 1, digits + 1)
    times_rate = _shifts(rates_in_digits).transpose(0, 2, 1)  # (student, digit out, digit in)
    for x in base.split(np.ldexp(xs, -length), 0):
        shifts = _shifts(x[None])[0]  # (digit in, digit out, dimension)
        # <e, x>, then times the rate, then times x.
        answers = gaps.reshape(len(gaps), -1) @ shifts.transpose(0, 2, 1).reshape(-1, digits)
        base.carry(answers)
        moves = (times_rate @ answers[:, :, None])[:, :, 0]
        base.carry(moves)
        np.matmul(moves[:, 1:], shifts.reshape(digits, -1), out=change.reshape(len(gaps), -1))
        gaps -= change
        base.carry_once(gaps, change)
        if moves[:, 0].any() or max(np.abs(moves[:, 1]).max(), np.abs(gaps[:, 0]).max()) > base.top:
            return None
    total = np.zeros((len(gaps), len(target)))
    for place in reversed(range(digits)):
        total += np.ldexp(gaps[:, place], scale + base.bits * (whole - place))
    return total


def _exponent(numbers: Floats) -> int:
    """Return an ``e`` such that no number is larger than ``2^e``."""
    return math.frexp(float(np.abs(numbers).max(initial=0.0)))[1]


def _shifts(digits: Floats) -> Floats:
    """Return for each number the matrix that multiplies another number's digits by it.

    ``[number, i, i + j, ...]`` is digit ``j`` of the number, and the rest is 0: the product of the
    digits ``i`` and ``j`` belongs to digit ``i + j``.
    """
    count = digits.shape[1] - (digits.ndim == 2)
    matrices = np.zeros((len(digits), count, *digits.shape[1:]))
    for place in range(count):
        matrices[:, place, place:] = digits[:, : digits.shape[1] - place]
    return matrices


class _Base:
    """The base ``2^bits`` for numbers with a fixed count of digits, which are on axis 1.

    A digit may be negative. It is *small* if it is at most half the base.
    """

    def __init__(self, digits: int, dimensions: int) -> None:
        self.digits = digits
        # The longest sum has a product for each digit and dimension, of a small digit and one that
        # was carried only once.
        terms = (digits + 1) * dimensions * (2.0 + digits / 2.0)
        self.bits = int((52.0 - math.log2(terms)) / 2.0) + 1
        self.top = 2.0 ** (self.bits - 1)
        """Half the base. No small digit is larger, except by the last carry."""

    def split(self, numbers: Floats, whole: int, digits: int | None = None) -> Floats:
        """Return the digits of numbers, with the place of the units at index ``whole``."""
        count = self.digits if digits is None else digits
        places = np.zeros((len(numbers), count, *numbers.shape[1:]))
        first = max(whole - 1, 0)
        rest = np.ldexp(numbers, self.bits * (first - whole))
        for place in range(first, count):
            places[:, place] = np.rint(rest)
            rest = np.ldexp(rest - places[:, place], self.bits)
        return places

    def carry(self, numbers: Floats) -> None:
        """Carry until all digits are small, except the first, from which nothing is carried."""
        for _ in range(math.ceil(53 / self.bits) - 1):
            self.carry_once(numbers, np.empty_like(numbers))

    def carry_once(self, numbers: Floats, scratch: Floats) -> None:
        """Carry from each digit to the one before it."""
        carry = scratch[:, 1:]
        np.multiply(numbers[:, 1:], 2.0**-self.bits, out=carry)
        np.rint(carry, out=carry)
        numbers[:, :-1] += carry
        carry *= 2.0**self.bits
        numbers[:, 1:] -= carry
