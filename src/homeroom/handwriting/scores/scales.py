"""From what is measured on a letter to a score, and back: one place for both directions.

A score is a defect: 0 is as in the model, and 1 is never quite reached, except by rotation.
"""

from __future__ import annotations

import numpy as np

from homeroom._arrays import Floats

DISTORTION = 0.15
"""How far, in RMS radii of the letter, its line is from the model's where distortion reads 0.63."""

SHAKINESS = 0.05
"""How far the line trembles, in RMS radii of the letter, where shakiness reads 0.63."""

UPRIGHT = 45.0
"""Degrees at which rotation reads 1."""


def defect(measure: Floats, scale: float) -> Floats:
    """Return the score, 1 - exp(-measure / scale).

    >>> defect(np.array([0.0, 0.25]), 0.25).round(3)
    array([0.   , 0.632])
    """
    score: Floats = -np.expm1(-measure / scale)
    return score


def measure(score: Floats, scale: float) -> Floats:
    """Return what is measured on a letter that has this score, the inverse of :func:`defect`.

    >>> measure(np.array([0.0, 0.632]), 0.25).round(3)
    array([0.  , 0.25])
    """
    measured: Floats = -scale * np.log1p(-score)
    return measured


def leaning(degrees: Floats) -> Floats:
    """Return the score of a rotation: its share of 45 degrees, at most 1.

    >>> leaning(np.array([-9.0, 90.0]))
    array([0.2, 1. ])
    """
    score: Floats = np.minimum(1.0, np.abs(degrees) / UPRIGHT)
    return score
