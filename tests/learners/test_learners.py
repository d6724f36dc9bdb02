"""Learners: the gradient step, random rates, and Langevin noise."""

import math
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest
from scipy.special import logsumexp

from homeroom import GradientLearner, LangevinLearner, StochasticRateLearner
from homeroom._arrays import to_numpy
from homeroom.classroom import Example
from homeroom.learners import (
    Step,
)

RNG = np.random.default_rng(0)


def step(learner: GradientLearner, states: Any, rates: Any, x: Any, y: Any) -> Any:
    return learner.step(states, rates, None, Example(to_numpy(x), to_numpy(y)), RNG).states


def test_the_step_goes_down_the_slope_of_the_loss_itself() -> None:
    """w <- w - eta dloss/dw, the derivative by finite differences of the softmax loss."""
    rng = np.random.default_rng(1)
    states, rates, x = rng.standard_normal((4, 6)), 0.1 + rng.random(4), rng.standard_normal(2)

    def loss(state: Any) -> float:
        scores = state.reshape(3, 2) @ x
        return float(logsumexp(scores) - scores[1])

    nudges = 1e-6 * np.eye(6)
    slopes = [[(loss(w + h) - loss(w - h)) / 2e-6 for h in nudges] for w in states]
    found = step(GradientLearner("logistic", classes=3), states, rates, x, np.array(2.0))
    np.testing.assert_allclose(found, states - rates[:, None] * np.array(slopes), atol=1e-8)


STATES, X, Y = np.random.default_rng(0).standard_normal((4, 3)), np.ones(3), np.array(0.5)
RATES = np.array([0.1, 0.2, 0.3, 0.4])


def random_step(learner: Any, *, rates: Any = RATES, seed: int = 0, xp: Any = np) -> Step:
    states, drawn = xp.asarray(STATES), xp.asarray(rates)
    found: Step = learner.step(states, drawn, None, Example(X, Y), np.random.default_rng(seed))
    return found


@pytest.mark.parametrize("xp", [np, strict])
def test_the_step_is_the_plain_one_at_the_drawn_rates(xp: Any) -> None:
    found = random_step(StochasticRateLearner(0.1), xp=xp)
    expected = random_step(GradientLearner(), rates=to_numpy(found.rates))
    np.testing.assert_allclose(to_numpy(found.states), expected.states, atol=1e-14)
    assert (to_numpy(found.rates) != RATES).all()


def test_rates_are_normal_around_their_mean() -> None:
    """eta_j^t ~ N(eta_j, sigma^2): mean and spread of 20000 draws, within five standard errors."""
    many = np.full(20_000, 0.3)
    learner = StochasticRateLearner(0.1)
    drawn = learner.step(
        np.zeros((20_000, 1)), many, None, Example(np.ones(1), Y), np.random.default_rng(0)
    ).rates
    assert drawn.mean() == pytest.approx(0.3, abs=5 * 0.1 / math.sqrt(20_000))
    assert drawn.std() == pytest.approx(0.1, abs=5 * 0.1 / math.sqrt(40_000))


def test_negative_rates_are_used_as_they_come_unless_clipped() -> None:
    free = random_step(StochasticRateLearner(5.0))
    assert (free.rates < 0).any()
    clipped = random_step(StochasticRateLearner(5.0, clip=True))
    np.testing.assert_array_equal(clipped.rates, np.maximum(free.rates, 0.0))
    stays = free.rates < 0
    np.testing.assert_array_equal(clipped.states[stays], STATES[stays])


FOUR_STATES, ONES, HALF = (
    np.random.default_rng(0).standard_normal((4, 3)),
    np.ones(3),
    np.array(0.5),
)
FOUR_RATES = np.array([0.1, 0.2, 0.3, 0.4])


def noisy_step(learner: Any, *, seed: int = 0, xp: Any = np) -> Any:
    states, rates = xp.asarray(FOUR_STATES), xp.asarray(FOUR_RATES)
    rng = np.random.default_rng(seed)
    return to_numpy(learner.step(states, rates, None, Example(ONES, HALF), rng).states)


@pytest.mark.parametrize("xp", [np, strict])
def test_the_step_is_the_plain_one_and_a_drift(xp: Any) -> None:
    """w <- w - eta dloss/dw + sqrt(2 eta / beta) xi."""
    xi = np.random.default_rng(0).standard_normal((4, 3))
    expected = noisy_step(GradientLearner()) + np.sqrt(2 * FOUR_RATES / 50.0)[:, None] * xi
    np.testing.assert_allclose(noisy_step(LangevinLearner(50.0), xp=xp), expected, atol=1e-14)


def test_the_drift_has_the_right_variance() -> None:
    """Each coordinate drifts with variance 2 eta / beta, within five standard errors."""
    states, rates = np.zeros((20_000, 2)), np.full(20_000, 0.3)
    drift = (
        LangevinLearner(10.0)
        .step(states, rates, None, Example(np.zeros(2), np.array(0.0)), np.random.default_rng(0))
        .states
    )
    assert drift.var() == pytest.approx(0.06, rel=5 * math.sqrt(2 / 40_000))
