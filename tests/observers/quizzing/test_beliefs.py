"""Beliefs at several rates, and what they are together."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom._arrays import Floats, Ints
from homeroom.observers.quizzing import beliefs
from homeroom.observers.quizzing.answer_step import AnswerModel, scores
from homeroom.observers.quizzing.beliefs import RATES, Belief, BeliefBank

MODEL = AnswerModel(0.25)


@pytest.fixture
def bank() -> BeliefBank:
    """Six students who heard and saw a few things."""
    rng = np.random.default_rng(3)
    belief = Belief(rng.standard_normal((6, 3)), np.tile(np.eye(3), (6, 1, 1)))
    bank = BeliefBank.of(belief, np.zeros(6))
    for _ in range(4):
        x = rng.standard_normal(3)
        bank = bank.shown(x / np.linalg.norm(x), 0.5, attention=1.0, drift=0.0)
        bank = bank.heard(rng.standard_normal(3), np.sign(rng.standard_normal(6)), MODEL)
    return bank


def answers_of(rate: float, rng: np.random.Generator) -> BeliefBank:
    """Return the bank of 40 students of one rate who were shown and asked the same 30 times."""
    states = rng.standard_normal((40, 2))
    bank = BeliefBank.of(Belief(np.zeros((40, 2)), np.tile(np.eye(2), (40, 1, 1))), np.zeros(40))
    for turn in range(30):
        x = np.array([np.cos(turn), np.sin(turn)])
        states += (rate * (1.0 * x[0] - states @ x))[:, None] * x
        bank = bank.shown(x, 1.0 * x[0], attention=1.0, drift=0.0)
        item: Floats = np.array([np.sin(turn), -np.cos(turn)])
        bank = bank.heard(item, MODEL.drawn(states @ item, rng), MODEL)
    return bank


@pytest.mark.parametrize("true", [2, 5, 7])
def test_the_frequencies_of_rates_are_estimated_from_all_students(true: int) -> None:
    bank = answers_of(RATES[true], np.random.default_rng(5)).with_usual_rates(np.ones(40))
    usual = np.exp(bank.usual)
    assert usual.sum() == pytest.approx(1.0)
    assert abs(int(usual.argmax()) - true) <= 1
    assert usual[true - 1 : true + 2].sum() > 0.6


@pytest.mark.parametrize("own", [False, True])
def test_piece_by_piece_it_is_the_same(
    own: bool, bank: BeliefBank, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(8)
    x, y = (rng.standard_normal((6, 3)), rng.standard_normal(6)) if own else (np.ones(3), 0.5)
    answers = np.array([1.0, -1.0, 0.0, 1.0, 1.0, -1.0])

    def after() -> BeliefBank:
        return bank.shown(x, y, attention=0.9, drift=0.1).heard(x, answers, MODEL)

    whole = after()
    for size in (1, 200):  # one student at a time, and pieces of unequal length
        monkeypatch.setattr(beliefs, "PIECE", size)
        pieces = after()
        np.testing.assert_array_equal(pieces.means, whole.means)
        np.testing.assert_array_equal(pieces.covariances, whole.covariances)
        np.testing.assert_array_equal(pieces.evidence, whole.evidence)


def chances_of_being_right(right: Floats, kinds: Ints, *, heard: bool) -> Floats:
    """Follow real people, who have a coordinate for each class; nothing is fitted to them."""
    people, trials = right.shape
    units = np.eye(int(kinds.max()) + 1)
    model, spread = AnswerModel(1.0, guess=0.15, slip=0.03), 0.5 * units + 0.3
    belief = Belief(np.zeros((people, len(units))), np.tile(spread, (people, 1, 1)))
    bank, chance = BeliefBank.of(belief, np.zeros(people)), np.zeros(right.shape)
    for trial in range(trials):
        x = units[kinds[:, trial]]
        mean, variance, _ = scores(bank.means, bank.covariances, x[:, None])
        chance[:, trial] = np.vecdot(bank.weights, model.yes(mean / np.sqrt(1.0 + variance)))
        if heard:
            bank = bank.heard(x, 2.0 * right[:, trial] - 1.0, model)
        if trial < 20:
            bank = bank.shown(x, np.full(people, 1.5), attention=0.8, drift=0.2)
    return chance


def running_accuracy(right: Floats, kinds: Ints) -> Floats:
    """Return how often each was right on this class before, with one right and one wrong more."""
    won, seen = np.ones((len(right), 5)), np.full((len(right), 5), 2.0)
    chance, all_rows = np.zeros(right.shape), np.arange(len(right))
    for trial, kind in enumerate(kinds.T):
        chance[:, trial] = won[all_rows, kind] / seen[all_rows, kind]
        won[all_rows, kind] += right[:, trial]
        seen[all_rows, kind] += 1.0
    return chance


def test_real_learners_are_predicted_by_their_answers_not_by_the_examples_alone(
    people: tuple[Floats, Ints],
) -> None:
    """Log loss on test trials: heard, below the running accuracy; taught but not heard, above.

    With everything fitted, and beside other models: ``python -m benchmarks quiz``.
    """
    right, kinds = people

    def loss(chance: Floats) -> float:
        chosen = np.where(right > 0, chance, 1.0 - chance)[:, 20:]
        return float(-np.log(chosen).mean())

    usual = loss(running_accuracy(right, kinds))
    assert loss(chances_of_being_right(right, kinds, heard=True)) < usual - 0.005
    assert loss(chances_of_being_right(right, kinds, heard=False)) > usual + 0.05
