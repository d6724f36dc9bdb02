"""The settings of a letter, random settings, and the interface of a generator."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from homeroom._arrays import Floats
from homeroom._checks import InputError, InputTypeError, whole
from homeroom.handwriting.ink import Ink


@dataclass(frozen=True)
class Knobs:
    """The settings of one letter; by default it is written exactly as the model.

    Parameters
    ----------
    distortion
        The error of the form, as the score that the letter should get, from 0 to 0.95.
    rotation
        The rotation in degrees, positive to the right, from -90 to 90.
    shakiness
        The tremor of the line, as the score that the letter should get, from 0 to 0.95.
    shear
        The slant: how far the top moves to the right, in heights of the letter, from -1 to 1. This
        is a style and not a defect, so it should not affect the scores.
    aspect
        The ratio of width to height relative to the model, from 0.25 to 4; a style as well.
    size
        The size relative to the model.
    tempo
        The speed relative to the usual speed, from 0.25 to 4.
    """

    distortion: float = 0.0
    rotation: float = 0.0
    shakiness: float = 0.0
    shear: float = 0.0
    aspect: float = 1.0
    size: float = 1.0
    tempo: float = 1.0

    def __post_init__(self) -> None:
        for field in fields(self):
            _within(getattr(self, field.name), field.name)

    @property
    def row(self) -> tuple[float, ...]:
        """The settings in the order of ``KNOBS``."""
        return tuple(getattr(self, name) for name in KNOBS)


KNOBS = tuple(field.name for field in fields(Knobs))
"""The names of the knobs, in order."""

LIMITS: dict[str, tuple[float, float]] = {
    "distortion": (0.0, 0.95),
    "rotation": (-90.0, 90.0),
    "shakiness": (0.0, 0.95),
    "shear": (-1.0, 1.0),
    "aspect": (0.25, 4.0),
    "size": (1e-6, 1e6),
    "tempo": (0.25, 4.0),
}
"""The lowest and the highest value of each knob."""


@dataclass(frozen=True)
class Ranges:
    """The ranges from which knobs are drawn, uniformly and independently.

    Each range is a pair (low, high), or one number for a fixed knob.

    Examples
    --------
    >>> Ranges(rotation=20).draw(2, seed=0)[1].rotation
    20.0
    """

    distortion: tuple[float, float] | float = (0.0, 0.65)
    rotation: tuple[float, float] | float = (-45.0, 45.0)
    shakiness: tuple[float, float] | float = (0.0, 0.65)
    shear: tuple[float, float] | float = (-0.15, 0.15)
    aspect: tuple[float, float] | float = (0.85, 1.18)
    size: tuple[float, float] | float = (0.8, 1.25)
    tempo: tuple[float, float] | float = (0.85, 1.18)

    def __post_init__(self) -> None:
        for name in KNOBS:
            object.__setattr__(self, name, _pair(getattr(self, name), name))

    def draw(self, n: int, seed: int | Sequence[int] = 0) -> list[Knobs]:
        """Return the knobs of ``n`` letters; the first letters of a seed do not depend on ``n``."""
        n = whole(n, "n", at_least=0)
        low, high = np.array([getattr(self, name) for name in KNOBS]).T
        rows = np.random.default_rng(seed).uniform(low, high, size=(n, len(KNOBS)))
        return [Knobs(*row) for row in rows.tolist()]


class AbstractGenerator(ABC):
    """Writes letters according to their knobs."""

    @abstractmethod
    def write(self, letter: str, knobs: Sequence[Knobs], seed: int = 0) -> list[Ink]:
        """Return one letter per entry of ``knobs``, with times, reproducible by seed."""


def knob_columns(knobs: Sequence[Knobs]) -> dict[str, Floats]:
    """Return the values of each knob by its name, shape ``(letters,)`` each."""
    rows = np.array([one.row for one in knobs], dtype=np.float64).reshape(-1, len(KNOBS))
    return dict(zip(KNOBS, rows.T, strict=True))


def _pair(value: object, name: str) -> tuple[float, float]:
    """Return a range as (low, high); a single number is both."""
    if not isinstance(value, tuple | list):
        value = (value, value)
    if len(value) != 2:
        raise InputTypeError(f"`{name}` must be a number or a pair (low, high), but is {value!r}.")
    low, high = (_within(end, name) for end in value)
    if low > high:
        raise InputError(f"`{name}` must have its lower end first, but is ({low:g}, {high:g}).")
    return low, high


def _within(value: Any, name: str) -> float:
    """Return the value of a knob as a float, within its limits."""
    low, high = LIMITS[name]
    try:
        number = float(value)
    except (OverflowError, TypeError, ValueError):
        raise InputTypeError(f"`{name}` must be a number, but is {value!r}.") from None
    if not (math.isfinite(number) and low <= number <= high):
        raise InputError(f"`{name}` must be from {low:g} to {high:g}, but is {number:g}.")
    return number
