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
    Example,
    GradientLearner,
    ItemPool,
    LangevinLearner,
    LargeClass,
    Lesson,
    MeanTeacher,
    NoisyMoments,
    NoisyStates,
    PoolTeacher,
    RandomTeacher,
    Record,
    StochasticRateLearner,
    StoppedBecause,
    teach,
)
from homeroom.engines import SketchClass
from homeroom.learners import AbstractLearner
from tests.bad_input import refuse

sketching = import_module("homeroom.engines.sketch")
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
def test_the_sketch_gives_the_same_lesson_as_the_students(
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


@pytest.mark.slow
def test_nodes_are_added_until_there_are_enough() -> None:
    narrow = Classroom.sample(students=600, dimensions=3, rates=(0.2, 0.3))
    wide = Classroom.sample(students=600, dimensions=3, rates=(0.05, 5.0))
    assert teach(narrow, engine="sketch").nodes == 33
    record = teach(wide, engine="sketch", goal=AverageGoal(1e-4))
    assert (record.nodes or 0) > 33
    assert record.error_estimate <= sketching.TOLERANCE * record.errors[-1]
    assert record.errors[-1] == pytest.approx(error_of(wide, record), rel=1e-9)


def test_nodes_are_added_during_a_lesson_and_earlier_rounds_are_kept() -> None:
    """What was shown so far is shown to the finer sketch too."""
    room = Classroom.sample(students=600, dimensions=3, rates=(0.05, 5.0))
    students = SketchClass(room, GradientLearner(), np.random.default_rng(0), nodes=33)
    nodes, x = [students.nodes], np.array([0.6, 0.2, -0.1])
    for _ in range(40):
        students.learn(Example(x, float(room.target @ x)))
        x = np.roll(x, 1)
        nodes.append(students.nodes)
    assert nodes[0] < nodes[-1]
    assert nodes == sorted(nodes)
    assert students.error == pytest.approx(
        float(((students.states - room.target) ** 2).sum(axis=1).mean()), rel=1e-9
    )


def test_the_students_are_taught_if_no_number_of_nodes_is_enough(
    room: Classroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sketching, "MOST_NODES", 65)
    record = teach(room, engine="sketch", goal=AverageGoal(1e-6))
    exact = teach(room, goal=AverageGoal(1e-6))
    assert record.rounds == exact.rounds
    assert "65 nodes" in record.handed_over[0]
    assert 0.0 < record.error_estimate <= 1e-9 * record.errors[-1]
    np.testing.assert_allclose(record.final_states, exact.final_states, atol=1e-8)


@pytest.mark.slow
def test_rounding_that_may_have_grown_hands_the_class_over() -> None:
    """Examples far too long for fast students amplify rounding errors."""
    room = Classroom.sample(students=60, dimensions=15, rates=(0.1, 3.0), example_radius=4.0)
    settings: dict[str, Any] = {
        "teacher": ClassroomTeacher("joint"),
        "goal": AverageGoal(1e-4),
        "max_rounds": 400,
    }
    with pytest.warns(UserWarning, match="above 2"):
        sketched = teach(room, engine="sketch", **settings)
    with pytest.warns(UserWarning, match="above 2"):
        exact = teach(room, engine="exact", **settings)
    assert "rounding" in sketched.handed_over[0]
    assert abs(sketched.rounds - exact.rounds) <= 0.01 * exact.rounds


@pytest.mark.parametrize("learner", [LangevinLearner(1e4), StochasticRateLearner(0.05)])
def test_students_who_learn_at_random_are_sketched_on_average(learner: AbstractLearner) -> None:
    """A large class deviates randomly from the expectation of the sketch."""
    room = Classroom.sample(students=20_000, dimensions=4, rates=(0.1, 1.0))
    sketched, exact = (teach(room, learner=learner, engine=e) for e in ("sketch", "exact"))
    assert abs(sketched.rounds - exact.rounds) <= 1
    rounds = min(sketched.rounds, exact.rounds)
    np.testing.assert_allclose(sketched.errors[:rounds], exact.errors[:rounds], rtol=0.03)
    assert sketched.in_expectation
    refuse(lambda: sketched.final_states, "single students")


def test_a_lesson_of_random_students_cannot_be_repeated() -> None:
    room = Classroom.sample(students=200, dimensions=3)
    lesson = Lesson(room, engine="sketch", learner=LangevinLearner(1e4))
    lesson.ask()
    lesson.tell()
    lesson.ask()
    refuse(lambda: lesson.tell(states=room.states), "sketch")
    (part,) = lesson.parts
    refuse(lambda: part.students.states, "average")


def test_an_example_too_long_for_the_ball_of_states_hands_the_class_over() -> None:
    """1000 students at rate 0.1 and one at 5: dynamic moves the fast one far away."""
    rng = np.random.default_rng(0)
    rates = np.append(np.full(1000, 0.1) + 0.01 * rng.random(1000), 5.0)
    states = rng.standard_normal((1001, 3))
    states /= np.linalg.norm(states, axis=1, keepdims=True)
    room = Classroom(states, rates, np.zeros(3), state_radius=1.1)
    teacher = ClassroomTeacher("dynamic")
    with pytest.warns(UserWarning, match="above 2"):
        sketched = teach(room, engine="sketch", teacher=teacher)
    with pytest.warns(UserWarning, match="above 2"):
        exact = teach(room, teacher=teacher)
    assert "ball of states" in sketched.handed_over[0]
    assert sketched.rounds == exact.rounds
    np.testing.assert_allclose(sketched.final_states, exact.final_states, atol=1e-9)
    assert np.linalg.norm(sketched.final_states, axis=1).max() <= 1.1 * (1 + 1e-9)


def test_farthest_is_an_upper_bound(room: Classroom) -> None:
    students = SketchClass(room, GradientLearner(), np.random.default_rng(0))
    lesson = Lesson(room)
    while (example := lesson.ask()) is not None:
        assert not isinstance(example, tuple)
        lesson.tell()
        students.learn(example)
        assert students.farthest >= lesson.parts[0].farthest[-1] * (1 - 1e-9)
        assert students.error == pytest.approx(lesson.parts[0].errors[-1], rel=1e-6)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"learner": GradientLearner("logistic")}, "squared loss"),
        ({"learner": LangevinLearner(1e4, "logistic")}, "squared loss"),
        ({"learner": StochasticRateLearner(0.1, clip=True)}, "clipped"),
        ({"observer": NoisyStates(0.1)}, "NoisyStates"),
        ({"teacher": MeanTeacher()}, "MeanTeacher"),
        ({"teacher": PoolTeacher(ItemPool(ITEMS, labels=np.ones(60)))}, "`needs_students`"),
        ({"watch": [0]}, "watch"),
    ],
)
def test_a_sketch_explains_what_it_cannot_do(
    room: Classroom, settings: dict[str, Any], named: str
) -> None:
    refuse(lambda: teach(room, engine="sketch", **settings), named)


