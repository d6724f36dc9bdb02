"""What groups would need, foreseen and in earnest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from homeroom import (
    AverageGoal,
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
from homeroom.advice import foresight as module
from homeroom.advice.foresight import Foresight
from homeroom.advice.parts import Group, Parts, parts_of
from homeroom.engines.batch import NEVER
from homeroom.lessons import Progress


def foresee(room: Classroom, *, by: str = "rate", cells: int = 6, **settings: Any) -> Foresight:
    parts = parts_of(room, by, cells, np.random.default_rng(0))
    return Foresight(room, Lesson(room, **settings), parts)


def some_groups(parts: Parts) -> list[Group]:
    camps, cells = parts.everybody.camps, parts.everybody.last
    return [Group(camps, 0, cells), Group(camps, 0, 1), Group(camps, 1, 3), Group(camps[:1], 0, 2)]


def in_earnest(foresight: Foresight, groups: list[Group], **settings: Any) -> list[int]:
    rooms = (foresight.room.subset(foresight.parts.members(group)) for group in groups)
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
def test_foreseen_rounds_are_those_of_a_lesson(settings: dict[str, Any]) -> None:
    room = Classroom.sample(40, 3, rates=(0.1, 0.6))
    foresight = foresee(room, **settings)
    groups = some_groups(foresight.parts)
    records = [teach(room.subset(foresight.parts.members(group)), **settings) for group in groups]
    expected = [
        record.rounds if record.stopped_because.name == "GOAL" else NEVER for record in records
    ]
    assert foresight.rounds(groups).tolist() == expected


@pytest.mark.parametrize("by", ["rate", "both"])
@pytest.mark.parametrize("magnitude", ["static", "dynamic"])
def test_large_groups_are_foreseen_by_stand_ins(
    by: str, magnitude: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FEW", 10)
    room = Classroom.sample(1500, 2, rates=(0.1, 0.9), seed=3)
    teacher = ClassroomTeacher(magnitude, safe=True)
    foresight = foresee(room, by=by, teacher=teacher)
    groups = some_groups(foresight.parts)
    assert len(foresight._stand_ins(groups[0]).rates) < 100
    expected = in_earnest(foresight, groups, teacher=teacher, engine="exact")
    assert foresight.rounds(groups).tolist() == expected


def test_the_last_student_of_a_large_group_is_foreseen_among_the_farthest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only those who are far at the start are watched, so it may be a few rounds short."""
    monkeypatch.setattr(module, "FEW", 10)
    room = Classroom.sample(1500, 3, rates=(0.1, 0.9), seed=3)
    foresight = foresee(room, goal=EveryoneGoal(0.2))
    groups = some_groups(foresight.parts)
    expected = np.array(in_earnest(foresight, groups, goal=EveryoneGoal(0.2), engine="exact"))
    found = foresight.rounds(groups)
    assert (found <= expected).all()
    assert (found >= 0.9 * expected).all()


def test_students_alone_are_those_of_individual_lessons() -> None:
    room = Classroom.sample(30, 4, rates=(0.05, 0.6))
    foresight = foresee(room, by="both")
    rounds = teach(room, groups=Individuals()).transcript.rounds
    np.testing.assert_array_equal(foresight.alone, foresight.parts.summed(rounds))


def test_students_alone_are_tutored_where_there_is_no_formula() -> None:
    room = Classroom.sample(12, 3, rates=(0.1, 0.5))
    settings: dict[str, Any] = {"teacher": PoolTeacher(ItemPool(1.5 * np.eye(3)))}
    rounds = teach(room, groups=Individuals(), **settings).transcript.rounds
    foresight = foresee(room, **settings)
    np.testing.assert_array_equal(foresight.alone, foresight.parts.summed(rounds))


def test_a_part_with_somebody_who_does_not_get_there_says_so() -> None:
    room = Classroom(np.ones((4, 2)), rates=[0.2, 0.2, 0.001, 0.001], target=[0.0, 0.0])
    foresight = foresee(room, max_rounds=20)
    assert foresight.alone.tolist() == [[NEVER, 2]]
    assert foresight.rounds([Group((0,), 0, 1), Group((0,), 1, 2)]).tolist() == [NEVER, 1]


def test_groups_are_taught_no_further_than_their_limit() -> None:
    room = Classroom.sample(40, 3, rates=(0.1, 0.6))
    both: tuple[dict[str, Any], ...] = ({}, {"observer": NoisyStates(0.01)})
    for settings in both:
        foresight = foresee(room, **settings)
        groups = some_groups(foresight.parts)
        needed = foresight.rounds(groups)
        assert foresight.rounds(groups, needed).tolist() == needed.tolist()
        assert foresight.rounds(groups, needed - 1).tolist() == [NEVER] * len(groups)


def test_a_ball_that_students_may_reach_is_minded() -> None:
    """Dynamic magnitude may throw students to the edge: such a group is a lesson of its own."""
    drawn = Classroom.sample(60, 2, rates=(0.05, 3.0), state_radius=6.0)
    rates = np.array(drawn.rates)
    rates[:-1] = np.minimum(rates[:-1], 0.1)
    rates[-1] = 3.0
    room = Classroom(drawn.states, rates, drawn.target, state_radius=6.0)
    teacher = ClassroomTeacher("dynamic")
    foresight = foresee(room, teacher=teacher)
    assert foresight.quick
    groups = [foresight.parts.everybody]
    found = foresight.rounds(groups)  # says nothing: nobody may ever see this group
    with pytest.warns(UserWarning, match="moves away from the target"):
        expected = in_earnest(foresight, groups, teacher=teacher)
    assert found.tolist() == expected


def test_a_ball_that_is_too_small_makes_every_group_a_lesson() -> None:
    room = Classroom.sample(20, 3, state_radius=2.0)
    foresight = foresee(room)
    assert not foresight.quick
    groups = some_groups(foresight.parts)
    assert foresight.rounds(groups).tolist() == in_earnest(foresight, groups)


def test_progress_is_told_after_every_batch_and_lesson() -> None:
    seen: list[Progress] = []
    room = Classroom.sample(12, 3)
    parts = parts_of(room, "rate", 4, np.random.default_rng(0))
    for learner in (GradientLearner(), GradientLearner("hinge")):
        foresight = Foresight(
            room, Lesson(room, learner=learner, max_rounds=2), parts, progress=seen.append
        )
        foresight.expected = 8
        foresight.rounds(some_groups(parts))
        foresight.rounds(some_groups(parts))
    assert [progress.group for progress in seen] == [4, 8, 0, 1, 2, 3, 4, 4, 5, 6, 7, 8]
    assert seen[1].done == seen[-1].done == 1.0
    assert seen[0].groups == 8


def test_rooms_of_other_libraries_are_foreseen() -> None:
    strict = pytest.importorskip("array_api_strict")
    room = Classroom.sample(30, 3, rates=(0.1, 0.6))
    moved = Classroom(
        *(strict.asarray(np.array(part)) for part in (room.states, room.rates, room.target))
    )
    for few in (module.FEW, 5):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "FEW", few)
            ours, theirs = foresee(room), foresee(moved)
            groups = some_groups(ours.parts)
            assert ours.rounds(groups).tolist() == theirs.rounds(groups).tolist()


def test_the_goal_may_be_very_far() -> None:
    room = Classroom.sample(10, 2)
    foresight = foresee(room, goal=AverageGoal(1e9))
    assert foresight.rounds(some_groups(foresight.parts)).tolist() == [0, 0, 0, 0]
    assert not foresight.alone.any()
