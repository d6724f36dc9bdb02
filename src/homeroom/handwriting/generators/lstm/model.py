"""The paper's letter generator: a recurrent network that has learned how a pen moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from os import PathLike
from pathlib import Path
from typing import TypeAlias

import numpy as np

from homeroom import _checks
from homeroom._arrays import Ints
from homeroom._checks import InputError
from homeroom.handwriting.generators.lstm import telling, tracks, weights, writing
from homeroom.handwriting.generators.lstm.card import Card
from homeroom.handwriting.generators.lstm.tracks import Floats32
from homeroom.handwriting.generators.lstm.weights import Weights
from homeroom.handwriting.generators.lstm.writing import Draft
from homeroom.handwriting.ink import Ink

SHIPPED = Path(__file__).with_name("letters.npz")
SHA256 = "1731faf2163fb979d8b16426971d4a70608ca8367f414941c7066f866c607474"
"""Of what the shipped file holds; no other content is taken for it."""

TRIES = 20
"""How often a letter that came out broken is written again."""

MOST_LETTERS = 100_000
MOST_BIAS = 10.0
Setting: TypeAlias = float | tuple[float, float]

AT_ONCE = 512
"""How many letters are written side by side: more do not go faster, and fill memory."""


@dataclass(frozen=True, eq=False)
class LetterModel:
    """Three layers of memory, then a mixture of 20 Gaussians for the pen's next step.

    Section 6.3 of the paper, after Graves (2013): 300 units in a layer, a coin for the letter's
    end and one for lifting the pen. It is told which letter to write, and how: by the knobs of the
    kinematic generator. Needs NumPy only.

    Examples
    --------
    >>> model = LetterModel.load()
    >>> model.letters[:3]
    ('a', 'b', 'c')
    >>> model.sample("f", 2, seed=0)  # doctest: +ELLIPSIS
    [Ink('f', ...), Ink('f', ...)]
    """

    weights: Weights

    def __post_init__(self) -> None:
        halved = tuple(layer.halved() for layer in self.weights.layers)
        object.__setattr__(self, "_ready", replace(self.weights, layers=halved))

    @classmethod
    def load(cls, path: str | PathLike[str] | None = None) -> LetterModel:
        """Return the model in a file, or the one that comes with homeroom."""
        return _shipped() if path is None else cls(weights.load(path))

    @property
    def card(self) -> Card:
        """What the model's file says of itself."""
        return self.weights.card

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters that it can write."""
        return self.card.names

    def sample(
        self, letter: str, n: int = 1, seed: int = 0, *, bias: float = 0.0, **knobs: Setting
    ) -> list[Ink]:
        """Return a letter written so many times.

        Parameters
        ----------
        letter
            One of ``letters``.
        n
            How many.
        seed
            The same seed gives the same letters.
        bias
            0 writes as what was learned from; greater is neater and more alike (Graves 2013).
        knobs
            How to write: distortion, rotation, shakiness, shear, aspect, size, tempo, each a number
            or a range (low, high) to draw from. What is not given is as in the letters that it
            learned from. The network heeds them by and large; the kinematic generator exactly.
        """
        n = _checks.whole(n, "n", at_least=0, at_most=MOST_LETTERS)
        self._index(letter)
        return self.write([letter] * n, seed=seed, bias=bias, **knobs)

    def write(
        self, text: Sequence[str], *, seed: int = 0, bias: float = 0.0, **knobs: Setting
    ) -> list[Ink]:
        """Return each letter of a text, written once, all side by side: quicker than one by one.

        Raises
        ------
        ValueError
            If a letter comes out broken twenty times in a row.
        """
        seed = _checks.whole(seed, "seed", at_least=0)
        if not 0 <= bias <= MOST_BIAS:
            raise InputError(f"`bias` must be from 0 to {MOST_BIAS:g}, but is {bias}.")
        which = np.array([self._index(letter) for letter in text], dtype=np.int64)
        # A word and its letters from one seed do not come out alike.
        rng = np.random.default_rng([seed, *sorted({ord(sign) for sign in "".join(text)})])
        told = self.told(which, rng, bias, **knobs)
        parts = [
            self._sound(which[start : start + AT_ONCE], told[start : start + AT_ONCE], rng, bias)
            for start in range(0, len(which), AT_ONCE)
        ]
        return [ink for part in parts for ink in part]

    def told(
        self, which: Ints, rng: np.random.Generator, bias: float = 0.0, **knobs: Setting
    ) -> Floats32:
        """Return how to write letters, given as indices: as asked for, and else as it learned."""
        found = np.empty((len(which), tracks.TOLD), dtype=np.float32)
        for letter in np.unique(which).tolist():
            rows = np.flatnonzero(which == letter)
            habits = self.weights.habits.of(letter)
            found[rows] = telling.drawn(habits, len(rows), knobs, rng, bias)
        return found

    def _index(self, letter: str) -> int:
        if letter not in self.letters:
            raise InputError(
                f"This model cannot write {letter!r}: choose one of {' '.join(self.letters)}, or "
                "train one on ink that has it (homeroom write train)."
            )
        return self.letters.index(letter)

    def _sound(
        self, which: Ints, told: Floats32, rng: np.random.Generator, bias: float
    ) -> list[Ink]:
        """Write letters, and those that come out broken again."""
        inks: dict[int, Ink] = {}
        missing = np.arange(len(which))
        for _ in range(TRIES):
            if not len(missing):
                break
            draft = self.draft(which[missing], told[missing], rng, bias)
            sound = draft.sound(self.card.limits, self.card.step_size)
            for row in np.flatnonzero(sound):
                inks[int(missing[row])] = self._ink(draft, int(row))
            missing = missing[~sound]
        if len(missing):
            letter = self.letters[which[missing[0]]]
            raise InputError(
                f"The letter {letter!r} came out broken {TRIES} times in a row. "
                "Try a bias from 0 to 1; a model of your own may need more training."
            )
        return [inks[number] for number in range(len(which))]

    def draft(
        self,
        which: Ints,
        told: Floats32,
        rng: np.random.Generator,
        bias: float = 0.0,
    ) -> Draft:
        """Return letters as they come out first, the broken ones among them."""
        ready: Weights = self._ready  # type: ignore[attr-defined]  # made when the model was
        with np.errstate(over="ignore", invalid="ignore"):  # a pen that runs away is broken
            return writing.write(ready, which, told, rng, bias)

    def _ink(self, draft: Draft, row: int) -> Ink:
        length = draft.lengths[row]
        places = draft.places[row, :length] * np.float32(self.card.step_size)
        letter = self.letters[draft.which[row]]
        return tracks.ink_of(places, draft.lifted[row, :length], letter, self.card.rate)


@cache
def _shipped() -> LetterModel:
    return LetterModel(weights.load(SHIPPED, SHA256))
