"""The crowd on its map, the types found in it, and classes drawn from it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from homeroom.crowd import insects
from homeroom.crowd.insects import SPECIES
from homeroom.paper import Settings, insect_crowd
from homeroom.paper.insect_crowd import Crowd, class_of_types, crowd_for, crowd_of, types_of


@pytest.fixture(scope="module")
def crowd() -> Crowd:
    return crowd_of(0)


def test_types_found_from_the_answers_are_the_schools_that_gave_them(crowd: Crowd) -> None:
    assert np.mean(crowd.types == np.array(crowd.insects.schools)) > 0.9


def test_the_target_tells_butterflies_from_moths(crowd: Crowd) -> None:
    items = np.column_stack([crowd.places, np.ones(len(crowd.places))])
    right = np.sign(items @ crowd.target) == crowd.insects.labels
    assert right.mean() > 0.95


def test_hypotheses_say_what_their_workers_said(crowd: Crowd) -> None:
    items = np.column_stack([crowd.places, np.ones(len(crowd.places))])
    said = crowd.insects.answers.yes.reshape(67, 160)
    assert np.mean((crowd.states @ items.T > 0) == said) > 0.85


def test_the_pool_has_every_insect_with_its_threshold(crowd: Crowd) -> None:
    items = np.column_stack([crowd.places, np.ones(len(crowd.places))])
    lengths = np.linalg.norm(items, axis=1, keepdims=True)
    np.testing.assert_allclose(crowd.pool.directions, items / lengths)


def test_a_hypothesis_has_the_type_whose_mistakes_it_makes() -> None:
    """Four species at the corners of a square, and a line for each type."""
    made = insects.make()
    corners = {"cmoth": (-1, -1), "tmoth": (-1, 1), "rbfly": (1, -1), "pbfly": (1, 1)}
    places = np.array([corners[species] for species in made.species], dtype=float)
    lines = {"P1": (1, 1, 1), "P2": (1, 1, -1), "P3": (1, -1, -1), "P4": (0, 0, 1)}
    states = np.array(list(lines.values()), dtype=float)
    assert types_of(states, places, made).tolist() == list(lines)
    assert [one.short for one in SPECIES] == list(corners)


@pytest.mark.parametrize("diversity", [1, 2, 3, 4])
def test_a_class_has_equally_many_of_each_of_its_types(diversity: int) -> None:
    room, types = class_of_types(Settings(), diversity, 3)
    assert room.students == 60
    assert sorted(Counter(types.tolist()).values()) == [60 // diversity] * diversity
    assert set(room.rates.tolist()) == {0.05}
    assert room.example_radius == 2.0
    np.testing.assert_array_equal(room.target, crowd_for(Settings(), 3).target)


def test_which_types_are_there_is_drawn_by_lot() -> None:
    drawn = {class_of_types(Settings(), 1, seed)[1][0] for seed in range(4)}
    assert len(drawn) > 1


def test_without_noise_everybody_is_a_worker_of_her_type() -> None:
    quiet = Settings(crowd_noise=0.0)
    crowd = crowd_for(quiet, 1)
    room, types = class_of_types(quiet, 4, 1)
    for state, kind in zip(room.states, types, strict=True):
        same = np.flatnonzero((crowd.states == state).all(axis=1))
        assert kind in crowd.types[same]
    noisy, same_types = class_of_types(Settings(), 4, 1)
    np.testing.assert_array_equal(types, same_types)
    spread = float(np.std(noisy.states - room.states))
    assert spread == pytest.approx(0.1, rel=0.2)


def test_every_seed_has_a_crowd_of_its_own() -> None:
    assert crowd_for(Settings(), 1) is crowd_for(Settings(insects=1), 0)
    assert crowd_for(Settings(), 1) is not crowd_for(Settings(), 0)


def test_a_crowd_without_some_type_is_refused(
    crowd: Crowd, monkeypatch: pytest.MonkeyPatch
) -> None:
    lonely = replace(crowd, types=np.full(67, "P2"))
    monkeypatch.setattr(insect_crowd, "crowd_of", lambda seed: lonely)
    with pytest.raises(
        ValueError, match=r"Nobody in the crowd of insects=0 thinks like P1: choose"
    ):
        class_of_types(Settings(), 4, 0)
