"""Groupings: the whole class, individuals, at random, as given, by rate, by knowledge."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from homeroom import (
    AtRandom,
    AverageGoal,
    ByKnowledge,
    ByRate,
    Classroom,
    Individuals,
    MeanTeacher,
    teach,
)
from homeroom._arrays import Floats, Ints
from homeroom.groups import AbstractGrouping, AbstractInformed, consecutive

ROOM, RNG = Classroom.sample(students=5), np.random.default_rng(0)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([7, 7, -1, 3], [2, 2, 0, 1]),
        (["b", "a", "b"], [1, 0, 1]),
        ([0.5], [0]),
        ([True, False], [1, 0]),
    ],
)
def test_labels_of_any_kind_become_numbers_without_gaps(labels: Any, expected: Any) -> None:
    found = consecutive(np.asarray(labels))
    assert found.tolist() == expected
    assert found.dtype == np.int64


class Curious(AbstractGrouping, AbstractInformed):
    """Splits as individuals, and keeps what it was given."""

    def __init__(self) -> None:
        self.received: dict[str, Any] = {}

    def inform(self, **lesson: Any) -> AbstractGrouping:
        self.received = lesson
        return Individuals()

    def split(self, room: Classroom, rng: np.random.Generator) -> Ints:
        raise AssertionError("the informed grouping splits")


def test_an_informed_grouping_receives_the_lesson() -> None:
    groups, goal = Curious(), AverageGoal(0.5)
    room = Classroom.sample(students=4, dimensions=2)
    record = teach(
        room, groups=groups, goal=goal, teacher="mean", max_rounds=7, progress=lambda _: None
    )
    assert record.group_of.tolist() == [0, 1, 2, 3]
    assert groups.received.pop("progress") is not None
    assert set(groups.received) == {"teacher", "goal", "observer", "learner", "max_rounds"}
    assert groups.received["goal"] is goal
    assert isinstance(groups.received["teacher"], MeanTeacher)
    assert groups.received["max_rounds"] == 7


@given(students=st.integers(1, 60), k=st.integers(1, 60), seed=st.integers(0, 99))
def test_groups_are_as_equal_as_can_be_and_none_is_empty(students: int, k: int, seed: int) -> None:
    """Sizes differ by at most one."""
    k = min(k, students)
    room = Classroom(np.ones((students, 1)), np.full(students, 0.1), [0.0])
    sizes = np.bincount(AtRandom(k).split(room, np.random.default_rng(seed)), minlength=k)
    assert len(sizes) == k
    assert sizes.min() >= 1
    assert sizes.max() - sizes.min() <= 1


def split_rates(rates: Any) -> Any:
    room = Classroom(np.ones((len(rates), 1), np.asarray(rates).dtype), rates, [0.0])
    return ByRate().split(room, np.random.default_rng(0)).tolist()


@pytest.mark.parametrize("slowest", [0.05, 0.07, 0.1, 0.3, 1e-300, 1e100])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_rate_exactly_twice_as_fast_begins_the_next_group(slowest: float, dtype: Any) -> None:
    """Bins are [2^i min, 2^(i+1) min): each power of two is the first of its own."""
    if dtype == np.float32 and not 1e-30 < slowest < 1e30:
        pytest.skip("not a number of single precision")
    rates = np.array([slowest * 2**k for k in range(12)], dtype=dtype)
    assert split_rates(rates) == list(range(12))
    just_below = np.nextafter(rates[1:] * dtype(1 - 1e-5), dtype(0))
    assert split_rates(np.append(rates[:1], just_below)) == [0, *range(11)]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_decimal_multiples_count_as_multiples(dtype: Any) -> None:
    assert split_rates(np.array([0.07, 0.14, 0.28, 0.56], dtype)) == [0, 1, 2, 3]
    assert split_rates(np.array([0.1, 0.2, 0.4, 0.8, 1.6], dtype)) == [0, 1, 2, 3, 4]
    assert split_rates(np.array([0.05, 0.1 - 0.0001, 0.1], dtype)) == [0, 0, 1]


def test_rates_computed_as_multiples_count_as_multiples() -> None:
    """0.7 * 0.8 and 0.3 - 0.1 miss 8 * 0.07 and 2 * 0.1 by the last digit."""
    assert 0.7 * 0.8 < 8 * 0.07
    assert split_rates([0.07, 0.28, 0.7 * 0.8]) == [0, 1, 2]
    assert 0.3 - 0.1 < 2 * 0.1
    assert split_rates([0.1, 0.3 - 0.1]) == [0, 1]


def test_rates_at_the_limits_of_floats_are_split() -> None:
    assert split_rates([1e-300, 1e300]) == [0, 1]
    assert split_rates([5e-324, 1.7e308, 1.0e308]) == [0, 1, 1]
    assert split_rates([1.0e308, np.finfo(float).max, 1.7e308]) == [0, 0, 0]


@given(rates=st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=30))
def test_in_a_group_the_fastest_is_less_than_twice_the_slowest(rates: list[float]) -> None:
    """And groups are in order of rates, numbered without a gap."""
    groups, by = np.array(split_rates(rates)), np.array(rates)
    assert sorted(set(groups.tolist())) == list(range(groups.max() + 1))
    for group in range(groups.max() + 1):
        inside = by[groups == group]
        assert inside.max() < 2 * inside.min() * (1 + 1e-12)
        if group:
            assert inside.min() > by[groups == group - 1].max()


def split_states(states: Any, k: int, seed: int = 0) -> Any:
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
    found = split_states(centres[truth] + rng.standard_normal((60, dimensions)), 4, seed)
    pairs = set(zip(truth.tolist(), found.tolist(), strict=True))
    assert len(pairs) == 4


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
    """None is empty, and students with equal states are never separated."""
    k = min(k, len(states))
    found = split_states(states, k, seed)
    distinct = len(np.unique(states, axis=0))
    assert sorted(set(found.tolist())) == list(range(min(k, distinct)))
    for state in np.unique(states, axis=0):
        assert len(set(found[(states == state).all(axis=1)].tolist())) == 1


@pytest.mark.slow
def test_the_groups_are_as_tight_as_the_best_of_all_splits() -> None:
    """Against brute force over all 2^11 splits of twelve students in two."""
    rng = np.random.default_rng(3)
    for _ in range(5):
        states = rng.standard_normal((12, 2))
        every = ((np.arange(2**11)[:, None] >> np.arange(12)) & 1)[1:]
        best = min(tightness(states, groups) for groups in every)
        assert tightness(states, split_states(states, 2)) <= best * 1.05
