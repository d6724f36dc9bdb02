"""Which point of a letter corresponds to which of the model, and what map takes one to the other.

A letter is taken to be ``A x + waves + tremor`` of the model's points x, read at places that glide
along its line. From evenly spaced places, a few steps find map, waves and places in turn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from homeroom._arrays import Floats
from homeroom.handwriting.scores.frame import Frame
from homeroom.handwriting.scores.tracing import Points


@dataclass(frozen=True, eq=False)
class Fit:
    """Letters laid onto the model.

    Parameters
    ----------
    maps
        The linear part of the affine map from the model to each letter, ``(letters, 2, 2)``.
    form
        How far each point is from that map of the model, smoothed, ``(points, letters)``.
    tremor
        What smoothing took away, across the line, ``(points, letters)``.
    """

    maps: Floats
    form: Points
    tremor: Floats


def register(points: Points, frame: Frame) -> Fit:
    """Lay letters in standard size onto a model, ``points`` being ``(points, letters)``."""
    found = points
    places = np.repeat(np.arange(float(len(points)))[:, None], points.shape[1], axis=1)
    for step in frame.steps:
        weights = times(step.fit, found)
        rest = found - times(frame.basis, weights)
        wanted = _along(rest, times(frame.slopes, weights))
        places -= step.sines @ (step.glide @ wanted)
        np.clip(places, frame.first, frame.last, out=places)
        np.maximum.accumulate(places, axis=0, out=places)
        found = _read(points, places, frame)
    return _split(found, frame)


def times(matrix: Floats, points: Points) -> Points:
    """Return the matrix times the points of every letter: one real product for all of them."""
    flat = matrix @ np.ascontiguousarray(points).view(np.float64)
    return flat.view(np.complex128)


def _split(found: Points, frame: Frame) -> Fit:
    weights = times(frame.free, found)
    rest = found - times(frame.basis, weights)
    smooth = times(frame.smoother, rest)
    slopes = times(frame.slopes, weights)
    across = ((rest - smooth) * slopes.conj()).imag
    speed = np.abs(slopes)
    columns = weights[1:3].T
    return Fit(
        np.stack([columns.real, columns.imag], axis=1),
        times(frame.basis[:, 3:], weights[3:]) + smooth,
        across / np.where(speed > 0, speed, 1.0),
    )


def _along(rest: Points, slopes: Points) -> Floats:
    """Return how many points further along the line the rest would vanish, to first order."""
    squared = slopes.real**2 + slopes.imag**2
    inner = rest.real * slopes.real + rest.imag * slopes.imag
    wanted: Floats = inner / (squared + 0.1 * squared.mean(axis=0) + 1e-300)
    return wanted


def _read(points: Points, places: Floats, frame: Frame) -> Points:
    """Return the points at places between them."""
    before = places.astype(np.int64)
    share = places - before
    letters = points.shape[1]
    column = np.arange(letters)
    start = points.ravel().take(before * letters + column)
    end = points.ravel().take(np.minimum(before + 1, frame.last) * letters + column)
    read: Points = start + share * (end - start)
    return read
