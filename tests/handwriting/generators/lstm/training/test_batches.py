"""What the network sees, and what it should foresee."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from homeroom._arrays import Ints
from homeroom.handwriting.generators.lstm import layers, writing
from homeroom.handwriting.generators.lstm.card import Card, limits_of
from homeroom.handwriting.generators.lstm.layers import BEND, Layer, Memory
from homeroom.handwriting.generators.lstm.tracks import Floats32, Tracks
from homeroom.handwriting.generators.lstm.training.batches import Batch, Desk, rows_of
from homeroom.handwriting.generators.lstm.weights import Weights

torch = pytest.importorskip("torch")


def desk_of(tracks: Tracks, jitter: float = 0.0) -> Desk:
    card = Card(tracks.names, tracks.rate, 0.1, 2.0, jitter, limits_of(tracks))
    return Desk.of(tracks, card, "cpu")


def batch_of(desk: Desk, rows: list[int]) -> Batch:
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


def test_coins_are_tossed_at_every_own_step_but_after_a_lift(learned: Tracks) -> None:
    batch = batch_of(desk_of(learned), [1])
    lift = int(learned.lifted[1].argmax())
    assert batch.lifts[:, 0].nonzero().ravel().tolist() == [lift - 1]
    assert (batch.free[:, 0] == 0).nonzero().ravel().tolist() == [lift]


def test_with_jitter_the_way_leads_back_to_the_line(learned: Tracks) -> None:
    """From the place that the network sees, each move goes to the letter's true next place."""
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


def test_batches_hold_letters_of_like_length_and_repeat_with_their_seed(learned: Tracks) -> None:
    desk = desk_of(learned)
    rows = [rows_of(step, desk, 10, seed=0) for step in range(16)]
    assert all(len(row) == 10 for row in rows)
    spreads = [np.ptp(desk.counts[row]) for row in rows]
    assert np.mean([spread == 0 for spread in spreads]) > 0.5
    np.testing.assert_array_equal(rows_of(3, desk, 10, seed=0), rows[3])
    assert not np.array_equal(rows_of(3, desk, 10, seed=1), rows[3])
    assert set(np.concatenate(rows)) == set(range(60)) or len(set(np.concatenate(rows))) > 50


def test_where_letters_are_laid_out_is_in_usual_steps(learned: Tracks) -> None:
    desk = desk_of(replace(learned, offsets=2 * learned.offsets))
    np.testing.assert_allclose(
        desk.places[0], 20 * np.cumsum(learned.offsets[0], axis=0), atol=1e-4
    )


def test_the_network_is_told_the_same_in_writing_as_in_learning(
    small: Weights, which: Ints, told: Floats32, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A letter that was written, laid out to be learned, shows the network what it saw."""
    seen: list[Floats32] = []
    step = layers.step

    def listening(memory: Memory, parts: tuple[Layer, ...], features: Floats32) -> Floats32:
        seen.append(features.copy())
        return step(memory, parts, features)

    monkeypatch.setattr(layers, "step", listening)
    endless = small.head_bias.copy()
    endless[-2:] = -60.0, 0.0  # never ends, often lifts
    head = small.head * (np.arange(small.head.shape[1]) < len(endless) - 2)
    card = replace(small.card, jitter=0.0)
    still = replace(small, head=head, head_bias=endless, card=card)
    draft = writing.write(still, which, told, np.random.default_rng(0))
    places = draft.places * np.float32(small.card.step_size)
    offsets = np.diff(places, axis=1, prepend=places[:, :1])
    tracks = Tracks(offsets, draft.lifted, draft.lengths, which, told, small.card.names)
    batch = Desk.of(tracks, still.card, "cpu").batch(np.arange(len(which)), torch.Generator())
    assert len(seen) > 50
    np.testing.assert_allclose(batch.features[: len(seen)], np.stack(seen), atol=1e-4)
    np.testing.assert_array_equal(batch.told, told)
    assert draft.lifted.any()
