import math
from typing import Any

import numpy as np
import pytest

from homeroom import (
    AverageGoal,
    Classroom,
    ClassroomTeacher,
    EveryoneGoal,
    Example,
    GradientLearner,
    LangevinLearner,
    RandomTeacher,
    Record,
    StochasticRateLearner,
    StoppedBecause,
    teach,
)
from homeroom.classroom import project
from homeroom.engines import ExactClass, exact
from homeroom.learners import AbstractLearner
from homeroom.moments import FewStudents, Moments, moments_of


def students_of(room: Classroom, learner: AbstractLearner | None = None) -> ExactClass:
    return ExactClass(room, learner or GradientLearner(), np.random.default_rng(3))


def right_example(room: Classroom, x: np.ndarray) -> Example:
    return Example(x, float(np.asarray(room.target) @ x))


def some_examples(room: Classroom, rounds: int, length: float = 1.5) -> list[Example]:
    rng = np.random.default_rng(7)
    rows = rng.standard_normal((rounds, room.dimensions))
    rows *= length / np.sqrt((rows**2).sum(axis=1, keepdims=True))
    return [right_example(room, x) for x in rows]


def step(states: Any, rates: Any, example: Example) -> Any:
    """The model itself: ``w - eta (<w, x> - y) x``, before the projection."""
    return states - (rates * (states @ example.x - example.y))[:, None] * example.x


def moments_seen(students: ExactClass) -> Moments:
    seen = students.look().moments
    assert isinstance(seen, Moments)
    return seen


def rebuilt(students: ExactClass) -> Moments:
    seen = students.look()
    built = moments_of(seen.gaps, seen.rates)
    assert isinstance(built, Moments)
    return built


def relative(found: np.ndarray, right: np.ndarray) -> float:
    return float(np.abs(found - right).max() / np.abs(right).max())


def test_students_move_according_to_the_model() -> None:
    room = Classroom.sample(students=40, dimensions=6)
    students, states = students_of(room), np.array(room.states)
    for example in some_examples(room, 30):
        outcome = students.learn(example)
        states = step(states, room.rates, example)
        np.testing.assert_allclose(students.states, states, rtol=0, atol=1e-13)
        squared = ((states - room.target) ** 2).sum(axis=1)
        np.testing.assert_allclose(students.squared_distances, squared, rtol=1e-11)
        assert students.error == pytest.approx(squared.mean(), rel=1e-12)
        assert students.farthest == pytest.approx(math.sqrt(squared.max()), rel=1e-12)
        assert outcome.rates is room.rates
        assert outcome.example is example


def test_many_blocks_give_the_same_as_one_block(monkeypatch: pytest.MonkeyPatch) -> None:
    room = Classroom.sample(students=1000, dimensions=6)
    whole = students_of(room)
    monkeypatch.setattr(
        "homeroom._arrays.blocks", lambda *_, **__: [slice(0, 300), slice(300, 1000)]
    )
    parts = students_of(room)
    assert len(whole._blocks) == 1
    assert len(parts._blocks) == 2
    for students in (whole, parts):
        moments_seen(students)
        for example in some_examples(room, 20):
            students.learn(example)
    np.testing.assert_allclose(parts.states, whole.states, rtol=1e-13)
    assert parts.error == pytest.approx(whole.error, rel=1e-13)
    np.testing.assert_allclose(
        moments_seen(parts).quadratic, moments_seen(whole).quadratic, atol=1e-14
    )


def test_updated_moments_equal_those_computed_from_the_students() -> None:
    room = Classroom.sample(students=60, dimensions=8, rates=(0.05, 0.8))
    students = students_of(room)
    moments_seen(students)
    for example in some_examples(room, 50):
        students.learn(example)
        kept, built = moments_seen(students), rebuilt(students)
        assert relative(kept.linear, built.linear) < 1e-12
        assert relative(kept.quadratic, built.quadratic) < 1e-12
        assert kept.gentle == pytest.approx(1 / float(room.rates.max()))


