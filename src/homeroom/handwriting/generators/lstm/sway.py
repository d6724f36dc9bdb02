"""How far a letter's form strays: drawn once for each letter, where the network forgets it.

Along a letter the network loses track of how distorted that letter is, so that all of its letters
come out middling. Each letter therefore gets a sway: the slow part of what is drawn at random for
its steps counts by a factor, less than one for a letter that keeps its form and more for one that
loses it. What is quick, such as tremor, stays as the network has it::

    slow = hold slow + (1 - hold) w          w: standard normal, new at each step
    z    = w + (gain - 1) slow               in place of w
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.handwriting.generators.lstm.tracks import Bools, Floats32


class Sway(NamedTuple):
    """Which share of the letters has it, how slow the slow part is, and how much it counts."""

    share: float
    hold: float
    gain: float


PLAIN = (Sway(1.0, 0.0, 1.0),)
"""No sway: what is drawn are the network's own draws."""


FIRST = 6
"""So many steps have no sway: they set the letter's turn and size, which the network draws well."""


class Noise:
    """Standard normal draws for many letters, step by step, with the sway of each letter."""

    def __init__(self, letters: int, sways: tuple[Sway, ...], rng: np.random.Generator) -> None:
        shares, holds, gains = np.array(sways, dtype=np.float64).T
        kind = rng.choice(len(sways), size=letters, p=shares / shares.sum())
        self._rng = rng
        self._hold, self._extra = _column(holds, kind), _column(gains - 1.0, kind)
        self._slow = np.zeros((letters, 2), dtype=np.float32)
        self._step = 0

    def keep(self, rows: Bools) -> None:
        """Go on with some letters only."""
        self._hold, self._extra = self._hold[rows], self._extra[rows]
        self._slow = self._slow[rows]

    def draw(self) -> Floats32:
        """Return two numbers for each letter, shape ``(letters, 2)``."""
        white = self._rng.standard_normal(self._slow.shape, dtype=np.float32)
        self._step += 1
        if self._step <= FIRST:
            return white
        self._slow += (1 - self._hold) * (white - self._slow)
        drawn: Floats32 = white + self._extra * self._slow
        return drawn


def _column(values: Floats, kind: Ints) -> Floats32:
    return values[kind].astype(np.float32)[:, None]
