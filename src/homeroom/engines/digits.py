"""Replay a lesson with as many digits as needed.

A number is a row of integer digits in base ``2^bits``, each held as a float64. The base is so small
that matrix products of digits are exact: every product and every sum stays below ``2^53``. BLAS
computes all students at once, with any number of digits and on any machine.
"""

from __future__ import annotations

import math

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Floats

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
    """Return the gaps after the examples with so many digits, or ``None`` if they overflow."""
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
    """Return an ``e`` so that no number is larger than ``2^e``."""
    return math.frexp(float(np.abs(numbers).max(initial=0.0)))[1]


def _shifts(digits: Floats) -> Floats:
    """Return matrices that multiply by a number: ``[number, i, i + j, ...] = digit j``, else 0."""
    count = digits.shape[1] - (digits.ndim == 2)
    matrices = np.zeros((len(digits), count, *digits.shape[1:]))
    for place in range(count):
        matrices[:, place, place:] = digits[:, : digits.shape[1] - place]
    return matrices


class _Base:
    """Numbers with a fixed count of digits, which are on axis 1."""

    def __init__(self, digits: int, dimensions: int) -> None:
        self.digits = digits
        # The longest sum has a product for each digit and dimension, of a small digit and one that
        # was carried only once.
        terms = (digits + 1) * dimensions * (2.0 + digits / 2.0)
        self.bits = int((52.0 - math.log2(terms)) / 2.0) + 1
        self.top = 2.0 ** (self.bits - 1)
        """No small digit is larger, but for the last carry."""

    def split(self, numbers: Floats, whole: int, digits: int | None = None) -> Floats:
        """Return the digits of numbers; ``whole`` of them come before the units."""
        count = self.digits if digits is None else digits
        places = np.zeros((len(numbers), count, *numbers.shape[1:]))
        first = max(whole - 1, 0)
        rest = np.ldexp(numbers, self.bits * (first - whole))
        for place in range(first, count):
            places[:, place] = np.rint(rest)
            rest = np.ldexp(rest - places[:, place], self.bits)
        return places

    def carry(self, numbers: Floats) -> None:
        """Make all digits small, except the first, which nothing is carried out of."""
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
