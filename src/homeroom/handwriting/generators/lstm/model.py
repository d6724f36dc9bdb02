"""The paper's letter generator: a recurrent network that predicts the movement of a pen.

Many letters are written in parallel, step by step, until each has ended. The *card* of a model
lists its letters, units and limits. The *conditions* of a letter are its knobs, such as rotation
and shakiness, scaled as inputs of the network.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from os import PathLike
from pathlib import Path
from typing import TypeAlias

import numpy as np

from homeroom import _checks
from homeroom._arrays import Ints
from homeroom._checks import InputError
from homeroom.handwriting.generators.lstm import network, tracks, weights
from homeroom.handwriting.generators.lstm.conditions import draw_conditions
from homeroom.handwriting.generators.lstm.network import BEND, FEATURES, Memory
from homeroom.handwriting.generators.lstm.tracks import Bools, Floats32
from homeroom.handwriting.generators.lstm.weights import LetterLimits, ModelCard, Weights
from homeroom.handwriting.ink import Ink


@dataclass(frozen=True, eq=False)
class SampledLetters:
    """Generated letters, valid or not.

    Parameters
    ----------
    which
        The letters, as indices into the names of the model's card.
    places
        The positions of the pen after each step, shape ``(letters, steps, 2)``; the unit is the
        ``step_size`` of the card.
    lifted
        Which steps lift the pen, shape ``(letters, steps)``.
    lengths
        The number of steps of each letter.
    ended
        Whether the network ended the letter itself, rather than at the largest number of steps.
    """

    which: Ints
    places: Floats32
    lifted: Bools
    lengths: Ints
    ended: Bools

    def valid(self, limits: LetterLimits, step_size: float) -> Bools:
        """Return which letters ended, with steps, strokes and length within the limits."""
        moves = np.diff(self.places, axis=1)
        drawn = np.hypot(moves[..., 0], moves[..., 1])
        drawn[:, 1:] *= ~self.lifted[:, 1:-1]  # the move after a lift draws no line
        drawn *= np.arange(1, self.lifted.shape[1]) < self.lengths[:, None]  # nor does padding
        measures = (self.lengths, 1 + self.lifted.sum(axis=1), drawn.sum(axis=1) * step_size)
        valid = self.ended.copy()
        for measure, limit in zip(measures, limits, strict=True):
            low, high = limit[self.which].T
            valid &= (measure >= low) & (measure <= high)
        return valid


def sample_letters(
    ready: Weights,
    which: Ints,
    conditions: Floats32,
    rng: np.random.Generator,
    bias: float = 0.0,
) -> SampledLetters:
    """Write letters in parallel.

    The layers of ``ready`` must be ``halved()``, as :func:`network.step` needs them. ``which`` are
    indices into the names of the card; ``conditions`` has the knobs of each letter, in the units in
    which the network was trained. A greater ``bias`` gives neater letters. Every
    letter is cut off at its largest number of steps. Only unfinished letters continue, so the cost
    is that of the steps that are drawn.
    """
    card = ready.card
    longest = card.limits.steps[which, 1].astype(np.int64) + 1
    draft = _empty(which, int(longest.max(initial=1)))
    memory = Memory.blank(ready.layers, which, conditions)
    alive = np.arange(len(which))
    seen = np.zeros((len(which), 2), dtype=np.float32)  # where the network takes the pen to be
    offsets = np.zeros_like(seen)
    features = np.zeros((len(which), FEATURES), dtype=np.float32)
    for time in range(draft.lifted.shape[1]):
        outputs = network.step(memory, ready.layers, features) @ ready.head + ready.head_bias
        # After a lift, the pen must move: the letter cannot end, nor the pen lift again.
        after_lift = features[:, 4] > 0
        events = network.draw_events(outputs, rng)
        ends = events.ends & ~after_lift
        draft.lengths[alive] = time + 1
        draft.ended[alive[ends]] = True
        on = ~ends & (time + 1 < longest[alive])
        if not on.any():
            break
        if not on.all():
            memory, alive, seen, offsets = memory.kept(on), alive[on], seen[on], offsets[on]
            outputs, after_lift = outputs[on], after_lift[on]
        lifts = events.lifts[on] & ~after_lift
        moves = (offsets + network.draw_changes(outputs, rng, bias)) * ~lifts[:, None]
        places = seen + moves
        draft.places[alive, time + 1] = places
        draft.lifted[alive, time + 1] = lifts
        jitter = rng.standard_normal(seen.shape, dtype=np.float32) * ~lifts[:, None]
        now = places + np.float32(card.jitter) * jitter
        scaled = now * np.float32(card.step_size / card.reach)
        features = _features(now - seen, scaled, lifts, now - seen - offsets)
        seen, offsets = now, now - seen
    return draft


def _empty(which: Ints, steps: int) -> SampledLetters:
    """Return letters without a step yet, with space for ``steps``."""
    return SampledLetters(
        which,
        np.zeros((len(which), steps, 2), dtype=np.float32),
        np.zeros((len(which), steps), dtype=np.bool_),
        np.zeros(len(which), dtype=np.int64),
        np.zeros(len(which), dtype=np.bool_),
    )


def _features(offsets: Floats32, places: Floats32, lifts: Bools, bends: Floats32) -> Floats32:
    """Return the inputs of the network's next step: last move, place, lift, change of the move."""
    parts = [offsets, places, lifts[:, None], BEND * bends]
    return np.concatenate(parts, axis=1, dtype=np.float32)


