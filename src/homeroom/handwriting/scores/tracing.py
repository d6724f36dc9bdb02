"""Many letters as equally many points each, so that they can be compared point by point.

A point (x, y) is the complex number x + iy here: to turn a letter is to multiply.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats, Ints
from homeroom.handwriting.ink import Ink

Points: TypeAlias = npt.NDArray[np.complex128]
"""Points of letters, shape ``(points, letters)``."""

POINTS = 112
"""How many points stand for a letter."""

LEAST = 5
"""How many of them even the shortest stroke has."""


def lines(ink: Ink, *, joined: bool = False) -> list[Points]:
    """Return the strokes of a letter as complex points; ``joined``, all of them as one line."""
    parts = [np.ascontiguousarray(s.points).view(np.complex128)[:, 0] for s in ink]
    return [np.concatenate(parts)] if joined else parts


def shares(strokes: Sequence[Points]) -> Ints:
    """Return how many of the points each stroke of a model gets, by its length."""
    lengths = np.array([np.abs(np.diff(stroke)).sum() for stroke in strokes])
    counts: Ints = np.maximum(LEAST, (POINTS * lengths / lengths.sum()).astype(np.int64))
    counts[counts.argmax()] += POINTS - counts.sum()
    return counts


def traced(letters: Sequence[Sequence[Points]], counts: Ints) -> Points:
    """Return the letters' points, evenly along each stroke, shape ``(points, letters)``.

    Every letter has as many strokes as there are counts. One interpolation does them all: stroke
    j lies between 2j and 2j + 1 on one long line.
    """
    strokes = [stroke for letter in letters for stroke in letter]
    points = np.concatenate(strokes)
    ways, moved = _ways(points, np.array([len(stroke) for stroke in strokes]))
    share = np.concatenate([np.linspace(0.0, 1.0, count) for count in counts.tolist()])
    number = np.repeat(np.arange(len(counts)), counts)[:, None]
    number = number + len(counts) * np.arange(len(letters))
    at = 2.0 * number + share[:, None] * moved[number]
    found: Points = np.interp(at, ways, points)
    return found


def standard(points: Points) -> tuple[Points, Floats]:
    """Return the letters with mean zero and RMS radius one, and what that radius was."""
    centred = points - points.mean(axis=0)
    most = np.abs(centred).max(axis=0)  # so that no square is too small or too large
    scaled = centred / most
    radius = np.sqrt((scaled.real**2 + scaled.imag**2).mean(axis=0))
    return scaled / radius, most * radius


def _ways(points: Points, sizes: Ints) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return each point's place on the long line, and which strokes have a length at all."""
    firsts = np.cumsum(sizes) - sizes
    steps = np.abs(np.diff(points, prepend=points[:1]))
    steps[firsts] = 0.0
    ways = np.cumsum(steps)
    ways -= np.repeat(ways[firsts], sizes)
    lengths = ways[firsts + sizes - 1]
    moved = lengths > 0
    ways /= np.repeat(np.where(moved, lengths, 1.0), sizes)
    # Rounding of the running sum must not push a stroke's last point beyond its end.
    ways = np.minimum(ways, 1.0) + np.repeat(2.0 * np.arange(len(sizes)), sizes)
    return ways, moved
