"""How well the turn of a letter can be told from its slant and its width.

A narrow letter such as "1" shows where its downstroke points, but hardly what of that is turn and
what is slant; in a round one such as "0" a shift along the line looks like a turn. How much so
follows from the model alone: from how alike the model's affine maps and its other changes look.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from homeroom._arrays import Floats
from homeroom.handwriting.scores.frame import TINY, WAVES, Frame

NOISE = 0.1
"""The variance of what is neither map nor wave nor glide, where the waves' is one."""

GLIDE = 0.2
"""How far points may glide along the line, as a share of its length."""

CAUTION = 5.0
"""How much greater errors are than this linear reckoning says; measured on simulated letters."""

MOST = np.radians(45.0)
"""A turn is corrected by this much at most: where nothing fits, slants are beyond all bounds."""

HANDS = np.diag([0.12, 0.1]) ** 2
"""How much hands differ in shear and in the logarithm of the aspect: the variances."""


@lru_cache(maxsize=128)
def doubt(frame: Frame) -> Floats:
    """Return the covariance of the errors in turn, shear and log aspect, for waves of size one.

    It is what remains in doubt of the map after least squares, with the waves' and the glides'
    own sizes as what is known before.
    """
    affine, waves = frame.basis[:, :3], frame.basis[:, 3:]
    slope = frame.slopes[:, 1:3]
    sines = frame.steps[-1].sines
    order = np.arange(1.0, WAVES + 1)
    power = 2.0 * ((waves**2).mean(axis=0) / order**2).sum()
    design = np.block(
        [
            [affine, np.zeros_like(affine), waves, np.zeros_like(waves), slope[:, :1] * sines],
            [np.zeros_like(affine), affine, np.zeros_like(waves), waves, slope[:, 1:] * sines],
        ]
    )
    glides = np.full(sines.shape[1], 1.0 / (GLIDE * len(sines)) ** 2)
    known = np.concatenate([np.full(6, TINY), np.tile(power * order**2, 2), glides])
    left = np.linalg.inv(design.T @ design / NOISE + np.diag(known))[:6, :6]
    # The map's entries come as (1, x, y) to x and (1, x, y) to y.
    to_turn, to_shear, to_aspect = np.zeros((3, 6))
    to_turn[4], to_shear[[2, 4]], to_aspect[[1, 5]] = 1.0, -1.0, (1.0, -1.0)
    reading = np.stack([to_turn, to_shear, to_aspect])
    covariance: Floats = CAUTION * reading @ left @ reading.T
    return covariance


def corrected(turn: Floats, style: Floats, form: Floats, covariance: Floats) -> Floats:
    """Return the best guess of each turn, given what hands usually do.

    ``style`` is shear and log aspect as measured, ``(letters, 2)``, and ``form`` the mean square of
    what is wrong with the form: where nothing is, nothing is corrected.
    """
    errors = form[:, None, None] * covariance
    surprise = np.linalg.solve(errors[:, 1:, 1:] + HANDS, style[:, :, None])
    wrong = np.clip((errors[:, :1, 1:] @ surprise)[:, 0, 0], -MOST, MOST)
    better: Floats = (turn - wrong + np.pi) % (2 * np.pi) - np.pi
    return np.where(wrong == 0, turn, better)
