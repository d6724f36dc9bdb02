"""What the network says of the next step: a mixture of Gaussians, and two coins.

The mixture is for the *change*: by how much the next offset differs from the last one.
The outputs of one step are ``[weights | x | y | log width x | log width y | correlation]``, each
with a number for each component, and then the coins' log odds: the letter ends, the pen lifts.
The density is Graves' (2013, equations 23-26).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from homeroom._arrays import Ints
from homeroom.handwriting.generators.lstm.tracks import Bools, Floats32

COMPONENTS = 20
OUTPUTS = 6 * COMPONENTS + 2

NARROWEST = 0.002
"""The least width of a component, in units of a usual step: no density may grow without bound."""

MOST_CORRELATED = 0.999


class Coins(NamedTuple):
    """Whether each letter ends with this step, and whether the pen lifts after it."""

    ends: Bools
    lifts: Bools


def toss(outputs: Floats32, rng: np.random.Generator) -> Coins:
    """Toss both coins of each letter."""
    odds = outputs[:, 6 * COMPONENTS :]
    heads = rng.random(odds.shape, dtype=np.float32) < 0.5 * (1.0 + np.tanh(0.5 * odds))
    return Coins(heads[:, 0], heads[:, 1])


def draw(outputs: Floats32, rng: np.random.Generator, bias: float = 0.0) -> Floats32:
    """Draw the change of each letter's next offset, shape ``(letters, 2)``.

    ``bias`` makes the writing neater: widths shrink by exp(bias) and likely components become
    likelier, by the power 1 + bias (Graves 2013, equations 61-62).
    """
    rows = np.arange(len(outputs))
    chosen = _component(outputs[:, :COMPONENTS] * np.float32(1.0 + bias), rng)
    x, y, log_x, log_y, correlation = (outputs[rows, k * COMPONENTS + chosen] for k in range(1, 6))
    neat = np.float32(np.exp(-bias))
    first, second = rng.standard_normal((2, len(outputs)), dtype=np.float32)
    rho = MOST_CORRELATED * np.tanh(correlation)
    across = rho * first + np.sqrt(1.0 - rho * rho) * second
    return np.stack(
        [x + neat * _width(log_x) * first, y + neat * _width(log_y) * across], axis=1
    ).astype(np.float32)


def _width(log: Floats32) -> Floats32:
    return np.float32(NARROWEST) + np.exp(log)


def _component(logits: Floats32, rng: np.random.Generator) -> Ints:
    shares = np.cumsum(np.exp(logits - logits.max(axis=1, keepdims=True)), axis=1)
    marks = rng.random(len(logits), dtype=np.float32) * shares[:, -1]
    chosen: Ints = np.minimum((shares < marks[:, None]).sum(axis=1), COMPONENTS - 1)
    return chosen
