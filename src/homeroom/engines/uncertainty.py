"""How far rounding may have put a computed error off.

For most lessons a sum over their rounds shows that it is nothing. Where an example was so long that
rounding errors may grow, they are followed; where they may have grown to more than ``TOLERANCE``,
the lesson is replayed with as many digits as it takes, and the two results are compared.
"""

from __future__ import annotations

import math
import sys
from typing import NamedTuple

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats
from homeroom.classroom import Classroom
from homeroom.engines.overshoot import LONG
from homeroom.engines.replay import TOLERANCE, longest, off_by, replayed_with_digits, verdict
from homeroom.moments.rounding import added_by_a_round, rounding_in_gaps

_REPLAY_ABOVE = {64: TOLERANCE, 32: 1e-2}
"""By bits of a number: a lesson is replayed if rounding may be a larger fraction of its error."""

_ARRIVED = 1e-24
"""Rounding below this fraction of the error at the start is no reason to replay either."""

_OTHER_WAYS = 32.0
"""How much more than the difference found the error may be off.

Rounding differs with the order of additions, which is the machine's choice, and with the rounding
of the labels. In lessons whose rounding errors grow, such variants differed by factors of up to 30.
"""


class Uncertainty(NamedTuple):
    """How far off a class's mean squared distance and its greatest distance may be."""

    error: float
    farthest: float


CERTAIN = Uncertainty(0.0, 0.0)


class History:
    """What a class was shown, and what rounding may have done to it.

    Parameters
    ----------
    start
        The class before the first example.
    """

    def __init__(self, start: Classroom) -> None:
        self._start = start
        self._xs: list[Floats] = []
        self._scales: list[float] = []
        self._can_be_replayed = True

    @property
    def xs(self) -> Floats:
        """What was shown, shape ``(rounds, dimensions)``."""
        return np.array(self._xs).reshape(-1, self._start.dimensions)

    def add(self, x: Floats, scale: float, *, can_be_replayed: bool = True) -> None:
        """Note an example, and the mean squared length of the numbers that it moved.

        Parameters
        ----------
        x, scale
            The example and the mean squared length.
        can_be_replayed
            Whether its label was the target's own.
        """
        self._xs.append(x)
        self._scales.append(scale)
        self._can_be_replayed &= can_be_replayed

    def was_projected(self) -> None:
        """Note that students were put back into the ball of states, which is not replayed."""
        self._can_be_replayed = False

    def uncertainty(self, gaps: Array, error: float, farthest: float) -> Uncertainty:
        """Return how far off these results of the lesson may be.

        Parameters
        ----------
        gaps
            The students' gaps as computed.
        error, farthest
            The mean squared distance and the greatest distance that were reported.
        """
        if not math.isfinite(error):
            return CERTAIN
        xp = _arrays.namespace(gaps)
        info = xp.finfo(gaps.dtype)
        unit = float(info.eps)
        drift = abs(float(xp.mean(_arrays.squared_lengths(gaps))) - error) + 8.0 * unit * error
        enough = max(_REPLAY_ABOVE[info.bits] * error, _ARRIVED * (self._scales or [0.0])[0])
        spread = self._rough_spread(unit)
        if not off_by(error, spread) + drift <= enough:
            spread = self._spread(unit)
        off = off_by(error, spread) + drift
        if self._can_be_replayed and not off <= enough:
            return self._compared(error, farthest)
        return _finite(off, math.sqrt(gaps.shape[0] * (spread + drift)))

    def _rough_spread(self, unit: float) -> float:
        """Return a limit for the mean squared rounding error of a gap, if errors cannot grow."""
        xs, rates = self.xs, self._start.rates
        fastest = float(_arrays.namespace(rates).max(rates))
        if fastest * longest(xs) > LONG:
            return math.inf
        added = added_by_a_round(fastest, np.vecdot(xs, xs), np.array(self._scales))
        return unit**2 * float(added.sum())

    def _spread(self, unit: float) -> float:
        """Return the mean squared rounding error of a gap, followed through the lesson."""
        rates = _arrays.small(self._start.rates)
        return rounding_in_gaps(rates, self.xs, np.array(self._scales), unit)

    def _compared(self, error: float, farthest: float) -> Uncertainty:
        """Return how far the results are from those of a replay with enough digits."""
        room = self._start
        found = verdict(replayed_with_digits(room.states, room.target, room.rates, self.xs))
        return _finite(
            _OTHER_WAYS * abs(found.error - error) + TOLERANCE**2 * error,
            _OTHER_WAYS * abs(found.farthest - farthest),
        )


def _finite(error: float, farthest: float) -> Uncertainty:
    """Return the two as finite numbers, also where one is infinite or not a number."""
    most = sys.float_info.max
    return Uncertainty(*(part if part < most else most for part in (error, farthest)))
