import numpy as np
import pytest

from homeroom import Classroom, Lesson
from homeroom.engines.replay import (
    Verdict,
    replayed,
    replayed_exactly,
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
