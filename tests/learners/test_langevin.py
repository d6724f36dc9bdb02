"""Students whose thoughts also wander."""

import math
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest

from homeroom import GradientLearner, LangevinLearner
from homeroom._arrays import to_numpy

STATES, X, Y = np.random.default_rng(0).standard_normal((4, 3)), np.ones(3), np.array(0.5)
RATES = np.array([0.1, 0.2, 0.3, 0.4])


def step(learner: Any, *, seed: int = 0, xp: Any = np, state_radius: float = math.inf) -> Any:
    parts = [xp.asarray(part) for part in (STATES, RATES, X, Y)]
    rng = np.random.default_rng(seed)
    return to_numpy(learner.step(*parts, state_radius=state_radius, rng=rng).states)


@pytest.mark.parametrize("xp", [np, strict])
def test_the_step_is_the_plain_one_and_a_drift(xp: Any) -> None:
    """w <- w - eta dloss/dw + sqrt(2 eta / beta) xi."""
    xi = np.random.default_rng(0).standard_normal((4, 3))
    expected = step(GradientLearner()) + np.sqrt(2 * RATES / 50.0)[:, None] * xi
    np.testing.assert_allclose(step(LangevinLearner(50.0), xp=xp), expected, atol=1e-14)


def test_the_drift_has_the_right_variance() -> None:
    """Each coordinate drifts with variance 2 eta / beta, within five standard errors."""
    states, rates = np.zeros((20_000, 2)), np.full(20_000, 0.3)
    drift = LangevinLearner(10.0).step(states, rates, np.zeros(2), np.array(0.0),
        state_radius=math.inf, rng=np.random.default_rng(0)).states  # fmt: skip
    assert drift.var() == pytest.approx(0.06, rel=5 * math.sqrt(2 / 40_000))


def test_the_drift_comes_before_the_projection() -> None:
    found = step(LangevinLearner(1e-3), state_radius=1.0)
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.ones(4))


def test_rates_are_as_they_were() -> None:
    learner = LangevinLearner(10.0, "hinge", 3)
    found = learner.step(STATES, RATES, np.ones(1), np.array(2.0), state_radius=math.inf,
                         rng=np.random.default_rng(0))  # fmt: skip
    assert found.rates is RATES
    assert not learner.shrinks_gaps


@pytest.mark.parametrize("beta", [0.0, -1.0, math.nan, math.inf])
def test_beta_must_be_positive(beta: float) -> None:
    with pytest.raises(
        ValueError, match=r"`beta` must be positive and finite, but is .* Try beta=1e4"
    ):
        LangevinLearner(beta)
