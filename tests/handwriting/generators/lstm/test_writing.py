"""Letters written side by side."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from homeroom._arrays import Ints
from homeroom.handwriting.generators.lstm import writing
from homeroom.handwriting.generators.lstm.card import Limits
from homeroom.handwriting.generators.lstm.mixture import OUTPUTS
from homeroom.handwriting.generators.lstm.tracks import TOLD
from homeroom.handwriting.generators.lstm.weights import Weights
from homeroom.handwriting.generators.lstm.writing import Draft


def written(weights: Weights, which: Ints, seed: int = 0) -> Draft:
    told = np.zeros((len(which), TOLD), dtype=np.float32)
    return writing.write(weights, which, told, np.random.default_rng(seed))


def with_odds(weights: Weights, ends: float, lifts: float) -> Weights:
    head, bias = weights.head.copy(), weights.head_bias.copy()
    head[:, OUTPUTS - 2 :] = 0.0
    bias[OUTPUTS - 2 :] = ends, lifts
    return replace(weights, head=head, head_bias=bias)


def test_the_same_seed_writes_the_same(small: Weights, which: Ints) -> None:
    first, second = written(small, which), written(small, which)
    np.testing.assert_array_equal(first.places, second.places)
    assert not np.array_equal(first.places, written(small, which, seed=1).places)


def test_letters_end_when_their_coin_says_so(small: Weights) -> None:
    """With odds of one to nine, letters have ten steps on average, and end by themselves."""
    draft = written(with_odds(small, np.log(1 / 9), -30.0), np.zeros(2000, dtype=np.int64))
    assert draft.ended.mean() > 0.99
    assert draft.lengths.mean() == pytest.approx(10.0, rel=0.05)
    assert not draft.lifted.any()


def test_a_letter_that_never_ends_is_cut_off(small: Weights, which: Ints) -> None:
    draft = written(with_odds(small, -30.0, -30.0), which)
    assert not draft.ended.any()
    assert not draft.sound(small.card.limits, small.card.step_size).any()
    assert (draft.lengths == 61).all()


def test_a_pen_that_was_lifted_moves_before_it_lifts_again(small: Weights, which: Ints) -> None:
    draft = written(with_odds(small, -30.0, 30.0), which)
    assert (draft.lifted[:, 1::2]).all()
    assert not (draft.lifted[:, 2::2]).any()
    moved = np.abs(np.diff(draft.places, axis=1)).max(axis=2)
    assert moved[:, 1::2].min() > 0  # through the air
    assert moved[:, ::2].max() < 10 * small.card.jitter  # a lift: nowhere, but for the jitter


def test_each_letter_goes_on_as_if_alone(small: Weights) -> None:
    """What ends early takes nothing with it: all steps of the others are written."""
    draft = written(small, np.zeros(50, dtype=np.int64))
    for row in range(50):
        moved = np.hypot(*np.diff(draft.places[row, : draft.lengths[row]], axis=0).T) > 0
        assert (moved | draft.lifted[row, 1 : draft.lengths[row]]).all()
        assert (draft.places[row, draft.lengths[row] :] == 0).all()


def draft_of(places: list[list[float]], lifted: list[bool]) -> Draft:
    return Draft(
        np.zeros(1, dtype=np.int64),
        np.array([[*places, [0, 0]]], dtype=np.float32),  # one step is filled up
        np.array([[*lifted, False]]),
        np.array([len(lifted)]),
        np.array([True]),
    )


def bounds(**changed: list[float]) -> Limits:
    wide = {"steps": [0.0, 99.0], "strokes": [0.0, 99.0], "way": [0.0, 99.0]}
    return Limits(**{name: np.array([ends]) for name, ends in (wide | changed).items()})


@pytest.mark.parametrize(
    ("limits", "sound"),
    [
        (bounds(), True),
        (bounds(steps=[5.0, 5.0]), True),
        (bounds(steps=[6.0, 9.0]), False),
        (bounds(steps=[0.0, 4.0]), False),
        (bounds(strokes=[2.0, 2.0]), True),
        (bounds(strokes=[1.0, 1.0]), False),
        (bounds(way=[1.49, 1.51]), True),  # 5 + 10 steps of a tenth; the air in between is free
        (bounds(way=[2.0, 9.0]), False),
    ],
)
def test_a_sound_letter_lies_within_its_limits(limits: Limits, sound: bool) -> None:
    draft = draft_of(
        [[0, 0], [3, 4], [3, 4], [3, 104], [13, 104]], [False, False, True, False, False]
    )
    assert draft.sound(limits, step_size=0.1).tolist() == [sound]
