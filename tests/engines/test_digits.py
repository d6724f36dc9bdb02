from fractions import Fraction

import numpy as np
import pytest

from homeroom import _arrays
from homeroom._arrays import Floats
from homeroom.engines.digits import replayed_in_digits


def in_fractions(states: Floats, target: Floats, rates: Floats, xs: Floats) -> Floats:
    """Return the gaps after the examples, computed exactly and rounded once."""
    numbers = np.vectorize(Fraction, otypes=[object])
    gaps, speed = numbers(states) - numbers(target), numbers(rates)
    for x in numbers(xs):
        gaps = gaps - (speed * (gaps @ x))[:, None] * x
    exact: Floats = gaps.astype(np.float64)
    return exact


def a_lesson(
    students: int, dimensions: int, rounds: int, length: float, seed: int = 0
) -> tuple[Floats, Floats, Floats, Floats]:
    rng = np.random.default_rng(seed)
    return (
        rng.standard_normal((students, dimensions)),
        rng.standard_normal(dimensions),
        rng.uniform(0.01, 3.0, students),
        length * rng.standard_normal((rounds, dimensions)),
    )


@pytest.mark.parametrize(
    ("students", "dimensions", "rounds", "length"),
    [(4, 2, 12, 0.5), (3, 1, 10, 2.0), (5, 6, 25, 3.0), (2, 3, 60, 2.0), (3, 40, 6, 0.3)],
)
def test_it_is_accurate_to_the_last_digit(
    students: int, dimensions: int, rounds: int, length: float
) -> None:
    """Also where gaps grow by many powers of ten."""
    lesson = a_lesson(students, dimensions, rounds, length)
    np.testing.assert_allclose(replayed_in_digits(*lesson), in_fractions(*lesson), rtol=1e-15)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_the_units_of_states_rates_and_examples_do_not_matter(scale: float) -> None:
    states, target, rates, xs = a_lesson(4, 3, 15, 1.0)
    lesson = scale * states, scale * target, rates / scale**0.5, xs * scale**0.25
    np.testing.assert_allclose(replayed_in_digits(*lesson), in_fractions(*lesson), rtol=1e-15)


def test_rounding_that_grows_does_not_reach_the_result() -> None:
    """Example by example the gap becomes smaller, by cancelling; the rounding is multiplied."""
    states, target = np.array([[1.0, 0.1]]), np.array([0.3, 0.7])
    xs = np.array([[1.0 / 3.0, 1.0], [5.0, -5.0 / 3.0]] * 12)
    lesson = states, target, np.array([0.9]), xs
    np.testing.assert_allclose(replayed_in_digits(*lesson), in_fractions(*lesson), rtol=1e-15)


def test_no_examples_leave_the_gaps() -> None:
    states, target, rates, xs = a_lesson(4, 3, 0, 1.0)
    gaps = replayed_in_digits(states, target, rates, xs)
    np.testing.assert_allclose(gaps, states - target, rtol=1e-15)


def test_many_blocks_give_the_same_as_one_block(monkeypatch: pytest.MonkeyPatch) -> None:
    lesson = a_lesson(130, 4, 5, 1.0)
    whole = replayed_in_digits(*lesson)
    halves = [slice(0, 50), slice(50, 130)]
    monkeypatch.setattr(_arrays, "blocks", lambda _rows, _columns, **_: halves)
    monkeypatch.setattr(_arrays, "blocks_of", lambda _: [slice(None)])
    np.testing.assert_allclose(replayed_in_digits(*lesson), whole, rtol=1e-15)


def test_a_gap_that_float64_does_not_hold_is_infinite() -> None:
    states, target, rates, _ = a_lesson(2, 2, 0, 1.0)
    xs = np.full((200, 2), 100.0)
    assert np.isinf(replayed_in_digits(states, target, rates, xs)).all()
