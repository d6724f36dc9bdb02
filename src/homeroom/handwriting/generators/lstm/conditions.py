"""Conditions: the knobs that describe how a letter is written, scaled as inputs of the network.

The usual range of each knob is scaled to -1 to 1. Without these inputs, the network would forget in
the course of a letter how it is written, and all letters would look average.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError, InputTypeError
from homeroom.handwriting.generators.knobs import KNOBS, Knobs, Ranges
from homeroom.handwriting.generators.lstm.tracks import Floats32, Tracks
from homeroom.handwriting.generators.pen_path import PenPath
from homeroom.handwriting.ink import Ink
from homeroom.handwriting.letters import LETTERS, model_letter
from homeroom.handwriting.resample import by_length, radius
from homeroom.handwriting.scores.measurement import read

EVERY_LETTER = -1
"""The letter index of rows that apply to all letters."""

ROWS_PER_LETTER = 500
"""The largest number of rows that a model stores per letter."""

SHARED_ROWS = 4096
"""The largest number of rows that a model stores if all letters share the same habits."""


@dataclass(frozen=True, eq=False)
class Habits:
    """The conditions of letters in the training data, and the letter of each row.

    In real ink, each letter is written differently. The network may never have seen an e with
    conditions that were measured on an f.

    Parameters
    ----------
    rows
        The conditions, shape ``(rows, 7)``.
    whose
        The letters as indices into the names of the card, or ``EVERY_LETTER``; shape ``(rows,)``.
    """

    rows: Floats32
    whose: Ints

    def of(self, letter: int) -> Floats32:
        """Return the rows of a letter, or else the shared rows, or else all rows."""
        for some in (self.whose == letter, self.whose == EVERY_LETTER):
            if some.any():
                found: Floats32 = self.rows[some]
                return found
        return self.rows

    def joined(self, before: Habits) -> Habits:
        """Return these rows, and the rows of ``before`` for all other letters."""
        others = ~np.isin(before.whose, self.whose)
        return Habits(
            np.concatenate([self.rows, before.rows[others]]),
            np.concatenate([self.whose, before.whose[others]]),
        )


def habits_of(tracks: Tracks, seed: int, *, alike: bool = False) -> Habits:
    """Return a random sample of the conditions, large enough to represent their distribution.

    If all letters are written ``alike``, they share the rows.
    """
    order = np.random.default_rng(seed).permutation(len(tracks))
    if alike:
        few = order[:SHARED_ROWS]
        return Habits(tracks.conditions[few], np.full(len(few), EVERY_LETTER))
    some = [
        order[tracks.which[order] == letter][:ROWS_PER_LETTER] for letter in np.unique(tracks.which)
    ]
    taken = np.concatenate(some)
    return Habits(tracks.conditions[taken], tracks.which[taken])


# The usual range of each knob, shape (7, 2), its middle, and half of its width.
_USUAL = np.array([getattr(Ranges(), name) for name in KNOBS])
_MIDDLE, _HALF = _USUAL.mean(axis=1), 0.5 * np.ptp(_USUAL, axis=1)

LARGEST_CONDITION = 3.0
"""Measured conditions are clipped to this size, so that outliers do not dominate."""

TOLERANCE = 0.02
"""How far conditions may lie beyond those of the training data."""


def as_conditions(rows: npt.ArrayLike) -> Floats32:
    """Return rows of knobs as conditions, shape ``(letters, 7)``.

    >>> as_conditions([Knobs(rotation=45.0, distortion=0.325).row])[0, :2].tolist()
    [0.0, 1.0]
    """
    table = np.array(rows, dtype=np.float64).reshape(-1, len(KNOBS))
    found: Floats32 = ((table - _MIDDLE) / _HALF).astype(np.float32)
    return found


def draw_conditions(
    habits: Floats32,
    n: int,
    settings: Mapping[str, Any],
    rng: np.random.Generator,
    bias: float = 0.0,
) -> Floats32:
    """Return random conditions for ``n`` letters.

    Parameters
    ----------
    habits
        The conditions of that letter in the training data, shape ``(rows, 7)``, from which knobs
        without a setting are drawn.
    settings
        Knobs with a fixed value, or with a range (low, high) to draw from uniformly.
    bias
        Moves drawn knobs closer to those of a perfect letter by the factor exp(-bias).
    """
    for name in settings.keys() - set(KNOBS):
        raise InputTypeError(f"`{name}` is not a knob: choose from {', '.join(KNOBS)}.")
    best = np.clip(as_conditions(Knobs().row)[0], habits.min(axis=0), habits.max(axis=0))
    found = best + np.exp(-bias) * (habits[rng.integers(len(habits), size=n)] - best)
    if settings:
        ranges = Ranges(**settings)
        low, high = as_conditions(np.array([getattr(ranges, name) for name in KNOBS]).T)
        _refuse_unlearned(habits, low, high, settings)
        given = [name in settings for name in KNOBS]
        found = np.where(given, rng.uniform(low, high, size=found.shape), found)
    conditions: Floats32 = found.astype(np.float32)
    return conditions


def _refuse_unlearned(
    habits: Floats32, low: Floats32, high: Floats32, settings: Mapping[str, Any]
) -> None:
    """Refuse settings outside the training data, where the output would be arbitrary."""
    first, last = habits.min(axis=0), habits.max(axis=0)
    for at, name in enumerate(KNOBS):
        if name in settings and (
            low[at] < first[at] - TOLERANCE or high[at] > last[at] + TOLERANCE
        ):
            ends = (round(_MIDDLE[at] + _HALF[at] * end[at], 3) for end in (first, last))
            known = " to ".join(dict.fromkeys(f"{end:.3g}" for end in ends))
            raise InputError(
                f"`{name}` must be {'from ' * (' to ' in known)}{known}, as in the network's "
                f"training data, but is {settings[name]}."
            )


def measure_conditions(inks: Sequence[Ink]) -> Floats32:
    """Return the conditions of letters, measured relative to the model letters.

    A letter without a shipped model gets average conditions.
    """
    rows = np.tile(_MIDDLE, (len(inks), 1))
    for letter in sorted({ink.letter for ink in inks if ink.letter in LETTERS}):
        some = [at for at, ink in enumerate(inks) if ink.letter == letter]
        rows[some] = _measured_knobs([inks[at] for at in some], model_letter(letter))
    return as_conditions(
        np.clip(rows, _MIDDLE - LARGEST_CONDITION * _HALF, _MIDDLE + LARGEST_CONDITION * _HALF)
    )


def _measured_knobs(inks: Sequence[Ink], model: Ink) -> Floats:
    """Return the seven knobs of each letter, measured relative to a model letter."""
    found = read(inks, model)
    usual = PenPath.of(model).seconds.sum()
    return np.column_stack(
        [
            found.table[:, 0],
            np.degrees(found.turn),
            found.table[:, 2],
            found.shear,
            found.aspect,
            [radius(by_length(ink)) / radius(by_length(model)) for ink in inks],
            [usual / (_seconds(ink) or usual) for ink in inks],
        ]
    )


def _seconds(ink: Ink) -> float:
    """Return the time with the pen down, or 0 if unknown."""
    if not ink.timed:
        return 0.0
    return float(sum(np.ptp(stroke.times) for stroke in ink if stroke.times is not None))
