"""Training batches, the log-likelihood, and the network in torch and NumPy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from homeroom._arrays import Ints
from homeroom.handwriting.generators.lstm import model, network
from homeroom.handwriting.generators.lstm.network import (
    BEND,
    COMPONENTS,
    FEATURES,
    MOST_CORRELATED,
    NARROWEST,
    Layer,
    Memory,
)
from homeroom.handwriting.generators.lstm.tracks import Floats32, Tracks
from homeroom.handwriting.generators.lstm.training import torch_network
from homeroom.handwriting.generators.lstm.training.torch_network import (
    TrainingBatch,
    TrainingLetters,
    batch_rows,
    log_density,
    loss,
)
from homeroom.handwriting.generators.lstm.weights import ModelCard, Weights, limits_of

torch = pytest.importorskip("torch")


def desk_of(tracks: Tracks, jitter: float = 0.0) -> TrainingLetters:
    card = ModelCard(tracks.names, tracks.rate, 0.1, 2.0, jitter, limits_of(tracks))
    return TrainingLetters.of(tracks, card, "cpu")


def batch_of(desk: TrainingLetters, rows: list[int]) -> TrainingBatch:
    return desk.batch(np.array(rows), torch.Generator().manual_seed(0))


def test_without_jitter_the_network_sees_and_foresees_the_track(learned: Tracks) -> None:
    batch = batch_of(desk_of(learned), [1, 0])
    for column, row in enumerate((1, 0)):
        many = learned.lengths[row]
        offsets, lifted = learned.offsets[row] / 0.1, learned.lifted[row]
        seen = batch.features[:many, column].numpy()
        np.testing.assert_allclose(seen[:, :2], offsets[:many], atol=1e-4)
        places = np.cumsum(learned.offsets[row], axis=0)[:many] / 2.0
        np.testing.assert_allclose(seen[:, 2:4], places, atol=1e-5)
        np.testing.assert_array_equal(seen[:, 4] > 0, lifted[:many])
        moving = batch.moving[:, column].numpy() > 0
        expected = np.append(~lifted[1:many], np.zeros(len(moving) - many + 1, dtype=bool))
        np.testing.assert_array_equal(moving, expected)
        bends = np.diff(offsets, axis=0, prepend=offsets[:1])
        np.testing.assert_allclose(seen[:, 5:], BEND * bends[:many], atol=1e-3)
        foreseen = batch.changes[:, column].numpy()[moving]
        np.testing.assert_allclose(foreseen, bends[1:many][~lifted[1:many]], atol=1e-4)
        assert batch.ends[:, column].nonzero().ravel().tolist() == [many - 1]
        assert batch.letters[column].argmax() == learned.which[row]


def test_events_are_drawn_at_every_step_except_after_a_lift(learned: Tracks) -> None:
    batch = batch_of(desk_of(learned), [1])
    lift = int(learned.lifted[1].argmax())
    assert batch.lifts[:, 0].nonzero().ravel().tolist() == [lift - 1]
    assert (batch.free[:, 0] == 0).nonzero().ravel().tolist() == [lift]


def test_with_jitter_the_way_leads_back_to_the_line(learned: Tracks) -> None:
    """Each target move goes from the displaced place to the true next place."""
    batch = batch_of(desk_of(learned, jitter=0.5), [1, 0])
    true = batch_of(desk_of(learned), [1, 0])
    seen, places = (b.features[..., 2:4] * 20 for b in (batch, true))
    assert (seen - places)[1:].std() == pytest.approx(0.5, rel=0.15)
    reached = (seen + batch.features[..., :2] + batch.changes)[true.moving > 0]
    wanted = (places + true.features[..., :2] + true.changes)[true.moving > 0]
    np.testing.assert_allclose(reached, wanted, atol=1e-3)


def test_with_jitter_a_lift_still_moves_nothing(learned: Tracks) -> None:
    batch = batch_of(desk_of(learned, jitter=0.5), [1])
    lift = int(learned.lifted[1].argmax())
    assert batch.features[lift, 0, :2].tolist() == [0.0, 0.0]
    assert batch.features[0, 0].tolist() == [0.0] * 7


def test_batches_have_letters_of_similar_length_and_are_reproducible(learned: Tracks) -> None:
    desk = desk_of(learned)
    rows = [batch_rows(step, desk, 10, seed=0) for step in range(16)]
    assert all(len(row) == 10 for row in rows)
    spreads = [np.ptp(desk.counts[row]) for row in rows]
    assert np.mean([spread == 0 for spread in spreads]) > 0.5
    np.testing.assert_array_equal(batch_rows(3, desk, 10, seed=0), rows[3])
    assert not np.array_equal(batch_rows(3, desk, 10, seed=1), rows[3])
    assert set(np.concatenate(rows)) == set(range(60)) or len(set(np.concatenate(rows))) > 50


def test_where_letters_are_laid_out_is_in_usual_steps(learned: Tracks) -> None:
    desk = desk_of(replace(learned, offsets=2 * learned.offsets))
    np.testing.assert_allclose(
        desk.places[0], 20 * np.cumsum(learned.offsets[0], axis=0), atol=1e-4
    )


def test_the_network_sees_the_same_inputs_in_writing_and_training(
    small: Weights, which: Ints, conditions: Floats32, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A generated letter, as training data, gives the network the inputs that it had."""
    seen: list[Floats32] = []
    step = network.step

    def listening(memory: Memory, parts: tuple[Layer, ...], features: Floats32) -> Floats32:
        seen.append(features.copy())
        return step(memory, parts, features)

    monkeypatch.setattr(network, "step", listening)
    endless = small.head_bias.copy()
    endless[-2:] = -60.0, 0.0  # never ends, often lifts
    head = small.head * (np.arange(small.head.shape[1]) < len(endless) - 2)
    card = replace(small.card, jitter=0.0)
    still = replace(small, head=head, head_bias=endless, card=card)
    draft = model.sample_letters(still, which, conditions, np.random.default_rng(0))
    places = draft.places * np.float32(small.card.step_size)
    offsets = np.diff(places, axis=1, prepend=places[:, :1])
    tracks = Tracks(offsets, draft.lifted, draft.lengths, which, conditions, small.card.names)
    batch = TrainingLetters.of(tracks, still.card, "cpu").batch(
        np.arange(len(which)), torch.Generator()
    )
    assert len(seen) > 50
    np.testing.assert_allclose(batch.features[: len(seen)], np.stack(seen), atol=1e-4)
    np.testing.assert_array_equal(batch.conditions, conditions)
    assert draft.lifted.any()


