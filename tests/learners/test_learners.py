"""Learners: the gradient step, random rates, and Langevin noise."""

import math
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest
from scipy.special import logsumexp

from homeroom import GradientLearner, LangevinLearner, StochasticRateLearner
from homeroom._arrays import to_numpy
from homeroom.learners import Absolute, AbstractLoss, Hinge, Logistic, OwnLoss, Squared, Step
from homeroom.learners.learners import gradients

LOSSES = [Squared(), Absolute(), Logistic(), Hinge(), Logistic(classes=3), Hinge(classes=3)]


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("xp", [np, strict])
def test_gradients_are_the_slopes_times_the_example(loss: AbstractLoss, xp: Any) -> None:
    """d loss(<w_k, x>) / d w_k = slope_k x, a student at a time."""
    rng = np.random.default_rng(0)
    states, x = rng.standard_normal((5, 4 * loss.outputs)), rng.standard_normal(4)
    label = 2.0 if loss.outputs > 1 else -1.0
    expected = []
    for state in states:
        scores = state.reshape(loss.outputs, 4) @ x
        slopes = loss.slopes(scores if loss.outputs == 1 else scores[None], np.array(label))
        expected.append(np.outer(slopes, x).reshape(-1))
    found = gradients(xp.asarray(states), xp.asarray(x), xp.asarray(label), loss)
    np.testing.assert_allclose(to_numpy(found), expected, atol=1e-14)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("xp", [np, strict])
def test_an_example_for_each_student_is_one_student_at_a_time(loss: AbstractLoss, xp: Any) -> None:
    rng = np.random.default_rng(1)
    states, xs = rng.standard_normal((5, 4 * loss.outputs)), rng.standard_normal((5, 4))
    ys = np.array([1.0, 2, 3, 1, 2]) if loss.outputs > 1 else np.array([1.0, -1, 1, 1, -1])
    found = to_numpy(gradients(xp.asarray(states), xp.asarray(xs), xp.asarray(ys), loss))
    for j in range(5):
        alone = gradients(states[j : j + 1], xs[j], ys[j], loss)
        np.testing.assert_allclose(found[j], alone[0], atol=1e-14)


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


def test_arguments_are_not_modified() -> None:
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


STATES, X, Y = np.random.default_rng(0).standard_normal((4, 3)), np.ones(3), np.array(0.5)
RATES = np.array([0.1, 0.2, 0.3, 0.4])


def random_step(learner: Any, *, rates: Any = RATES, seed: int = 0, xp: Any = np,
         state_radius: float = math.inf) -> Step:  # fmt: skip
    parts = [xp.asarray(part) for part in (STATES, rates, X, Y)]
    rng = np.random.default_rng(seed)
    found: Step = learner.step(*parts, state_radius=state_radius, rng=rng)
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
    drawn = learner.step(np.zeros((20_000, 1)), many, np.ones(1), Y, state_radius=math.inf,
                         rng=np.random.default_rng(0)).rates  # fmt: skip
    assert drawn.mean() == pytest.approx(0.3, abs=5 * 0.1 / math.sqrt(20_000))
    assert drawn.std() == pytest.approx(0.1, abs=5 * 0.1 / math.sqrt(40_000))


def test_without_variance_it_is_the_plain_learner() -> None:
    found = random_step(StochasticRateLearner(0.0))
    np.testing.assert_array_equal(found.states, random_step(GradientLearner()).states)
    np.testing.assert_array_equal(found.rates, RATES)


def test_negative_rates_are_used_as_they_come_unless_clipped() -> None:
    free = random_step(StochasticRateLearner(5.0))
    assert (free.rates < 0).any()
    clipped = random_step(StochasticRateLearner(5.0, clip=True))
    np.testing.assert_array_equal(clipped.rates, np.maximum(free.rates, 0.0))
    stays = free.rates < 0
    np.testing.assert_array_equal(clipped.states[stays], STATES[stays])


def test_students_stay_in_the_ball_stochastic() -> None:
    found = random_step(StochasticRateLearner(5.0), state_radius=1.0)
    assert np.linalg.norm(found.states, axis=1).max() <= 1 + 1e-14


def test_the_same_seed_gives_the_same_class() -> None:
    learner = StochasticRateLearner(0.1)
    np.testing.assert_array_equal(
        random_step(learner, seed=1).states, random_step(learner, seed=1).states
    )
    assert (random_step(learner, seed=1).states != random_step(learner, seed=2).states).any()


def test_gaps_do_not_shrink_by_the_mean_rate() -> None:
    assert not StochasticRateLearner(0.1).shrinks_gaps


@pytest.mark.parametrize("sigma", [-0.1, math.nan, math.inf])
def test_the_spread_must_not_be_negative(sigma: float) -> None:
    with pytest.raises(
        ValueError, match=r"`sigma` must be finite and not negative, .* Try sigma=0\.05"
    ):
        StochasticRateLearner(sigma)


FOUR_STATES, ONES, HALF = (
    np.random.default_rng(0).standard_normal((4, 3)),
    np.ones(3),
    np.array(0.5),
)
FOUR_RATES = np.array([0.1, 0.2, 0.3, 0.4])


def noisy_step(learner: Any, *, seed: int = 0, xp: Any = np, state_radius: float = math.inf) -> Any:
    parts = [xp.asarray(part) for part in (FOUR_STATES, FOUR_RATES, ONES, HALF)]
    rng = np.random.default_rng(seed)
    return to_numpy(learner.step(*parts, state_radius=state_radius, rng=rng).states)


@pytest.mark.parametrize("xp", [np, strict])
def test_the_step_is_the_plain_one_and_a_drift(xp: Any) -> None:
    """w <- w - eta dloss/dw + sqrt(2 eta / beta) xi."""
    xi = np.random.default_rng(0).standard_normal((4, 3))
    expected = noisy_step(GradientLearner()) + np.sqrt(2 * FOUR_RATES / 50.0)[:, None] * xi
    np.testing.assert_allclose(noisy_step(LangevinLearner(50.0), xp=xp), expected, atol=1e-14)


def test_the_drift_has_the_right_variance() -> None:
    """Each coordinate drifts with variance 2 eta / beta, within five standard errors."""
    states, rates = np.zeros((20_000, 2)), np.full(20_000, 0.3)
    drift = LangevinLearner(10.0).step(states, rates, np.zeros(2), np.array(0.0),
        state_radius=math.inf, rng=np.random.default_rng(0)).states  # fmt: skip
    assert drift.var() == pytest.approx(0.06, rel=5 * math.sqrt(2 / 40_000))


def test_the_drift_comes_before_the_projection() -> None:
    found = noisy_step(LangevinLearner(1e-3), state_radius=1.0)
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.ones(4))


def test_rates_are_as_they_were() -> None:
    learner = LangevinLearner(10.0, "hinge", 3)
    rng = np.random.default_rng(0)
    found = learner.step(
        FOUR_STATES, FOUR_RATES, np.ones(1), np.array(2.0), state_radius=math.inf, rng=rng
    )
    assert found.rates is FOUR_RATES
    assert not learner.shrinks_gaps


@pytest.mark.parametrize("beta", [0.0, -1.0, math.nan, math.inf])
def test_beta_must_be_positive(beta: float) -> None:
    with pytest.raises(
        ValueError, match=r"`beta` must be positive and finite, but is .* Try beta=1e4"
    ):
        LangevinLearner(beta)
