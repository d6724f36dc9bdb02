"""The network in NumPy: three LSTM layers, and a mixture of Gaussians for the next step of the pen.

One call advances many letters by one step. Each layer sees its own state, that of the layer below,
and the step of the pen; the letter and the conditions enter through the bias::

    i, f, o = sigmoid(z_i), sigmoid(z_f), sigmoid(z_o)        z = W [step, below, own] + b
    memory  = f memory + i tanh(z_g)
    state   = o tanh(memory)

The mixture describes the *change*: the difference between the next offset and the last one. The
outputs of one step are ``[weights | x | y | log width x | log width y | correlation]`` with one
number per component, then two log odds: the letter ends, the pen lifts. The density is that of
Graves (2013, equations 23-26).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from homeroom._arrays import Ints
from homeroom.handwriting.generators.lstm.tracks import Bools, Floats32

FEATURES = 7
"""The features of a step: offset, place, whether it is a lift, and bend.

The bend is the difference to the previous offset, scaled by four because it is small. Without it,
the network would have to predict a small difference of large numbers, which it learns less well.
"""

BEND = 4.0
"""The factor on the bend."""

LAYERS = 3


class Layer(NamedTuple):
    """The weights of one layer.

    ``matrix`` has one row per input and four blocks of columns, the gates i, f, g and o. Its rows
    are step, below, own; those of the top layer are below, own, step. ``bias`` has one row per
    letter of the alphabet. ``manner`` has one row per condition: the conditions times ``manner``
    are added to the bias.
    """

    matrix: Floats32
    bias: Floats32
    manner: Floats32

    def halved(self) -> Layer:
        """Return the weights with the columns of the three sigmoids halved.

        Because sigmoid(z) = (1 + tanh(z / 2)) / 2, a single tanh then computes all four gates.
        """
        scale = np.full((4, 1), 0.5, dtype=np.float32)
        scale[2] = 1.0
        return Layer(*(_columns_scaled(part, scale) for part in self))

    def biases(self, which: Ints, conditions: Floats32) -> Floats32:
        """Return the bias of each letter, given its index in the alphabet, and its conditions."""
        biases: Floats32 = self.bias[which] + conditions @ self.manner
        return biases


def _columns_scaled(part: Floats32, scale: Floats32) -> Floats32:
    """Return weights with each of the four blocks of columns times its ``scale``."""
    blocks = part.reshape(len(part), 4, -1) * scale
    return np.ascontiguousarray(blocks.reshape(part.shape))


@dataclass(eq=False)
class Memory:
    """The state of the layers for each letter that is not finished.

    ``states``, shape ``(letters, inputs)``, is one buffer [step | first | second | third | step]
    with the features of the step and the states of the layers. So the inputs of every layer are
    adjacent, and one product per layer is enough. ``biases``, shape ``(3, letters, 4 * hidden)``,
    are constant along a letter. ``cells``, shape ``(3, letters, hidden)``, is the ``memory`` in the
    formula above.
    """

    biases: Floats32
    states: Floats32
    cells: Floats32

    @classmethod
    def blank(cls, layers: tuple[Layer, ...], which: Ints, conditions: Floats32) -> Memory:
        """Return the state before the first step."""
        hidden = layers[0].bias.shape[1] // 4
        width = 2 * FEATURES + LAYERS * hidden
        return cls(
            np.stack([layer.biases(which, conditions) for layer in layers]),
            np.zeros((len(which), width), dtype=np.float32),
            np.zeros((LAYERS, len(which), hidden), dtype=np.float32),
        )

    def kept(self, rows: Bools) -> Memory:
        """Return the state of some of the letters."""
        return Memory(self.biases[:, rows], self.states[rows], self.cells[:, rows])

    @property
    def hidden_states(self) -> Floats32:
        """The hidden states of all layers, shape ``(letters, 3 * hidden)``; a view."""
        return self.states[:, FEATURES:-FEATURES]


def step(memory: Memory, layers: tuple[Layer, ...], features: Floats32) -> Floats32:
    """Advance each letter by one step, and return the hidden states of all layers.

    ``memory`` is changed in place. The layers must be ``halved()``. Cost: about 1.8 million
    multiplications per letter with 300 hidden units.
    """
    hidden = memory.cells.shape[2]
    states = memory.states
    states[:, :FEATURES] = features
    states[:, -FEATURES:] = features
    for depth, layer in enumerate(layers):
        own = FEATURES + depth * hidden
        begin = 0 if depth < LAYERS - 1 else own - hidden
        end = own + hidden if depth < LAYERS - 1 else states.shape[1]
        gates = states[:, begin:end] @ layer.matrix
        gates += memory.biases[depth]
        states[:, own : own + hidden] = _update(gates, memory.cells[depth])
    return memory.hidden_states


def _update(gates: Floats32, cell: Floats32) -> Floats32:
    """Update the cells of one layer in place, and return its states.

    ``gates`` are the inputs of the gates, computed with halved weights; they are overwritten.
    """
    hidden = cell.shape[1]
    np.tanh(gates, out=gates)
    i, f, g, o = (gates[:, k * hidden : (k + 1) * hidden] for k in range(4))
    f += 1.0
    f *= cell
    i += 1.0
    i *= g
    f += i
    np.multiply(f, 0.5, out=cell)
    np.tanh(cell, out=g)
    o += 1.0
    o *= 0.5
    o *= g
    return o


COMPONENTS = 20
OUTPUTS = 6 * COMPONENTS + 2

NARROWEST = 0.002
"""The least width of a component, in units of the card's ``step_size``; it bounds the density."""

MOST_CORRELATED = 0.999


class PenEvents(NamedTuple):
    """Whether each letter ends with this step, and whether the pen lifts after it."""

    ends: Bools
    lifts: Bools


def draw_events(outputs: Floats32, rng: np.random.Generator) -> PenEvents:
    """Draw at random whether each letter ends, and whether its pen lifts."""
    log_odds = outputs[:, 6 * COMPONENTS :]
    happens = rng.random(log_odds.shape, dtype=np.float32) < 0.5 * (1.0 + np.tanh(0.5 * log_odds))
    return PenEvents(happens[:, 0], happens[:, 1])


def draw_changes(outputs: Floats32, rng: np.random.Generator, bias: float = 0.0) -> Floats32:
    """Draw the change of each letter's next offset, shape ``(letters, 2)``.

    ``bias`` makes the writing neater: widths shrink by exp(bias), and the weights of components are
    raised to the power 1 + bias (Graves 2013, equations 61-62).
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
    """Return the standard deviations of components, ``NARROWEST + exp(log)``."""
    return np.float32(NARROWEST) + np.exp(log)


def _component(logits: Floats32, rng: np.random.Generator) -> Ints:
    """Draw a component of the mixture for each letter, and return its index."""
    shares = np.cumsum(np.exp(logits - logits.max(axis=1, keepdims=True)), axis=1)
    marks = rng.random(len(logits), dtype=np.float32) * shares[:, -1]
    chosen: Ints = np.minimum((shares < marks[:, None]).sum(axis=1), COMPONENTS - 1)
    return chosen
