"""The same network in torch, to be trained, and the way to and from its weights in NumPy.

Torch is imported only where it is used: who writes letters needs none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from homeroom.handwriting.generators.lstm.card import Card
from homeroom.handwriting.generators.lstm.layers import FEATURES, LAYERS, Layer
from homeroom.handwriting.generators.lstm.mixture import OUTPUTS
from homeroom.handwriting.generators.lstm.tracks import Floats32
from homeroom.handwriting.generators.lstm.weights import Weights


def build(letters: int, hidden: int, seed: int = 0) -> Any:
    """Return a network that knows nothing yet: a ``torch.nn.ModuleDict``."""
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        parts: dict[str, Any] = {
            f"layer{k}": torch.nn.LSTM(FEATURES + letters + (hidden if k > 1 else 0), hidden)
            for k in range(1, LAYERS + 1)
        }
        parts["head"] = torch.nn.Linear(LAYERS * hidden, OUTPUTS)
    for k in range(1, LAYERS + 1):
        # At first, forget nothing.
        parts[f"layer{k}"].bias_ih_l0.data[hidden : 2 * hidden] = 1.0
    return torch.nn.ModuleDict(parts)


def run(network: Any, features: Any, letters: Any) -> Any:
    """Return what the network says after each step, ``(steps, batch, outputs)``.

    ``features`` has shape ``(steps, batch, 7)``; ``letters`` is one-hot, ``(batch, letters)``.
    """
    import torch

    told = torch.cat([features, letters.expand(len(features), -1, -1)], dim=2)
    states: list[Any] = []
    for k in range(1, LAYERS + 1):
        below = told if k == 1 else torch.cat([told, states[-1]], dim=2)
        states.append(network[f"layer{k}"](below)[0])
    return network["head"](torch.cat(states, dim=2))


def to_weights(state: dict[str, Any], card: Card) -> Weights:
    """Return trained parameters, by torch's names, as weights for NumPy."""
    parts = {name: np.asarray(part, dtype=np.float32) for name, part in state.items()}
    layers = tuple(_layer(parts, k, len(card.names)) for k in range(1, LAYERS + 1))
    return Weights(layers, parts["head.weight"].T.copy(), parts["head.bias"], card)


def _layer(parts: dict[str, Floats32], k: int, letters: int) -> Layer:
    inputs = parts[f"layer{k}.weight_ih_l0"].T
    own = parts[f"layer{k}.weight_hh_l0"].T
    bias = parts[f"layer{k}.bias_ih_l0"] + parts[f"layer{k}.bias_hh_l0"]
    step, letter, below = np.split(inputs, [FEATURES, FEATURES + letters])
    rows = [below, own, step] if k == LAYERS else [step, below, own]
    return Layer(np.concatenate(rows), letter + bias)


def from_weights(weights: Weights) -> dict[str, Floats32]:
    """Return weights as torch's parameters, by their names, to go on training from."""
    state = {"head.weight": weights.head.T.copy(), "head.bias": weights.head_bias}
    hidden = weights.hidden
    for k, (matrix, bias) in enumerate(weights.layers, start=1):
        if k == LAYERS:
            below, own, step = np.split(matrix, [hidden, 2 * hidden])
        else:
            step, below, own = np.split(matrix, [FEATURES, len(matrix) - hidden])
        state |= {
            f"layer{k}.weight_ih_l0": np.concatenate([step, bias, below]).T.copy(),
            f"layer{k}.weight_hh_l0": own.T.copy(),
            f"layer{k}.bias_ih_l0": np.zeros(4 * hidden, dtype=np.float32),
            f"layer{k}.bias_hh_l0": np.zeros(4 * hidden, dtype=np.float32),
        }
    return state


def arrays(net: Any) -> dict[str, Floats32]:
    """Return a network's parameters in NumPy, by torch's names."""
    return {name: part.detach().cpu().numpy() for name, part in net.named_parameters()}
