"""The class as a planner observes it."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom import AverageGoal
from homeroom._arrays import Floats
from homeroom.moments import sketch_of
from homeroom.moments.sketch import NestedSketch
from homeroom.teachers.planning.population import Population, observe_population, represent_sketch
from tests.teachers.planning.small_classes import look, make_room


def score(whom: Population, xs: Floats) -> float:
    return whom.simulate(AverageGoal(0.1)).score(xs)


def test_a_lesson_has_the_same_effect_on_representatives_of_many_students() -> None:
    """No more than 17 * dimensions, checked on twice as many; both give the students' error."""
    room = make_room(0.9, students=2000)
    whom = observe_population(look(room), AverageGoal())
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


def test_a_sketch_is_planned_for_without_its_students() -> None:
    sketch = sketch_of(make_room(students=500))
    seen = look(make_room()).seen_with(sketch=NestedSketch(sketch))
    assert observe_population(seen, AverageGoal()).students == 500
    few = sketch_of(make_room(students=12))
    assert few.exact
    assert represent_sketch(few).finer is None


def test_random_rates_count_with_the_rate_their_best_length_is_for() -> None:
    room = make_room(students=4)
    squares = room.rates**2 + 0.01
    silenced = np.array([1.0, 1.0, 0.0, 1.0])
    seen = look(room).seen_with(rates=room.rates * silenced, squared_rates=squares * silenced)
    whom = observe_population(seen, AverageGoal())
    heard = silenced > 0
    np.testing.assert_allclose(whom.representatives.rates, (squares / room.rates)[heard])
    np.testing.assert_allclose(whom.representatives.weights, 0.25)
    assert whom.sketch().students == 3
