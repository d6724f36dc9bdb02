"""The update of a belief by one of several answers, compared with sampling."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom.observers.quizzing.answer_step import AnswerModel
from homeroom.observers.quizzing.choice_posterior import (
    choice_effect,
    choice_posterior,
)
from homeroom.observers.quizzing.choice_step import (
    POINTS,
    SHARP,
    answer_chances,
    contrasts,
    expected_shrink,
    normal_points,
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


@pytest.mark.parametrize(
    ("options", "variance", "off"),
    [(3, 1.0, 0.02), (3, 9.0, 0.04), (5, 1.0, 0.02), (5, 9.0, 0.04), (8, 1.0, 0.03)],
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


def posterior_by_draws(
    mean: np.ndarray, covariance: np.ndarray, answer: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and covariance given an answer: many draws of the model, in mirrored pairs."""
    half = rng.standard_normal((60_000, len(mean)))
    places = mean + np.concatenate([half, -half]) @ np.linalg.cholesky(covariance).T
    logits = places @ contrasts(len(mean) + 1).T
    ahead = np.exp(np.minimum(logits - logits[:, [answer - 1]], 300.0))
    weights = 1.0 / ahead.sum(axis=1)
    weights /= weights.sum()
    centre = weights @ places
    apart = places - centre
    return centre, (weights[:, None] * apart).T @ apart


@pytest.mark.parametrize("width", [1.0, 3.0, 6.0])
@pytest.mark.parametrize("options", [3, 4, 5, 6, 8])
def test_no_direction_is_more_certain_than_many_draws_show(options: int, width: float) -> None:
    """Standard deviations in all directions, for priors of 1 to 6 sigma.

    The answers are drawn from the model; beliefs know nothing, or a little, about any contrast.
    """
    rng = np.random.default_rng(options)
    for case in range(3):
        root = np.eye(options - 1)
        mean = np.zeros(options - 1)
        if case:
            root = rng.standard_normal((options - 1, options))
            root *= np.sqrt((options - 1) / (root**2).sum())
            mean = 0.7 * root @ rng.standard_normal(options)
        mean, covariance = SHARP * width * mean, (SHARP * width) ** 2 * root @ root.T
        drawn = rng.multivariate_normal(mean, covariance) @ contrasts(options).T
        answer = 1 + int((drawn + rng.gumbel(size=options)).argmax())
        centre, exact = posterior_by_draws(mean, covariance, answer, rng)
        said = choice_effect(mean, covariance, answer, LOGITS)
        whiten = np.linalg.inv(np.linalg.cholesky(exact))
        left = covariance - covariance @ said.shrink @ covariance
        deviations = np.sqrt(np.linalg.eigvalsh(whiten @ left @ whiten.T))
        np.testing.assert_allclose(deviations, 1.0, atol=0.05)
        off = whiten @ (mean + covariance @ said.pull - centre)
        assert np.linalg.norm(off) < 0.1


def test_very_surprising_answers_are_taken_in_exactly() -> None:
    """With three answers and priors that are wider in one direction, against a fine grid."""
    rng, axis = np.random.default_rng(3), np.linspace(-14.0, 14.0, 1401)
    u = np.stack(np.meshgrid(axis, axis, indexing="ij")).reshape(2, -1)
    for surprise in (2.0, 5.0, 10.0, 20.0, 40.0):
        slopes = rng.standard_normal((2, 2)) * [[1.0], [0.2]] * rng.uniform(1.0, 5.0)
        ahead = np.array([-surprise, rng.uniform(-surprise, surprise)])
        odds = np.exp(-ahead[:, None] - slopes @ u).sum(axis=0)
        density = np.exp(-0.5 * (u * u).sum(axis=0)) / (1.0 + odds)
        chance = density.sum() * (axis[1] - axis[0]) ** 2 / (2.0 * np.pi)
        density /= density.sum()
        mean = u @ density
        apart = u - mean[:, None]
        found = choice_posterior(ahead[:, None], slopes[..., None])
        ratio = np.linalg.eigvals(
            np.linalg.solve(density * apart @ apart.T, found.covariance[..., 0])
        )
        np.testing.assert_allclose(np.sqrt(ratio), 1.0, atol=0.05)
        np.testing.assert_allclose(found.mean[:, 0], mean, atol=0.05)
        assert found.chance[0] == pytest.approx(chance, rel=0.05)


