"""Convert measurements to scores and back, and measure the tremor of timed ink.

A score is a defect: 0 is as in the model, and 1 is never quite reached, except by rotation.
"""

from __future__ import annotations

import numpy as np

from homeroom._arrays import Floats
from homeroom.handwriting.ink import Ink, Stroke

DISTORTION = 0.15
"""The distance of the line from the model, in RMS radii of the letter, that scores 0.63."""

SHAKINESS = 0.05
"""The tremor of the line, in RMS radii of the letter, that scores 0.63."""

FULL_ROTATION = 45.0
"""The rotation in degrees that scores 1."""


def defect_score(measure: Floats, scale: float) -> Floats:
    """Return the score, 1 - exp(-measure / scale).

    >>> defect_score(np.array([0.0, 0.25]), 0.25).round(3)
    array([0.   , 0.632])
    """
    score: Floats = -np.expm1(-measure / scale)
    return score


def measure(score: Floats, scale: float) -> Floats:
    """Return the measure of a letter with this score, the inverse of :func:`defect_score`.

    >>> measure(np.array([0.0, 0.632]), 0.25).round(3)
    array([0.  , 0.25])
    """
    measured: Floats = -scale * np.log1p(-score)
    return measured


def rotation_score(degrees: Floats) -> Floats:
    """Return the score of a rotation: its fraction of 45 degrees, at most 1.

    >>> rotation_score(np.array([-9.0, 90.0]))
    array([0.2, 1. ])
    """
    score: Floats = np.minimum(1.0, np.abs(degrees) / FULL_ROTATION)
    return score


TREMOR_BAND = (4.0, 12.0)
"""The frequencies of tremor, in hertz."""

SAMPLING_RATE = 100.0
"""Samples per second."""

SHORTEST_STROKE = 0.5
"""The shortest stroke in seconds: two periods of the slowest tremor."""


def tremor_share(ink: Ink) -> float | None:
    """Return the fraction of the pen's velocity power between 4 and 12 Hz, from 0 to 1.

    ``None`` if the times are not known, if no stroke lasts half a second, or if there are fewer
    than 24 points per second, too few for such a tremor. Steady writing is not zero either, because
    its strokes follow each other several times per second.
    """
    powers = [_powers(stroke) for stroke in ink if _is_measurable(stroke)]
    if not powers:
        return None
    inside, total = np.sum(powers, axis=0)
    return float(inside / total) if total > 0 else 0.0


def _is_measurable(stroke: Stroke) -> bool:
    """Return whether a stroke has times, lasts long enough, and has enough points per second."""
    if stroke.times is None:
        return False
    lasts = float(stroke.times[-1] - stroke.times[0])
    return lasts >= SHORTEST_STROKE and (len(stroke) - 1) / lasts >= 2 * TREMOR_BAND[1]


def _powers(stroke: Stroke) -> Floats:
    """Return the power of a stroke's velocity in the band, and in total."""
    assert stroke.times is not None
    at = np.arange(stroke.times[0], stroke.times[-1], 1.0 / SAMPLING_RATE)
    axes = np.stack([np.interp(at, stroke.times, axis) for axis in stroke.points.T])
    velocity = SAMPLING_RATE * np.diff(axes, axis=1)
    velocity -= velocity.mean(axis=1, keepdims=True)
    count = velocity.shape[1]
    waves = np.fft.rfft(velocity * np.hanning(count), n=max(512, count))  # a fine grid
    power = (np.abs(waves) ** 2).sum(axis=0)
    frequency = np.fft.rfftfreq(max(512, count), 1.0 / SAMPLING_RATE)
    inside = (frequency >= TREMOR_BAND[0]) & (frequency <= TREMOR_BAND[1])
    return np.array([power[inside].sum(), power.sum()])
