"""Many letters written side by side, step by step, until each has ended."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from homeroom._arrays import Ints
from homeroom.handwriting.generators.lstm import layers, mixture
from homeroom.handwriting.generators.lstm.card import Limits
from homeroom.handwriting.generators.lstm.layers import BEND, FEATURES, Memory
from homeroom.handwriting.generators.lstm.tracks import Bools, Floats32
from homeroom.handwriting.generators.lstm.weights import Weights


@dataclass(frozen=True, eq=False)
class Draft:
    """Letters as they came out, sound or not.

    ``places`` are where the pen was after each step, shape ``(letters, steps, 2)``, in usual
    steps; ``lifted`` tells which steps are lifts; ``lengths`` counts each letter's steps, and
    ``ended`` tells whether the letter ended by itself.
    """

    which: Ints
    places: Floats32
    lifted: Bools
    lengths: Ints
    ended: Bools

    def sound(self, limits: Limits, step_size: float) -> Bools:
        """Tell which letters ended in time, with the strokes and the way that theirs may have."""
        drawn = np.diff(self.places, axis=1)
        lengths = np.hypot(drawn[..., 0], drawn[..., 1])
        lengths[:, 1:] *= ~self.lifted[:, 1:-1]  # moves through the air, and what is filled up,
        lengths *= np.arange(1, self.lifted.shape[1]) < self.lengths[:, None]  # draw no line
        measures = (self.lengths, 1 + self.lifted.sum(axis=1), lengths.sum(axis=1) * step_size)
        sound = self.ended.copy()
        for measure, limit in zip(measures, limits, strict=True):
            low, high = limit[self.which].T
            sound &= (measure >= low) & (measure <= high)
        return sound


def write(
    weights: Weights,
    which: Ints,
    told: Floats32,
    rng: np.random.Generator,
    bias: float = 0.0,
) -> Draft:
    """Write letters, given as indices into the card's names and how to write each, all at once.

    Every letter is cut off at the most steps that it may have. Only letters that have not ended
    go on, so the cost is that of the steps that are drawn.
    """
    card = weights.card
    longest = card.limits.steps[which, 1].astype(np.int64) + 1
    draft = _blank(which, int(longest.max(initial=1)))
    memory = Memory.blank(weights.layers, which, told)
    alive = np.arange(len(which))
    seen = np.zeros((len(which), 2), dtype=np.float32)  # where the network believes the pen is
    offsets = np.zeros_like(seen)
    features = np.zeros((len(which), FEATURES), dtype=np.float32)
    for time in range(draft.lifted.shape[1]):
        outputs = layers.step(memory, weights.layers, features) @ weights.head + weights.head_bias
        after_lift = features[:, 4] > 0
        coins = mixture.toss(outputs, rng)
        ends = coins.ends & ~after_lift
        draft.lengths[alive] = time + 1
        draft.ended[alive[ends]] = True
        on = ~ends & (time + 1 < longest[alive])
        if not on.any():
            break
        if not on.all():
            memory, alive, seen, offsets = memory.kept(on), alive[on], seen[on], offsets[on]
            outputs, after_lift = outputs[on], after_lift[on]
        lifts = coins.lifts[on] & ~after_lift
        moves = (offsets + mixture.draw(outputs, rng, bias)) * ~lifts[:, None]
        places = seen + moves
        draft.places[alive, time + 1] = places
        draft.lifted[alive, time + 1] = lifts
        jitter = rng.standard_normal(seen.shape, dtype=np.float32) * ~lifts[:, None]
        now = places + np.float32(card.jitter) * jitter
        scaled = now * np.float32(card.step_size / card.reach)
        features = _features(now - seen, scaled, lifts, now - seen - offsets)
        seen, offsets = now, now - seen
    return draft


def _blank(which: Ints, steps: int) -> Draft:
    return Draft(
        which,
        np.zeros((len(which), steps, 2), dtype=np.float32),
        np.zeros((len(which), steps), dtype=np.bool_),
        np.zeros(len(which), dtype=np.int64),
        np.zeros(len(which), dtype=np.bool_),
    )


def _features(offsets: Floats32, places: Floats32, lifts: Bools, bends: Floats32) -> Floats32:
    parts = [offsets, places, lifts[:, None], BEND * bends]
    return np.concatenate(parts, axis=1, dtype=np.float32)
