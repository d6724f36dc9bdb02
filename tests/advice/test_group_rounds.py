"""Rounds of groups, compared with lessons."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homeroom import (
    AverageGoal,
    ByRate,
    Classroom,
    ClassroomTeacher,
    EveryoneGoal,
    GradientLearner,
    Individuals,
    ItemPool,
    Lesson,
    MeanTeacher,
    NoisyStates,
    PoolTeacher,
    teach,
)
from homeroom.advice import group_rounds as module
from homeroom.advice.group_rounds import (
    SAMPLE,
    CandidateGroup,
    GroupRounds,
    Parts,
    clusters_of,
    parts_of,
    rate_cells_of,
)
from homeroom.engines.batch import NEVER
from homeroom.lessons import Progress


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
    assert group_rounds.needed(groups).tolist() == expected


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
    assert group_rounds.needed(groups).tolist() == expected


def test_the_last_student_of_a_large_group_is_found_among_the_farthest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only those who are far at the start are watched, so it may be a few rounds short."""
    monkeypatch.setattr(module, "EXACT_STUDENTS", 10)
    room = Classroom.sample(1500, 3, rates=(0.1, 0.9), seed=3)
    group_rounds = group_rounds_for(room, goal=EveryoneGoal(0.2))
    groups = some_groups(group_rounds.parts)
    expected = np.array(by_lessons(group_rounds, groups, goal=EveryoneGoal(0.2), engine="exact"))
    found = group_rounds.needed(groups)
    assert (found <= expected).all()
    assert (found >= 0.9 * expected).all()


def test_students_alone_are_those_of_individual_lessons() -> None:
    room = Classroom.sample(30, 4, rates=(0.05, 0.6))
    group_rounds = group_rounds_for(room, by="both")
    rounds = teach(room, groups=Individuals()).transcript.rounds
    np.testing.assert_array_equal(group_rounds.alone, group_rounds.parts.summed(rounds))


def test_students_alone_are_tutored_where_there_is_no_formula() -> None:
    room = Classroom.sample(12, 3, rates=(0.1, 0.5))
    settings: dict[str, Any] = {"teacher": PoolTeacher(ItemPool(1.5 * np.eye(3)))}
    rounds = teach(room, groups=Individuals(), **settings).transcript.rounds
    group_rounds = group_rounds_for(room, **settings)
    np.testing.assert_array_equal(group_rounds.alone, group_rounds.parts.summed(rounds))


def test_a_part_with_a_student_who_never_reaches_the_goal_is_marked() -> None:
    room = Classroom(np.ones((4, 2)), rates=[0.2, 0.2, 0.001, 0.001], target=[0.0, 0.0])
    group_rounds = group_rounds_for(room, max_rounds=20)
    assert group_rounds.alone.tolist() == [[NEVER, 2]]
    assert group_rounds.needed(
        [CandidateGroup((0,), 0, 1), CandidateGroup((0,), 1, 2)]
    ).tolist() == [NEVER, 1]


def test_groups_are_taught_no_further_than_their_limit() -> None:
    room = Classroom.sample(40, 3, rates=(0.1, 0.6))
    both: tuple[dict[str, Any], ...] = ({}, {"observer": NoisyStates(0.01)})
    for how in both:
        group_rounds = group_rounds_for(room, **how)
        groups = some_groups(group_rounds.parts)
        needed = group_rounds.needed(groups)
        assert group_rounds.needed(groups, needed).tolist() == needed.tolist()
        assert group_rounds.needed(groups, needed - 1).tolist() == [NEVER] * len(groups)


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
    found = group_rounds.needed(groups)  # no warning: this group may never be chosen
    with pytest.warns(UserWarning, match="moves away from the target"):
        expected = by_lessons(group_rounds, groups, teacher=teacher)
    assert found.tolist() == expected


def test_a_ball_that_is_too_small_makes_every_group_a_lesson() -> None:
    room = Classroom.sample(20, 3, state_radius=2.0)
    group_rounds = group_rounds_for(room)
    assert not group_rounds.quick
    groups = some_groups(group_rounds.parts)
    assert group_rounds.needed(groups).tolist() == by_lessons(group_rounds, groups)


def test_progress_is_reported_after_every_batch_and_lesson() -> None:
    seen: list[Progress] = []
    room = Classroom.sample(12, 3)
    parts = parts_of(room, "rate", 4, np.random.default_rng(0))
    for learner in (GradientLearner(), GradientLearner("hinge")):
        group_rounds = GroupRounds(
            room, Lesson(room, learner=learner, max_rounds=2), parts, progress=seen.append
        )
        group_rounds.expected = 8
        group_rounds.needed(some_groups(parts))
        group_rounds.needed(some_groups(parts))
    assert [progress.group for progress in seen] == [4, 7, 0, 1, 2, 3, 4, 4, 5, 6, 7, 7]
    assert seen[1].done == seen[-1].done == 1.0
    assert seen[0].groups == 8


def test_classes_of_other_array_libraries_work() -> None:
    strict = pytest.importorskip("array_api_strict")
    room = Classroom.sample(30, 3, rates=(0.1, 0.6))
    moved = Classroom(
        *(strict.asarray(np.array(part)) for part in (room.states, room.rates, room.target))
    )
    for few in (module.EXACT_STUDENTS, 5):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "EXACT_STUDENTS", few)
            ours, theirs = group_rounds_for(room), group_rounds_for(moved)
            groups = some_groups(ours.parts)
            assert ours.needed(groups).tolist() == theirs.needed(groups).tolist()


def test_a_goal_that_is_already_reached_needs_no_round() -> None:
    room = Classroom.sample(10, 2)
    group_rounds = group_rounds_for(room, goal=AverageGoal(1e9))
    assert group_rounds.needed(some_groups(group_rounds.parts)).tolist() == [0, 0, 0, 0]
    assert not group_rounds.alone.any()


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
