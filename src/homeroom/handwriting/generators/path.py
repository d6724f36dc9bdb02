"""The way of the pen: a smooth line through the model letter, and how fast a hand goes along it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.ndimage import gaussian_filter1d

from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError
from homeroom.handwriting.ink import Ink
from homeroom.handwriting.resample import radius

DENSE = 257
"""Points in the table of each stroke."""

CORNER = np.radians(75.0)
"""A turn sharper than this between two points of the model is a corner, and stays one."""

SECONDS = 1.25
"""How long a letter of the usual length takes at the usual tempo."""

USUAL = 6.5
"""That usual length, in RMS radii of the letter."""

LIMITS = (1.1, 1.4)
"""The shortest and the longest time in seconds that the pen is down, at the usual tempo."""


BRIEFEST = 0.1
"""Seconds that even a dot takes."""

LIFT = 0.08
"""Seconds to lift the pen and put it down again, and"""

AIRSPEED = 1.5
"""how much faster it is in the air."""


@dataclass(frozen=True, eq=False)
class Path:
    """A model letter as a hand would go along it.

    Parameters
    ----------
    places
        Where the pen is, shape ``(strokes, DENSE, 2)``, at even steps of each stroke's time.
    along
        How far along the letter's whole way that is, from 0 to 1, shape ``(strokes, DENSE)``.
    seconds
        How long each stroke takes, shape ``(strokes,)``.
    pauses
        How long the pen is in the air before each stroke, shape ``(strokes,)``; first 0.
    """

    places: Floats
    along: Floats
    seconds: Floats
    pauses: Floats

    @property
    def even(self) -> Floats:
        """401 points evenly along the letter's whole way, shape ``(401, 2)``."""
        at = np.linspace(0.0, 1.0, 401)
        where, way = self.places.reshape(-1, 2), self.along.ravel()
        return np.stack([np.interp(at, way, where[:, 0]), np.interp(at, way, where[:, 1])], axis=1)

    @property
    def radius(self) -> float:
        """The RMS distance of these points from their mean."""
        return radius(self.even)

    @classmethod
    def of(cls, model: Ink) -> Path:
        """Return the path through a model letter."""
        lines = [smooth(stroke.points) for stroke in model]
        lengths = np.array([_way(line)[-1] for line in lines])
        if not lengths.any():
            raise InputError("A single dot cannot be written along: give a model that is a line.")
        clocks = [_clock(line) for line in lines]
        ends = np.cumsum(lengths) / lengths.sum()
        parts = zip(lines, clocks, ends - lengths / lengths.sum(), ends, strict=True)
        places, along = zip(*(_timed(*part) for part in parts), strict=True)
        total = _seconds(lines, lengths.sum())
        durations = np.array([clock[-1] for clock in clocks])
        seconds = np.maximum(BRIEFEST, total * durations / durations.sum())
        jumps = [abs(complex(*(after[0] - before[-1]))) for before, after in pairwise(lines)]
        pauses = [LIFT + jump / (AIRSPEED * lengths.sum() / total) for jump in jumps]
        return cls(np.array(places), np.array(along), seconds, np.array([0.0, *pauses]))


def smooth(points: Floats) -> Floats:
    """Return DENSE points evenly along a smooth line through the given ones, corners kept."""
    kept = np.concatenate([[True], (np.diff(points, axis=0) != 0).any(axis=1)])
    points = points[kept]
    if len(points) == 1:
        return np.repeat(points, DENSE, axis=0)
    ends = [0, *corners(points), len(points) - 1]
    pieces = [_spline(points[a : b + 1]) for a, b in pairwise(ends)]
    line = np.concatenate([pieces[0], *(piece[1:] for piece in pieces[1:])])
    way = _way(line)
    at = np.linspace(0.0, way[-1], DENSE)
    return np.stack([np.interp(at, way, line[:, 0]), np.interp(at, way, line[:, 1])], axis=1)


def corners(points: Floats) -> Ints:
    """Return which of the points are corners."""
    step = np.diff(points, axis=0)
    angle = np.arctan2(step[:, 1], step[:, 0])
    turn = np.angle(np.exp(1j * np.diff(angle)))
    found: Ints = np.flatnonzero(np.abs(turn) > CORNER) + 1
    return found


def _spline(points: Floats) -> Floats:
    if len(points) == 2:
        return np.linspace(points[0], points[1], 65)
    steps = np.sqrt(np.hypot(*np.diff(points, axis=0).T))  # centripetal: no loops between points
    at = np.concatenate([[0.0], np.cumsum(steps)])
    line: Floats = CubicSpline(at, points)(np.linspace(0.0, at[-1], 32 * len(points) + 1))
    return line


def _clock(line: Floats) -> Floats:
    """Return when the pen is at each point of a line, by the two-thirds power law, up to a factor.

    Angular speed goes as curvature to the power 2/3, so speed as curvature to the power -1/3
    (Lacquaniti, Terzuolo and Viviani 1983). The pen starts and stops at rest.
    """
    way = _way(line)
    length = way[-1]
    if length == 0:
        return np.linspace(0.0, 1e-6, len(line))
    step = np.diff(line, axis=0)
    angle = np.unwrap(np.arctan2(step[:, 1], step[:, 0]))
    bend = np.abs(gaussian_filter1d(np.gradient(angle), 5.0, mode="nearest"))
    curvature = bend * len(bend)  # radians per length of the stroke
    speed = (curvature + 2.0) ** (-1 / 3)
    middle = (np.arange(len(step)) + 0.5) / len(step)
    speed *= np.sqrt(np.minimum(1.0, np.minimum(middle, 1.0 - middle) / 0.08))
    return np.concatenate([[0.0], np.cumsum(length / len(step) / speed)])


def _timed(line: Floats, clock: Floats, low: float, high: float) -> tuple[Floats, Floats]:
    """Return places and shares of the way at even steps of time."""
    at = np.linspace(0.0, clock[-1], DENSE)
    where = np.stack([np.interp(at, clock, line[:, 0]), np.interp(at, clock, line[:, 1])], axis=1)
    return where, np.interp(at, clock, np.linspace(low, high, len(line)))


def _seconds(lines: list[Floats], length: float) -> float:
    """Return how long the pen is down: longer for longer letters, but less than in proportion."""
    points = np.concatenate(lines)
    centred = points - points.mean(axis=0)
    radius = np.sqrt((centred**2).sum(axis=1).mean())
    return float(np.clip(SECONDS * np.sqrt(length / radius / USUAL), *LIMITS))


def _way(line: Floats) -> Floats:
    step = np.diff(line, axis=0)
    return np.concatenate([[0.0], np.cumsum(np.hypot(step[:, 0], step[:, 1]))])
