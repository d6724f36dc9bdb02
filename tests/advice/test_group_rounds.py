"""Rounds of groups, compared with lessons."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homeroom import (
    ByRate,
    Classroom,
    ClassroomTeacher,
    EveryoneGoal,
    ItemPool,
    Lesson,
    MeanTeacher,
    NoisyStates,
    PoolTeacher,
    teach,
)
from homeroom.advice import group_rounds as module
from homeroom.advice.group_rounds import (
    CLUSTER_SAMPLE,
    CandidateGroup,
    GroupRounds,
    Parts,
    clusters_of,
    parts_of,
    rate_cells_of,
)
from homeroom.engines.batch import NEVER


def group_rounds_for(
    room: Classroom, *, by: str = "rate", cells: int = 6, **settings: Any
) -> GroupRounds:
    parts = parts_of(room, by, cells, np.random.default_rng(0))
    return GroupRounds(room, Lesson(room, **settings), parts)


def some_groups(parts: Parts) -> list[CandidateGroup]:
    clusters, cells = parts.whole_class.clusters, parts.whole_class.last
    return [
        CandidateGroup(clusters, 0, cells),
        CandidateGroup(clusters, 0, 1),
        CandidateGroup(clusters, 1, 3),
        CandidateGroup(clusters[:1], 0, 2),
    ]


def by_lessons(
    group_rounds: GroupRounds, groups: list[CandidateGroup], **settings: Any
) -> list[int]:
    rooms = (group_rounds.room.subset(group_rounds.parts.members(group)) for group in groups)
    return [teach(room, **settings).rounds for room in rooms]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"goal": EveryoneGoal(0.3)},
        {"teacher": ClassroomTeacher("joint", safe=True)},
        {"teacher": MeanTeacher(), "max_rounds": 50},
        {"teacher": PoolTeacher(ItemPool(1.5 * np.eye(3)))},
    ],
    ids=["plain", "everyone", "joint", "mean", "pool"],
)
def test_rounds_equal_those_of_a_lesson(settings: dict[str, Any]) -> None:
    room = Classroom.sample(40, 3, rates=(0.1, 0.6))
    group_rounds = group_rounds_for(room, **settings)
    groups = some_groups(group_rounds.parts)
    records = [
        teach(room.subset(group_rounds.parts.members(group)), **settings) for group in groups
    ]
    expected = [
        record.rounds if record.stopped_because.name == "GOAL" else NEVER for record in records
    ]
    assert group_rounds.count_rounds(groups).tolist() == expected


@pytest.mark.parametrize("by", ["rate", "both"])
@pytest.mark.parametrize("magnitude", ["static", "dynamic"])
def test_large_groups_use_weighted_representatives(
    by: str, magnitude: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "EXACT_STUDENTS", 10)
    room = Classroom.sample(1500, 2, rates=(0.1, 0.9), seed=3)
    teacher = ClassroomTeacher(magnitude, safe=True)
    group_rounds = group_rounds_for(room, by=by, teacher=teacher)
    groups = some_groups(group_rounds.parts)
    assert len(group_rounds._representatives(groups[0]).rates) < 100
    expected = by_lessons(group_rounds, groups, teacher=teacher, engine="exact")
    assert group_rounds.count_rounds(groups).tolist() == expected


def test_the_last_student_of_a_large_group_is_found_among_the_farthest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only those who are far at the start are watched, so it may be a few rounds short."""
    monkeypatch.setattr(module, "EXACT_STUDENTS", 10)
    room = Classroom.sample(1500, 3, rates=(0.1, 0.9), seed=3)
    group_rounds = group_rounds_for(room, goal=EveryoneGoal(0.2))
    groups = some_groups(group_rounds.parts)
    expected = np.array(by_lessons(group_rounds, groups, goal=EveryoneGoal(0.2), engine="exact"))
    found = group_rounds.count_rounds(groups)
    assert (found <= expected).all()
    assert (found >= 0.9 * expected).all()


def test_groups_are_taught_no_further_than_their_limit() -> None:
    room = Classroom.sample(40, 3, rates=(0.1, 0.6))
    both: tuple[dict[str, Any], ...] = ({}, {"observer": NoisyStates(0.01)})
    for how in both:
        group_rounds = group_rounds_for(room, **how)
        groups = some_groups(group_rounds.parts)
        needed = group_rounds.count_rounds(groups)
        assert group_rounds.count_rounds(groups, needed).tolist() == needed.tolist()
        assert group_rounds.count_rounds(groups, needed - 1).tolist() == [NEVER] * len(groups)


def test_a_ball_that_students_may_reach_is_respected() -> None:
    """Dynamic magnitude may move students to the boundary: such a group is taught by a lesson."""
    drawn = Classroom.sample(60, 2, rates=(0.05, 3.0), state_radius=6.0)
    rates = np.array(drawn.rates)
    rates[:-1] = np.minimum(rates[:-1], 0.1)
    rates[-1] = 3.0
    room = Classroom(drawn.states, rates, drawn.target, state_radius=6.0)
    teacher = ClassroomTeacher("dynamic")
    group_rounds = group_rounds_for(room, teacher=teacher)
    assert group_rounds.quick
    groups = [group_rounds.parts.whole_class]
    found = group_rounds.count_rounds(groups)  # no warning: this group may never be chosen
    with pytest.warns(UserWarning, match="moves away from the target"):
        expected = by_lessons(group_rounds, groups, teacher=teacher)
    assert found.tolist() == expected


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


def test_the_clusters_of_a_large_class_are_found_from_a_sample() -> None:
    room = Classroom.sample(3 * CLUSTER_SAMPLE, 4, clusters=3, spread=0.01, cluster_distance=9.0)
    cluster_of = clusters_of(room, 3, RNG)
    for cluster in np.split(cluster_of, 3):
        assert len(set(cluster.tolist())) == 1
    assert sorted(set(cluster_of.tolist())) == [0, 1, 2]
