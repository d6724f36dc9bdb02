"""The update of a belief by one of several answers, compared with sampling."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom.observers.quizzing.answer_step import AnswerModel
from homeroom.observers.quizzing.choice_step import (
    POINTS,
    SHARP,
    answer_chances,
    choice_effect,
    cholesky,
    contrasts,
    normal_points,
    solve_by_root,
)

LOGITS = AnswerModel(SHARP)
"""Scores are logits."""


def sampled(mean: np.ndarray, variance: float, answer: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Return mean and covariance given an answer, and its probability, from many draws."""
    z = np.random.default_rng(1).standard_normal((100_000, len(mean)))
    places = mean + np.sqrt(variance) * z
    logits = places @ contrasts(len(mean) + 1).T
    chances = np.exp(logits - logits.max(axis=1, keepdims=True))
    own = chances[:, answer - 1] / chances.sum(axis=1)
    weights = own / own.sum()
    centre = weights @ places
    apart = places - centre
    return centre, (weights[:, None] * apart).T @ apart, float(own.mean())


@pytest.mark.parametrize("options", [3, 5, 8])
def test_contrasts_and_points_prefer_no_answer(options: int) -> None:
    basis, points = contrasts(options), normal_points(options - 1)
    np.testing.assert_allclose(basis.T @ basis, np.eye(options - 1), atol=1e-12)
    np.testing.assert_allclose(basis.sum(axis=0), 0.0, atol=1e-12)
    assert POINTS <= len(points) <= 2 * POINTS
    np.testing.assert_allclose(points.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(points.T @ points / len(points), np.eye(options - 1), atol=1e-9)
    even = answer_chances(np.zeros(options - 1), 20.0 * np.eye(options - 1), LOGITS)
    np.testing.assert_allclose(even, 1.0 / options, atol=1e-12)


@pytest.mark.parametrize(
    ("options", "variance", "off"),
    [(3, 1.0, 0.05), (3, 9.0, 0.2), (5, 1.0, 0.05), (5, 9.0, 0.25), (8, 1.0, 0.1)],
)
def test_the_belief_is_close_to_the_posterior(options: int, variance: float, off: float) -> None:
    """Mean and covariance in standard deviations, and the probability, over several cases."""
    rng = np.random.default_rng(options)
    for _ in range(4):
        mean = 0.5 * np.sqrt(variance) * rng.standard_normal(options - 1)
        answer = int(rng.integers(1, options + 1))
        centre, covariance, chance = sampled(mean, variance, answer)
        said = choice_effect(mean, variance * np.eye(options - 1), answer, LOGITS)
        moved = mean + variance * said.pull
        assert np.linalg.norm(moved - centre) < off * np.sqrt(variance)
        left = variance * np.eye(options - 1) - variance**2 * said.shrink
        assert np.abs(left - covariance).max() < 3 * off * variance
        assert np.exp(said.evidence) == pytest.approx(chance, abs=0.04)


def test_probabilities_are_close_to_sampled_ones() -> None:
    for options in (3, 5):
        mean = np.linspace(-1.0, 1.0, options - 1)
        found = answer_chances(mean, 4.0 * np.eye(options - 1), LOGITS)
        exact = [sampled(mean, 4.0, answer)[2] for answer in range(1, options + 1)]
        np.testing.assert_allclose(found, exact, atol=0.02)


@pytest.mark.parametrize("options", [3, 5, 8])
def test_facts_are_believed_as_far_as_one_right_answer_shows(options: int) -> None:
    """The prior of facts is wide: a variance of 1/2 for each score, and 0.25 for sigma."""
    rng, prior, model = np.random.default_rng(3), 0.5 * np.eye(options - 1), AnswerModel(0.25)
    places = rng.standard_normal((100_000, options - 1)) * np.sqrt(0.5)
    logits = SHARP / model.sigma * places @ contrasts(options).T
    own = np.exp(logits - logits.max(axis=1, keepdims=True))
    own = own[:, 0] / own.sum(axis=1)
    said = choice_effect(np.zeros(options - 1), prior, 1, model)
    mean, covariance = prior @ said.pull, prior - prior @ said.shrink @ prior
    again = float(own @ own / own.sum())
    assert answer_chances(mean, covariance, model)[0] == pytest.approx(again, abs=0.06)


def test_wide_beliefs_stay_proper() -> None:
    """A third of such cases would not with Newton's method without damping."""
    rng = np.random.default_rng(0)
    means = 6.0 * rng.standard_normal((300, 4))
    roots = 3.0 * rng.standard_normal((300, 4, 4))
    covariances = roots @ np.swapaxes(roots, 1, 2)
    said = choice_effect(means, covariances, rng.integers(1, 6, 300), LOGITS)
    left = covariances - covariances @ said.shrink @ covariances
    assert np.isfinite(said.pull).all()
    scale = np.trace(covariances, axis1=1, axis2=2)
    assert (np.linalg.eigvalsh(left)[:, 0] > -1e-9 * scale).all()
    assert (np.trace(left, axis1=1, axis2=2) < scale).all()


def test_no_answer_changes_nothing_and_a_lapse_changes_less() -> None:
    mean, covariance = np.array([0.3, -0.2]), 0.3 * np.eye(2)
    none = choice_effect(mean, covariance, 0, AnswerModel(0.25))
    assert not none.pull.any()
    assert not none.shrink.any()
    assert none.evidence == 0.0
    sure, lapsing = (
        choice_effect(mean, covariance, 2, AnswerModel.with_lapses(0.25, lapse))
        for lapse in (0.0, 0.4)
    )
    assert np.linalg.norm(lapsing.pull) < np.linalg.norm(sure.pull)


def test_small_systems_are_solved() -> None:
    rng = np.random.default_rng(0)
    roots = rng.standard_normal((7, 5, 5))
    matrices = roots @ np.swapaxes(roots, 1, 2) + np.eye(5)
    right = rng.standard_normal((7, 5, 2))
    found = solve_by_root(cholesky(np.moveaxis(matrices, 0, 2)), np.moveaxis(right, 0, 2))
    np.testing.assert_allclose(np.moveaxis(found, 2, 0), np.linalg.solve(matrices, right))
