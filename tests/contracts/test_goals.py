"""The contract of every registered goal."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest

from homeroom import (
    AverageGoal,
    Classroom,
    EveryoneGoal,
    Individuals,
    MasteryGoal,
    QuizObserver,
    Record,
    StoppedBecause,
    _plugins,
    teach,
)
from homeroom.goals import AbstractGoal

GOALS: dict[str, tuple[str, AbstractGoal]] = {
    "average": ("average:eps=0.2", AverageGoal(0.2)),
    "everyone": ("everyone:eps=0.3", EveryoneGoal(0.3)),
    "mastery": ("mastery:share=0.75", MasteryGoal(0.75)),
}
every_goal = pytest.mark.parametrize("name", _plugins.names("goals"))
distance_goals = [name for name, (_, goal) in GOALS.items() if not goal.needs]
every_distance = pytest.mark.parametrize("name", distance_goals)


def test_every_registered_goal_is_checked() -> None:
    assert set(GOALS) == set(_plugins.names("goals"))


@every_distance
def test_a_class_at_the_target_is_done_and_one_far_away_is_not(name: str) -> None:
    goal = GOALS[name][1]
    assert goal.reached(mean_squared=0.0, farthest=0.0)
    assert not goal.reached(mean_squared=1e6, farthest=1e3)
    assert not goal.reached(mean_squared=math.nan, farthest=math.nan)


@every_distance
def test_alone_is_where_a_class_of_one_is_done(name: str) -> None:
    goal = GOALS[name][1]
    just, more = goal.alone * (1 - 1e-9), goal.alone * (1 + 1e-9)
    assert goal.reached(just, math.sqrt(just))
    assert not goal.reached(more, math.sqrt(more))


@every_distance
def test_a_lesson_stops_at_the_first_round_that_reaches_it(name: str, room: Classroom) -> None:
    goal = GOALS[name][1]
    record = teach(room, goal=goal)
    assert record.stopped_because is StoppedBecause.GOAL
    farthest = record.transcript.farthest(0)
    reached = [goal.reached(*pair) for pair in zip(record.errors, farthest, strict=True)]
    assert reached == [False] * record.rounds + [True]


@every_distance
def test_every_student_alone_reaches_it(name: str, room: Classroom) -> None:
    goal = GOALS[name][1]
    for group in teach(room, goal=goal, groups=Individuals()).groups:
        assert goal.reached(group.errors[-1], group.transcript.farthest(0)[-1])


@every_distance
def test_it_is_the_same_in_other_libraries_and_precisions(
    name: str, room: Classroom, library: Any, move: Callable[..., Classroom]
) -> None:
    rounds = teach(room, goal=GOALS[name][1]).rounds
    for dtype in ("float64", "float32"):
        assert teach(move(room, library, dtype), goal=GOALS[name][1]).rounds == rounds


@every_distance
def test_its_record_survives_saving(
    name: str, room: Classroom, same_after_saving: Callable[[Record], None]
) -> None:
    same_after_saving(teach(room, goal=GOALS[name][1]))


@every_goal
def test_it_describes_itself_and_is_built_from_its_text(name: str) -> None:
    text, goal = GOALS[name]
    described = _plugins.describe(goal)
    assert json.loads(json.dumps(described, allow_nan=False)) == described
    assert _plugins.make("goals", text) == goal


def test_a_goal_of_knowledge_ends_a_lesson_with_a_quiz(
    room: Classroom, same_after_saving: Callable[[Record], None]
) -> None:
    """The observer estimates what students know; without one the goal is refused."""
    goal = GOALS["mastery"][1]
    record = teach(room, goal=goal, observer=QuizObserver(), max_rounds=200)
    assert record.stopped_because is StoppedBecause.GOAL
    assert record.rounds > 0
    same_after_saving(record)
    with pytest.raises(ValueError, match="MasteryGoal needs an observer that estimates"):
        teach(room, goal=goal)
