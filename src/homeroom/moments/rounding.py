"""Bounds on rounding errors, propagated like the gaps of a class.

A rounding error is small at first. An example so long that a fast student moves away from the
target (``rate * |x|^2 > 2``) makes the error grow as well, and no teacher corrects it, because none
observes it. Given the examples, errors and gaps (state minus target) obey the same linear rule,
``e <- (I - rate x x') e``. So the mean ``e e'`` of the errors is updated like that of the gaps, for
a few rates, and every round adds a little.
"""

from __future__ import annotations

import math

import numpy as np

from homeroom._arrays import Floats

UNIT = float(np.finfo(np.float64).eps)
"""The precision of float64."""

_RATES = 5
"""The number of rates for which errors are followed."""

_SAFETY = 4.0
"""A safety factor: rounding errors need not be independent."""


class Rounding:
    """The mean ``e e'`` of rounding errors, for students of several rates.

    Parameters
    ----------
    rates
        The rates to follow, shape ``(rates,)``.
    dimensions
        How many numbers a state has.
    """

    def __init__(self, rates: Floats, dimensions: int) -> None:
        self._rates = rates
        self._matrices: Floats = np.zeros((len(rates), dimensions, dimensions))
        self._one = np.eye(dimensions) / dimensions

    @property
    def error(self) -> float:
        """The mean squared length of the errors, at the rate where it is largest."""
        # Cancellation may leave it below 0. The order counts: max(nan, 0.0) is nan.
        return max(float(np.trace(self._matrices, axis1=1, axis2=2).max()), 0.0)

    def show(self, x: Floats, added: float | Floats) -> None:
        """Apply an example to the errors so far, and add those of this round.

        Parameters
        ----------
        x
            The example.
        added
            The mean squared length of this round's errors, one number or one per rate.
        """
        seen = self._matrices @ x
        moves = self._rates[:, None] * seen - np.multiply.outer(
            0.5 * self._rates**2 * (seen @ x), x
        )
        change = moves[:, :, None] * x
        self._matrices += np.multiply.outer(added, self._one) - change - change.transpose(0, 2, 1)


class GapRounding:
    """The mean squared rounding error of the gaps of a class, followed through a lesson.

    Parameters
    ----------
    rates
        The students' rates; a few of them are followed, from the slowest to the fastest.
    dimensions
        How many numbers a state has.
    unit
        The precision of the numbers, such as 1.1e-16.
    """

    def __init__(self, rates: Floats, dimensions: int, unit: float) -> None:
        places = np.linspace(0, len(rates) - 1, _RATES).round().astype(np.int64)
        self._rates = np.unique(np.sort(rates)[places])
        self._unit = unit
        self._rounding = Rounding(self._rates, dimensions)
        self.rounds = 0
        """How many examples were shown."""

    @property
    def spread(self) -> float:
        """The mean squared rounding error now."""
        return self._rounding.error

    def show(self, xs: Floats, scales: Floats) -> None:
        """Follow more examples. O(examples * dimensions^2), whatever the number of students.

        Parameters
        ----------
        xs
            The examples, shape ``(examples, dimensions)``.
        scales
            The mean squared gap before each of them, shape ``(examples,)``.
        """
        for x, scale in zip(xs, scales, strict=True):
            added = bound_one_round(self._rates, float(x @ x), scale)
            self._rounding.show(x, self._unit**2 * added)
        self.rounds += len(xs)


def bound_one_round(rate: float | Floats, g: float | Floats, scale: float | Floats) -> Floats:
    """Return the mean squared rounding error of one round, relative to the squared precision.

    Parameters
    ----------
    rate, g
        The students' rate and the squared length of the example.
    scale
        The mean squared length of the numbers that are rounded.
    """
    return np.asarray(_SAFETY * scale * (1.0 + rate * g) ** 2)


def off_by(error: float, spread: float) -> float:
    """Return how far the mean squared distance ``error`` may be off.

    ``spread`` is the mean squared rounding error of the gaps.
    """
    return 2.0 * math.sqrt(error * spread) + spread
