"""Beliefs at several rates, and what they are together."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom._arrays import Floats
from homeroom.observers.quizzing.answer_step import AnswerModel
from homeroom.observers.quizzing.bank import RATES, Bank, Belief

MODEL = AnswerModel(0.25)


@pytest.fixture
def bank() -> Bank:
    """Six students who heard and saw a few things."""
    rng = np.random.default_rng(3)
    belief = Belief(rng.standard_normal((6, 3)), np.tile(np.eye(3), (6, 1, 1)))
    bank = Bank.of(belief, np.zeros(6))
    for _ in range(4):
        x = rng.standard_normal(3)
        bank = bank.shown(x / np.linalg.norm(x), 0.5, attention=1.0, drift=0.0)
        bank = bank.heard(rng.standard_normal(3), np.sign(rng.standard_normal(6)), MODEL)
    return bank


def test_the_rates_are_eight_in_even_steps_and_none() -> None:
    assert RATES[0] == 0.0
    assert (RATES[1], RATES[-1], len(RATES)) == (0.05, 0.9, 9)
    np.testing.assert_allclose(np.diff(np.log(RATES[1:])), np.log(18.0) / 7)


def test_weights_are_bayes_rule(bank: Bank) -> None:
    chance = np.exp(bank.usual + bank.evidence)
    np.testing.assert_allclose(bank.weights, chance / chance.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(bank.total_evidence, np.log(chance.sum(axis=1)))


def test_the_belief_has_the_moments_of_the_mixture(bank: Bank) -> None:
    p = bank.weights
    mean = np.einsum("nr,nri->ni", p, bank.means)
    second = np.einsum("nr,nrij->nij", p, bank.covariances)
    second += np.einsum("nr,nri,nrj->nij", p, bank.means, bank.means)
    np.testing.assert_allclose(bank.belief.means, mean, atol=1e-13)
    expected = second - mean[:, :, None] * mean[:, None, :]
    np.testing.assert_allclose(bank.belief.covariances, expected, atol=1e-12)


def test_the_second_moment_is_the_sum_written_out(bank: Bank) -> None:
    target, weights = np.array([0.2, -0.4, 1.0]), bank.weights * RATES
    expected = np.zeros((3, 3))
    for student in range(6):
        for rate in range(len(RATES)):
            gap = bank.means[student, rate] - target
            expected += weights[student, rate] * (
                np.outer(gap, gap) + bank.covariances[student, rate]
            )
    np.testing.assert_allclose(bank.second_moment(target, weights), expected, atol=1e-13)


def answers_of(rate: float, rng: np.random.Generator) -> Bank:
    """Return the bank of 40 students of one rate who were shown and asked the same 30 times."""
    states = rng.standard_normal((40, 2))
    bank = Bank.of(Belief(np.zeros((40, 2)), np.tile(np.eye(2), (40, 1, 1))), np.zeros(40))
    for turn in range(30):
        x = np.array([np.cos(turn), np.sin(turn)])
        states += (rate * (1.0 * x[0] - states @ x))[:, None] * x
        bank = bank.shown(x, 1.0 * x[0], attention=1.0, drift=0.0)
        item: Floats = np.array([np.sin(turn), -np.cos(turn)])
        bank = bank.heard(item, MODEL.drawn(states @ item, rng), MODEL)
    return bank


@pytest.mark.parametrize("true", [2, 5, 7])
def test_how_usual_a_rate_is_is_learnt_from_everybody(true: int) -> None:
    bank = answers_of(RATES[true], np.random.default_rng(5)).with_usual_rates(np.ones(40))
    usual = np.exp(bank.usual)
    assert usual.sum() == pytest.approx(1.0)
    assert abs(int(usual.argmax()) - true) <= 1
    assert usual[true - 1 : true + 2].sum() > 0.6


def test_those_who_do_not_count_change_nothing(bank: Bank) -> None:
    nobody = bank.with_usual_rates(np.zeros(6))
    np.testing.assert_allclose(np.exp(nobody.usual), 1.0 / len(RATES))
