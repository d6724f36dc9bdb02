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
    Record,
    StoppedBecause,
    teach,
)
from homeroom.engines import ExactClass, exact
from homeroom.learners import AbstractLearner
from homeroom.moments import Moments, moments_of


def students_of(room: Classroom, learner: AbstractLearner | None = None) -> ExactClass:
    return ExactClass(room, learner or GradientLearner(), np.random.default_rng(3))


def right_example(room: Classroom, x: np.ndarray) -> Example:
    return Example(x, float(np.asarray(room.target) @ x))


def some_examples(room: Classroom, rounds: int, length: float = 1.5) -> list[Example]:
    rng = np.random.default_rng(7)
    rows = rng.standard_normal((rounds, room.dimensions))
    rows *= length / np.sqrt((rows**2).sum(axis=1, keepdims=True))
    return [right_example(room, x) for x in rows]


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


def test_a_distance_that_is_not_a_number_is_not_taken_for_zero() -> None:
    room = Classroom.sample(students=5, dimensions=2)
    students = students_of(room)
    students._gaps[0, 0] = math.nan
    students.settle()
    assert math.isnan(students.error)
    assert math.isnan(students.farthest)