def test_moments_are_not_rebuilt_every_round(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[int] = []

    def counted(*args: Any, **options: Any) -> Any:
        built.append(1)
        return moments_of(*args, **options)

    monkeypatch.setattr(exact, "moments_of", counted)
    record = teach(Classroom.sample())
    assert record.rounds == 154
    assert len(built) == 1


def long_lesson(
    monkeypatch: pytest.MonkeyPatch, max_rounds: int
) -> tuple[Classroom, Record, list[float], int]:
    """Teach 2000 students towards 1e-10; also return the moments' drifts, and the rebuildings."""
    room = Classroom.sample(students=2000, dimensions=30, rates=(0.05, 1.0))
    drifts: list[float] = []
    restarts: list[int] = []
    learn, restart = ExactClass.learn, ExactClass._restart

    def watched(students: ExactClass, example: Example) -> Any:
        outcome = learn(students, example)
        kept, built = moments_seen(students), rebuilt(students)
        drifts.append(
            max(relative(kept.linear, built.linear), relative(kept.quadratic, built.quadratic))
        )
        return outcome

    def counted(students: ExactClass, gaps: Any) -> None:
        restarts.append(1)
        restart(students, gaps)

    monkeypatch.setattr(ExactClass, "learn", watched)
    monkeypatch.setattr(ExactClass, "_restart", counted)
    record = teach(
        room, teacher=ClassroomTeacher("dynamic"), goal=AverageGoal(1e-10), max_rounds=max_rounds
    )
    return room, record, drifts, len(restarts)


@pytest.mark.slow
def test_a_long_lesson_carries_no_drift(monkeypatch: pytest.MonkeyPatch) -> None:
    room, record, drifts, restarts = long_lesson(monkeypatch, max_rounds=3500)
    assert record.stopped_because is StoppedBecause.GOAL
    assert record.rounds > 2 * exact.REFRESH_ROUNDS
    assert 1 < restarts < record.rounds / 50
    assert max(drifts) < 1e-9
    gaps = np.array(room.gaps)
    replayed = [(gaps**2).sum(axis=1)]
    for x in record.examples.xs:
        gaps -= (room.rates * (gaps @ x))[:, None] * x
        replayed.append((gaps**2).sum(axis=1))
    errors = np.array([squared.mean() for squared in replayed])
    farthest = np.sqrt([squared.max() for squared in replayed])
    np.testing.assert_allclose(record.errors, errors, rtol=1e-10)
    np.testing.assert_allclose(record.transcript.farthest(0), farthest, rtol=1e-10)


@pytest.mark.slow
def test_without_refreshing_a_long_lesson_would_drift(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "REFRESH_ROUNDS", 10**9)
    monkeypatch.setattr(exact, "_REFRESH_FALL", {64: 0.0})
    *_, drifts, restarts = long_lesson(monkeypatch, max_rounds=1500)
    assert restarts == 1
    assert max(drifts) > 1e-6


def test_moments_are_rebuilt_after_a_class_diverges_and_returns() -> None:
    """What counts is the highest error since the last rebuilding, not the error then."""
    room = Classroom(states=[[1.0, 0.0], [0.0, 1.0]], rates=[0.25, 0.25], target=[0.0, 0.0])
    students = students_of(room)
    moments_seen(students)
    students.learn(Example(np.array([200.0, 0.0]), 0.0))  # 1 - 0.25 * 200^2 = -9999
    assert students.error > 1e7
    students.learn(Example(np.array([2.0, 0.0]), 0.0))
    assert students._rounds_since == 0
    assert students.error == pytest.approx(0.5, rel=1e-15)


@pytest.mark.parametrize(
    "goal", [AverageGoal(1e-6), EveryoneGoal(1e-3)], ids=["average", "everyone"]
)
def test_float32_distances_are_those_of_the_final_states(goal: Any) -> None:
    room = Classroom.sample(students=200, dimensions=10)
    single = Classroom(room.states.astype(np.float32), room.rates, room.target)
    record = teach(single, goal=goal)
    assert record.stopped_because is StoppedBecause.GOAL
    assert record.final_states.dtype == np.float32
    assert abs(record.rounds - teach(room, goal=goal).rounds) <= 2
    gaps = np.array(single.gaps)
    for x in record.examples.xs.astype(np.float32):
        gaps -= (single.rates * (gaps @ x))[:, None] * x
    squared = (gaps.astype(np.float64) ** 2).sum(axis=1)
    assert record.errors[-1] == pytest.approx(squared.mean(), rel=1e-4)
    assert record.transcript.farthest(0)[-1] == pytest.approx(math.sqrt(squared.max()), rel=1e-4)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F"])
def test_the_class_is_not_modified(dtype: Any, order: Any) -> None:
    sample = Classroom.sample(students=300, dimensions=4)
    states = np.array(sample.states, dtype=dtype, order=order)
    rates, target = sample.rates.astype(dtype), sample.target.astype(dtype)
    before = states.copy(), rates.copy(), target.copy()
    room = Classroom(states, rates, target)
    students = students_of(room)
    moments_seen(students)
    for example in some_examples(room, 5):
        students.learn(example)
    students.put(np.array(states))
    students.learn(some_examples(room, 1)[0])
    for now, then in zip((states, rates, target), before, strict=True):
        np.testing.assert_array_equal(now, then)
    assert students.error < sample.error


def test_put_copies_the_given_states() -> None:
    room = Classroom.sample(students=50, dimensions=5)
    students = students_of(room)
    moments_seen(students)
    given = np.array(room.states) / 2
    students.put(given)
    np.testing.assert_allclose(students.states, given, atol=1e-15)
    assert students.error == pytest.approx(room.with_states(given).error, rel=1e-14)
    assert relative(moments_seen(students).linear, rebuilt(students).linear) < 1e-14
    before = given.copy()
    students.learn(some_examples(room, 1)[0])
    np.testing.assert_array_equal(given, before)


def test_put_refuses_another_number_of_dimensions() -> None:
    room = Classroom.sample(students=4, dimensions=3)
    with pytest.raises(ValueError, match=r"`target` must have one number for each dimension"):
        students_of(room).put(np.zeros((4, 2)))


def test_put_refuses_another_number_of_students() -> None:
    room = Classroom.sample(students=4, dimensions=3)
    with pytest.raises(ValueError, match=r"`rates` must have one number for each student"):
        students_of(room).put(np.zeros((5, 3)))


@pytest.mark.parametrize("weigh", [True, False], ids=["with moments", "without"])
def test_students_stay_in_the_ball(weigh: bool) -> None:
    """Projection after every step, and moments of where the students then are."""
    target = np.array([0.6, 0.0, 0.0])
    rng = np.random.default_rng(0)
    outside = rng.standard_normal((80, 3))
    room = Classroom(project(3.0 * outside, 1.0), 0.1 + rng.random(80), target, state_radius=1.0)
    students, states = students_of(room), np.array(room.states)
    bound = 0
    for example in some_examples(room, 25, length=1.6):
        if weigh:
            assert relative(moments_seen(students).quadratic, rebuilt(students).quadratic) < 1e-12
        students.learn(example)
        free = step(states, room.rates, example)
        states = project(free, 1.0)
        bound += states is not free
        np.testing.assert_allclose(students.states, states, atol=1e-14)
        squared = ((states - target) ** 2).sum(axis=1)
        np.testing.assert_allclose(students.squared_distances, squared, rtol=1e-10, atol=1e-14)
    assert bound > 3
    assert float((students.states**2).sum(axis=1).max()) <= 1 + 1e-12


def test_no_student_is_projected_while_all_are_close(monkeypatch: pytest.MonkeyPatch) -> None:
    """|target| + the farthest distance <= radius: the states need not even be looked at."""
    projected: list[float] = []

    def counted(states: Any, radius: float) -> Any:
        projected.append(radius)
        return project(states, radius)

    monkeypatch.setattr(exact, "project", counted)
    room = Classroom([[1.0, 0.0], [0.0, 1.0]], [0.5, 0.5], [0.0, 0.5], state_radius=2.0)
    students = students_of(room)
    students.learn(
        right_example(room, np.array([2.0, 0.0]))
    )  # 1 - 0.5 * 2^2 = -1: as far as before
    assert students.farthest == pytest.approx(math.hypot(1.0, 0.5))
    assert projected == []
    students.learn(right_example(room, np.array([3.0, 0.0])))  # 1 - 0.5 * 3^2 = -3.5: outside
    assert projected == [2.0]
    np.testing.assert_allclose(students.states, [[2.0, 0.0], [0.0, 1.0]], atol=1e-15)


def test_states_given_from_outside_may_come_closer_to_the_surface() -> None:
    room = Classroom([[0.1, 0.0], [0.0, 0.1]], [0.5, 0.5], [0.0, 0.0], state_radius=1.0)
    students = students_of(room)
    students.put(np.array([[0.9, 0.0], [0.0, 0.1]]))
    students.learn(right_example(room, np.array([2.5, 0.0])))  # 1 - 0.5 * 2.5^2 = -2.125
    np.testing.assert_allclose(students.states, [[-1.0, 0.0], [0.0, 0.1]], atol=1e-15)


@pytest.mark.parametrize(
    "learner", [LangevinLearner(1e3), StochasticRateLearner(0.05)], ids=["langevin", "stochastic"]
)
def test_random_students_move_according_to_their_learner(learner: AbstractLearner) -> None:
    room = Classroom.sample(students=40, dimensions=6)
    students, states = students_of(room, learner), np.array(room.states)
    rng = np.random.default_rng(3)
    for example in some_examples(room, 10):
        moments_seen(students)
        outcome = students.learn(example)
        expected = learner.step(
            states, room.rates, example.x, np.array(example.y), state_radius=math.inf, rng=rng
        )
        states = expected.states
        np.testing.assert_allclose(students.states, states, atol=1e-14)
        np.testing.assert_array_equal(outcome.rates, expected.rates)
        kept, built = moments_seen(students), rebuilt(students)
        np.testing.assert_allclose(kept.linear, built.linear, rtol=1e-12, atol=1e-15)
        assert students.error == pytest.approx(((states - room.target) ** 2).sum(axis=1).mean())


def test_negative_rates_are_counted() -> None:
    room = Classroom.sample(students=500, dimensions=2, rates=(0.05, 0.05))
    students = students_of(room, StochasticRateLearner(0.05))
    for example in some_examples(room, 4):
        students.learn(example)
    assert (
        0.1 < students.negative_rates / 2000 < 0.22
    )  # a normal law one sigma below its mean: 0.159


def test_a_wrong_label_moves_students_by_the_plain_step() -> None:
    room = Classroom.sample(students=20, dimensions=4)
    students = students_of(room)
    moments_seen(students)
    x = np.array([1.0, 0.5, 0.0, -1.0])
    wrong = Example(x, float(room.target @ x) + 1.0)
    students.learn(wrong)
    np.testing.assert_allclose(students.states, step(room.states, room.rates, wrong), atol=1e-14)
    assert relative(moments_seen(students).linear, rebuilt(students).linear) < 1e-14


def test_few_students_are_described_by_their_gaps() -> None:
    room = Classroom.sample(students=2, dimensions=16)
    students = students_of(room)
    for example in some_examples(room, 5):
        seen = students.look().moments
        assert isinstance(seen, FewStudents)
        built = moments_of(students.look().gaps, room.rates, few=0)
        np.testing.assert_allclose(seen.weigh(0.7), built.weigh(0.7), atol=1e-15)
        students.learn(example)


def test_moments_are_not_kept_if_no_teacher_uses_them() -> None:
    room = Classroom.sample(students=30, dimensions=5)
    students = students_of(room)
    for example in some_examples(room, 3):
        students.learn(example)
    assert students._moments is None
    assert teach(room, teacher=RandomTeacher()).stopped_because is StoppedBecause.GOAL


def test_a_distance_that_is_not_a_number_is_not_taken_for_zero() -> None:
    room = Classroom.sample(students=5, dimensions=2)
    students = students_of(room)
    students._gaps[0, 0] = math.nan
    students.settle()
    assert math.isnan(students.error)
    assert math.isnan(students.farthest)
