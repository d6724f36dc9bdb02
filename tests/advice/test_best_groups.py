"""The best groups, alone and in a lesson."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from homeroom import (
    AverageGoal,
    BestGroups,
    ByRate,
    Classroom,
    ClassroomTeacher,
    EveryoneGoal,
    Individuals,
    Lesson,
    WholeClass,
    frontier,
    teach,
)
from homeroom.groups import AbstractGrouping


@pytest.fixture(scope="module")
def room() -> Classroom:
    return Classroom.sample(60, 5, rates=(0.05, 0.6))


def split(grouping: AbstractGrouping, room: Classroom) -> list[int]:
    return [int(group) for group in grouping.split(room, np.random.default_rng(0))]


@pytest.mark.slow
def test_it_is_the_best_split_of_the_frontier(room: Classroom) -> None:
    for lam in (0.0, 1.0, 30.0):
        found = frontier(room).best(lam)
        assert split(BestGroups(lam), room) == found.group_of.tolist()
        assert teach(room, groups=found.grouping).cost(lam) == pytest.approx(found.cost(lam))
        # A lesson draws other clusters of students, so that another split may be found.
        best = teach(room, groups=BestGroups(lam)).cost(lam)
        assert best == pytest.approx(found.cost(lam), rel=0.02)


SETTINGS: list[dict[str, Any]] = [
    {"goal": AverageGoal(1e-3)},
    {"goal": EveryoneGoal(0.5)},
    {"teacher": ClassroomTeacher("joint", safe=True)},
]


@pytest.mark.slow
@pytest.mark.parametrize("settings", SETTINGS, ids=["strict", "everyone", "joint"])
def test_in_a_lesson_groups_are_optimised_for_that_lesson(
    room: Classroom, settings: dict[str, Any]
) -> None:
    lam = 1.0
    record = teach(room, groups=BestGroups(lam), **settings)
    assert record.group_of.tolist() == frontier(room, **settings).best(lam).group_of.tolist()
    for usual in (WholeClass(), ByRate(), Individuals()):
        assert record.cost(lam) <= teach(room, groups=usual, **settings).cost(lam) + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("settings", SETTINGS, ids=["strict", "everyone", "joint"])
def test_its_own_settings_override_those_of_the_lesson(
    room: Classroom, settings: dict[str, Any]
) -> None:
    own = BestGroups(1.0, **settings)
    assert split(own, room) == split(own.inform(), room)
    assert split(own, room) != split(BestGroups(1.0), room)
    assert Lesson(room, groups=own).group_of.tolist() == split(own, room)


def test_the_limit_on_rounds_is_respected() -> None:
    """Together they need more rounds than allowed, in smaller groups they do not."""
    room = Classroom.sample(40, 6, rates=(0.05, 0.6))
    assert teach(room, max_rounds=40).stopped_because.name == "ROUNDS"
    record = teach(room, groups=BestGroups(0.0), max_rounds=40)
    assert record.stopped_because.name == "GOAL"


def test_a_class_that_cannot_reach_the_goal_is_not_split() -> None:
    record = teach(Classroom.sample(10, 3), groups=BestGroups(1.0), max_rounds=0)
    assert record.group_of.tolist() == [0] * 10


@pytest.mark.parametrize("by", ["rate", "knowledge", "both"])
def test_other_teachers_learners_and_observers_are_simulated_by_lessons(by: str) -> None:
    room = Classroom.sample(8, 2, rates=(0.1, 0.4), clusters=2)
    for settings in (
        {"teacher": "random"},
        {"learner": "langevin:beta=1e6"},
        {"observer": "noisy-states:delta=0.01"},
    ):
        record = teach(room, groups=BestGroups(2.0, by, cells=3), **settings)  # type: ignore[arg-type]  # texts
        assert record.stopped_because.name == "GOAL"
