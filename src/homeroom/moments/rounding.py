"""How far rounding may have got a sketch, followed beside it.

Rounding is small at first. But an example so long that a fast student moves away from the target
(``rate * |x|^2 > 2``) also makes what is only rounding grow, where the student herself has nothing
left to lose. So a small error is put into two students, the slowest and the fastest, in every
round, and taught like everybody's.
"""

from __future__ import annotations

import numpy as np

from homeroom._arrays import Floats

UNIT = float(np.finfo(np.float64).eps)


class Rounding:
    """The mean ``e e'`` that rounding may have put into a sketch.

    Parameters
    ----------
    slowest, fastest
        The range of the rates.
    dimensions
        How many numbers a state has.
    """

    def __init__(self, slowest: float, fastest: float, dimensions: int) -> None:
        self._rates = np.array([slowest, fastest])
        self._matrices: Floats = np.zeros((2, dimensions, dimensions))
        self._one = np.eye(dimensions) / dimensions

    @property
    def error(self) -> float:
        """How far off it may have put the class's error."""
        return float(np.trace(self._matrices, axis1=1, axis2=2).max())

    def show(self, x: Floats, scale: float) -> None:
        """Teach the error so far, and add that of a round with numbers of this scale."""
        seen = self._matrices @ x
        moves = self._rates[:, None] * seen - np.multiply.outer(
            0.5 * self._rates**2 * (seen @ x), x
        )
        change = moves[:, :, None] * x
        self._matrices += (UNIT * scale) * self._one - change - change.transpose(0, 2, 1)
