"""One example, against numbers worked out otherwise."""

from __future__ import annotations

import numpy as np

from homeroom.observers.quizzing.teach_step import after_example

M, V = np.array([0.3, -0.2]), np.array([[1.0, 0.3], [0.3, 0.5]])
X, Y = np.array([0.6, 0.8]), 0.4


def test_the_published_example() -> None:
    m, v = after_example(M, V, 0.3, X, Y, attention=0.7)
    np.testing.assert_allclose(m, [0.347880, -0.136160], atol=5e-7)
    np.testing.assert_allclose(v, [[0.811257, 0.116382], [0.116382, 0.345896]], atol=5e-7)


def test_simulated_students_end_where_the_step_predicts() -> None:
    """200,000 drawn students with random rates and attention have these mean and covariance."""
    rng = np.random.default_rng(2)
    students = rng.multivariate_normal(M, V, 200_000)
    rates = 0.5 * (1.0 + 0.3 * rng.standard_normal(len(students)))
    attended = rng.random(len(students)) < 0.8
    moved = students + (attended * rates * (Y - students @ X))[:, None] * X
    moved += 0.1 * rng.standard_normal(moved.shape)
    m, v = after_example(M, V, 0.5, X, Y, attention=0.8, drift=0.1, rate_error=0.3)
    np.testing.assert_allclose(m, moved.mean(axis=0), atol=0.01)
    np.testing.assert_allclose(v, np.cov(moved.T), atol=0.01)


def test_each_student_may_have_their_own_example() -> None:
    rng = np.random.default_rng(0)
    means, xs = rng.standard_normal((2, 3)), rng.standard_normal((2, 3))
    covariances = np.stack([np.eye(3), 2.0 * np.eye(3)])
    ys, rates = np.array([0.2, -0.7]), np.array([0.1, 0.5])
    m, v = after_example(means, covariances, rates, xs, ys, attention=0.9, rate_error=0.2)
    for student in range(2):
        one = after_example(
            means[student],
            covariances[student],
            rates[student],
            xs[student],
            ys[student],
            attention=0.9,
            rate_error=0.2,
        )
        np.testing.assert_allclose(m[student], one[0], atol=1e-14)
        np.testing.assert_allclose(v[student], one[1], atol=1e-14)
