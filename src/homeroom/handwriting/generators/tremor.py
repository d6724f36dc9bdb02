"""Shakiness: a tremor of 4 to 12 hertz in time."""

from __future__ import annotations

import numpy as np

from homeroom._arrays import Floats, Ints

BAND = (4.0, 12.0)
"""The lowest and the highest frequency, in hertz."""

SINES = 5
"""How many frequencies a letter's tremor has, one from each fifth of the band."""


def tremors(
    clocks: list[Floats], counts: Ints, lengths: Floats, rng: np.random.Generator
) -> list[Floats]:
    """Return how far the pen is off at each point, ``(letters, points, 2)`` for each stroke.

    Parameters
    ----------
    clocks
        The time of each point, ``(letters, points)`` for each stroke.
    counts
        How many of these points are the letter's, ``(letters, strokes)``.
    lengths
        How far the pen is to be off: the RMS over each letter's points.
    rng
        Where frequencies, sizes and phases come from.
    """
    draws = rng.random((len(counts), SINES, 5))
    low, high = BAND
    pitch = low + (high - low) * (np.arange(SINES) + draws[..., 0]) / SINES
    size, phase = 0.5 + draws[..., 1:3], 2 * np.pi * draws[..., 3:5]
    raw = [_swing(clock, pitch, size, phase) for clock in clocks]
    power = sum(
        np.where(np.arange(shake.shape[1]) < own[:, None], (shake**2).sum(axis=2), 0.0).sum(axis=1)
        for shake, own in zip(raw, counts.T, strict=True)
    )
    scale = lengths / np.sqrt(power / counts.sum(axis=1))
    return [shake * scale[:, None, None] for shake in raw]


def _swing(clock: Floats, pitch: Floats, size: Floats, phase: Floats) -> Floats:
    angle = 2 * np.pi * pitch[:, None, :] * clock[..., None]
    swings = np.cos(angle[..., None] + phase[:, None, :, :])
    swing: Floats = np.einsum("npsc,nsc->npc", swings, size)
    return swing
