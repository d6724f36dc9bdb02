"""What the network is told of a letter besides its name: how to write it, by the same knobs.

A knob is told as a number that is from -1 to 1 over the usual range. Along a letter the network
would otherwise lose track of how that letter is written, and all would come out middling.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats
from homeroom._checks import InputError, InputTypeError
from homeroom.handwriting.generators.base import KNOBS, Knobs, Ranges
from homeroom.handwriting.generators.lstm.tracks import Floats32
from homeroom.handwriting.generators.path import Path
from homeroom.handwriting.ink import Ink
from homeroom.handwriting.letters import LETTERS, model_letter
from homeroom.handwriting.resample import by_length, radius
from homeroom.handwriting.scores.reading import read

_USUAL = np.array([getattr(Ranges(), name) for name in KNOBS])
_MIDDLE, _HALF = _USUAL.mean(axis=1), 0.5 * np.ptp(_USUAL, axis=1)

FURTHEST = 3.0
"""Ink that is further out counts as this far: one letter must not drown all others."""

SLACK = 0.02
"""So far beyond what it has learned from a network still writes, in the numbers it is told."""


def told(rows: npt.ArrayLike) -> Floats32:
    """Return rows of knobs as the network is told them, shape ``(letters, 7)``.

    >>> told([Knobs(rotation=45.0, distortion=0.325).row])[0, :2].tolist()
    [0.0, 1.0]
    """
    table = np.array(rows, dtype=np.float64).reshape(-1, len(KNOBS))
    found: Floats32 = ((table - _MIDDLE) / _HALF).astype(np.float32)
    return found


def drawn(
    habits: Floats32,
    n: int,
    wishes: Mapping[str, Any],
    rng: np.random.Generator,
    bias: float = 0.0,
) -> Floats32:
    """Return what to tell for so many letters.

    Parameters
    ----------
    habits
        How the letters of that kind were that the network learned from, as told, shape
        ``(rows, 7)``: what nobody wishes otherwise is drawn from them, and
    bias
        brought nearer to the model by the factor exp(-bias).
    wishes
        Knobs that are to be a number, or to be drawn evenly from a range (low, high).
    """
    for name in wishes.keys() - set(KNOBS):
        raise InputTypeError(f"`{name}` is not a knob: choose from {', '.join(KNOBS)}.")
    best = np.clip(told(Knobs().row)[0], habits.min(axis=0), habits.max(axis=0))
    found = best + np.exp(-bias) * (habits[rng.integers(len(habits), size=n)] - best)
    if wishes:
        ranges = Ranges(**wishes)
        low, high = told(np.array([getattr(ranges, name) for name in KNOBS]).T)
        _refuse_unlearned(habits, low, high, wishes)
        asked = [name in wishes for name in KNOBS]
        found = np.where(asked, rng.uniform(low, high, size=found.shape), found)
    tell: Floats32 = found.astype(np.float32)
    return tell


def _refuse_unlearned(
    habits: Floats32, low: Floats32, high: Floats32, wishes: Mapping[str, Any]
) -> None:
    """Refuse what the network never saw: nobody knows what it would write."""
    first, last = habits.min(axis=0), habits.max(axis=0)
    for at, name in enumerate(KNOBS):
        if name in wishes and (low[at] < first[at] - SLACK or high[at] > last[at] + SLACK):
            ends = (round(_MIDDLE[at] + _HALF[at] * end[at], 3) for end in (first, last))
            known = " to ".join(dict.fromkeys(f"{end:.3g}" for end in ends))
            raise InputError(
                f"`{name}` must be {'from ' * (' to ' in known)}{known}, what this network has "
                f"learned, but is {wishes[name]}."
            )


def measured(inks: Sequence[Ink]) -> Floats32:
    """Return how letters are written as the network is told, by comparing them with the models.

    A letter that ships with no model is taken to be written as is usual.
    """
    rows = np.tile(_MIDDLE, (len(inks), 1))
    for letter in sorted({ink.letter for ink in inks if ink.letter in LETTERS}):
        some = [at for at, ink in enumerate(inks) if ink.letter == letter]
        rows[some] = _rows([inks[at] for at in some], model_letter(letter))
    return told(np.clip(rows, _MIDDLE - FURTHEST * _HALF, _MIDDLE + FURTHEST * _HALF))


def _rows(inks: Sequence[Ink], model: Ink) -> Floats:
    found = read(inks, model)
    usual = Path.of(model).seconds.sum()
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
    """Return how long the pen was down; 0 if nobody measured it."""
    if not ink.timed:
        return 0.0
    return float(sum(np.ptp(stroke.times) for stroke in ink if stroke.times is not None))
