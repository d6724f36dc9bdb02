"""Three layers of long short-term memory, in NumPy: one step of the pen for many letters at once.

Each layer sees its own state, that of the layer below, and the pen's step; which letter it is,
and how to write it, makes its bias::

    i, f, o = sigmoid(z_i), sigmoid(z_f), sigmoid(z_o)        z = W [step, below, own] + b
    memory  = f memory + i tanh(z_g)
    state   = o tanh(memory)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from homeroom._arrays import Ints
from homeroom.handwriting.generators.lstm.tracks import Bools, Floats32

FEATURES = 7
"""What a layer is told of a step: offset, place, whether it is a lift, and bend.

The bend is how much the offset differs from the one before, four times, as it is small. Without it
what is to be foreseen is a small difference of large numbers, and is learned far less well.
"""

BEND = 4.0

LAYERS = 3


class Layer(NamedTuple):
    """The weights of one layer.

    ``matrix`` has a row for each input and four blocks of columns, the gates i, f, g and o.
    Its rows are step, below, own; the top layer's are below, own, step. ``bias`` has a row for
    each letter: a letter is told to a layer by a bias of its own. ``manner`` has a row for each
    knob: how to write the letter is told by adding to that bias.
    """

    matrix: Floats32
    bias: Floats32
    manner: Floats32

    def halved(self) -> Layer:
        """Return the weights with the three sigmoids' columns halved.

        As sigmoid(z) = (1 + tanh(z / 2)) / 2, one tanh then does for all four gates.
        """
        scale = np.full((4, 1), 0.5, dtype=np.float32)
        scale[2] = 1.0
        return Layer(*(_columns_scaled(part, scale) for part in self))

    def biases(self, which: Ints, told: Floats32) -> Floats32:
        """Return the bias of each letter, given its index and how to write it."""
        biases: Floats32 = self.bias[which] + told @ self.manner
        return biases


def _columns_scaled(part: Floats32, scale: Floats32) -> Floats32:
    blocks = part.reshape(len(part), 4, -1) * scale
    return np.ascontiguousarray(blocks.reshape(part.shape))


@dataclass(eq=False)
class Memory:
    """What the layers remember of each letter that is still being written.

    One buffer holds [step | first | second | third | step], so that the inputs of every layer
    lie side by side and one product does for each. ``biases`` do not change along a letter.
    """

    biases: Floats32
    states: Floats32
    cells: Floats32

    @classmethod
    def blank(cls, layers: tuple[Layer, ...], which: Ints, told: Floats32) -> Memory:
        """Return the memory before the first step."""
        hidden = layers[0].bias.shape[1] // 4
        width = 2 * FEATURES + LAYERS * hidden
        return cls(
            np.stack([layer.biases(which, told) for layer in layers]),
            np.zeros((len(which), width), dtype=np.float32),
            np.zeros((LAYERS, len(which), hidden), dtype=np.float32),
        )

    def kept(self, rows: Bools) -> Memory:
        """Return the memory of some letters only."""
        return Memory(self.biases[:, rows], self.states[rows], self.cells[:, rows])

    @property
    def top(self) -> Floats32:
        """The states of all layers, shape ``(letters, 3 * hidden)``."""
        return self.states[:, FEATURES:-FEATURES]


def step(memory: Memory, layers: tuple[Layer, ...], features: Floats32) -> Floats32:
    """Take in one step of each letter, and return the states of all layers.

    Costs about four million multiplications for each letter with 300 hidden units.
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
        states[:, own : own + hidden] = _turn(gates, memory.cells[depth])
    return memory.top


def _turn(gates: Floats32, cell: Floats32) -> Floats32:
    """Update one layer's memory in place, from halved gates, and return its state."""
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
