"""Which engine is estimated to be faster, and to fit in memory."""

import numpy as np
import pytest

from homeroom import Classroom, GradientLearner
from homeroom.classroom import Example
from homeroom.engines import SketchClass, costs, sketch_pays
from homeroom.engines.costs import FEWEST


def a_class(students: int, dimensions: int, slowest: float, fastest: float) -> Classroom:
    """Return a class with these extreme rates, without memory of its own for the states."""
    states = np.broadcast_to(np.zeros(dimensions), (students, dimensions))
    return Classroom(states, np.linspace(slowest, fastest, students), np.ones(dimensions))


@pytest.mark.parametrize(
    ("students", "dimensions", "rates"),
    [(100_000, 25, (0.1, 0.6)), (100_000, 25, (0.1, 5.0)), (1_000_000, 25, (0.05, 0.25))],
)
def test_a_large_class_of_few_dimensions_is_sketched(
    students: int, dimensions: int, rates: tuple[float, float]
) -> None:
    assert sketch_pays(a_class(students, dimensions, *rates))
    assert not sketch_pays(a_class(students, dimensions, *rates), FEWEST - 1)


@pytest.mark.parametrize(("students", "dimensions"), [(60_000, 200), (120_000, 400), (FEWEST, 101)])
def test_many_dimensions_with_diverse_rates_use_the_students_themselves(
    students: int, dimensions: int
) -> None:
    assert not sketch_pays(a_class(students, dimensions, 0.1, 5.0))


def test_a_few_different_rates_make_a_small_sketch_in_any_dimension() -> None:
    assert sketch_pays(a_class(60_000, 200, 0.1, 0.1))


def test_a_sketch_may_be_larger_where_the_class_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "MOST_BYTES", 1 << 20)
    assert not sketch_pays(a_class(40_000, 50, 0.1, 0.6), FEWEST)
    assert sketch_pays(a_class(400_000, 50, 0.1, 0.6), FEWEST)


def test_a_sketch_that_would_grow_too_large_hands_over(monkeypatch: pytest.MonkeyPatch) -> None:
    room = Classroom.sample(students=500, dimensions=4, rates=(0.01, 0.9))
    sketch = SketchClass(room, GradientLearner(), np.random.default_rng(0), nodes=5)
    before = sketch.nodes
    monkeypatch.setattr(costs, "MOST_BYTES", 0)
    monkeypatch.setattr(costs, "TIMES_THE_CLASS", 0.0)
    x = np.array([1.0, 0.0, 0.0, 0.0])
    for _ in range(20):
        sketch.learn(Example(x, float(x @ room.target)))
    assert sketch.handed_over is not None
    assert sketch.nodes == before


def test_a_sketch_that_is_not_used_for_long_does_not_pay() -> None:
    room = a_class(40_000, 40, 0.001, 5.0)
    assert sketch_pays(room)
    assert not sketch_pays(room, max_rounds=40)
