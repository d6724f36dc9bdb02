"""How much of a pen's movement is tremor, where its times are known."""

from __future__ import annotations

import numpy as np

from homeroom._arrays import Floats
from homeroom.handwriting.ink import Ink, Stroke

BAND = (4.0, 12.0)
"""Where tremor is, in hertz."""

RATE = 100.0
"""Points a second at which movements are looked at."""

SHORTEST = 0.5
"""Seconds that a stroke must last: two swings of the slowest tremor."""


def tremor_share(ink: Ink) -> float | None:
    """Return the share of 4 to 12 Hz in the power of the pen's velocity, from 0 to 1.

    ``None`` if the times are not known, if no stroke lasts half a second, or if the points come so
    seldom (less than 24 a second) that such a tremor could not be seen. Steady writing has a share
    too, as its own strokes follow each other several times a second.
    """
    powers = [_powers(stroke) for stroke in ink if _can_tell(stroke)]
    if not powers:
        return None
    inside, total = np.sum(powers, axis=0)
    return float(inside / total) if total > 0 else 0.0


def _can_tell(stroke: Stroke) -> bool:
    if stroke.times is None:
        return False
    lasts = float(stroke.times[-1] - stroke.times[0])
    return lasts >= SHORTEST and (len(stroke) - 1) / lasts >= 2 * BAND[1]


def _powers(stroke: Stroke) -> Floats:
    """Return the power of a stroke's velocity within the band, and in all."""
    assert stroke.times is not None
    at = np.arange(stroke.times[0], stroke.times[-1], 1.0 / RATE)
    axes = np.stack([np.interp(at, stroke.times, axis) for axis in stroke.points.T])
    velocity = RATE * np.diff(axes, axis=1)
    velocity -= velocity.mean(axis=1, keepdims=True)
    count = velocity.shape[1]
    waves = np.fft.rfft(velocity * np.hanning(count), n=max(512, count))  # a fine grid of pitches
    power = (np.abs(waves) ** 2).sum(axis=0)
    pitch = np.fft.rfftfreq(max(512, count), 1.0 / RATE)
    inside = (pitch >= BAND[0]) & (pitch <= BAND[1])
    return np.array([power[inside].sum(), power.sum()])
