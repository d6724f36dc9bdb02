"""Weighted representatives: fewer rows, the same class."""

import numpy as np
import pytest

from homeroom import Classroom
from homeroom._arrays import Floats
from homeroom.moments import sketch_of
from homeroom.moments.representatives import Representatives, for_matrices, themselves

NO_STUDENTS = np.zeros((0, 4)), np.zeros(0)


def gram(rows: Representatives, power: int) -> Floats:
    weights = rows.weights * rows.rates**power
    matrix: Floats = (weights[:, None] * rows.gaps).T @ rows.gaps
    return matrix


def test_students_stand_for_themselves() -> None:
    room = Classroom.sample(10, 4)
    rows = themselves(room.gaps, np.asarray(room.rates))
    np.testing.assert_array_equal(rows.gaps, room.gaps)
    assert rows.weights.sum() == pytest.approx(1.0)
    assert rows.counted.all()
    assert rows.fastest == float(room.rates.max())


def test_few_students_need_no_more_dimensions_than_they_are() -> None:
    """Lengths and angles between students stay: E E' is the same."""
    room = Classroom.sample(3, 40)
    rows = themselves(room.gaps, np.asarray(room.rates))
    assert rows.gaps.shape == (3, 3)
    np.testing.assert_allclose(rows.gaps @ rows.gaps.T, room.gaps @ room.gaps.T, rtol=1e-12)


def test_representatives_have_the_moments_of_the_sketch() -> None:
    room = Classroom.sample(500, 4, rates=(0.1, 0.9))
    sketch = sketch_of(room, 9)
    rows = for_matrices(sketch.nodes, sketch.matrices, sketch.fastest, NO_STUDENTS)
    assert len(rows.rates) == 9 * 4
    assert (rows.weights == -1).any()  # Lagrange functions may be negative
    for power in range(4):
        weights = np.asarray(room.rates) ** power / 500
        expected = (weights[:, None] * room.gaps).T @ room.gaps
        np.testing.assert_allclose(gram(rows, power), expected, rtol=1e-9, atol=1e-12)


def test_a_lesson_changes_representatives_as_it_changes_the_class() -> None:
    room = Classroom.sample(500, 4, rates=(0.1, 0.9))
    sketch = sketch_of(room, 17)
    rows = for_matrices(sketch.nodes, sketch.matrices, sketch.fastest, NO_STUDENTS)
    gaps, own = np.array(room.gaps), np.array(rows.gaps)
    for x in np.random.default_rng(0).standard_normal((6, 4)):
        gaps -= (np.asarray(room.rates) * (gaps @ x))[:, None] * x
        own -= (rows.rates * (own @ x))[:, None] * x
        assert rows.weights @ (own**2).sum(axis=1) == pytest.approx((gaps**2).sum() / 500, rel=1e-9)


def test_empty_directions_have_no_representatives() -> None:
    matrices = np.zeros((2, 4, 4))
    matrices[0, 1, 1] = 9.0
    rows = for_matrices(np.array([0.1, 0.2]), matrices, 0.2, NO_STUDENTS)
    assert rows.rates.tolist() == [0.1]
    np.testing.assert_allclose(np.abs(rows.gaps), [[0, 3, 0, 0]])


def test_watched_students_have_weight_zero() -> None:
    watched = np.full((2, 4), 7.0), np.array([0.3, 0.4])
    rows = for_matrices(np.array([0.1]), np.eye(4)[None], 0.4, watched)
    assert rows.counted.tolist() == [False] * 4 + [True] * 2
    assert rows.weights.tolist() == [1, 1, 1, 1, 0, 0]
    assert rows.rates.tolist() == [0.1] * 4 + [0.3, 0.4]
