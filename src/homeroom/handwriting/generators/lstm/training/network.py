"""The same network in torch, to be trained, and the way to and from its weights in NumPy.

Torch is imported only where it is used: who writes letters needs none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from homeroom.handwriting.generators.lstm.card import Card
from homeroom.handwriting.generators.lstm.habits import Habits
from homeroom.handwriting.generators.lstm.layers import FEATURES, LAYERS, Layer
from homeroom.handwriting.generators.lstm.mixture import OUTPUTS
from homeroom.handwriting.generators.lstm.tracks import TOLD, Floats32
from homeroom.handwriting.generators.lstm.training.batches import Batch
from homeroom.handwriting.generators.lstm.weights import Weights


def build(letters: int, hidden: int, seed: int = 0) -> Any:
    """Return a network that knows nothing yet: a ``torch.nn.ModuleDict``."""
    import torch

    told = FEATURES + letters + TOLD
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        parts: dict[str, Any] = {
            f"layer{k}": torch.nn.LSTM(told + (hidden if k > 1 else 0), hidden)
            for k in range(1, LAYERS + 1)
        }
        parts["head"] = torch.nn.Linear(LAYERS * hidden, OUTPUTS)
    for k in range(1, LAYERS + 1):
        # At first, forget nothing.
        parts[f"layer{k}"].bias_ih_l0.data[hidden : 2 * hidden] = 1.0
    return torch.nn.ModuleDict(parts)


def run(network: Any, batch: Batch) -> Any:
    """Return what the network says after each step, ``(steps, batch, outputs)``.

    Every layer is told each step's features, which letter it is, and how to write it.
    """
    import torch

    features = batch.features
    letters = torch.cat([batch.letters, batch.told], dim=1)
    told = torch.cat([features, letters.expand(len(features), -1, -1)], dim=2)
    states: list[Any] = []
    for k in range(1, LAYERS + 1):
        below = told if k == 1 else torch.cat([told, states[-1]], dim=2)
        states.append(network[f"layer{k}"](below)[0])
    return network["head"](torch.cat(states, dim=2))


def to_weights(state: dict[str, Any], habits: Habits, card: Card) -> Weights:
    """Return trained parameters, by torch's names, as weights for NumPy."""
    parts = {name: np.asarray(part, dtype=np.float32) for name, part in state.items()}
    layers = tuple(_layer(parts, k, len(card.names)) for k in range(1, LAYERS + 1))
    return Weights(layers, parts["head.weight"].T.copy(), parts["head.bias"], habits, card)


def _layer(parts: dict[str, Floats32], k: int, letters: int) -> Layer:
    inputs = parts[f"layer{k}.weight_ih_l0"].T
    own = parts[f"layer{k}.weight_hh_l0"].T
    bias = parts[f"layer{k}.bias_ih_l0"] + parts[f"layer{k}.bias_hh_l0"]
    ends = np.cumsum([FEATURES, letters, TOLD])
    step, letter, manner, below = np.split(inputs, ends)
    rows = [below, own, step] if k == LAYERS else [step, below, own]
    return Layer(np.concatenate(rows), letter + bias, manner.copy())


def from_weights(weights: Weights) -> dict[str, Floats32]:
    """Return weights as torch's parameters, by their names, to go on training from."""
    state = {"head.weight": weights.head.T.copy(), "head.bias": weights.head_bias}
    hidden = weights.hidden
    for k, (matrix, bias, manner) in enumerate(weights.layers, start=1):
        if k == LAYERS:
            below, own, step = np.split(matrix, [hidden, 2 * hidden])
        else:
            step, below, own = np.split(matrix, [FEATURES, len(matrix) - hidden])
        state |= {
            f"layer{k}.weight_ih_l0": np.concatenate([step, bias, manner, below]).T.copy(),
            f"layer{k}.weight_hh_l0": own.T.copy(),
            f"layer{k}.bias_ih_l0": np.zeros(4 * hidden, dtype=np.float32),
            f"layer{k}.bias_hh_l0": np.zeros(4 * hidden, dtype=np.float32),
        }
    return state


def arrays(net: Any) -> dict[str, Floats32]:
    """Return a network's parameters in NumPy, by torch's names."""
    return {name: part.detach().cpu().numpy() for name, part in net.named_parameters()}
