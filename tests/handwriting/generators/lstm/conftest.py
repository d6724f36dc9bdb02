"""Small letter models and training letters."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom._arrays import Ints
from homeroom.handwriting import Ink, Stroke
from homeroom.handwriting.generators.lstm.conditions import EVERY_LETTER, Habits
from homeroom.handwriting.generators.lstm.network import OUTPUTS, Layer
from homeroom.handwriting.generators.lstm.tracks import CONDITIONS, Floats32, Tracks, tracks
from homeroom.handwriting.generators.lstm.weights import LetterLimits, ModelCard, Weights, shapes

NAMES = ("i", "l")
HIDDEN = 8


@pytest.fixture
def small() -> Weights:
    """Untrained weights for two letters, which end after about 20 steps."""
    rng = np.random.default_rng(0)
    parts: dict[str, Floats32] = {
        name: 0.3 * rng.standard_normal(shape, dtype=np.float32)
        for name, shape in shapes(HIDDEN, len(NAMES), 5).items()
    }
    parts["head_bias"][OUTPUTS - 2 :] = -3.0
    layers = tuple(Layer(*(parts[f"{kind}{k}"] for kind in Layer._fields)) for k in (1, 2, 3))
    wide = np.array([[0.0, 1e6]] * 2)
    limits = LetterLimits(np.array([[2.0, 60.0]] * 2), wide, wide)
    card = ModelCard(NAMES, 40.0, 0.1, 1.0, 0.01, limits, story={"corpus": "none"})
    habits = Habits(parts["habits"], np.full(5, EVERY_LETTER))
    return Weights(layers, parts["head"], parts["head_bias"], habits, card)


def bows(n: int, seed: int = 0) -> list[Ink]:
    """Two simple letters in turn: a bow with a dot, called i, and a bow, called l."""
    rng = np.random.default_rng(seed)
    inks = []
    for number in range(n):
        at = np.linspace(0.0, 1.0, 25)
        bend = rng.uniform(0.2, 0.6)
        bow = Stroke(np.stack([bend * np.sin(np.pi * at), at], axis=1), times=at * 0.6)
        dot = Stroke(np.array([[0.0, -0.3], [0.02, -0.28]]), times=np.array([0.8, 0.85]))
        inks.append(Ink((bow, dot), letter="i") if number % 2 else Ink((bow,), letter="l"))
    return inks


@pytest.fixture
def learned() -> Tracks:
    """Sixty training letters."""
    return tracks(bows(60), NAMES)


@pytest.fixture
def conditions(which: Ints) -> Floats32:
    """Their conditions."""
    rng = np.random.default_rng(2)
    return rng.uniform(-1, 1, (len(which), CONDITIONS)).astype(np.float32)


@pytest.fixture
def which() -> Ints:
    """Ten letters to write."""
    return np.arange(10) % 2
