"""Letters to learn from, as torch tensors: what the network sees, and what it should foresee.

The same network in torch, to be trained, and the way to and from its weights in NumPy.

Torch is imported only where it is used: who writes letters needs none.

How well the network foresees what a pen did: the logarithm of its likelihood, in torch.
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
"""How many batches are drawn at once and sorted by length, so that few steps are filling."""


class TrainingBatch(NamedTuple):
    """Some letters, step by step.

    ``letters`` says which they are, ``(batch, letters)``, and ``conditions`` how they are written,
    ``(batch, 7)``; all else begins with the shape ``(steps, batch)``.
    ``changes`` are by how much the next offset differs from the last where ``moving`` is 1;
    ``ends`` and ``lifts`` are the coins, tossed where ``free`` is 1.
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
    """All letters on one device, in the card's units, from which batches are taken.

    ``counts`` are the ``lengths`` in NumPy, to choose letters by.
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
        """Lay letters out on a device."""
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
        """Return some letters, each place moved a little at random for the network to see.

        It is asked for the way from the moved place to the true next one, and so learns to come
        back to the line. ``noise`` is a torch generator on the same device.
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
        shift[0] = 0.0  # the pen begins at the origin,
        shift[1:] += (shift[:-1] - shift[1:]) * lifted[1:, :, None]  # and a lift does not move it
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
        """Return which steps are the letters' own, and which of them are the last."""
        import torch

        lengths = self.lengths[taken]
        at = torch.arange(steps, device=lengths.device)[:, None]
        return (at < lengths).float(), (at == lengths - 1).float()


def _next_step(values: Any) -> Any:
    """Return what comes one step later; after the last step, zero."""
    import torch

    return torch.cat([values[1:], torch.zeros_like(values[:1])])


def batch_rows(step: int, desk: TrainingLetters, size: int, seed: int) -> Ints:
    """Return which letters the batch of one training step has: always the same for one seed."""
    draw = np.random.default_rng([seed, step // BATCHES_SORTED])
    rows = draw.integers(len(desk.counts), size=BATCHES_SORTED * size)
    rows = rows[np.argsort(desk.counts[rows], kind="stable")]
    number = draw.permutation(BATCHES_SORTED)[step % BATCHES_SORTED]
    return rows[number * size : (number + 1) * size]


def build_network(letters: int, hidden: int, seed: int = 0) -> Any:
    """Return a network that knows nothing yet: a ``torch.nn.ModuleDict``."""
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
        # At first, forget nothing.
        parts[f"layer{k}"].bias_ih_l0.data[hidden : 2 * hidden] = 1.0
    return torch.nn.ModuleDict(parts)


def run_network(network: Any, batch: TrainingBatch) -> Any:
    """Return what the network says after each step, ``(steps, batch, outputs)``.

    Every layer is conditions each step's features, which letter it is, and how to write it.
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
    """Return trained parameters, by torch's names, as weights for NumPy."""
    parts = {name: np.asarray(part, dtype=np.float32) for name, part in state.items()}
    layers = tuple(_layer(parts, k, len(card.names)) for k in range(1, LAYERS + 1))
    return Weights(layers, parts["head.weight"].T.copy(), parts["head.bias"], habits, card)


def _layer(parts: dict[str, Floats32], k: int, letters: int) -> Layer:
    inputs = parts[f"layer{k}.weight_ih_l0"].T
    own = parts[f"layer{k}.weight_hh_l0"].T
    bias = parts[f"layer{k}.bias_ih_l0"] + parts[f"layer{k}.bias_hh_l0"]
    ends = np.cumsum([FEATURES, letters, CONDITIONS])
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


def parameters(net: Any) -> dict[str, Floats32]:
    """Return a network's parameters in NumPy, by torch's names."""
    return {name: part.detach().cpu().numpy() for name, part in net.named_parameters()}


def loss(outputs: Any, batch: TrainingBatch) -> Any:
    """Return minus the log-likelihood of each letter, in nats, shape ``(batch,)``.

    The sum of what the steps' changes, lifts and ends cost; changes are in usual steps.
    """
    from torch.nn.functional import binary_cross_entropy_with_logits as coin

    ends, lifts = outputs[..., -2], outputs[..., -1]
    cost = (
        -log_density(outputs, batch.changes) * batch.moving
        + coin(ends, batch.ends, reduction="none") * batch.free
        + coin(lifts, batch.lifts, reduction="none") * batch.free * (1 - batch.ends)
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
    # Squares first: as one difference, this loses all its digits where rho is close to one.
    across = from_y - rho * from_x
    squared = from_x * from_x + across * across / free
    each = -0.5 * squared - width_x.log() - width_y.log() - 0.5 * free.log() - math.log(2 * math.pi)
    found: Any = torch.logsumexp(weights.log_softmax(-1) + each, -1)
    return found