def by_numpy(weights: Weights, which: Ints, conditions: Floats32, features: Floats32) -> Floats32:
    ready = tuple(layer.halved() for layer in weights.layers)
    memory = Memory.blank(ready, which, conditions)
    said = [network.step(memory, ready, row) @ weights.head + weights.head_bias for row in features]
    return np.stack(said)


@pytest.mark.parametrize("hidden", [8, 300])
def test_numpy_and_torch_agree(
    small: Weights, which: Ints, conditions: Floats32, hidden: int
) -> None:
    net = torch_network.build_network(letters=2, hidden=hidden, seed=1)
    weights = torch_network.to_weights(torch_network.parameters(net), small.habits, small.card)
    features = (
        np.random.default_rng(0).standard_normal((30, len(which), FEATURES)).astype(np.float32)
    )
    with torch.no_grad():
        letters = torch.nn.functional.one_hot(torch.from_numpy(which), 2).float()
        batch = TrainingBatch(
            torch.from_numpy(features),
            letters,
            torch.from_numpy(conditions),
            *[None] * 5,
        )
        said = torch_network.run_network(net, batch).numpy()
    np.testing.assert_allclose(by_numpy(weights, which, conditions, features), said, atol=1e-5)


def test_weights_go_to_torch_and_back(small: Weights) -> None:
    net = torch_network.build_network(letters=2, hidden=small.hidden)
    state = torch_network.from_weights(small)
    net.load_state_dict({name: torch.from_numpy(part) for name, part in state.items()})
    again = torch_network.to_weights(torch_network.parameters(net), small.habits, small.card)
    for name, part in again.arrays().items():
        np.testing.assert_array_equal(part, small.arrays()[name])


def test_a_new_network_depends_only_on_its_seed() -> None:
    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    first, second, other = (
        torch_network.parameters(torch_network.build_network(2, 8, seed)) for seed in (1, 1, 2)
    )
    assert torch.equal(torch.random.get_rng_state(), before)
    for name, part in first.items():
        np.testing.assert_array_equal(part, second[name])
    assert not np.array_equal(first["head.weight"], other["head.weight"])


def test_the_density_is_that_of_a_mixture_of_gaussians() -> None:
    """Compared with SciPy's bivariate normal density, component by component."""
    rng = np.random.default_rng(0)
    said = rng.standard_normal((3, 2, 6 * COMPONENTS + 2))
    moves = rng.standard_normal((3, 2, 2))
    found = log_density(torch.from_numpy(said), torch.from_numpy(moves)).numpy()
    for at in np.ndindex(3, 2):
        weights, x, y, log_x, log_y, correlation = said[at][:-2].reshape(6, COMPONENTS)
        each = []
        for k in range(COMPONENTS):
            a, b = NARROWEST + np.exp(log_x[k]), NARROWEST + np.exp(log_y[k])
            c = MOST_CORRELATED * np.tanh(correlation[k]) * a * b
            normal = multivariate_normal([x[k], y[k]], [[a * a, c], [c, b * b]])
            each.append(weights[k] - logsumexp(weights) + normal.logpdf(moves[at]))
        assert found[at] == pytest.approx(logsumexp(each), rel=1e-9)


def test_events_have_the_right_cost_where_they_are_drawn() -> None:
    """Even odds cost log 2: the end at every free step, the lift unless the letter ends."""
    steps, letters = 4, 1
    zeros = torch.zeros(steps, letters)
    ends = torch.tensor([[0.0], [0.0], [0.0], [1.0]])
    free = torch.tensor([[1.0], [1.0], [0.0], [1.0]])
    changes = torch.zeros(steps, letters, 2)
    batch = TrainingBatch(None, None, None, changes, zeros, ends, zeros, free)
    cost = loss(torch.zeros(steps, letters, 6 * COMPONENTS + 2), batch)
    assert cost.tolist() == pytest.approx([5 * np.log(2)])
