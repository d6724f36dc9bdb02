"""What the class says about each of its students."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom.observers.quizzing.bank import Belief
from homeroom.observers.quizzing.class_prior import ClassPrior


def sharp(means: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> Belief:
    return Belief(means, np.zeros((*means.shape, means.shape[1])))


def test_a_round_prior_has_the_radius_as_root_mean_square() -> None:
    prior = ClassPrior.round(4, 3.0)
    assert prior.covariance.trace() == pytest.approx(9.0)
    belief = prior.belief(2)
    np.testing.assert_array_equal(belief.means, np.zeros((2, 4)))
    np.testing.assert_array_equal(belief.covariances[1], prior.covariance)


def test_mean_and_covariance_are_estimated_from_many_students() -> None:
    rng = np.random.default_rng(0)
    root = np.array([[0.6, 0.0], [0.3, 0.2]])
    states = np.array([0.4, -0.1]) + rng.standard_normal((50_000, 2)) @ root.T
    fitted = ClassPrior.round(2, 3.0).refitted(sharp(states), np.ones(len(states)))
    np.testing.assert_allclose(fitted.mean, [0.4, -0.1], atol=0.01)
    np.testing.assert_allclose(fitted.covariance, root @ root.T, atol=0.01)


def test_few_students_keep_the_assumed_prior() -> None:
    """With weight 8 for the covariance, and 1 for the mean."""
    prior = ClassPrior.round(2, 2.0)
    fitted = prior.refitted(sharp(np.array([[1.0, 0.0]])), np.ones(1))
    np.testing.assert_allclose(fitted.mean, [0.5, 0.0])
    np.testing.assert_allclose(fitted.covariance, (8 * 2.0 * np.eye(2) + [[0.25, 0], [0, 0]]) / 9)


def test_the_scale_stays_bounded() -> None:
    far = np.random.default_rng(1).standard_normal((100, 3)) * 50
    fitted = ClassPrior.round(3, 2.0).refitted(sharp(far + 20.0), np.ones(100))
    assert fitted.covariance.trace() + fitted.mean @ fitted.mean == pytest.approx(4.0)


def test_clickers_do_not_count() -> None:
    states = np.array([[1.0, 0.0], [1.0, 0.2], [-30.0, 9.0]])
    prior = ClassPrior.round(2, 2.0)
    fitted = prior.refitted(sharp(states), np.array([1.0, 1.0, 0.0]))
    alone = prior.refitted(sharp(states[:2]), np.ones(2))
    np.testing.assert_allclose(fitted.mean, alone.mean)
    np.testing.assert_allclose(fitted.covariance, alone.covariance)