SHIPPED = Path(__file__).with_name("letters.npz")
SHA256 = "1731faf2163fb979d8b16426971d4a70608ca8367f414941c7066f866c607474"
"""The checksum of the shipped file; no other content is accepted."""

TRIES = 20
"""How often a letter is written until it is valid."""

MOST_LETTERS = 100_000
MOST_BIAS = 10.0
Setting: TypeAlias = float | tuple[float, float]
"""A knob: a number, or a range (low, high) to draw from."""

BATCH = 512
"""Letters that are written in parallel: more are not faster, and need more memory."""


@dataclass(frozen=True, eq=False)
class LetterModel:
    """Three LSTM layers, and a mixture of 20 Gaussians for the next step of the pen.

    Section 6.3 of the paper, after Graves (2013): 300 units per layer, and probabilities that the
    letter ends and that the pen lifts. Its inputs are the letter and the knobs of the kinematic
    generator. It needs only NumPy.

    Examples
    --------
    >>> model = LetterModel.load()
    >>> model.letters[:3]
    ('a', 'b', 'c')
    >>> model.sample("f", 2, seed=0)  # doctest: +ELLIPSIS
    [Ink('f', ...), Ink('f', ...)]
    """

    weights: Weights

    @cached_property
    def _ready(self) -> Weights:
        """The weights with halved layers, for :func:`sample_letters`."""
        return replace(self.weights, layers=tuple(layer.halved() for layer in self.weights.layers))

    @classmethod
    def load(cls, path: str | PathLike[str] | None = None) -> LetterModel:
        """Return the model in a file, or the shipped model."""
        return _shipped() if path is None else cls(weights.load(path))

    @property
    def card(self) -> ModelCard:
        """The card of the model."""
        return self.weights.card

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters that the model can write."""
        return self.card.names

    def sample(
        self, letter: str, n: int = 1, seed: int = 0, *, bias: float = 0.0, **knobs: Setting
    ) -> list[Ink]:
        """Return ``n`` samples of a letter.

        Parameters
        ----------
        letter
            One of ``letters``.
        n
            The number of samples.
        seed
            The same seed gives the same letters.
        bias
            0 writes as in the training data; greater values are neater and more uniform (Graves
            2013).
        knobs
            distortion, rotation, shakiness, shear, aspect, size, tempo, each a number or a range
            (low, high) to draw from. Others are drawn from the training data. The network follows
            them approximately, the kinematic generator exactly.
        """
        n = _checks.whole(n, "n", at_least=0, at_most=MOST_LETTERS)
        self._index(letter)
        return self.write([letter] * n, seed=seed, bias=bias, **knobs)

    def write(
        self, text: Sequence[str], *, seed: int = 0, bias: float = 0.0, **knobs: Setting
    ) -> list[Ink]:
        """Return one sample of each letter of a text.

        All letters are written in parallel, which is faster than separate calls.

        Raises
        ------
        ValueError
            If a letter is invalid twenty times in a row.
        """
        seed = _checks.whole(seed, "seed", at_least=0)
        if not 0 <= bias <= MOST_BIAS:
            raise InputError(f"`bias` must be from 0 to {MOST_BIAS:g}, but is {bias}.")
        which = np.array([self._index(letter) for letter in text], dtype=np.int64)
        # A word and its single letters differ for the same seed.
        rng = np.random.default_rng([seed, *sorted({ord(sign) for sign in "".join(text)})])
        conditions = self.conditions(which, rng, bias, **knobs)
        parts = [
            self._valid_letters(
                which[start : start + BATCH], conditions[start : start + BATCH], rng, bias
            )
            for start in range(0, len(which), BATCH)
        ]
        return [ink for part in parts for ink in part]

    def conditions(
        self, which: Ints, rng: np.random.Generator, bias: float = 0.0, **knobs: Setting
    ) -> Floats32:
        """Return conditions for some letters, shape ``(letters, conditions)``.

        Given knobs are set; the others are drawn from the training data. ``which`` are indices into
        ``letters``. A greater ``bias`` moves the drawn knobs towards those of a perfect letter.
        """
        found = np.empty((len(which), tracks.CONDITIONS), dtype=np.float32)
        for letter in np.unique(which).tolist():
            rows = np.flatnonzero(which == letter)
            habits = self.weights.habits.of(letter)
            found[rows] = draw_conditions(habits, len(rows), knobs, rng, bias)
        return found

    def _index(self, letter: str) -> int:
        """Return the index of a letter; refuse one that the model cannot write."""
        if letter not in self.letters:
            raise InputError(
                f"This model cannot write {letter!r}: choose one of {' '.join(self.letters)}, or "
                "train one on ink that has it (homeroom write train)."
            )
        return self.letters.index(letter)

    def _valid_letters(
        self, which: Ints, conditions: Floats32, rng: np.random.Generator, bias: float
    ) -> list[Ink]:
        """Write letters, and rewrite those that are invalid."""
        inks: dict[int, Ink] = {}
        missing = np.arange(len(which))
        for _ in range(TRIES):
            if not len(missing):
                break
            draft = self.draft(which[missing], conditions[missing], rng, bias)
            valid = draft.valid(self.card.limits, self.card.step_size)
            for row in np.flatnonzero(valid):
                inks[int(missing[row])] = self._ink(draft, int(row))
            missing = missing[~valid]
        if len(missing):
            letter = self.letters[which[missing[0]]]
            raise InputError(
                f"The letter {letter!r} was invalid {TRIES} times in a row. "
                "Try a bias from 0 to 1; your own model may need more training."
            )
        return [inks[number] for number in range(len(which))]

    def draft(
        self,
        which: Ints,
        conditions: Floats32,
        rng: np.random.Generator,
        bias: float = 0.0,
    ) -> SampledLetters:
        """Return letters as they are first generated, valid or not."""
        with np.errstate(over="ignore", invalid="ignore"):  # a diverging letter is invalid
            return sample_letters(self._ready, which, conditions, rng, bias)

    def _ink(self, draft: SampledLetters, row: int) -> Ink:
        """Return one of the sampled letters as ink."""
        length = draft.lengths[row]
        places = draft.places[row, :length] * np.float32(self.card.step_size)
        letter = self.letters[draft.which[row]]
        return tracks.ink_of(places, draft.lifted[row, :length], letter, self.card.rate)


@cache
def _shipped() -> LetterModel:
    return LetterModel(weights.load(SHIPPED, SHA256))