def test_students_at_the_edge_of_the_ball_are_not_sketched() -> None:
    room = Classroom(np.eye(3), [0.1, 0.2, 0.3], np.zeros(3) + 0.1, state_radius=1.0)
    refuse(lambda: teach(room, engine="sketch"), "ball")


def test_random_students_may_reach_the_boundary_of_any_ball() -> None:
    room = Classroom.sample(students=50, dimensions=3, state_radius=100.0)
    refuse(lambda: teach(room, engine="sketch", learner=LangevinLearner(1e4)), "ball")


@pytest.mark.parametrize("dimensions", [1, 5])
def test_a_class_that_reaches_the_target_keeps_only_rounding_errors(dimensions: int) -> None:
    """One rate for all: after a round for each dimension only rounding is left of the error."""
    rng = np.random.default_rng(0)
    states, target = rng.standard_normal((500, dimensions)), np.full(dimensions, 0.5)
    room = Classroom(states, np.full(500, 0.5), target)
    large = LargeClass.open((room.states, room.rates), target=room.target)
    for record in (teach(room, engine="sketch", goal=AverageGoal(1e-6)), teach(large)):
        assert record.rounds == dimensions
        assert record.stopped_because is StoppedBecause.GOAL
        assert 0.0 <= record.errors[-1] < 1e-13
    beyond = teach(large, goal=AverageGoal(1e-40))
    assert beyond.stopped_because is StoppedBecause.ROUNDING
    assert 1e-40 < beyond.error_estimate < 1e-13


def test_rates_that_are_almost_equal_are_distinguished() -> None:
    """Hundreds of different rates within a few hundred roundings of each other."""
    rng = np.random.default_rng(0)
    rates = 1.0 + np.finfo(float).eps * rng.integers(0, 400, 2000)
    room = Classroom(rng.standard_normal((2000, 4)), rates, np.zeros(4))
    sketched, exact = (teach(room, engine=engine) for engine in ("sketch", "exact"))
    np.testing.assert_allclose(sketched.errors[:4], exact.errors[:4], rtol=1e-9)
    assert sketched.rounds == exact.rounds
