"""The contract of every registered goal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from homeroom import (
    AccuracyGoal,
    AverageGoal,
    Classroom,
    EveryoneGoal,
    GradientLearner,
    MasteryGoal,
    QuizObserver,
    Record,
    StoppedBecause,
    _plugins,
    teach,
)
from homeroom._arrays import Floats
from homeroom.goals import AbstractGoal, ClassProgress, DistanceGoal
from homeroom.testing import check_goal
from tests.bad_input import refuse

GOALS: dict[str, tuple[str, AbstractGoal]] = {
    "average": ("average:eps=0.2", AverageGoal(0.2)),
    "everyone": ("everyone:eps=0.3", EveryoneGoal(0.3)),
    "accuracy": ("accuracy:share=0.8", AccuracyGoal(0.8)),
    "mastery": ("mastery:share=0.75", MasteryGoal(0.75)),
}
every_goal = pytest.mark.parametrize("name", _plugins.names("goals"))
distance_goals = [name for name, (_, goal) in GOALS.items() if isinstance(goal, DistanceGoal)]
every_distance = pytest.mark.parametrize("name", distance_goals)


def test_every_registered_goal_is_checked() -> None:
    assert set(GOALS) == set(_plugins.names("goals"))


@every_goal
def test_it_passes_the_public_check(name: str, room: Classroom) -> None:
    check_goal(GOALS[name][1], room=room)


@every_distance
def test_a_lesson_stops_at_the_first_round_that_reaches_it(name: str, room: Classroom) -> None:
    goal = GOALS[name][1]
    record = teach(room, goal=goal)
    assert record.stopped_because is StoppedBecause.GOAL
    rounds = zip(record.errors, record.transcript.farthest(0), strict=True)
    reached = [goal.reached(ClassProgress(*distances)) for distances in rounds]
    assert reached == [False] * record.rounds + [True]


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
def test_it_is_described_by_its_name_and_built_from_its_text(name: str) -> None:
    text, goal = GOALS[name]
    assert _plugins.describe(goal)["name"] == name
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
    refuse(lambda: teach(room, goal=goal), "MasteryGoal")


def right(room: Classroom, states: Any) -> Floats:
    """Return each student's share of right answers to the same 200 directions."""
    items = np.random.default_rng(0).standard_normal((200, room.dimensions))
    said, correct = np.sign(np.asarray(states) @ items.T), np.sign(items @ room.target)
    share: Floats = (said == correct).mean(axis=1)
    return share


@pytest.mark.parametrize("groups", ["whole", "by-rate", "individuals"])
def test_a_goal_of_accuracy_ends_when_enough_answers_are_right(
    room: Classroom, groups: str, same_after_saving: Callable[[Record], None]
) -> None:
    record = teach(room, goal=AccuracyGoal(0.85), groups=groups)
    assert record.stopped_because is StoppedBecause.GOAL
    share = right(room, record.final_states)
    for group in range(len(record.groups)):
        assert share[record.members(group)].mean() >= 0.85
    shorter = teach(room, goal=AccuracyGoal(0.85), max_rounds=record.groups[0].rounds - 1)
    assert groups != "whole" or right(room, shorter.final_states).mean() < 0.85
    same_after_saving(record)


def test_a_goal_of_accuracy_for_each_student(room: Classroom) -> None:
    record = teach(room, goal=AccuracyGoal(0.85, of="each"))
    assert right(room, record.final_states).min() >= 0.85
    assert record.rounds > teach(room, goal=AccuracyGoal(0.85)).rounds


def test_a_goal_of_accuracy_takes_items_and_labels_of_its_own(room: Classroom) -> None:
    items = np.eye(room.dimensions)
    wrong = np.where(items @ room.target < 0, 1.0, -1.0)
    zero_one = np.where(items @ room.target < 0, 0, 1)
    assert teach(room, goal=AccuracyGoal(1.0, items, zero_one)).rounds > 0
    assert teach(room, goal=AccuracyGoal(1.0, items, zero_one)).rounds == (
        teach(room, goal=AccuracyGoal(1.0, items)).rounds
    )
    never = teach(room, goal=AccuracyGoal(1.0, items, wrong), max_rounds=60)
    assert never.stopped_because is not StoppedBecause.GOAL


