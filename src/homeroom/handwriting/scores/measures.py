"""What is measured on letters that lie on their model: form, turn, slant and tremor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from homeroom._arrays import Floats
from homeroom.handwriting.scores.doubt import corrected, doubt
from homeroom.handwriting.scores.frame import Frame
from homeroom.handwriting.scores.registration import Fit

STEADY = 0.65
"""The steadiest share of the line, on which tremor is measured: that leaves out corners."""

TREMOR_GAIN = 3.4
"""From that to the RMS of the whole tremor, along the line too; measured on simulated letters."""

TOLERATED = (0.5, 0.5)
"""Shear, and logarithm of the aspect, up to which they are style; beyond, they are distortion."""


@dataclass(frozen=True, eq=False)
class Measures:
    """A number for each letter: lengths in RMS radii of the letter, angles in radians."""

    form: Floats
    turn: Floats
    shear: Floats
    aspect: Floats
    tremor: Floats


def measure(fit: Fit, frame: Frame) -> Measures:
    """Measure letters that lie on their model."""
    maps = _turns_only(fit.maps, frame) if _straight(frame) else fit.maps
    area = np.abs(np.linalg.det(maps))
    size = np.sqrt(np.where(area > 1e-6, area, 1.0))
    turn, stretch = _turned(maps / size[:, None, None])
    high = np.where(np.abs(stretch[:, 1, 1]) > 1e-3, stretch[:, 1, 1], 1e-3)
    shear = -stretch[:, 0, 1] / high
    aspect = np.log(np.abs(stretch[:, 0, 0] / high) + 1e-9)
    form = (fit.form.real**2 + fit.form.imag**2).mean(axis=0) / size**2
    style = np.column_stack([shear, aspect])
    return Measures(
        np.sqrt(form + _excess(style, frame)),
        corrected(turn, style, form, doubt(frame)),
        shear,
        np.exp(aspect),
        _tremor(fit.tremor) / size,
    )


def _straight(frame: Frame) -> bool:
    """Tell whether a model is a straight line, or nearly so: it has a direction, but no slant."""
    widths = np.linalg.svd(np.stack([frame.points.real, frame.points.imag]), compute_uv=False)
    return bool(widths[1] < 0.05 * widths[0])


def _turns_only(maps: Floats, frame: Frame) -> Floats:
    """Return the turn and the size that maps give to the line on which the model lies."""
    line = np.sqrt((frame.points**2).mean())
    image = maps @ [line.real, line.imag]
    change = (image[:, 0] + 1j * image[:, 1]) / line
    return np.array([[change.real, -change.imag], [change.imag, change.real]]).transpose(2, 0, 1)


def _turned(maps: Floats) -> tuple[Floats, Floats]:
    """Split maps into a turn of the writing line and an upper triangle of slant and stretch."""
    turn = np.arctan2(maps[:, 1, 0], maps[:, 0, 0])
    c, s = np.cos(turn), np.sin(turn)
    back = np.array([[c, s], [-s, c]]).transpose(2, 0, 1)
    return turn, back @ maps


def _excess(style: Floats, frame: Frame) -> Floats:
    """Return the mean squared displacement by slant and stretch beyond what is tolerated."""
    beyond = np.maximum(0.0, np.abs(style) - TOLERATED)
    down = (frame.points.imag**2).mean()
    excess: Floats = down * beyond[:, 0] ** 2 + (beyond[:, 1] / 2) ** 2
    return excess


def _tremor(across: Floats) -> Floats:
    kept = int(STEADY * len(across))
    steadiest = np.partition(across**2, kept, axis=0)[:kept]
    tremor: Floats = TREMOR_GAIN * np.sqrt(steadiest.mean(axis=0))
    return tremor
