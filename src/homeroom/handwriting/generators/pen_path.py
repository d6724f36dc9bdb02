"""The path of the pen: a smooth line through a letter, and the speed of a hand along it.

Letters without times get natural ones: the pen follows the two-thirds power law.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import scipy  # its parts are imported when they are first used

from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom.handwriting.ink import Ink, Stroke
from homeroom.handwriting.resample import by_length, corners, interpolate, line_lengths, radius

DENSE = 257
"""The number of points per stroke of a :class:`PenPath`."""

CORNER = np.radians(75.0)
"""A sharper turn between two points of the model is a corner, and stays one."""

SECONDS = 1.25
"""The duration of a letter of the usual length at the usual tempo."""

USUAL_LENGTH = 6.5
"""The usual length of a letter, in RMS radii of the letter."""

SECONDS_LIMITS = (1.1, 1.4)
"""The shortest and the longest time with the pen down, in seconds, at the usual tempo."""


DOT_SECONDS = 0.1
"""The shortest duration of a stroke, and that of a dot, in seconds."""

LIFT_SECONDS = 0.08
"""The seconds to lift the pen and put it down again."""

AIRSPEED = 1.5
"""The speed of the pen in the air relative to its speed on the paper."""


@dataclass(frozen=True, eq=False)
class PenPath:
    """The movement of a hand along a model letter.

    Parameters
    ----------
    places
        The positions of the pen, shape ``(strokes, DENSE, 2)``, evenly spaced in time.
    along
        The fraction of the letter's length at each position, shape ``(strokes, DENSE)``.
    seconds
        The duration of each stroke, shape ``(strokes,)``.
    pauses
        The time in the air before each stroke, shape ``(strokes,)``; the first is 0.
    """

    places: Floats
    along: Floats
    seconds: Floats
    pauses: Floats

    @property
    def even(self) -> Floats:
        """401 evenly spaced points along the whole letter, shape ``(401, 2)``."""
        at = np.linspace(0.0, 1.0, 401)
        where, way = self.places.reshape(-1, 2), self.along.ravel()
        return interpolate(at, way, where)

    @property
    def radius(self) -> float:
        """The RMS distance of evenly spaced points from their mean."""
        return radius(self.even)

    @classmethod
    def of(cls, model: Ink) -> PenPath:
        """Return the path through a model letter."""
        lines = [smooth_line(stroke.points) for stroke in model]
        lengths = np.array([line_lengths(line)[-1] for line in lines])
        if not lengths.any():
            raise InputError("A single dot has no path: give a model that is a line.")
        clocks = [_clock(line) for line in lines]
        ends = np.cumsum(lengths) / lengths.sum()
        parts = zip(lines, clocks, ends - lengths / lengths.sum(), ends, strict=True)
        places, along = zip(*(_at_even_times(*part) for part in parts), strict=True)
        total = _pen_down_seconds(lines, lengths.sum())
        durations = np.array([clock[-1] for clock in clocks])
        seconds = np.maximum(DOT_SECONDS, total * durations / durations.sum())
        jumps = [abs(complex(*(after[0] - before[-1]))) for before, after in pairwise(lines)]
        pauses = [LIFT_SECONDS + jump / (AIRSPEED * lengths.sum() / total) for jump in jumps]
        return cls(np.array(places), np.array(along), seconds, np.array([0.0, *pauses]))


def smooth_line(points: Floats) -> Floats:
    """Return ``DENSE`` evenly spaced points on a smooth line through the points, with corners."""
    kept = np.concatenate([[True], (np.diff(points, axis=0) != 0).any(axis=1)])
    points = points[kept]
    if len(points) == 1:
        return np.repeat(points, DENSE, axis=0)
    ends = [0, *corners(points, CORNER), len(points) - 1]
    pieces = [_spline(points[a : b + 1]) for a, b in pairwise(ends)]
    line = np.concatenate([pieces[0], *(piece[1:] for piece in pieces[1:])])
    way = line_lengths(line)
    at = np.linspace(0.0, way[-1], DENSE)
    return interpolate(at, way, line)


def _spline(points: Floats) -> Floats:
    """Return a fine cubic spline through the points."""
    if len(points) == 2:
        return np.linspace(points[0], points[1], 65)
    steps = np.sqrt(np.hypot(*np.diff(points, axis=0).T))  # centripetal: no loops between points
    at = np.concatenate([[0.0], np.cumsum(steps)])
    curve = scipy.interpolate.CubicSpline(at, points)
    line: Floats = curve(np.linspace(0.0, at[-1], 32 * len(points) + 1))
    return line


def _clock(line: Floats) -> Floats:
    """Return the time at each point of a line by the two-thirds power law, up to a factor.

    Angular speed is proportional to curvature to the power 2/3, so speed to curvature to the power
    -1/3 (Lacquaniti, Terzuolo and Viviani 1983). The pen starts and stops at rest.
    """
    way = line_lengths(line)
    length = way[-1]
    if length == 0:
        return np.linspace(0.0, 1e-6, len(line))
    step = np.diff(line, axis=0)
    angle = np.unwrap(np.arctan2(step[:, 1], step[:, 0]))
    bend = np.abs(scipy.ndimage.gaussian_filter1d(np.gradient(angle), 5.0, mode="nearest"))
    curvature = bend * len(bend)  # radians per length of the stroke
    speed = (curvature + 2.0) ** (-1 / 3)
    middle = (np.arange(len(step)) + 0.5) / len(step)
    speed *= np.sqrt(np.minimum(1.0, np.minimum(middle, 1.0 - middle) / 0.08))
    return np.concatenate([[0.0], np.cumsum(length / len(step) / speed)])


def _at_even_times(line: Floats, clock: Floats, low: float, high: float) -> tuple[Floats, Floats]:
    """Return positions, and their fractions of the whole letter, at ``DENSE`` even times.

    The stroke goes from fraction ``low`` to fraction ``high`` of the letter's length.
    """
    at = np.linspace(0.0, clock[-1], DENSE)
    return interpolate(at, clock, line), np.interp(at, clock, np.linspace(low, high, len(line)))


def _pen_down_seconds(lines: list[Floats], length: float) -> float:
    """Return the seconds with the pen down.

    They are proportional to the square root of the length, within ``SECONDS_LIMITS``.
    """
    length_in_radii = length / radius(np.concatenate(lines))
    return float(np.clip(SECONDS * np.sqrt(length_in_radii / USUAL_LENGTH), *SECONDS_LIMITS))


LONGEST_PAUSE = 0.5
"""The longest pause between two strokes in seconds; a recording can have minutes."""


def paced(ink: Ink) -> Ink:
    """Return the ink with its own times, from 0 on and without long pauses, or natural ones.

    Ink without times gets ``DENSE`` points per stroke, whose times follow the two-thirds power
    law: the pen is slower where the line bends.

    Examples
    --------
    >>> from homeroom.handwriting import Ink, Stroke, model_letter
    >>> paced(model_letter("l")).timed
    True
    >>> late = Ink(
    ...     (Stroke([[0, 0], [1, 0]], times=[7, 8]), Stroke([[2, 0], [3, 0]], times=[99, 100]))
    ... )
    >>> [stroke.times.tolist() for stroke in paced(late)]
    [[0.0, 1.0], [1.5, 2.5]]
    """
    return (
        _from_time_zero(ink) if ink.timed and _writing_time(ink) > 0 else _with_natural_times(ink)
    )


def times_of(stroke: Stroke) -> Floats:
    """Return the times of a stroke that has them."""
    assert stroke.times is not None
    return stroke.times


def _writing_time(ink: Ink) -> float:
    """Return the seconds with the pen down."""
    return float(sum(np.ptp(times_of(stroke)) for stroke in ink))


def _from_time_zero(ink: Ink) -> Ink:
    """Return the ink with times from 0 on, and without long pauses."""
    strokes, now, before = [], 0.0, float(times_of(ink.strokes[0])[0])
    for stroke in ink:
        times = times_of(stroke)
        pause = min(LONGEST_PAUSE, max(0.0, float(times[0]) - before))
        own = times - times[0] + now + pause
        strokes.append(replace(stroke, times=own))
        now, before = float(own[-1]), float(times[-1])
    return replace(ink, strokes=tuple(strokes))


def _with_natural_times(ink: Ink) -> Ink:
    """Return the ink with ``DENSE`` points per stroke, at times by the power law."""
    path = PenPath.of(ink)
    strokes, now = [], 0.0
    for points, seconds, pause in zip(path.places, path.seconds, path.pauses, strict=True):
        now += float(pause)
        strokes.append(Stroke(points, times=now + np.linspace(0.0, float(seconds), len(points))))
        now += float(seconds)
    return replace(ink, strokes=tuple(strokes))


def placed(ink: Ink, model: Ink) -> Ink:
    """Return the ink at the size and place of the model, by centre and RMS radius."""
    own, wanted = by_length(ink), by_length(model)
    scale = radius(wanted) / radius(own)
    return ink.moved(scale * np.eye(2), wanted.mean(axis=0) - scale * own.mean(axis=0))
