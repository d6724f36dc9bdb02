"""From what is measured on a letter to a score, and back: one place for both directions.

A score is a defect: 0 is as in the model, and 1 is never quite reached, except by rotation.

How much of a pen's movement is tremor, where its times are known.
"""

from __future__ import annotations

import numpy as np

from homeroom._arrays import Floats
from homeroom.handwriting.ink import Ink, Stroke

DISTORTION = 0.15
"""How far, in RMS radii of the letter, its line is from the model's where distortion reads 0.63."""

SHAKINESS = 0.05
"""How far the line trembles, in RMS radii of the letter, where shakiness reads 0.63."""

FULL_ROTATION = 45.0
"""Degrees at which rotation reads 1."""


def defect_score(measure: Floats, scale: float) -> Floats:
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


def rotation_score(degrees: Floats) -> Floats:
    """Return the score of a rotation: its share of 45 degrees, at most 1.

    >>> leaning(np.array([-9.0, 90.0]))
    array([0.2, 1. ])
    """
    score: Floats = np.minimum(1.0, np.abs(degrees) / FULL_ROTATION)
    return score


TREMOR_BAND = (4.0, 12.0)
"""Where tremor is, in hertz."""

SAMPLING_RATE = 100.0
"""Points a second at which movements are looked at."""

SHORTEST_STROKE = 0.5
"""Seconds that a stroke must last: two swings of the slowest tremor."""


def tremor_share(ink: Ink) -> float | None:
    """Return the share of 4 to 12 Hz in the power of the pen's velocity, from 0 to 1.

    ``None`` if the times are not known, if no stroke lasts half a second, or if the points come so
    seldom (less than 24 a second) that such a tremor could not be seen. Steady writing has a share
    too, as its own strokes follow each other several times a second.
    """
    powers = [_powers(stroke) for stroke in ink if _is_measurable(stroke)]
    if not powers:
        return None
    inside, total = np.sum(powers, axis=0)
    return float(inside / total) if total > 0 else 0.0


def _is_measurable(stroke: Stroke) -> bool:
    if stroke.times is None:
        return False
    lasts = float(stroke.times[-1] - stroke.times[0])
    return lasts >= SHORTEST_STROKE and (len(stroke) - 1) / lasts >= 2 * TREMOR_BAND[1]


def _powers(stroke: Stroke) -> Floats:
    """Return the power of a stroke's velocity within the band, and in all."""
    assert stroke.times is not None
    at = np.arange(stroke.times[0], stroke.times[-1], 1.0 / SAMPLING_RATE)
    axes = np.stack([np.interp(at, stroke.times, axis) for axis in stroke.points.T])
    velocity = SAMPLING_RATE * np.diff(axes, axis=1)
    velocity -= velocity.mean(axis=1, keepdims=True)
    count = velocity.shape[1]
    waves = np.fft.rfft(velocity * np.hanning(count), n=max(512, count))  # a fine grid of pitches
    power = (np.abs(waves) ** 2).sum(axis=0)
    pitch = np.fft.rfftfreq(max(512, count), 1.0 / SAMPLING_RATE)
    inside = (pitch >= TREMOR_BAND[0]) & (pitch <= TREMOR_BAND[1])
    return np.array([power[inside].sum(), power.sum()])
