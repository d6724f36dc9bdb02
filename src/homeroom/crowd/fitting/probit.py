"""The probability of an answer, and how it changes: everything through one special function."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import erfcx

from homeroom._arrays import Floats

_FARTHEST = 35.0
"""Beyond this ``Phi(z)`` is one to the last bit, and ``erfcx(-z / sqrt 2)`` about to overflow."""


class Probit(NamedTuple):
    """What an answer says at ``z``, positive where the model expects it, for each answer."""

    log_probability: Floats
    """``log Phi(z)``."""
    slope: Floats
    """Its derivative ``phi(z) / Phi(z)``."""
    curvature: Floats
    """Less its second derivative: ``slope * (slope + z)``, between 0 and 1."""


def probit(z: Floats) -> Probit:
    """Return how probable answers are, accurate from certain (0) to hopeless (-1e7).

    With ``e = erfcx(-z / sqrt 2)``: ``log Phi(z) = log(e / 2) - z^2 / 2``, and
    ``phi(z) / Phi(z) = sqrt(2 / pi) / e``.

    >>> probit(np.array([0.0])).log_probability, probit(np.array([-1e5])).slope
    (array([-0.69314718]), array([100000.00001]))
    """
    z = np.minimum(z, _FARTHEST)
    e = erfcx(z * -math.sqrt(0.5))
    slope = math.sqrt(2 / math.pi) / e
    log_probability = np.log(0.5 * e)
    log_probability -= 0.5 * z * z
    return Probit(log_probability, slope, slope * (slope + z))
