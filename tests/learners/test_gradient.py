"""The paper's student: one projected gradient step an example."""

import math
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest
from scipy.special import logsumexp

from homeroom import GradientLearner
from homeroom._arrays import to_numpy
from homeroom.learners import Hinge, OwnLoss, Squared

RNG = np.random.default_rng(0)


def step(learner: GradientLearner, *parts: Any, state_radius: float = math.inf) -> Any:
    return learner.step(*parts, state_radius=state_radius, rng=RNG).states


@pytest.mark.parametrize("xp", [np, strict])
def test_the_gap_shrinks_along_the_example(xp: Any) -> None:
    """e <- e - eta <e, x> x for the squared loss and the target's own answer."""
    rng = np.random.default_rng(0)
    states, rates = rng.standard_normal((6, 3)), 0.1 + rng.random(6)
    target, x = rng.standard_normal(3), rng.standard_normal(3)
    gaps = states - target
    expected = target + gaps - (rates * (gaps @ x))[:, None] * x
    parts = [xp.asarray(part) for part in (states, rates, x, target @ x)]
    np.testing.assert_allclose(to_numpy(step(GradientLearner(), *parts)), expected, atol=1e-14)


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


def test_students_stay_in_the_ball() -> None:
    found = step(GradientLearner(), np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([1.0, 1.0]),
                 np.array([0.0, 2.0]), np.array(5.0), state_radius=2.0)  # fmt: skip
    assert np.linalg.norm(found, axis=1) == pytest.approx([2.0, 2.0])
    np.testing.assert_allclose(found[0], [0.0, 2.0])


def test_nothing_that_is_given_is_changed() -> None:
    parts = [np.ones((3, 2)), np.full(3, 0.5), np.ones(2), np.array(0.0)]
    before = [part.copy() for part in parts]
    step(GradientLearner(), *parts, state_radius=0.5)
    for part, was in zip(parts, before, strict=True):
        np.testing.assert_array_equal(part, was)


def test_single_precision_stays_single() -> None:
    parts = [np.ones((3, 2)), np.full(3, 0.5), np.ones(2), np.array(0.0)]
    found = step(GradientLearner("hinge"), *(part.astype(np.float32) for part in parts))
    assert found.dtype == np.float32


def test_only_the_squared_loss_shrinks_gaps() -> None:
    assert GradientLearner().shrinks_gaps
    assert not GradientLearner("absolute").shrinks_gaps


def test_losses_are_given_by_name_by_function_or_as_they_are() -> None:
    assert GradientLearner().loss == Squared()
    assert GradientLearner("hinge", 3).loss == Hinge(classes=3)
    assert GradientLearner(np.subtract).loss == OwnLoss(np.subtract)
    with pytest.raises(ValueError, match="did you mean 'logistic'"):
        GradientLearner("logistics")
