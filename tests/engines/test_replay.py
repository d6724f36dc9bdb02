from fractions import Fraction

import numpy as np
import pytest

from homeroom import Classroom, Lesson, _arrays
from homeroom._arrays import Floats
from homeroom.engines.replay import (
    Verdict,
    replayed,
    replayed_exactly,
    replayed_in_digits,
    replayed_with_digits,
    taught,
    verdict,
)

XS = 0.5 * np.random.default_rng(0).standard_normal((30, 4))


@pytest.fixture(scope="module")
def room() -> Classroom:
    return Classroom.sample(students=300, dimensions=4, rates=(0.1, 0.9))


def test_a_replay_ends_where_the_rounds_end(room: Classroom) -> None:
    lesson = Lesson(room, engine="exact")
    while lesson.ask() is not None:
        lesson.tell()
    record = lesson.record()
    np.testing.assert_allclose(
        taught(room, record.examples.xs).states, record.final_states, atol=1e-12
    )


def test_the_class_stays_as_it_was(room: Classroom) -> None:
    before = np.array(room.states)
    taught(room, XS)
    np.testing.assert_array_equal(room.states, before)


def test_no_examples_change_nothing(room: Classroom) -> None:
    np.testing.assert_allclose(taught(room, XS[:0]).states, room.states, atol=1e-15)


def test_verdicts_add_up(room: Classroom) -> None:
    gaps = replayed(np.array(room.gaps), room.rates, XS)
    both, whole = verdict(gaps[:100]) + verdict(gaps[100:]), verdict(gaps)
    assert isinstance(both, Verdict)
    assert (both.students, both.farthest) == (whole.students, whole.farthest)
    assert both.error == pytest.approx(whole.error, rel=1e-12)
    assert whole.error == pytest.approx(float((gaps**2).sum(axis=1).mean()))


@pytest.mark.parametrize("seed", [14, 129, 203])
def test_rounding_counts_if_students_were_far_away_during_the_lesson(seed: int) -> None:
    """Long examples move them far away, and a few of the best length bring them back."""
    rng = np.random.default_rng(seed)
    dimensions, number = int(rng.integers(2, 4)), int(rng.integers(2, 14))
    long = rng.standard_normal((number, dimensions))
    long *= rng.uniform(1.5, 6, (number, 1)) / np.linalg.norm(long, axis=1, keepdims=True)
    back = np.linalg.qr(rng.standard_normal((dimensions, dimensions)))[0]
    back *= (1 - 10.0 ** -rng.uniform(3, 9, (dimensions, 1))) ** 0.5
    states, xs = rng.standard_normal((2, dimensions)), np.vstack([long, back])
    parts = states, np.zeros(dimensions), np.ones(2), xs
    exact = verdict(replayed_with_digits(*parts)).error
    assert verdict(replayed_exactly(*parts)).error == pytest.approx(exact, rel=1e-9, abs=0.0)


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
