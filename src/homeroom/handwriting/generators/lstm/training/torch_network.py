"""The network in torch: training batches, the log-likelihood, and conversion to NumPy weights.

Torch is imported only where it is used, because writing letters does not need it. So the type
``Any`` stands for a tensor or a module of torch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from homeroom._arrays import Ints
from homeroom.handwriting.generators.lstm.conditions import Habits
from homeroom.handwriting.generators.lstm.network import (
    BEND,
    COMPONENTS,
    FEATURES,
    LAYERS,
    MOST_CORRELATED,
    NARROWEST,
    OUTPUTS,
    Layer,
)
from homeroom.handwriting.generators.lstm.tracks import CONDITIONS, Floats32, Tracks
from homeroom.handwriting.generators.lstm.weights import ModelCard, Weights

BATCHES_SORTED = 8
"""The number of batches that are drawn together and sorted by length, to reduce padding."""


class TrainingBatch(NamedTuple):
    """Some letters, step by step.

    ``letters`` is one-hot, ``(batch, letters)``, and ``conditions`` has the shape ``(batch, 7)``;
    all other arrays begin with the shape ``(steps, batch)``. ``changes`` are the differences
    between the next offset and the last, valid where ``moving`` is 1; ``ends`` and ``lifts`` are
    the events, valid where ``free`` is 1.
    """

    features: Any
    letters: Any
    conditions: Any
    changes: Any
    moving: Any
    ends: Any
    lifts: Any
    free: Any


@dataclass(frozen=True, eq=False)
class TrainingLetters:
    """All training letters on one device, in the units of the card.

    The arrays are those of ``Tracks``, with ``places`` instead of offsets: the positions after each
    step, shape ``(letters, steps, 2)``. ``counts`` are the ``lengths`` in NumPy, for choosing
    batches.
    """

    places: Any
    lifted: Any
    lengths: Any
    which: Any
    conditions: Any
    counts: Ints
    card: ModelCard

    @classmethod
    def of(cls, tracks: Tracks, card: ModelCard, device: str) -> TrainingLetters:
        """Copy letters to a device."""
        import torch

        places = np.cumsum(tracks.offsets, axis=1) / np.float32(card.step_size)
        return cls(
            torch.from_numpy(places).to(device),
            torch.from_numpy(tracks.lifted).to(device),
            torch.from_numpy(tracks.lengths).to(device),
            torch.from_numpy(tracks.which).to(device),
            torch.from_numpy(tracks.conditions).to(device),
            tracks.lengths,
            card,
        )

    def batch(self, rows: Ints, noise: Any) -> TrainingBatch:
        """Return some letters, with a random displacement of each input place.

        The network learns to move from the displaced place to the true next one, and thus to return
        to the line. ``noise`` is a torch generator on the same device.
        """
        import torch
        from torch.nn.functional import one_hot

        steps = int(self.counts[rows].max())
        device = self.places.device
        taken = torch.from_numpy(rows).to(device)
        places = self.places[:, :steps][taken].transpose(0, 1)
        lifted = self.lifted[:, :steps][taken].T.float()
        inside, ends = self._spans(taken, steps)
        shift = torch.randn(places.shape, generator=noise, device=device) * self.card.jitter
        shift[0] = 0.0  # the pen starts at the origin
        shift[1:] += (shift[:-1] - shift[1:]) * lifted[1:, :, None]  # a lift does not move it
        seen = places + shift
        offsets = torch.diff(seen, dim=0, prepend=seen[:1])
        bends = torch.diff(offsets, dim=0, prepend=offsets[:1])
        scaled = seen * (self.card.step_size / self.card.reach)
        following = _next_step(lifted)
        return TrainingBatch(
            torch.cat([offsets, scaled, lifted[..., None], BEND * bends], dim=2),
            one_hot(self.which[taken], len(self.card.names)).float(),
            self.conditions[taken],
            _next_step(places) - seen - offsets,
            _next_step(inside) * (1 - following),
            ends,
            following,
            inside * (1 - lifted),
        )

    def _spans(self, taken: Any, steps: int) -> tuple[Any, Any]:
        """Return which steps belong to the letters, and which are the last."""
        import torch

        lengths = self.lengths[taken]
        at = torch.arange(steps, device=lengths.device)[:, None]
        return (at < lengths).float(), (at == lengths - 1).float()


def _next_step(values: Any) -> Any:
    """Return the values one step later; zero after the last step."""
    import torch

    return torch.cat([values[1:], torch.zeros_like(values[:1])])


def batch_rows(step: int, letters: TrainingLetters, size: int, seed: int) -> Ints:
    """Return the indices of the letters in the batch of one step, shape ``(size,)``, by seed."""
    draw = np.random.default_rng([seed, step // BATCHES_SORTED])
    rows = draw.integers(len(letters.counts), size=BATCHES_SORTED * size)
    rows = rows[np.argsort(letters.counts[rows], kind="stable")]
    number = draw.permutation(BATCHES_SORTED)[step % BATCHES_SORTED]
    return rows[number * size : (number + 1) * size]


def build_network(letters: int, hidden: int, seed: int = 0) -> Any:
    """Return an untrained network, a ``torch.nn.ModuleDict``."""
    import torch

    inputs = FEATURES + letters + CONDITIONS
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        parts: dict[str, Any] = {
            f"layer{k}": torch.nn.LSTM(inputs + (hidden if k > 1 else 0), hidden)
            for k in range(1, LAYERS + 1)
        }
        parts["head"] = torch.nn.Linear(LAYERS * hidden, OUTPUTS)
    for k in range(1, LAYERS + 1):
        # A forget gate that is open at first.
        parts[f"layer{k}"].bias_ih_l0.data[hidden : 2 * hidden] = 1.0
    return torch.nn.ModuleDict(parts)


def run_network(network: Any, batch: TrainingBatch) -> Any:
    """Return the outputs after each step, ``(steps, batch, outputs)``.

    The inputs of every layer are the features of the step, the letter and the conditions.
    """
    import torch

    features = batch.features
    letters = torch.cat([batch.letters, batch.conditions], dim=1)
    inputs = torch.cat([features, letters.expand(len(features), -1, -1)], dim=2)
    states: list[Any] = []
    for k in range(1, LAYERS + 1):
        below = inputs if k == 1 else torch.cat([inputs, states[-1]], dim=2)
        states.append(network[f"layer{k}"](below)[0])
    return network["head"](torch.cat(states, dim=2))


def to_weights(state: dict[str, Any], habits: Habits, card: ModelCard) -> Weights:
    """Return trained parameters, by their names in torch, as NumPy weights."""
    parts = {name: np.asarray(part, dtype=np.float32) for name, part in state.items()}
    layers = tuple(_layer(parts, k, len(card.names)) for k in range(1, LAYERS + 1))
    return Weights(layers, parts["head.weight"].T.copy(), parts["head.bias"], habits, card)


def _layer(parts: dict[str, Floats32], k: int, letters: int) -> Layer:
    """Return the NumPy weights of layer ``k``; weights of the one-hot letter become biases."""
    inputs = parts[f"layer{k}.weight_ih_l0"].T
    own = parts[f"layer{k}.weight_hh_l0"].T
    bias = parts[f"layer{k}.bias_ih_l0"] + parts[f"layer{k}.bias_hh_l0"]
    ends = np.cumsum([FEATURES, letters, CONDITIONS])
    step, letter, manner, below = np.split(inputs, ends)
    rows = [below, own, step] if k == LAYERS else [step, below, own]
    return Layer(np.concatenate(rows), letter + bias, manner.copy())


def from_weights(weights: Weights) -> dict[str, Floats32]:
    """Return weights as parameters by their names in torch, to continue training."""
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


def parameters(net: Any) -> dict[str, Floats32]:
    """Return the parameters of a network in NumPy, by their names in torch."""
    return {name: part.detach().cpu().numpy() for name, part in net.named_parameters()}


def loss(outputs: Any, batch: TrainingBatch) -> Any:
    """Return the negative log-likelihood of each letter in nats, shape ``(batch,)``.

    It is the sum over changes, lifts and ends of all steps; changes are in units of the card's
    ``step_size``.
    """
    from torch.nn.functional import binary_cross_entropy_with_logits as cross_entropy

    ends, lifts = outputs[..., -2], outputs[..., -1]
    cost = (
        -log_density(outputs, batch.changes) * batch.moving
        + cross_entropy(ends, batch.ends, reduction="none") * batch.free
        + cross_entropy(lifts, batch.lifts, reduction="none") * batch.free * (1 - batch.ends)
    )
    return cost.sum(dim=0)


def log_density(outputs: Any, changes: Any) -> Any:
    """Return the log density of each change, shape ``(steps, batch)``; Graves 2013, eq. 23-26."""
    import torch

    weights, x, y, log_x, log_y, correlation = outputs[..., : 6 * COMPONENTS].split(COMPONENTS, -1)
    width_x, width_y = NARROWEST + log_x.exp(), NARROWEST + log_y.exp()
    rho = MOST_CORRELATED * correlation.tanh()
    free = 1.0 - rho * rho
    from_x = (changes[..., :1] - x) / width_x
    from_y = (changes[..., 1:] - y) / width_y
    # Squares first: a single difference would lose all digits if rho is close to one.
    across = from_y - rho * from_x
    squared = from_x * from_x + across * across / free
    each = -0.5 * squared - width_x.log() - width_y.log() - 0.5 * free.log() - math.log(2 * math.pi)
    found: Any = torch.logsumexp(weights.log_softmax(-1) + each, -1)
    return found
