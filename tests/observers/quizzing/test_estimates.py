"""What to show, and how sure of it one may be."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom.observers.quizzing.answer_step import AnswerModel
from homeroom.observers.quizzing.beliefs import RATES, UNIFORM, Belief, BeliefBank
from homeroom.observers.quizzing.estimates import (
    chances,
    class_error,
    rates_in_words,
)

COVARIANCE = np.array([[0.5, 0.2], [0.2, 0.3]])
BELIEF = Belief(np.array([[0.3, -0.1], [1.0, 0.0]]), np.stack([COVARIANCE, 0.01 * np.eye(2)]))


def test_the_error_is_the_expected_squared_distance() -> None:
    """Against 200,000 drawn states."""
    target = np.array([0.0, 1.0])
    error = class_error(BELIEF, np.array([1.0, 1.0]), target)
    rng = np.random.default_rng(0)
    drawn = [
        ((rng.multivariate_normal(m, v, 200_000) - target) ** 2).sum(axis=1).mean()
        for m, v in zip(*BELIEF, strict=True)
    ]
    assert error.total == pytest.approx(np.mean(drawn), abs=0.01)
    assert error.unsure == pytest.approx((0.8 + 0.02) / 2)
    assert class_error(BELIEF, np.array([0.0, 0.5]), target).total == pytest.approx(2.02)


def test_chances_are_averages_and_quantiles_over_the_belief() -> None:
    """Against 200,000 drawn states."""
    xs, model = np.array([[1.0, 0.5], [0.0, -1.0]]), AnswerModel(0.25, 0.1, 0.05)
    band = chances(BELIEF, xs, model)
    drawn = np.random.default_rng(1).multivariate_normal(BELIEF.means[0], COVARIANCE, 200_000)
    yes = model.yes(drawn @ xs.T)
    np.testing.assert_allclose(band.middle[0], yes.mean(axis=0), atol=0.005)
    np.testing.assert_allclose(band.low[0], np.quantile(yes, 0.05, axis=0), atol=0.005)
    np.testing.assert_allclose(band.high[0], np.quantile(yes, 0.95, axis=0), atol=0.005)


def test_a_rate_is_put_into_words_only_when_it_is_known() -> None:
    sure = np.full((5, 9), -50.0)
    for student, rate in enumerate((2, 5, 8, 0)):
        sure[student, rate] = 0.0
    sure[4] = 0.0
    bank = BeliefBank(np.zeros((5, 9, 2)), np.zeros((5, 9, 2, 2)), sure, UNIFORM)
    words = ["slow", "middling", "fast", "stands still", "not known yet"]
    assert rates_in_words(bank) == words
    assert len(RATES) == 9
