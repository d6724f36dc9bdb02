"""The network in torch, and its twin in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom._arrays import Ints
from homeroom.handwriting.generators.lstm import layers
from homeroom.handwriting.generators.lstm.layers import FEATURES, Memory
from homeroom.handwriting.generators.lstm.tracks import Floats32
from homeroom.handwriting.generators.lstm.training import network
from homeroom.handwriting.generators.lstm.training.batches import Batch
from homeroom.handwriting.generators.lstm.weights import Weights

torch = pytest.importorskip("torch")


def by_numpy(weights: Weights, which: Ints, told: Floats32, features: Floats32) -> Floats32:
    ready = tuple(layer.halved() for layer in weights.layers)
    memory = Memory.blank(ready, which, told)
    said = [layers.step(memory, ready, row) @ weights.head + weights.head_bias for row in features]
    return np.stack(said)


@pytest.mark.parametrize("hidden", [8, 300])
def test_numpy_says_what_torch_says(
    small: Weights, which: Ints, told: Floats32, hidden: int
) -> None:
    net = network.build(letters=2, hidden=hidden, seed=1)
    weights = network.to_weights(network.arrays(net), small.habits, small.card)
    features = (
        np.random.default_rng(0).standard_normal((30, len(which), FEATURES)).astype(np.float32)
    )
    with torch.no_grad():
        letters = torch.nn.functional.one_hot(torch.from_numpy(which), 2).float()
        batch = Batch(torch.from_numpy(features), letters, torch.from_numpy(told), *[None] * 5)
        said = network.run(net, batch).numpy()
    np.testing.assert_allclose(by_numpy(weights, which, told, features), said, atol=1e-5)


def test_weights_go_to_torch_and_back(small: Weights) -> None:
    net = network.build(letters=2, hidden=small.hidden)
    state = network.from_weights(small)
    net.load_state_dict({name: torch.from_numpy(part) for name, part in state.items()})
    again = network.to_weights(network.arrays(net), small.habits, small.card)
    for name, part in again.arrays().items():
        np.testing.assert_array_equal(part, small.arrays()[name])


def test_a_new_network_depends_on_its_seed_only() -> None:
    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    first, second, other = (network.arrays(network.build(2, 8, seed)) for seed in (1, 1, 2))
    assert torch.equal(torch.random.get_rng_state(), before)
    for name, part in first.items():
        np.testing.assert_array_equal(part, second[name])
    assert not np.array_equal(first["head.weight"], other["head.weight"])
