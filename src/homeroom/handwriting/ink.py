"""Ink: the strokes of a pen, as points with times and pressures, checked when they are given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from homeroom import _arrays
from homeroom._arrays import Floats
from homeroom._checks import InputError, InputTypeError, counted

MAX_POINTS = 100_000
"""The largest number of points of a letter: eight minutes of a pen with 200 points per second."""

MAX_SIZE = 1e100
"""The largest coordinate, whose square does not overflow."""

MAX_WORD = 200
"""The largest number of characters in the name of a letter or of a writer."""


@dataclass(frozen=True, eq=False, init=False)
class Stroke:
    """The path of the pen between touching the paper and leaving it.

    Parameters
    ----------
    points
        The positions of the pen, shape ``(points, 2)``, in any unit: x grows to the right and y
        grows *downwards*, as on a screen and in most files.
    times
        The times in seconds, never decreasing, shape ``(points,)``; ``None`` if unknown.
    pressures
        The pressures from 0 to 1, shape ``(points,)``; ``None`` if unknown.
    """

    points: Floats
    times: Floats | None
    pressures: Floats | None

    def __init__(
        self,
        points: npt.ArrayLike,
        times: npt.ArrayLike | None = None,
        pressures: npt.ArrayLike | None = None,
    ) -> None:
        where = _checked_points(points)
        when = None if times is None else _arrays.freeze(_checked_times(times, len(where)))
        checked = (
            None if pressures is None else _arrays.freeze(_checked_pressures(pressures, len(where)))
        )
        object.__setattr__(self, "points", _arrays.freeze(where))
        object.__setattr__(self, "times", when)
        object.__setattr__(self, "pressures", checked)

    def __len__(self) -> int:
        return len(self.points)


@dataclass(frozen=True, eq=False)
class Ink:
    """One letter (or word) as it was written.

    Parameters
    ----------
    strokes
        At least one :class:`Stroke`, in the order of writing.
    letter
        The letter, if known.
    writer
        The writer, if known.

    Examples
    --------
    >>> ink = Ink((Stroke([[0, 0], [3, 4]], times=[0.0, 0.5]),), letter="l")
    >>> ink
    Ink('l', 1 stroke, 2 points, 0.5 s)
    >>> ink.length
    5.0
    """

    strokes: tuple[Stroke, ...]
    letter: str | None = None
    writer: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "strokes", _checked_strokes(self.strokes))
        object.__setattr__(self, "letter", _checked_word(self.letter, "letter"))
        object.__setattr__(self, "writer", _checked_word(self.writer, "writer"))

    def __repr__(self) -> str:
        what = [] if self.letter is None else [repr(self.letter)]
        what += [counted(len(self.strokes), "stroke"), counted(len(self.points), "point")]
        what += [] if self.duration is None else [f"{self.duration:.3g} s"]
        return f"Ink({', '.join(what)})"

    def __iter__(self) -> Iterator[Stroke]:
        return iter(self.strokes)

    @property
    def points(self) -> Floats:
        """The points of all strokes, shape ``(points, 2)``."""
        return np.concatenate([stroke.points for stroke in self.strokes])

    @property
    def timed(self) -> bool:
        """Whether every point has a time."""
        return all(stroke.times is not None for stroke in self.strokes)

    @property
    def duration(self) -> float | None:
        """The seconds from the first point to the last; None without times."""
        first, last = self.strokes[0].times, self.strokes[-1].times
        return None if first is None or last is None else float(last[-1] - first[0])

    @property
    def length(self) -> float:
        """The length of all strokes, in the unit of the points."""
        steps = [np.diff(stroke.points, axis=0) for stroke in self.strokes]
        return float(sum(np.hypot(step[:, 0], step[:, 1]).sum() for step in steps))

    def moved(self, matrix: Floats, shift: Floats) -> Ink:
        """Return the ink with every point p moved to ``p @ matrix.T + shift``."""
        strokes = (
            replace(stroke, points=stroke.points @ matrix.T + shift) for stroke in self.strokes
        )
        return replace(self, strokes=tuple(strokes))


def _checked_points(values: npt.ArrayLike) -> Floats:
    """Return a copy of the points, finite and not too many, shape ``(points, 2)``."""
    if isinstance(values, list | tuple):
        few_enough(len(values))  # before a long list becomes an array
    points = _floats(values, "points", "[[0, 0], [3, 4]]")
    if points.size == 0:
        raise InputError("A stroke must have at least one point, but has none: leave it out.")
    if points.ndim != 2 or points.shape[1] != 2:
        raise InputError(
            f"`points` must have shape (points, 2), an x and a y each, but has shape "
            f"{points.shape}."
        )
    few_enough(len(points))
    _all_finite(points, "points")
    if np.abs(points).max() > MAX_SIZE:
        raise InputError(
            f"`points` must lie within {MAX_SIZE:g} of the origin, but one is at a distance of "
            f"{np.abs(points).max():.3g}."
        )
    return points


def _checked_times(values: npt.ArrayLike, length: int) -> Floats:
    """Return a copy of the times, one per point, finite and never decreasing."""
    times = _one_each(values, "times", length)
    _all_finite(times, "times")
    earlier = np.diff(times) < 0
    if earlier.any():
        at = int(earlier.argmax())
        raise InputError(
            f"`times` must never decrease, but point {at + 1} is at {times[at + 1]:g} s, "
            f"before point {at} at {times[at]:g} s. Leave the times out if they are not reliable."
        )
    return times


def _checked_pressures(values: npt.ArrayLike, length: int) -> Floats:
    """Return a copy of the pressures, one per point, from 0 to 1."""
    pressures = _one_each(values, "pressures", length)
    wrong = ~((pressures >= 0) & (pressures <= 1))
    if wrong.any():
        at = int(wrong.argmax())
        raise InputError(
            f"`pressures` must be from 0 to 1, but point {at} has {pressures[at]:g}. "
            "Divide by the pen's greatest pressure."
        )
    return pressures


def _checked_strokes(values: Any) -> tuple[Stroke, ...]:
    """Return the strokes as a tuple, with at least one stroke and not too many points in all."""
    if isinstance(values, Stroke):
        raise InputTypeError(
            "`strokes` must be a sequence of strokes, as in Ink((stroke,)), but is a single one."
        )
    try:
        strokes = tuple(values)
    except TypeError:
        strokes = (values,)
    for stroke in strokes:
        if not isinstance(stroke, Stroke):
            raise InputTypeError(
                "`strokes` must contain Stroke objects, as in Ink((Stroke(points),)), "
                f"but has {type(stroke).__name__}."
            )
    if not strokes:
        raise InputError(
            "`strokes` must contain at least one stroke, but is empty: leave that ink out."
        )
    few_enough(sum(len(stroke) for stroke in strokes))
    _in_order([stroke.times for stroke in strokes if stroke.times is not None])
    return strokes


def _in_order(clocks: list[Floats]) -> None:
    """Refuse strokes that start before the previous one ends; ``clocks`` has their times."""
    for before, after in pairwise(clocks):
        if after[0] < before[-1]:
            raise InputError(
                f"`strokes` must be in the order of their times, but one starts at {after[0]:g} s, "
                f"before the previous stroke ends at {before[-1]:g} s."
            )


def few_enough(points: int) -> None:
    """Refuse a letter with too many points."""
    if points > MAX_POINTS:
        raise InputError(
            f"A letter may have at most {MAX_POINTS:,} points, but this one has {points:,}. "
            "Split a long recording into its letters, or keep every tenth point."
        )


def _checked_word(value: str | None, name: str) -> str | None:
    """Return the name of a letter or a writer: text on one line, or None."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise InputTypeError(f"`{name}` must be a text or None, but is {value!r}.")
    if not (0 < len(value) <= MAX_WORD and value.isprintable() and value == value.strip()):
        raise InputError(
            f"`{name}` must be 1 to {MAX_WORD} printable characters without space at either "
            f"end, but is {value[:40]!r}. If it is not known, give None."
        )
    return str(value)


def _floats(values: npt.ArrayLike, name: str, example: str) -> Floats:
    """Return a float copy of the values; ``name`` and ``example`` are for the error message."""
    try:
        given = np.asarray(values)
        if given.dtype.kind not in "fiub":
            raise TypeError
        return given.astype(np.float64)  # a copy, independent of the argument
    except (OverflowError, TypeError, ValueError):
        raise InputTypeError(
            f"`{name}` must be numbers, as in {example}, but could not be read as such."
        ) from None


def _one_each(values: npt.ArrayLike, name: str, length: int) -> Floats:
    """Return the values as floats, one per point, shape ``(length,)``."""
    array = _floats(values, name, "[0.0, 0.5]")
    if array.shape != (length,):
        raise InputError(
            f"`{name}` must have one number per point, for {counted(length, 'point')}, "
            f"but has shape {array.shape}."
        )
    return array


def _all_finite(array: Floats, name: str) -> None:
    """Refuse an array, with one row per point, that has a number that is not finite."""
    wrong = ~np.isfinite(array).reshape(len(array), -1).all(axis=1)
    if wrong.any():
        at = int(wrong.argmax())
        raise InputError(
            f"`{name}` must be finite, but point {at} has {array[at].tolist()}: leave it out."
        )
