"""Beliefs about students who choose among several answers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from homeroom.observers.quizzing.answer_step import AnswerModel
from homeroom.observers.quizzing.beliefs import RATE_ERROR, RATES, UNIFORM, Belief, BeliefBank
from homeroom.observers.quizzing.choice_bank import (
    ChoiceBank,
    ChoiceMemory,
    covariance_of,
    diagonal_of,
)
from homeroom.observers.quizzing.choice_step import contrasts

MODEL = AnswerModel(0.5, 0.02, 0.02)
RNG = np.random.default_rng


def a_bank(
    students: int, options: int, features: int, memory: ChoiceMemory | None = None
) -> ChoiceBank:
    """Return beliefs with random means and covariances."""
    size, rng = (options - 1) * features, RNG(3)
    roots = 0.3 * rng.standard_normal((students, size, size))
    covariances = roots @ np.swapaxes(roots, 1, 2) + 0.05 * np.eye(size)
    belief = Belief(0.2 * rng.standard_normal((students, size)), covariances)
    return ChoiceBank.starting(belief, UNIFORM, RATES, options, memory)


def test_an_example_moves_each_row_by_a_gradient_step() -> None:
    """Mean and covariance of sampled students, whose rates have the assumed error."""
    bank, x, draws = a_bank(1, 3, 2), np.array([0.8, -0.5]), 200_000
    rng, rate = RNG(0), float(RATES[5])
    root = np.linalg.cholesky(bank.covariances[0, 5])
    states = bank.means[0, 5] + rng.standard_normal((draws, 4)) @ root.T
    rates = rate * (1.0 + RATE_ERROR * rng.standard_normal(draws))
    vectors = states.reshape(draws, 2, 2)
    missing = contrasts(3)[2] - vectors @ x
    after = (vectors + (rates[:, None] * missing)[..., None] * x).reshape(draws, 4)
    shown = bank.shown(x, 3.0, attention=1.0, drift=0.0)
    np.testing.assert_allclose(shown.means[0, 5], after.mean(axis=0), atol=0.01)
    np.testing.assert_allclose(shown.covariances[0, 5], np.cov(after.T), atol=0.01)


def test_the_scores_of_all_answers_can_be_taught_instead_of_one_answer() -> None:
    memory = ChoiceMemory(0.4, 4, len(RATES), options=np.full(6, 3))
    bank, x = a_bank(4, 3, 2, memory), np.array([0.8, -0.5])
    scores, kinds = np.eye(3)[1] - 1 / 3, {"attention": 0.8, "drift": 0.05, "at": 60.0}
    number = bank.shown(x, 2.0, items=5, **kinds)
    for shown in (
        bank.shown(x, scores, items=5, **kinds),
        bank.shown(np.tile(x, (4, 1)), np.tile(scores, (4, 1)), items=np.full(4, 5), **kinds),
    ):
        np.testing.assert_allclose(shown.means, number.means, atol=1e-12)
        np.testing.assert_allclose(shown.covariances, number.covariances, atol=1e-12)
        assert shown.memory is not None
        assert number.memory is not None
        for ours, theirs in zip(shown.memory.traces[5], number.memory.traces[5], strict=True):
            np.testing.assert_allclose(ours, theirs, atol=1e-12)


def test_two_answers_are_almost_those_of_the_probit() -> None:
    """The difference of two scores is the score of a yes: both models agree on it."""
    x, start = np.array([0.6, -0.8]), np.array([[0.2, 0.1]])
    several = ChoiceBank.starting(
        Belief(start / math.sqrt(2), 0.5 * np.eye(2)[None]), UNIFORM, RATES, 2, None
    )
    two = BeliefBank.of(Belief(start, np.eye(2)[None]), np.zeros(1))
    for answer in (1, 1, 2):
        several = several.heard(x, np.array([float(answer)]), MODEL)
        two = two.heard(x, np.array([3.0 - 2.0 * answer]), MODEL)
        several = several.shown(x, 1.0, attention=0.9, drift=0.1)
        two = two.shown(x, 1.0, attention=0.9, drift=0.1)
    np.testing.assert_allclose(math.sqrt(2) * several.means, two.means, atol=0.06)
    np.testing.assert_allclose(2.0 * several.covariances, two.covariances, atol=0.06)
    np.testing.assert_allclose(several.weights, two.weights, atol=0.05)


def test_facts_with_different_numbers_of_answers_are_learned() -> None:
    options = np.array([2, 3, 5])
    memory = ChoiceMemory(math.inf, 2, len(RATES), options=options)
    bank = ChoiceBank.starting(
        Belief(np.zeros((2, 0)), np.zeros((2, 0, 0))), UNIFORM, RATES, 5, memory
    )
    for item in range(3):
        for _ in range(3):
            bank = bank.heard(np.zeros(0), np.array([2.0, 1.0]), MODEL, item=item, label=2.0)
        chances = bank.answer_chances(np.zeros(0), MODEL, item, 0.0)
        assert chances.shape == (2, options[item])
        np.testing.assert_allclose(chances.sum(axis=1), 1.0)
        assert chances[0].argmax() == 1
        assert chances[1].argmax() == 0
        bank = bank.shown(np.zeros(0), 2.0, attention=1.0, drift=0.0, items=item)
        assert bank.answer_chances(np.zeros(0), MODEL, item, 0.0)[1, 1] > chances[1, 1]


@pytest.mark.parametrize("options", [3, 4, 8])
def test_the_diagonal_keeps_the_variances_of_the_scores(options: int) -> None:
    root = RNG(0).standard_normal((5, options - 1, options - 1))
    covariance = root @ np.swapaxes(root, 1, 2) + 2.0 * np.eye(options - 1)
    basis, again = contrasts(options), covariance_of(diagonal_of(covariance))
    for one, other in zip(covariance, again, strict=True):
        np.testing.assert_allclose(
            np.diag(basis @ other @ basis.T), np.diag(basis @ one @ basis.T), rtol=0.25
        )
    exact = covariance_of(np.abs(RNG(1).standard_normal(options)) + 0.1)
    np.testing.assert_allclose(covariance_of(diagonal_of(exact)), exact, atol=1e-12)
