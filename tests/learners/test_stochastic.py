"""Students whose rate is different every time."""

import math
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest

from homeroom import GradientLearner, StochasticRateLearner
from homeroom._arrays import to_numpy
from homeroom.learners import Step

STATES, X, Y = np.random.default_rng(0).standard_normal((4, 3)), np.ones(3), np.array(0.5)
RATES = np.array([0.1, 0.2, 0.3, 0.4])


def step(learner: Any, *, rates: Any = RATES, seed: int = 0, xp: Any = np,
         state_radius: float = math.inf) -> Step:  # fmt: skip
    parts = [xp.asarray(part) for part in (STATES, rates, X, Y)]
    rng = np.random.default_rng(seed)
    found: Step = learner.step(*parts, state_radius=state_radius, rng=rng)
    return found


@pytest.mark.parametrize("xp", [np, strict])
def test_the_step_is_the_plain_one_at_the_drawn_rates(xp: Any) -> None:
    found = step(StochasticRateLearner(0.1), xp=xp)
    expected = step(GradientLearner(), rates=to_numpy(found.rates))
    np.testing.assert_allclose(to_numpy(found.states), expected.states, atol=1e-14)
    assert (to_numpy(found.rates) != RATES).all()


def test_rates_are_normal_around_their_mean() -> None:
    """eta_j^t ~ N(eta_j, sigma^2): mean and spread of 20000 draws, within five standard errors."""
    many = np.full(20_000, 0.3)
    learner = StochasticRateLearner(0.1)
    drawn = learner.step(np.zeros((20_000, 1)), many, np.ones(1), Y, state_radius=math.inf,
                         rng=np.random.default_rng(0)).rates  # fmt: skip
    assert drawn.mean() == pytest.approx(0.3, abs=5 * 0.1 / math.sqrt(20_000))
    assert drawn.std() == pytest.approx(0.1, abs=5 * 0.1 / math.sqrt(40_000))


def test_without_spread_it_is_the_plain_learner() -> None:
    found = step(StochasticRateLearner(0.0))
    np.testing.assert_array_equal(found.states, step(GradientLearner()).states)
    np.testing.assert_array_equal(found.rates, RATES)


def test_negative_rates_are_used_as_they_come_unless_clipped() -> None:
    free = step(StochasticRateLearner(5.0))
    assert (free.rates < 0).any()
    clipped = step(StochasticRateLearner(5.0, clip=True))
    np.testing.assert_array_equal(clipped.rates, np.maximum(free.rates, 0.0))
    stays = free.rates < 0
    np.testing.assert_array_equal(clipped.states[stays], STATES[stays])


def test_students_stay_in_the_ball() -> None:
    found = step(StochasticRateLearner(5.0), state_radius=1.0)
    assert np.linalg.norm(found.states, axis=1).max() <= 1 + 1e-14


def test_the_same_seed_gives_the_same_class() -> None:
    learner = StochasticRateLearner(0.1)
    np.testing.assert_array_equal(step(learner, seed=1).states, step(learner, seed=1).states)
    assert (step(learner, seed=1).states != step(learner, seed=2).states).any()


def test_gaps_do_not_shrink_by_the_mean_rate() -> None:
    assert not StochasticRateLearner(0.1).shrinks_gaps


@pytest.mark.parametrize("sigma", [-0.1, math.nan, math.inf])
def test_the_spread_must_not_be_negative(sigma: float) -> None:
    with pytest.raises(
        ValueError, match=r"`sigma` must be finite and not negative, .* Try sigma=0\.05"
    ):
        StochasticRateLearner(sigma)
