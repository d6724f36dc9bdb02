"""One answer, against numbers worked out otherwise."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom._arrays import Floats
from homeroom.observers.quizzing.answer_step import AnswerModel, after_answer, answer_effect


@pytest.mark.parametrize(
    ("lapse", "mean", "variance"), [(0.0, 0.774062, 0.400828), (0.1, 0.696656, 0.514671)]
)
def test_the_published_example(lapse: float, mean: float, variance: float) -> None:
    model = AnswerModel.with_lapses(0.25, lapse)
    m, V, evidence = after_answer(np.zeros(2), np.eye(2), np.array([1.0, 0.0]), 1.0, model)
    np.testing.assert_allclose(m, [mean, 0.0], atol=5e-7)
    np.testing.assert_allclose(V, [[variance, 0.0], [0.0, 1.0]], atol=5e-7)
    assert evidence == pytest.approx(np.log(0.5))


def by_brute_force(
    m: Floats, V: Floats, x: Floats, y: float, model: AnswerModel
) -> tuple[Floats, Floats, float]:
    """Integrate belief times chance of the answer on a fine grid of the plane."""
    side = np.linspace(-6.0, 6.0, 1201)
    grid = np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1).reshape(-1, 2)
    apart = grid - m
    weight = np.exp(-0.5 * np.vecdot(apart @ np.linalg.inv(V), apart))
    weight /= weight.sum()
    yes = model.yes(grid @ x)
    weight *= yes if y > 0 else 1.0 - yes
    total = float(weight.sum())
    weight /= total
    mean = weight @ grid
    return mean, (weight[:, None] * (grid - mean)).T @ (grid - mean), np.log(total)


@pytest.mark.parametrize("y", [1.0, -1.0])
@pytest.mark.parametrize(
    "model",
    [AnswerModel(0.5), AnswerModel(0.3, guess=0.25, slip=0.05), AnswerModel(0.3, slip=0.1)],
)
def test_mean_and_covariance_are_those_of_the_true_posterior(model: AnswerModel, y: float) -> None:
    """The Gaussian kept has the moments of belief times chance, integrated on a grid."""
    m, V = np.array([0.3, -0.5]), np.array([[0.8, 0.3], [0.3, 0.6]])
    x = np.array([0.9, -0.7])
    found = after_answer(m, V, x, y, model)
    expected = by_brute_force(m, V, x, y, model)
    np.testing.assert_allclose(found[0], expected[0], atol=1e-6)
    np.testing.assert_allclose(found[1], expected[1], atol=1e-6)
    assert found[2] == pytest.approx(expected[2], abs=1e-6)


def test_an_unexpected_answer_stays_finite() -> None:
    said = answer_effect(np.array([300.0]), np.array([1e-6]), -1.0, AnswerModel(0.25))
    assert np.isfinite(np.concatenate([*said])).all()
    assert said.evidence[0] == pytest.approx(-0.5 * (300 / 0.25) ** 2, rel=1e-4)


@pytest.mark.parametrize("y", [1.0, -1.0])
def test_an_answer_that_is_never_a_lapse_has_its_effect_even_if_it_is_very_unlikely(
    y: float,
) -> None:
    """Its chance is that of the model without lapses, times a constant."""
    guess, slip = (0.0, 0.05) if y > 0 else (0.05, 0.0)
    belief = np.array([-4.0 * y]), np.array([[1e-4]]), np.array([1.0]), y
    found = after_answer(*belief, AnswerModel(0.1, guess, slip))
    mean, variance, evidence = after_answer(*belief, AnswerModel(0.1))
    np.testing.assert_allclose(found[0], mean, rtol=1e-12)
    np.testing.assert_allclose(found[1], variance, rtol=1e-12)
    assert found[2] == pytest.approx(float(evidence) + np.log(0.95), rel=1e-12)


def test_drawn_answers_have_the_probabilities_of_the_model() -> None:
    model = AnswerModel(0.5, guess=0.2, slip=0.1)
    drawn = model.drawn(np.full(40_000, 0.25), np.random.default_rng(1))
    assert set(np.unique(drawn)) == {-1.0, 1.0}
    chance = 0.2 + 0.7 * 0.6914624612740131  # Phi(1/2), from a table
    assert (drawn > 0).mean() == pytest.approx(chance, abs=0.01)
