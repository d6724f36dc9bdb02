"""How a letter is written in time: as it was recorded, or as a hand would go along its line."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from homeroom._arrays import Floats
from homeroom.handwriting.generators.path import Path
from homeroom.handwriting.ink import Ink, Stroke
from homeroom.handwriting.resample import by_length, radius

LONGEST_PAUSE = 0.5
"""Seconds that the pen may be in the air between two strokes; a recording can have minutes."""


def paced(ink: Ink) -> Ink:
    """Return the ink with times: its own from 0 on and without long pauses, or else natural ones.

    Where there are no times, the pen goes along the line by the two-thirds power law: slower where
    the line bends.

    Examples
    --------
    >>> from homeroom.handwriting import model_letter
    >>> paced(model_letter("l")).timed
    True
    >>> late = Ink(
    ...     (Stroke([[0, 0], [1, 0]], times=[7, 8]), Stroke([[2, 0], [3, 0]], times=[99, 100]))
    ... )
    >>> [stroke.times.tolist() for stroke in paced(late)]
    [[0.0, 1.0], [1.5, 2.5]]
    """
    return _from_zero(ink) if ink.timed and _seconds(ink) > 0 else _naturally(ink)


def times_of(stroke: Stroke) -> Floats:
    """Return the times of a stroke that has them."""
    assert stroke.times is not None
    return stroke.times


def _seconds(ink: Ink) -> float:
    return float(sum(np.ptp(times_of(stroke)) for stroke in ink))


def _from_zero(ink: Ink) -> Ink:
    strokes, now, before = [], 0.0, float(times_of(ink.strokes[0])[0])
    for stroke in ink:
        times = times_of(stroke)
        pause = min(LONGEST_PAUSE, max(0.0, float(times[0]) - before))
        own = times - times[0] + now + pause
        strokes.append(replace(stroke, times=own))
        now, before = float(own[-1]), float(times[-1])
    return replace(ink, strokes=tuple(strokes))


def _naturally(ink: Ink) -> Ink:
    path = Path.of(ink)
    strokes, now = [], 0.0
    for points, seconds, pause in zip(path.places, path.seconds, path.pauses, strict=True):
        now += float(pause)
        strokes.append(Stroke(points, times=now + np.linspace(0.0, float(seconds), len(points))))
        now += float(seconds)
    return replace(ink, strokes=tuple(strokes))


def placed(ink: Ink, model: Ink) -> Ink:
    """Return the ink as large as the model and where the model is, by centre and RMS radius."""
    own, wanted = by_length(ink), by_length(model)
    scale = radius(wanted) / radius(own)
    return ink.moved(scale * np.eye(2), wanted.mean(axis=0) - scale * own.mean(axis=0))
