from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

from homeroom import (
    AverageGoal,
    ByRate,
    Classroom,
    ClassroomTeacher,
    DirectionPool,
    EveryoneGoal,
    GradientLearner,
    ItemPool,
    Lesson,
    MeanTeacher,
    NoisyMoments,
    NoisyStates,
    PoolTeacher,
    RandomTeacher,
    Record,
    teach,
)
from homeroom.engines import SketchClass

teaching = import_module("homeroom.lessons.teach")
ITEMS = 0.3 * np.random.default_rng(5).standard_normal((60, 4))


@pytest.fixture(scope="module")
def room() -> Classroom:
    return Classroom.sample(students=700, dimensions=4, rates=(0.1, 2.0), seed=3)


def error_of(room: Classroom, record: Record) -> float:
    """The error of the record's examples, shown to the students by the definition."""
    gaps = np.array(room.gaps)
    for x in record.examples.xs:
        gaps -= (room.rates * (gaps @ x))[:, None] * x
    return float((gaps**2).sum(axis=1).mean())


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"teacher": ClassroomTeacher("dynamic", safe=True)},
        {"teacher": ClassroomTeacher("joint", safe=True)},
        {"teacher": PoolTeacher(DirectionPool(ITEMS))},
        {"teacher": PoolTeacher(ItemPool(ITEMS))},
        {"teacher": RandomTeacher()},
        {"observer": NoisyMoments(0.01)},
        {"goal": AverageGoal(1e-6)},
        {"groups": ByRate()},
    ],
    ids=str,
)
def test_the_sketch_teaches_as_the_students_would_be_taught(
    room: Classroom, settings: dict[str, Any]
) -> None:
    """The same rounds within one per cent; its error is what its examples do to the students."""
    sketched, exact = teach(room, engine="sketch", **settings), teach(room, **settings)
    assert sketched.engine == "sketch"
    assert abs(sketched.rounds - exact.rounds) <= 0.01 * exact.rounds
    final = ((sketched.final_states - room.target) ** 2).sum(axis=1).mean()
    assert sketched.errors[-1] == pytest.approx(final, rel=1e-9)
    assert abs(sketched.errors[-1] - final) <= sketched.error_estimate + 1e-13 * room.error
    if "groups" not in settings:
        assert sketched.errors[-1] == pytest.approx(error_of(room, sketched), rel=1e-9)


def test_everyone_is_there_when_the_sketch_says_so(room: Classroom) -> None:
    """It stops when students * error <= eps^2, which is enough though not always needed."""
    sketched = teach(room, engine="sketch", goal=EveryoneGoal(0.3))
    assert np.linalg.norm(sketched.final_states - room.target, axis=1).max() <= 0.3
    assert sketched.rounds >= teach(room, goal=EveryoneGoal(0.3)).rounds


def test_individuals_need_no_sketch(room: Classroom) -> None:
    """They are worked out all at once, whichever engine is asked for."""
    sketched = teach(room, engine="sketch", groups="individuals")
    assert sketched.rounds == teach(room, groups="individuals").rounds
    assert "nodes" not in sketched.settings


def test_nodes_are_added_until_they_matter_no_more() -> None:
    narrow = Classroom.sample(students=600, dimensions=3, rates=(0.2, 0.3))
    wide = Classroom.sample(students=600, dimensions=3, rates=(0.05, 5.0))
    assert teach(narrow, engine="sketch").settings["nodes"] == 33
    record = teach(wide, engine="sketch", goal=AverageGoal(1e-4))
    assert record.settings["nodes"] > 33
    assert record.error_estimate <= teaching.TOLERANCE * record.errors[-1]


def test_where_no_number_of_nodes_will_do_the_students_are_taught(
    room: Classroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(teaching, "NODES_TRIED", (3, 5))
    record = teach(room, engine="sketch")
    assert record.engine == "exact"
    assert record.rounds == teach(room).rounds
    assert "5 nodes leave an error of up to" in record.settings["handed_over"][0]


def test_an_example_too_long_for_the_ball_of_states_hands_the_class_over() -> None:
    """1000 students at rate 0.1 and one at 5: dynamic throws the fast one far away."""
    rng = np.random.default_rng(0)
    rates = np.append(np.full(1000, 0.1) + 0.01 * rng.random(1000), 5.0)
    states = rng.standard_normal((1001, 3))
    states /= np.linalg.norm(states, axis=1, keepdims=True)
    room = Classroom(states, rates, np.zeros(3), state_radius=1.1)
    teacher = ClassroomTeacher("dynamic")
    with pytest.warns(UserWarning, match="above 2: for a while she moves away"):
        sketched = teach(room, engine="sketch", teacher=teacher)
    with pytest.warns(UserWarning, match="above 2: for a while she moves away"):
        exact = teach(room, teacher=teacher)
    assert "students may leave the ball of states" in sketched.settings["handed_over"][0]
    assert sketched.rounds == exact.rounds
    np.testing.assert_allclose(sketched.final_states, exact.final_states, atol=1e-9)
    assert np.linalg.norm(sketched.final_states, axis=1).max() <= 1.1 * (1 + 1e-9)


def test_states_told_from_outside_hand_the_class_over(room: Classroom) -> None:
    lesson = Lesson(room, engine="sketch")
    lesson.ask()
    lesson.tell(states=0.5 * room.states)
    lesson.ask()
    lesson.tell()
    record = lesson.record()
    assert "states were told from outside" in record.settings["handed_over"][0]
    assert record.errors[1] == pytest.approx(
        ((0.5 * room.states - room.target) ** 2).sum(axis=1).mean()
    )


def test_farthest_is_never_less_than_it_is(room: Classroom) -> None:
    students = SketchClass(room, GradientLearner(), np.random.default_rng(0))
    lesson = Lesson(room)
    while (example := lesson.ask()) is not None:
        assert not isinstance(example, tuple)
        lesson.tell()
        students.learn(example)
        assert students.farthest >= lesson.parts[0].farthest[-1] * (1 - 1e-9)
        assert students.error == pytest.approx(lesson.parts[0].errors[-1], rel=1e-6)


def test_a_sketched_record_can_be_saved(room: Classroom, tmp_path: Any) -> None:
    record = teach(room, engine="sketch")
    record.save(tmp_path / "record.npz")
    loaded = Record.load(tmp_path / "record.npz")
    assert (loaded.engine, loaded.error_estimate) == ("sketch", record.error_estimate)
    np.testing.assert_array_equal(loaded.final_states, record.final_states)


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"learner": GradientLearner("logistic")}, "plain gradient students"),
        ({"observer": NoisyStates(0.1)}, "this observer looks at single students"),
        ({"teacher": MeanTeacher()}, "this teacher may look at single students"),
        ({"teacher": PoolTeacher(ItemPool(ITEMS, labels=np.ones(60)))}, "labels of its own"),
        ({"watch": [0]}, "does not watch single students"),
    ],
)
def test_what_a_sketch_cannot_do_is_said(
    room: Classroom, settings: dict[str, Any], why: str
) -> None:
    with pytest.raises(ValueError, match=rf"A sketch cannot hold this lesson: .*{why}"):
        teach(room, engine="sketch", **settings)


def test_students_at_the_edge_of_the_ball_are_not_sketched() -> None:
    room = Classroom(np.eye(3), [0.1, 0.2, 0.3], np.zeros(3) + 0.1, state_radius=1.0)
    with pytest.raises(ValueError, match="students may come to the edge of the ball of states"):
        teach(room, engine="sketch")
