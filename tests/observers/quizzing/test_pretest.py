"""Answers before the lesson, looked at together."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom._arrays import Floats
from homeroom.observers.quizzing import pretest
from homeroom.observers.quizzing.answer_step import AnswerModel
from homeroom.observers.quizzing.beliefs import Belief
from homeroom.observers.quizzing.pretest import ClassPrior, Pretest

MODEL = AnswerModel(0.3)


def true_posterior(prior: ClassPrior, xs: Floats, answers: Floats) -> tuple[Floats, Floats]:
    """Integrate prior times chance of all answers on a fine grid of the plane."""
    side = np.linspace(-5.0, 5.0, 801)
    grid = np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1).reshape(-1, 2)
    apart = grid - prior.mean
    weight = np.exp(-0.5 * np.vecdot(apart @ np.linalg.inv(prior.covariance), apart))
    for x, answer in zip(xs, answers, strict=True):
        yes = MODEL.yes(grid @ x)
        weight = weight * (yes if answer > 0 else 1.0 - yes)
    weight /= weight.sum()
    mean = weight @ grid
    return mean, (weight[:, None] * (grid - mean)).T @ (grid - mean)


def a_test(students: int, items: int, dimensions: int = 2) -> tuple[Pretest, Floats]:
    rng = np.random.default_rng(4)
    states = np.array([0.6, -0.4, 0.2][:dimensions]) + 0.5 * rng.standard_normal(
        (students, dimensions)
    )
    xs = rng.standard_normal((items, dimensions))
    xs /= np.linalg.norm(xs, axis=1, keepdims=True)
    return Pretest(xs, MODEL.drawn(states @ xs.T, rng), np.ones(items)), states


@pytest.mark.slow
def test_beliefs_are_close_to_the_true_posterior() -> None:
    """Means within .04 and covariances within a fifth of an integral over the plane."""
    test, _ = a_test(students=8, items=10)
    belief, _, prior, _ = test.posterior(MODEL, ClassPrior.round(2, 1.2), guard=False)
    for student in range(8):
        mean, covariance = true_posterior(prior, test.xs, test.answers[student])
        np.testing.assert_allclose(belief.means[student], mean, atol=0.04)
        size = np.trace(covariance)
        np.testing.assert_allclose(belief.covariances[student], covariance, atol=0.2 * size)


def test_the_order_of_the_items_barely_matters() -> None:
    test, _ = a_test(students=20, items=12)
    order = np.random.default_rng(0).permutation(12)
    shuffled = Pretest(test.xs[order], test.answers[:, order], test.signs[order])
    one, other = (
        some.posterior(MODEL, ClassPrior.round(2, 1.2), guard=False)[0] for some in (test, shuffled)
    )
    np.testing.assert_allclose(one.means, other.means, atol=1e-3)


def test_evidence_is_the_chance_of_all_answers() -> None:
    """For two items, against 400,000 drawn states."""
    xs, prior = np.array([[1.0, 0.0], [0.6, 0.8]]), ClassPrior.round(2, 1.0)
    answers = np.array([[1.0, 1.0], [1.0, -1.0], [0.0, -1.0]])
    found = np.exp(Pretest(xs, answers, np.ones(2)).evidence(MODEL, prior))
    states = np.random.default_rng(1).standard_normal((400_000, 2)) * np.sqrt(0.5)
    yes = MODEL.yes(states @ xs.T)
    expected = [(yes[:, 0] * yes[:, 1]).mean(), (yes[:, 0] * (1 - yes[:, 1])).mean(), 0.5]
    np.testing.assert_allclose(found, expected, atol=0.005)


def test_lapses_and_missing_answers_stay_finite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pretest, "PASSES", 30)
    test, _ = a_test(students=30, items=12)
    holes = test.answers * (np.random.default_rng(2).random(test.answers.shape) < 0.5)
    holes[0] = 0.0
    lapsing = AnswerModel.with_lapses(0.1, 0.3)
    belief, evidence, prior, _ = Pretest(test.xs, holes, test.signs).posterior(
        lapsing, ClassPrior.round(2, 1.2), guard=True
    )
    assert np.isfinite(belief.means).all()
    assert (np.linalg.eigvalsh(belief.covariances) > 0).all()
    assert evidence[0] == 0.0
    np.testing.assert_allclose(belief.means[0], prior.mean, atol=0.05)


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
