"""Groups of students who know about the same."""

from typing import Any

import array_api_strict as strict
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from homeroom import ByKnowledge, Classroom
from homeroom._arrays import Floats


def split(states: Any, k: int, seed: int = 0) -> Any:
    room = Classroom(states, np.full(states.shape[0], 0.1), np.zeros(states.shape[1]))
    return ByKnowledge(k).split(room, np.random.default_rng(seed))


def tightness(states: Floats, groups: Any) -> float:
    parts = [states[groups == group] for group in np.unique(groups)]
    return float(sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("dimensions", [2, 8])
def test_separated_clusters_are_found(seed: int, dimensions: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.arange(60) % 4)
    centres = 50.0 * np.vstack([np.eye(dimensions)[:2], -np.eye(dimensions)[:2]])
    found = split(centres[truth] + rng.standard_normal((60, dimensions)), 4, seed)
    pairs = set(zip(truth.tolist(), found.tolist(), strict=True))
    assert len(pairs) == 4


def test_the_first_student_is_in_the_first_group() -> None:
    """Groups are numbered in the order in which they appear."""
    found = split(np.array([[9.0], [0.0], [9.1], [5.0], [0.1]]), 3)
    assert found.tolist() == [0, 1, 0, 2, 1]


@settings(max_examples=60)
@given(
    states=hnp.arrays(np.float64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=9),
                      elements=st.integers(-3, 3).map(float)),
    k=st.integers(1, 9),
    seed=st.integers(0, 9),
)  # fmt: skip
def test_there_are_k_groups_or_as_many_as_students_differ(
    states: Floats, k: int, seed: int
) -> None:
    """None is empty, and nobody who knows the same is kept apart."""
    k = min(k, len(states))
    found = split(states, k, seed)
    distinct = len(np.unique(states, axis=0))
    assert sorted(set(found.tolist())) == list(range(min(k, distinct)))
    for state in np.unique(states, axis=0):
        assert len(set(found[(states == state).all(axis=1)].tolist())) == 1


def test_the_groups_are_as_tight_as_the_best_of_all_splits() -> None:
    """Against brute force over all 2^11 splits of twelve students in two."""
    rng = np.random.default_rng(3)
    for _ in range(5):
        states = rng.standard_normal((12, 2))
        every = ((np.arange(2**11)[:, None] >> np.arange(12)) & 1)[1:]
        best = min(tightness(states, groups) for groups in every)
        assert tightness(states, split(states, 2)) <= best * 1.05


def test_one_group_is_the_whole_class() -> None:
    assert split(np.random.default_rng(0).standard_normal((9, 3)), 1).tolist() == [0] * 9


def test_as_many_groups_as_students_are_individuals() -> None:
    assert split(np.arange(7.0)[:, None] ** 2, 7).tolist() == list(range(7))


def test_students_of_any_library_are_split() -> None:
    found = split(strict.asarray([[0.0], [9.0], [0.1]], dtype=strict.float32), 2)
    assert found.tolist() == [0, 1, 0]


def test_the_same_seed_gives_the_same_groups() -> None:
    states = np.random.default_rng(0).standard_normal((200, 5))
    np.testing.assert_array_equal(split(states, 6, seed=4), split(states, 6, seed=4))


def test_there_are_no_more_groups_than_students() -> None:
    with pytest.raises(ValueError, match="`k` must be at least 1 and at most 3, but is 4"):
        split(np.ones((3, 1)), 4)
    with pytest.raises(ValueError, match="`k` must be at least 1, but is 0"):
        ByKnowledge(0)
