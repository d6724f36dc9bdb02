"""Validate the arguments of :class:`Ink` and :class:`Stroke`."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats
from homeroom._checks import InputError, InputTypeError, counted

MAX_POINTS = 100_000
"""The largest number of points of a letter: eight minutes of a pen with 200 points per second."""

MAX_SIZE = 1e100
"""The largest coordinate, whose square does not overflow."""

MAX_WORD = 200


class _Timed(Protocol):
    @property
    def times(self) -> Floats | None: ...

    def __len__(self) -> int: ...


_Stroke = TypeVar("_Stroke", bound=_Timed)


def points(values: npt.ArrayLike) -> Floats:
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


def times(values: npt.ArrayLike, length: int) -> Floats:
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


def pressures(values: npt.ArrayLike, length: int) -> Floats:
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


def strokes(values: Any, kind: type[_Stroke]) -> tuple[_Stroke, ...]:
    """Return the strokes as a tuple, with at least one stroke and not too many points in all."""
    if isinstance(values, kind):
        raise InputTypeError(
            "`strokes` must be a sequence of strokes, as in Ink((stroke,)), but is a single one."
        )
    try:
        strokes = tuple(values)
    except TypeError:
        strokes = (values,)
    for stroke in strokes:
        if not isinstance(stroke, kind):
            raise InputTypeError(
                f"`strokes` must contain {kind.__name__} objects, as in Ink((Stroke(points),)), "
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


def word(value: str | None, name: str) -> str | None:
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
    array = _floats(values, name, "[0.0, 0.5]")
    if array.shape != (length,):
        raise InputError(
            f"`{name}` must have one number per point, for {counted(length, 'point')}, "
            f"but has shape {array.shape}."
        )
    return array


def _all_finite(array: Floats, name: str) -> None:
    wrong = ~np.isfinite(array).reshape(len(array), -1).all(axis=1)
    if wrong.any():
        at = int(wrong.argmax())
        raise InputError(
            f"`{name}` must be finite, but point {at} has {array[at].tolist()}: leave it out."
        )
