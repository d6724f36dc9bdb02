"""What a model's file says of itself: which letters, in which units, and how it came about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom.handwriting.checks import MAX_WORD
from homeroom.handwriting.generators.lstm.tracks import MOST_STEPS, Tracks

MARGIN = 1.15
"""How much shorter or longer than all that was learned from a letter may come out."""

RATES, UNITS = (1.0, 1000.0), (1e-6, 1e6)
"""Between what and what a card's numbers lie: a file with others would fill the memory."""


class Limits(NamedTuple):
    """Between what and what a sound letter lies; a row for each letter, shape ``(letters, 2)``.

    A letter that was never seen has zeros.
    """

    steps: Floats
    strokes: Floats
    way: Floats

    def widened(self, other: Limits) -> Limits:
        """Return limits that let through whatever either lets through."""
        return Limits(*(_either(mine, theirs) for mine, theirs in zip(self, other, strict=True)))


@dataclass(frozen=True, eq=False)
class Card:
    """What one must know to use a model, and ``story``: what one should know of its making.

    Parameters
    ----------
    names
        The letters that it can write.
    rate
        Steps in a second.
    step_size, reach
        A usual step and a usual distance from where the pen began, in the ink's unit.
    jitter
        How much, in usual steps, each place was moved at random before the network saw it, so
        that it learned to come back from its own errors.
    limits
        Between what and what a sound letter lies.
    story
        Corpus, seed, training, likelihood, distances to the corpus: plain JSON values.
    """

    names: tuple[str, ...]
    rate: float
    step_size: float
    reach: float
    jitter: float
    limits: Limits
    story: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "names": list(self.names),
            "rate": self.rate,
            "step_size": self.step_size,
            "reach": self.reach,
            "jitter": self.jitter,
            "limits": {name: part.tolist() for name, part in self.limits._asdict().items()},
            "story": dict(self.story),
        }

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Card:
        """Return a card from plain JSON values, checked for being one."""
        names = _names(values["names"])
        limits = Limits(*(_limits(values["limits"], key, len(names)) for key in Limits._fields))
        if limits.steps.max() > MARGIN * MOST_STEPS:
            raise InputError(
                f"`limits` must end a letter after {MARGIN * MOST_STEPS:g} steps at most, but let "
                f"one have {limits.steps.max():g}."
            )
        between = {"rate": RATES, "step_size": UNITS, "reach": UNITS, "jitter": (0.0, 1.0)}
        units = {key: _between(values, key, *ends) for key, ends in between.items()}
        return cls(names, **units, limits=limits, story=dict(values["story"]))


def limits_of(tracks: Tracks) -> Limits:
    """Return between what and what the letters that are learned from lie."""
    drawn = np.hypot(tracks.offsets[..., 0], tracks.offsets[..., 1]) * tracks.drawn
    parts = (tracks.lengths, 1 + tracks.lifted.sum(axis=1), drawn.sum(axis=1))
    rows = [
        [_ends(part[tracks.which == index]) for part in parts] for index in range(len(tracks.names))
    ]
    steps, strokes, way = np.moveaxis(np.array(rows, dtype=np.float64), 0, 1)
    wider = np.array([1 / MARGIN, MARGIN])
    return Limits(steps * wider, strokes, way * wider)


def _either(mine: Floats, theirs: Floats) -> Floats:
    seen, known = mine.any(axis=1, keepdims=True), theirs.any(axis=1, keepdims=True)
    low, high = np.minimum(mine[:, :1], theirs[:, :1]), np.maximum(mine[:, 1:], theirs[:, 1:])
    both = np.hstack([low, high])
    return np.where(seen & known, both, np.where(seen, mine, theirs))


def _ends(values: Any) -> tuple[float, float]:
    return (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)


def _names(values: Any) -> tuple[str, ...]:
    if not (isinstance(values, list) and values and all(isinstance(name, str) for name in values)):
        raise InputError("`names` must list at least one letter.")
    if len(set(values)) < len(values):
        raise InputError("`names` must list each letter once.")
    if not all(0 < len(name) <= MAX_WORD and name.isprintable() for name in values):
        raise InputError(f"`names` must be 1 to {MAX_WORD} characters each that can be printed.")
    return tuple(values)


def _between(values: dict[str, Any], key: str, low: float, high: float) -> float:
    number = float(values[key])
    if not low <= number <= high:
        raise InputError(f"`{key}` must be from {low:g} to {high:g}, but is {number:g}.")
    return number


def _limits(values: dict[str, Any], key: str, letters: int) -> Floats:
    limits = np.array(values[key], dtype=np.float64)
    if limits.shape != (letters, 2) or not np.isfinite(limits).all():
        raise InputError(f"`limits` must have two numbers for each letter in `{key}`.")
    return limits
