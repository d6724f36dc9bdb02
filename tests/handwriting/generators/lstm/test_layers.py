"""Three layers of memory in NumPy."""

from __future__ import annotations

import numpy as np

from homeroom._arrays import Floats, Ints
from homeroom.handwriting.generators.lstm.layers import FEATURES, Memory, step
from homeroom.handwriting.generators.lstm.tracks import Floats32
from homeroom.handwriting.generators.lstm.weights import Weights


def sigmoid(z: Floats) -> Floats:
    found: Floats = 1.0 / (1.0 + np.exp(-z))
    return found


def by_the_book(weights: Weights, letter: int, told: Floats32, rows: Floats32) -> Floats:
    """One letter through the equations as they stand in every textbook."""
    hidden = weights.hidden
    states, cells = np.zeros((3, hidden)), np.zeros((3, hidden))
    for row in rows:
        for k, layer in enumerate(weights.layers):
            seen = [[row, states[0]], [row, states[0], states[1]], [states[1], states[2], row]][k]
            z = np.concatenate(seen) @ layer.matrix + layer.bias[letter] + told @ layer.manner
            i, f, g, o = np.split(z, 4)
            cells[k] = sigmoid(f) * cells[k] + sigmoid(i) * np.tanh(g)
            states[k] = sigmoid(o) * np.tanh(cells[k])
    return states.ravel()


def test_many_letters_at_once_are_as_by_the_book(
    small: Weights, which: Ints, told: Floats32
) -> None:
    rows = np.random.default_rng(1).standard_normal((6, len(which), FEATURES)).astype(np.float32)
    layers = tuple(layer.halved() for layer in small.layers)
    memory = Memory.blank(layers, which, told)
    for row in rows:
        found = step(memory, layers, row)
    for letter, (name, how, states) in enumerate(zip(which, told, found, strict=True)):
        expected = by_the_book(small, name, how, rows[:, letter])
        np.testing.assert_allclose(states, expected, atol=1e-5)


def test_letters_that_have_ended_leave_the_others_alone(
    small: Weights, which: Ints, told: Floats32
) -> None:
    rows = np.random.default_rng(1).standard_normal((4, len(which), FEATURES)).astype(np.float32)
    layers = tuple(layer.halved() for layer in small.layers)
    all_of_them, some = (Memory.blank(layers, which, told) for _ in range(2))
    on = np.arange(len(which)) % 3 == 0
    for row in rows[:2]:
        step(all_of_them, layers, row)
        step(some, layers, row)
    some = some.kept(on)
    for row in rows[2:]:
        step(all_of_them, layers, row)
        step(some, layers, row[on])
    np.testing.assert_allclose(some.top, all_of_them.top[on], atol=1e-6)