@pytest.mark.parametrize(("options", "off"), [(2, 0.03), (9, 0.2), (12, 0.25)])
def test_other_numbers_of_answers_have_their_own_points(options: int, off: float) -> None:
    rng = np.random.default_rng(0)
    prior = (3.0 * SHARP) ** 2 * np.eye(options - 1)
    _, exact = posterior_by_draws(np.zeros(options - 1), prior, options, rng)
    said = choice_effect(np.zeros(options - 1), prior, options, LOGITS)
    whiten = np.linalg.inv(np.linalg.cholesky(exact))
    left = whiten @ (prior - prior @ said.shrink @ prior) @ whiten.T
    np.testing.assert_allclose(np.sqrt(np.linalg.eigvalsh(left)), 1.0, atol=off)


def test_an_answer_far_from_the_belief_is_taken_in() -> None:
    """A belief 30 logits away, and no lapses: the edge of the cone is outside of the prior."""
    mean, prior = np.array([-30.0, 0.0]), np.eye(2)
    said = choice_effect(mean, prior, 1, LOGITS)
    assert np.isfinite(said.evidence)
    assert said.evidence < -20.0
    left = prior - said.shrink
    assert (np.linalg.eigvalsh(left) > 0.0).all()
    assert contrasts(3)[0] @ said.pull > 0.5


def test_the_expected_covariance_is_the_mean_over_answers() -> None:
    rng, model = np.random.default_rng(5), AnswerModel.with_lapses(SHARP, 0.1)
    roots = 1.5 * rng.standard_normal((6, 3, 4))
    means, covariances = rng.standard_normal((6, 3)), roots @ np.swapaxes(roots, 1, 2)
    chances = answer_chances(means, covariances, model)
    shrinks = [choice_effect(means, covariances, answer, model).shrink for answer in range(1, 5)]
    mean = covariances @ np.einsum("na,ankl->nkl", chances, shrinks) @ covariances
    expected = covariances @ expected_shrink(means, covariances, model) @ covariances
    whiten = np.linalg.inv(np.linalg.cholesky(covariances - mean))
    left = whiten @ (covariances - expected) @ np.swapaxes(whiten, 1, 2)
    np.testing.assert_allclose(np.sqrt(np.linalg.eigvalsh(left)), 1.0, atol=0.1)


def test_no_expected_covariance_is_negative() -> None:
    """However wide the belief: many answers may be planned one after the other."""
    rng = np.random.default_rng(0)
    roots = 10.0 ** rng.uniform(-3.0, 4.0, (60, 1, 1)) * rng.standard_normal((60, 4, 4))
    covariances = roots @ np.swapaxes(roots, 1, 2)
    means = 3.0 * rng.standard_normal((60, 4))
    scale = np.trace(covariances, axis1=1, axis2=2)
    for _ in range(30):
        shrink = expected_shrink(means, covariances, LOGITS)
        covariances = covariances - covariances @ shrink @ covariances
        assert (np.linalg.eigvalsh(covariances)[:, 0] > -1e-9 * scale).all()
        assert (np.trace(covariances, axis1=1, axis2=2) <= scale).all()


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


@pytest.mark.parametrize("options", [3, 5, 8])
def test_contradictory_answers_leave_proper_beliefs(options: int) -> None:
    """Random answers without lapses, to beliefs up to a hundred sigma wide."""
    rng = np.random.default_rng(options)
    roots = 10.0 ** rng.uniform(-2.0, 2.0, (40, 1, 1))
    roots = roots * rng.standard_normal((40, options - 1, options - 1))
    covariances, means = roots @ np.swapaxes(roots, 1, 2), np.zeros((40, options - 1))
    for _ in range(40):
        said = choice_effect(means, covariances, rng.integers(1, options + 1, 40), LOGITS)
        means = means + (covariances @ said.pull[..., None])[..., 0]
        covariances = covariances - covariances @ said.shrink @ covariances
        covariances = 0.5 * (covariances + np.swapaxes(covariances, 1, 2))
        values = np.linalg.eigvalsh(covariances)
        assert (values[:, 0] > -1e-9 * values[:, -1]).all()
        assert np.isfinite(means).all()
    assert np.abs(means).max() < 1000.0


@pytest.mark.parametrize("options", [3, 5, 8])
def test_contrasts_and_points_prefer_no_answer(options: int) -> None:
    basis, points = contrasts(options), normal_points(options - 1)
    np.testing.assert_allclose(basis.T @ basis, np.eye(options - 1), atol=1e-12)
    np.testing.assert_allclose(basis.sum(axis=0), 0.0, atol=1e-12)
    assert POINTS <= len(points) <= 2 * POINTS
    np.testing.assert_allclose(points.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(points.T @ points / len(points), np.eye(options - 1), atol=1e-9)
    even = answer_chances(np.zeros(options - 1), 20.0 * np.eye(options - 1), LOGITS)
    np.testing.assert_allclose(even, 1.0 / options, atol=1e-6)  # the points are single precision
