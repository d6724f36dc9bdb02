"""The class as a planner observes it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from homeroom import AverageGoal, Classroom, EveryoneGoal, GradientLearner, Observation
from homeroom._arrays import Floats
from homeroom.engines import ExactClass
from homeroom.moments import sketch_of
from homeroom.teachers.planning.objective import Objective
from homeroom.teachers.planning.population import Population, of_sketch, population_of
from homeroom.teachers.planning.simulation import Simulation


def look(room: Classroom) -> Observation:
    return ExactClass(room, GradientLearner(), np.random.default_rng(0)).look()


def score(whom: Population, xs: Floats) -> float:
    return Simulation(
        whom.representatives, Objective.of(AverageGoal(0.1), whom.representatives, whom.students)
    ).score(xs)


def test_a_few_students_are_planned_for_themselves(make_room: Callable[..., Classroom]) -> None:
    room = make_room()
    whom = population_of(look(room), AverageGoal())
    np.testing.assert_array_equal(whom.representatives.gaps, room.gaps)
    assert whom.representatives.counted.all()
    assert whom.finer is None
    assert whom.students == 40


def test_a_lesson_has_the_same_effect_on_representatives_of_many_students(
    make_room: Callable[..., Classroom],
) -> None:
    """No more than 17 * dimensions, checked on twice as many; both give the students' error."""
    room = make_room(0.9, students=2000)
    whom = population_of(look(room), AverageGoal())
    assert whom.finer is not None
    assert len(whom.representatives.rates) <= 17 * 5
    assert len(whom.finer.representatives.rates) <= 33 * 5
    assert not whom.representatives.counted.any()
    xs = np.random.default_rng(0).standard_normal((12, 5)) * 0.6
    gaps = room.gaps
    for x in xs:
        gaps = gaps - (room.rates * (gaps @ x))[:, None] * x
    for one in (whom, whom.finer):
        assert score(one, xs) == pytest.approx(float((gaps**2).sum(axis=1).mean()), rel=1e-8)


def test_a_goal_on_all_students_needs_the_students(make_room: Callable[..., Classroom]) -> None:
    whom = population_of(look(make_room(students=2000)), EveryoneGoal(0.3))
    assert whom.representatives.counted.all()
    assert len(whom.representatives.rates) == 2000


def test_a_sketch_is_planned_for_without_its_students(make_room: Callable[..., Classroom]) -> None:
    sketch = sketch_of(make_room(students=500))
    seen = look(make_room()).seen_with(sketch=lambda: sketch)
    assert population_of(seen, AverageGoal()).students == 500
    few = sketch_of(make_room(students=12))
    assert few.exact
    assert of_sketch(few).finer is None


def test_other_coordinates_do_not_change_lessons(make_room: Callable[..., Classroom]) -> None:
    whom = of_sketch(sketch_of(make_room(students=500)))
    turn = np.linalg.qr(np.random.default_rng(0).standard_normal((5, 5)))[0]
    xs = np.random.default_rng(1).standard_normal((6, 5))
    turned = whom.along(turn)
    assert turned.finer is not None
    assert whom.finer is not None
    assert score(turned, xs @ turn.T) == pytest.approx(score(whom, xs), rel=1e-9)
    assert score(turned.finer, xs @ turn.T) == pytest.approx(score(whom.finer, xs), rel=1e-9)


def test_random_rates_count_with_the_rate_their_best_length_is_for(
    make_room: Callable[..., Classroom],
) -> None:
    room = make_room(students=4)
    squares = room.rates**2 + 0.01
    silenced = np.array([1.0, 1.0, 0.0, 1.0])
    seen = look(room).seen_with(rates=room.rates * silenced, squared_rates=squares * silenced)
    whom = population_of(seen, AverageGoal())
    heard = silenced > 0
    np.testing.assert_allclose(whom.representatives.rates, (squares / room.rates)[heard])
    np.testing.assert_allclose(whom.representatives.weights, 0.25)
    assert whom.sketch().students == 3


def test_a_noisy_matrix_is_refused(make_room: Callable[..., Classroom]) -> None:
    seen = look(make_room()).seen_with(noise=np.eye(5))
    with pytest.raises(ValueError, match=r"NoisyMoments adds noise to the matrix W"):
        population_of(seen, AverageGoal())
