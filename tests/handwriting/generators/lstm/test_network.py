"""The LSTM layers, and the draw of the next step."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom._arrays import Floats, Ints
from homeroom.handwriting.generators.lstm import network
from homeroom.handwriting.generators.lstm.network import (
    COMPONENTS,
    FEATURES,
    MOST_CORRELATED,
    OUTPUTS,
    Memory,
    step,
)
from homeroom.handwriting.generators.lstm.tracks import Floats32
from homeroom.handwriting.generators.lstm.weights import Weights


def sigmoid(z: Floats) -> Floats:
    found: Floats = 1.0 / (1.0 + np.exp(-z))
    return found


def by_the_book(weights: Weights, letter: int, conditions: Floats32, rows: Floats32) -> Floats:
    """One letter through the textbook equations."""
    hidden = weights.hidden
    states, cells = np.zeros((3, hidden)), np.zeros((3, hidden))
    for row in rows:
        for k, layer in enumerate(weights.layers):
            seen = [[row, states[0]], [row, states[0], states[1]], [states[1], states[2], row]][k]
            z = np.concatenate(seen) @ layer.matrix + layer.bias[letter] + conditions @ layer.manner
            i, f, g, o = np.split(z, 4)
            cells[k] = sigmoid(f) * cells[k] + sigmoid(i) * np.tanh(g)
            states[k] = sigmoid(o) * np.tanh(cells[k])
    return states.ravel()


def test_many_letters_at_once_follow_the_textbook_equations(
    small: Weights, which: Ints, conditions: Floats32
) -> None:
    rows = np.random.default_rng(1).standard_normal((6, len(which), FEATURES)).astype(np.float32)
    layers = tuple(layer.halved() for layer in small.layers)
    memory = Memory.blank(layers, which, conditions)
    for row in rows:
        found = step(memory, layers, row)
    for letter, (name, how, states) in enumerate(zip(which, conditions, found, strict=True)):
        expected = by_the_book(small, name, how, rows[:, letter])
        np.testing.assert_allclose(states, expected, atol=1e-5)


def test_finished_letters_do_not_affect_the_others(
    small: Weights, which: Ints, conditions: Floats32
) -> None:
    rows = np.random.default_rng(1).standard_normal((4, len(which), FEATURES)).astype(np.float32)
    layers = tuple(layer.halved() for layer in small.layers)
    all_of_them, some = (Memory.blank(layers, which, conditions) for _ in range(2))
    on = np.arange(len(which)) % 3 == 0
    for row in rows[:2]:
        step(all_of_them, layers, row)
        step(some, layers, row)
    some = some.kept(on)
    for row in rows[2:]:
        step(all_of_them, layers, row)
        step(some, layers, row[on])
    np.testing.assert_allclose(some.hidden_states, all_of_them.hidden_states[on], atol=1e-6)


MANY = 40_000


def outputs() -> Floats32:
    """Two components: 1/4 at (1, 2), wide and correlated, and 3/4 at (-3, 0), narrow."""
    row = np.zeros(OUTPUTS, dtype=np.float32)
    weights, x, y, log_x, log_y, correlation = row[: 6 * COMPONENTS].reshape(6, COMPONENTS)
    weights[:] = -50.0
    weights[:2] = np.log([0.25, 0.75])
    x[:2], y[:2] = [1.0, -3.0], [2.0, 0.0]
    log_x[:2], log_y[:2] = np.log([0.5, 0.1]), np.log([0.2, 0.1])
    correlation[0] = np.arctanh(0.8 / MOST_CORRELATED)
    row[-2:] = [np.log(0.3 / 0.7), 20.0]
    return np.tile(row, (MANY, 1))


def test_draws_follow_the_mixture() -> None:
    drawn = network.draw_changes(outputs(), np.random.default_rng(0))
    wide = drawn[:, 0] > -1.0
    assert wide.mean() == pytest.approx(0.25, abs=0.01)
    np.testing.assert_allclose(drawn[wide].mean(axis=0), [1.0, 2.0], atol=0.02)
    np.testing.assert_allclose(drawn[wide].std(axis=0), [0.504, 0.204], atol=0.01)
    turned = (drawn[wide] - [1.0, 2.0]) / [0.504, 0.204]
    assert turned.prod(axis=1).mean() == pytest.approx(0.8, abs=0.05)


def test_bias_makes_writing_neater() -> None:
    """Widths shrink by exp(bias); weights are raised to the power 1 + bias."""
    drawn = network.draw_changes(outputs(), np.random.default_rng(0), bias=1.0)
    wide = drawn[:, 0] > -1.0
    assert wide.mean() == pytest.approx(0.25**2 / (0.25**2 + 0.75**2), abs=0.01)
    np.testing.assert_allclose(drawn[wide].std(axis=0), np.array([0.504, 0.204]) / np.e, atol=0.01)


def test_events_follow_their_odds() -> None:
    coins = network.draw_events(outputs(), np.random.default_rng(0))
    assert coins.ends.mean() == pytest.approx(0.3, abs=0.01)
    assert coins.lifts.all()
