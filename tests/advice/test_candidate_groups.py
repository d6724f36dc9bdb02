"""Cutting a class into parts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homeroom import ByRate, Classroom
from homeroom.advice.candidate_groups import (
    SAMPLE,
    CandidateGroup,
    Parts,
    clusters_of,
    parts_of,
    rate_cells_of,
)

RNG = np.random.default_rng(0)


def with_rates(rates: np.ndarray) -> Classroom:
    return Classroom(np.ones((len(rates), 1)), rates, [0.0])


@settings(max_examples=80)
@given(
    seed=st.integers(0, 999),
    students=st.integers(1, 120),
    cells=st.integers(1, 30),
    doublings=st.floats(0.0, 6.0),
)
def test_cells_are_intervals_of_the_rates(
    seed: int, students: int, cells: int, doublings: float
) -> None:
    """In the order of the rates, none empty, equal rates together, doubling bins never crossed."""
    rng = np.random.default_rng(seed)
    rates = np.round(0.1 * 2 ** (doublings * rng.random(students)), 2)
    cell_of = rate_cells_of(with_rates(rates), cells)
    assert sorted(set(cell_of.tolist())) == list(range(int(cell_of.max()) + 1))
    order = np.argsort(rates, kind="stable")
    assert (np.diff(cell_of[order]) >= 0).all()
    for rate in np.unique(rates):
        assert len(set(cell_of[rates == rate].tolist())) == 1
    bins = ByRate().split(with_rates(rates), RNG)
    assert cell_of.max() + 1 <= max(cells, len(np.unique(bins)))
    for cell in range(int(cell_of.max()) + 1):
        assert len(set(bins[cell_of == cell].tolist())) == 1


def test_every_cut_is_tried_if_rates_are_few() -> None:
    rates = np.array([0.3, 0.1, 0.2, 0.1])
    assert rate_cells_of(with_rates(rates), 3).tolist() == [2, 0, 1, 0]


def test_cells_split_the_class_evenly_between_the_doublings() -> None:
    cell_of = rate_cells_of(Classroom.sample(1000, 2, rates=(0.1, 0.19)), 10)
    assert np.bincount(cell_of).tolist() == [100] * 10


def test_parts_by_rate_have_one_cluster() -> None:
    parts = parts_of(Classroom.sample(50, 2), "rate", 6, RNG)
    assert parts.sizes.shape[0] == 1
    assert parts.whole_class == CandidateGroup((0,), 0, parts.sizes.shape[1])
    assert parts.students(parts.whole_class) == 50


def test_members_are_those_of_the_clusters_and_cells() -> None:
    parts = Parts(np.array([0, 1, 2, 0, 1, 2]), np.array([0, 0, 1, 1, 2, 2]))
    assert parts.sizes.tolist() == [[1, 1, 0], [1, 0, 1], [0, 1, 1]]
    assert parts.members(CandidateGroup((0, 2), 1, 3)).tolist() == [2, 3, 5]
    assert parts.members(CandidateGroup((1,), 0, 3)).tolist() == [1, 4]
    assert parts.members(parts.whole_class).tolist() == [0, 1, 2, 3, 4, 5]
    assert parts.students(CandidateGroup((0, 2), 1, 3)) == 3
    each = np.array([1, 2, 3, 4, 5, 6])
    assert parts.summed(each).tolist() == [[1, 4, 0], [2, 0, 5], [0, 3, 6]]


def test_clusters_are_found_by_their_states() -> None:
    room = Classroom.sample(60, 4, clusters=3, spread=0.01, cluster_distance=9.0)
    cluster_of = clusters_of(room, 3, RNG)
    assert [len(set(cluster_of[i : i + 20].tolist())) for i in (0, 20, 40)] == [1, 1, 1]
    assert int(cluster_of.max()) == 2


def test_the_clusters_of_a_large_class_are_found_from_a_sample() -> None:
    room = Classroom.sample(3 * SAMPLE, 4, clusters=3, spread=0.01, cluster_distance=9.0)
    cluster_of = clusters_of(room, 3, RNG)
    for cluster in np.split(cluster_of, 3):
        assert len(set(cluster.tolist())) == 1
    assert sorted(set(cluster_of.tolist())) == [0, 1, 2]


def test_in_a_small_class_every_student_is_a_cluster() -> None:
    parts = parts_of(Classroom.sample(9, 3), "both", 24, RNG)
    assert parts.sizes.shape == (9, 9)
    assert parts.sizes.sum() == 9


@pytest.mark.parametrize("by", ["knowledge", "both"])
def test_a_larger_class_has_fewer_clusters_than_cells(by: str) -> None:
    parts = parts_of(Classroom.sample(200, 3), by, 12, RNG)
    clusters, cells = parts.sizes.shape
    assert clusters == 8
    assert 10 <= cells <= 12