@pytest.mark.slow
@pytest.mark.parametrize("names", [("no", "yes"), ("a", "b", "c")], ids=len)
def test_a_goal_of_accuracy_takes_labels_as_scikit_learn_has_them(names: tuple[str, ...]) -> None:
    """Texts in alphabetical order, and classes counted from 0."""
    outputs = 1 if len(names) == 2 else len(names)
    room = Classroom.sample(students=5, dimensions=6)
    learner = GradientLearner("logistic", classes=None if outputs == 1 else outputs)
    items = np.random.default_rng(3).standard_normal((30, 6 // outputs))
    scores = items @ np.asarray(room.target).reshape(outputs, -1).T
    right = (scores[:, 0] > 0).astype(int) if outputs == 1 else scores.argmax(axis=1)
    plain = teach(room, goal=AccuracyGoal(0.8, items), learner=learner, max_rounds=30)
    assert plain.rounds > 0
    texts = np.array(names)[right]
    for labels in (right, texts, texts.tolist(), texts.astype(object)):
        goal = AccuracyGoal(0.8, items, labels)
        assert teach(room, goal=goal, learner=learner, max_rounds=30).rounds == plain.rounds
        check_goal(goal, room=room, outputs=outputs)


@pytest.mark.parametrize(
    ("labels", "why"),
    [
        (["a", "b", "c", "d"], "different"),
        ([1.0, 2.0, 3.0, 4.0], "classes"),
        (np.array(["a", 1.0, "b", "c"], dtype=object), "label"),
        (["a", "b"], "shape"),
    ],
)
def test_labels_that_do_not_fit_the_classes_are_refused(labels: Any, why: str) -> None:
    room = Classroom.sample(students=5, dimensions=6)
    refuse(
        lambda: teach(
            room,
            goal=AccuracyGoal(0.8, np.ones((4, 2)), labels),
            learner=GradientLearner("logistic", classes=3),
        ),
        why,
    )


def test_a_goal_of_accuracy_works_with_classes() -> None:
    room = Classroom.sample(students=5, dimensions=6)
    learner = GradientLearner("logistic", classes=3)
    record = teach(room, goal=AccuracyGoal(0.8), learner=learner, max_rounds=200)
    vectors = np.asarray(record.final_states).reshape(5, 3, 2)
    items = np.random.default_rng(0).standard_normal((200, 2))
    said = np.einsum("nkd,id->nki", vectors, items).argmax(axis=1)
    correct = (np.asarray(room.target).reshape(3, 2) @ items.T).argmax(axis=0)
    reached = (said == correct).mean() >= 0.8
    assert (record.stopped_because is StoppedBecause.GOAL) == reached


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"share": 1.2}, "`share`"),
        ({"share": 0.0}, "`share`"),
        ({"labels": [1.0]}, "give"),
        ({"items": np.eye(3)}, "`items`"),
        ({"items": np.eye(4), "labels": [1.0]}, "`labels`"),
        ({"of": "all"}, "`of`"),
    ],
)
def test_a_goal_of_accuracy_that_makes_no_sense_is_refused(
    room: Classroom, settings: dict[str, Any], why: str
) -> None:
    refuse(lambda: teach(room, goal=AccuracyGoal(**settings)), why)


@pytest.mark.parametrize("lesson", [{"teacher": "planned"}, {"engine": "sketch"}])
def test_a_goal_of_accuracy_cannot_be_planned_or_sketched(
    room: Classroom, lesson: dict[str, str]
) -> None:
    refuse(lambda: teach(room, goal=AccuracyGoal(), **lesson), "AccuracyGoal")  # type: ignore[arg-type]  # texts only
