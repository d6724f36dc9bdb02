from __future__ import annotations

import numpy as np
import pytest

from homeroom import Classroom, GradientLearner, Observation, RateHistory
from homeroom.engines import ExactClass
from homeroom.learners import AbstractLoss, Hinge, Logistic, Squared
from homeroom.pools import Candidates
from homeroom.teachers.tutoring import (
    best_direction_each,
    best_example_for_each,
    best_of_each,
    own_best_g,
    rescaled_each,
    synthesise_each,
)


def look(room: Classroom, loss: AbstractLoss) -> Observation:
    return ExactClass(room, GradientLearner(loss), np.random.default_rng(0)).look()


def test_each_student_is_taught_along_their_own_gap() -> None:
    room = Classroom([[3.0, 4.0], [0.0, -2.0], [1.0, 1.0]], [0.5, 2.0, 0.01], [1.0, 1.0])
    xs, ys, items = best_example_for_each(look(room, Squared()))
    np.testing.assert_allclose(np.linalg.norm(xs, axis=1) ** 2, [2.0, 0.5, 0.0], atol=1e-15)
    np.testing.assert_allclose(xs[0], np.sqrt(2.0 / 13.0) * np.array([2.0, 3.0]))
    np.testing.assert_allclose(xs[1], np.sqrt(0.5 / 10.0) * np.array([1.0, 3.0]))
    np.testing.assert_allclose(ys, xs @ room.target)
    assert items.tolist() == [-1, -1, -1]


def test_a_students_best_length_allows_for_a_varying_rate() -> None:
    room = Classroom.sample(students=3, dimensions=2, rates=(0.5, 0.9))
    observer = RateHistory(0.3, weights="known")
    seen = observer.observe(look(room, Squared()), observer.begin(room), np.random.default_rng(0))
    np.testing.assert_allclose(own_best_g(seen), room.rates / (0.09 + room.rates**2))


def test_a_direction_across_the_gap_is_not_shown() -> None:
    room = Classroom([[2.0, 0.0], [0.0, 2.0]], [0.5, 0.5], [0.0, 0.0])
    xs, _, items = best_direction_each(look(room, Squared()), np.array([[1.0, 0.0]]))
    np.testing.assert_allclose(xs, [[np.sqrt(2.0), 0.0], [0.0, 0.0]])
    assert items.tolist() == [0, 0]


def test_an_item_that_does_not_help_is_not_shown() -> None:
    room = Classroom([[2.0, 0.0], [0.0, 2.0]], [0.5, 0.5], [0.0, 0.0])
    candidates = Candidates(np.array([[1.0, 0.0]]), np.array([7]), None)
    xs, _, items = best_of_each(look(room, Squared()), candidates)
    np.testing.assert_allclose(xs, [[1.0, 0.0], [0.0, 0.0]])
    assert items.tolist() == [7, 7]


def test_rescaling_finds_the_best_length() -> None:
    room = Classroom([[2.0, 0.0], [0.0, 2.0]], [0.5, 0.8], [0.0, 0.0])
    seen = look(room, Squared())
    candidates = Candidates(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0, 1]), None)
    xs, _, items = rescaled_each(seen, best_of_each(seen, candidates))
    np.testing.assert_allclose(np.linalg.norm(xs, axis=1), 1 / np.sqrt(room.rates), rtol=1e-3)
    assert items.tolist() == [0, 1]


@pytest.mark.parametrize("loss", [Logistic(), Hinge(), Logistic(classes=2)], ids=str)
@pytest.mark.parametrize("radius", [np.inf, 3.0])
def test_synthesised_examples_are_as_good_as_random_search(
    loss: AbstractLoss, radius: float
) -> None:
    """As good as the best of 3000 for each student, within 2 % of the distance."""
    room = Classroom.sample(students=6, dimensions=4, seed=3, state_radius=radius)
    seen = look(room, loss)
    learner, rng = GradientLearner(loss), np.random.default_rng(0)

    def after(xs: np.ndarray) -> np.ndarray:
        step = learner.step(
            room.states, room.rates, xs, seen.labels(xs), state_radius=radius, rng=rng
        )
        distances: np.ndarray = ((step.states - room.target) ** 2).sum(axis=1)
        return distances

    best = np.min([after(one) for one in random_rows(3000, 6, seen.width)], axis=0)
    found = after(np.asarray(synthesise_each(seen, rng).xs))
    assert (found <= best + 0.02 * room.squared_distances).all()
    assert (found < room.squared_distances).all()


def random_rows(count: int, students: int, width: int) -> np.ndarray:
    rng = np.random.default_rng(5)
    xs = rng.standard_normal((count, students, width))
    xs *= 2.0 * rng.random((count, students, 1)) / np.linalg.norm(xs, axis=2, keepdims=True)
    return xs
