"""Omniscient, surrogate and imitation teachers: where they must agree, and by brute force."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom import (
    AverageGoal,
    Ball,
    Classroom,
    ClassroomTeacher,
    DirectionPool,
    GradientLearner,
    ItemPool,
    Observation,
    teach,
)
from homeroom._arrays import Floats
from homeroom.engines import ExactClass
from homeroom.learners import AbstractLoss, Logistic, Squared
from homeroom.pools import AbstractPool
from homeroom.teachers.published import ImitationTeacher, OmniscientTeacher, SurrogateTeacher
from homeroom.teachers.published.iterative import bound_changes
from homeroom.teachers.published.pool_items import list_examples

ITEMS = np.random.default_rng(2).standard_normal((15, 4))
NEVER = AverageGoal(1e-30)
SAME_LENGTH = ITEMS / np.linalg.norm(ITEMS, axis=1, keepdims=True)


def a_class(seed: int = 0, students: int = 6) -> Classroom:
    return Classroom.sample(students=students, dimensions=4, rates=(0.1, 0.4), seed=seed)


def look(room: Classroom, loss: AbstractLoss) -> Observation:
    return ExactClass(room, GradientLearner(loss), np.random.default_rng(0)).look()


def shown(room: Classroom, teacher: object, rounds: int = 25) -> Floats:
    goal = AverageGoal(1e-9)
    record = teach(room, teacher=teacher, goal=goal, max_rounds=rounds)  # type: ignore[arg-type]
    return np.asarray(record.examples.xs)


@pytest.mark.parametrize("seed", range(5))
def test_the_omniscient_example_is_the_best_of_the_ball(seed: int) -> None:
    room = a_class(seed)
    np.testing.assert_allclose(
        shown(room, OmniscientTeacher()), shown(room, ClassroomTeacher("best"))
    )


@pytest.mark.parametrize("loss", [Squared(), Logistic()], ids=["squared", "logistic"])
@pytest.mark.parametrize("seed", range(5))
def test_the_omniscient_item_brings_the_class_closest(seed: int, loss: AbstractLoss) -> None:
    """Brute force: every item is shown to a copy of the class."""
    room, pool = a_class(seed), ItemPool(0.5 * ITEMS)
    teacher = OmniscientTeacher(pool).prepare(room, loss)
    seen = look(room, loss)
    example = teacher.choose(seen, np.random.default_rng(0))
    assert example is not None
    errors = []
    for x in pool.items:
        students = ExactClass(room, GradientLearner(loss), np.random.default_rng(0))
        students.learn(seen.example(x))
        errors.append(students.error)
    assert example.item == int(np.argmin(errors))


@pytest.mark.parametrize("seed", range(5))
def test_the_surrogate_is_omniscient_where_all_items_have_one_length(seed: int) -> None:
    """One student, squared loss: both choose the item with the greatest |<e, x>|."""
    room, pool = a_class(seed, students=1), ItemPool(SAME_LENGTH)
    np.testing.assert_array_equal(
        shown(room, SurrogateTeacher(pool)), shown(room, OmniscientTeacher(pool))
    )


def test_a_surrogate_example_in_the_ball_has_half_the_squared_length() -> None:
    """One student: omniscient g = 1 / eta, surrogate g = 1 / (2 eta), both along the gap."""
    room = Classroom([[1.0, 2.0, 0.0, 0.0]], [0.5], np.zeros(4))
    long, short = (shown(room, one(), 1)[0] for one in (OmniscientTeacher, SurrogateTeacher))
    assert long @ long == pytest.approx(2.0)
    np.testing.assert_allclose(short, long / np.sqrt(2.0))


@pytest.mark.parametrize("loss", [Squared(), Logistic(), Logistic(classes=2)], ids=str)
def test_the_surrogate_bound_is_above_the_change_of_the_distance(loss: AbstractLoss) -> None:
    """By convexity: the distance falls at least by what the surrogate teacher expects."""
    room, seen = a_class(), look(a_class(), loss)
    listed = list_examples(DirectionPool(ITEMS[:, : seen.width]), seen)
    bounds = bound_changes(seen, listed)
    for row in range(len(listed.xs)):
        students = ExactClass(room, GradientLearner(loss), np.random.default_rng(0))
        students.learn(listed.example(seen, row))
        assert students.error - room.error <= bounds[row] + 1e-9


@pytest.mark.parametrize("pool", [Ball(), DirectionPool(ITEMS)], ids=["ball", "directions"])
def test_an_imitation_of_known_students_is_omniscient(pool: AbstractPool) -> None:
    room = a_class()
    np.testing.assert_allclose(
        shown(room, ImitationTeacher(pool, knows_start=True)),
        shown(room, OmniscientTeacher(pool)),
        rtol=1e-6,
    )


@pytest.mark.parametrize("dimensions", [2, 5])
@pytest.mark.parametrize("seed", range(3))
def test_an_imitation_knows_one_student_after_as_many_answers_as_dimensions(
    seed: int, dimensions: int
) -> None:
    """Linear regression, length not limited: after d + 1 examples the student is at the target."""
    room = Classroom.sample(
        students=1, dimensions=dimensions, rates=(0.3, 0.3), example_radius=9.0, seed=seed
    )
    record = teach(room, teacher=ImitationTeacher(), goal=AverageGoal(1e-20), seed=seed)
    assert record.rounds <= dimensions + 1
    assert record.stopped_because.value == "the goal was reached"


@pytest.mark.parametrize("pool", [Ball(), DirectionPool(ITEMS)], ids=["ball", "directions"])
@pytest.mark.parametrize("students", [1, 2, 6])
@pytest.mark.parametrize("radius", [1.0, 2.0])
def test_imitation_has_an_exponential_rate_on_linear_regression(
    radius: float, students: int, pool: AbstractPool
) -> None:
    """The error falls by half in twelve rounds or fewer, and never stops falling."""
    room = Classroom.sample(
        students=students, dimensions=4, rates=(0.1, 0.4), example_radius=radius, seed=students
    )
    errors = teach(room, teacher=ImitationTeacher(pool), goal=NEVER, max_rounds=120).errors
    assert (errors[24::12] < 0.5 * errors[12:-12:12]).all()


def test_teaching_one_student_converges_at_the_published_rate() -> None:
    """Synthesis at |x|^2 = 1 / (2 eta): the surrogate gap halves each round (1 - eta g)."""
    room = Classroom([[3.0, -1.0, 2.0, 0.5]], [0.5], np.zeros(4))
    record = teach(room, teacher=SurrogateTeacher(), goal=AverageGoal(1e-8))
    np.testing.assert_allclose(record.errors[1:] / record.errors[:-1], 0.25, rtol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_on_linear_regression_the_omniscient_teacher_has_an_exponential_rate(seed: int) -> None:
    """With examples of at most the length R, the squared distance falls by (1 - eta R^2)^2."""
    start = np.random.default_rng(seed).standard_normal((1, 4))
    room = Classroom(start, [0.3], np.ones(4), example_radius=1.2)
    record = teach(room, teacher=OmniscientTeacher(), goal=AverageGoal(1e-8))
    rate = (1.0 - 0.3 * 1.2**2) ** 2
    np.testing.assert_allclose(record.errors[1:] / record.errors[:-1], rate, rtol=1e-6)
