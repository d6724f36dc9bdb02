"""Bounds on the effect of rounding on computed errors.

For most lessons a sum over the rounds shows that it is negligible. Where an example was so long
that rounding errors may grow, they are propagated; where they may exceed ``TOLERANCE``, the lesson
is replayed with as many digits as needed, and the two results are compared.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats
from homeroom.classroom import Classroom
from homeroom.engines.overshoot import LONG
from homeroom.engines.replay import (
    TOLERANCE,
    Verdict,
    off_by,
    replayed_with_digits,
    verdict,
)
from homeroom.moments.rounding import UNIT, GapRounding, added_by_a_round

_REPLAY_ABOVE = {64: TOLERANCE, 32: 1e-2}
"""By bits of a number: a lesson is replayed if rounding may be a larger fraction of its error."""

_ARRIVED = 1e-24
"""Rounding below this fraction of the error at the start is no reason to replay either."""

_LOOK_EVERY = 16
_LOST = 1e6
"""A lesson whose replay ends at this many times the error at the start is given up."""

_OTHER_WAYS = 32.0
"""The bound on the error, as a multiple of the difference found.

Rounding differs with the order of additions, which is the machine's choice, and with the rounding
of the labels. In lessons whose rounding errors grow, such variants differed by factors of up to 30.
"""


class Uncertainty(NamedTuple):
    """Bounds on the errors of a class's mean squared distance and its greatest distance."""

    error: float
    farthest: float


CERTAIN = Uncertainty(0.0, 0.0)


class History:
    """The examples shown to a class, and the rounding errors they may have caused.

    Parameters
    ----------
    start
        The class before the first example.
    """

    def __init__(self, start: Classroom) -> None:
        self._start = start
        xp = _arrays.namespace(start.states)
        self._precision = xp.finfo(start.states.dtype)
        self._unit = float(self._precision.eps)
        self._fastest = float(xp.max(start.rates))
        self._xs: list[Floats] = []
        self._scales: list[float] = []
        self._longest = 0.0
        self._can_be_replayed = True
        self._rounding: GapRounding | None = None
        self._lost_above = _LOST

    @property
    def xs(self) -> Floats:
        """What was shown, shape ``(rounds, dimensions)``."""
        return np.array(self._xs).reshape(-1, self._start.dimensions)

    @property
    def grows(self) -> bool:
        """Whether an example was so long that rounding errors may have grown."""
        return self._fastest * self._longest > LONG

    def add(self, x: Floats, g: float, scale: float, *, can_be_replayed: bool = True) -> None:
        """Note an example.

        Parameters
        ----------
        x, g
            The example and its squared length.
        scale
            The mean squared length of the numbers that it moved.
        can_be_replayed
            Whether its label was the target's own.
        """
        self._xs.append(x)
        self._scales.append(scale)
        self._longest = max(self._longest, g)
        self._can_be_replayed &= can_be_replayed

    def was_projected(self) -> None:
        """Note that students were put back into the ball of states, which is not replayed."""
        self._can_be_replayed = False

    def is_lost(self, error: float) -> bool:
        """Return whether a replay diverges although this error does not.

        From then on every example is chosen for a class that does not exist. Checked every
        ``_LOOK_EVERY`` rounds, once rounding errors may have grown.
        """
        if len(self._xs) % _LOOK_EVERY or not (self.grows and self._can_be_replayed):
            return False
        start = self._scales[0]
        with np.errstate(over="ignore", invalid="ignore"):
            if not self._spread() > self._lost_above * start:
                return False
            self._lost_above *= _LOST  # not to be replayed again soon, if it is not lost
            found = self._replayed().error
        return not found <= max(_LOST * start, 10.0 * error)

    def uncertainty(self, gaps: Array, error: float, farthest: float) -> Uncertainty:
        """Return bounds on the errors of these results.

        Parameters
        ----------
        gaps
            The students' gaps as computed.
        error, farthest
            The mean squared distance and the greatest distance that were reported.
        """
        if not math.isfinite(error):
            return Uncertainty(math.inf, math.inf)
        mean = float(_arrays.namespace(gaps).mean(_arrays.squared_lengths(gaps)))
        drift = abs(mean - error) + 8.0 * self._unit * error
        above = _REPLAY_ABOVE[self._precision.bits] * error
        enough = max(above, _ARRIVED * self._scales[0]) if self._scales else above
        spread = math.inf if self.grows else self._sum()
        if not off_by(error, spread) + drift <= enough:
            spread = self._spread()
        off = off_by(error, spread) + drift
        if self._can_be_replayed and not off <= enough:
            return self._compared(error, farthest)
        students = gaps.shape[0]
        return _numbers(
            off, math.sqrt(students * spread) + off_in_distance(farthest, students * drift)
        )

    def _sum(self) -> float:
        """Return the mean squared rounding error of a gap, if errors neither grow nor shrink."""
        g = np.vecdot(self.xs, self.xs)
        added = added_by_a_round(self._fastest, g, np.array(self._scales))
        return self._unit**2 * float(added.sum())

    def _spread(self) -> float:
        """Return the mean squared rounding error of a gap, propagated through the lesson."""
        if self._rounding is None:
            rates = _arrays.small(self._start.rates)
            self._rounding = GapRounding(rates, self._start.dimensions, self._unit)
        new = slice(self._rounding.rounds, None)
        self._rounding.show(self.xs[new], np.array(self._scales[new]))
        return self._rounding.spread

    def _compared(self, error: float, farthest: float) -> Uncertainty:
        """Return the differences from a replay with enough digits."""
        found = self._replayed()
        return _numbers(
            _OTHER_WAYS * abs(found.error - error) + 8.0 * UNIT * error,
            _OTHER_WAYS * abs(found.farthest - farthest) + 8.0 * UNIT * farthest,
        )

    def _replayed(self) -> Verdict:
        room = self._start
        return verdict(replayed_with_digits(room.states, room.target, room.rates, self.xs))


def off_in_distance(distance: float, off: float) -> float:
    """Return a bound on the error of a distance, given one for its square."""
    return min(math.sqrt(off), off / distance) if distance > 0.0 else math.sqrt(off)


def _numbers(error: float, farthest: float) -> Uncertainty:
    """Return the two, infinite where they are not a number."""
    return Uncertainty(*(math.inf if math.isnan(part) else part for part in (error, farthest)))
