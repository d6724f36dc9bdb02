"""How the letters were written that a network has learned from: what it can be told."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from homeroom._arrays import Ints
from homeroom.handwriting.generators.lstm.tracks import Floats32, Tracks

EVERY = -1
"""Whose a row is that holds for every letter."""

MOST = 500
"""Of how many letters of each kind a model keeps how they were written."""

MOST_ALIKE = 4096
"""Of how many letters in all, where each kind is written as any other."""


@dataclass(frozen=True, eq=False)
class Habits:
    """Rows of knobs as a network was told them, and which letter each is of.

    In a school's ink one letter is written otherwise than another: told of an e what was measured
    on an f, a network meets what it never saw.

    Parameters
    ----------
    rows
        The knobs as told, shape ``(rows, 7)``.
    whose
        The letters, as indices into the card's names, or ``EVERY``; shape ``(rows,)``.
    """

    rows: Floats32
    whose: Ints

    def of(self, letter: int) -> Floats32:
        """Return the rows of a letter; if it has none, those of every letter, or else all."""
        for some in (self.whose == letter, self.whose == EVERY):
            if some.any():
                found: Floats32 = self.rows[some]
                return found
        return self.rows

    def joined(self, before: Habits) -> Habits:
        """Return these, and those of before for the letters that are not among these."""
        others = ~np.isin(before.whose, self.whose)
        return Habits(
            np.concatenate([self.rows, before.rows[others]]),
            np.concatenate([self.whose, before.whose[others]]),
        )


def habits_of(tracks: Tracks, seed: int, *, alike: bool = False) -> Habits:
    """Return how letters are written, of each kind so many that their spread is kept.

    If all kinds are written ``alike``, what was told of one may be told of any.
    """
    order = np.random.default_rng(seed).permutation(len(tracks))
    if alike:
        few = order[:MOST_ALIKE]
        return Habits(tracks.told[few], np.full(len(few), EVERY))
    some = [order[tracks.which[order] == letter][:MOST] for letter in np.unique(tracks.which)]
    taken = np.concatenate(some)
    return Habits(tracks.told[taken], tracks.which[taken])
