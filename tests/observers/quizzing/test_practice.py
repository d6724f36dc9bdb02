"""Item difficulty and practice counts."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit

from homeroom.observers.quizzing.practice import Practice, item_difficulty


def _answers(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return scores, items and marks of 600 answers to items that differ."""
    item = rng.integers(0, 6, 600)
    score = rng.standard_normal(600)
    easy = np.array([-2.0, -1.0, 0.0, 0.5, 1.0, 2.0])
    return score, item, rng.random(600) < expit(score + easy[item])


def test_newton_steps_reach_the_maximum_of_the_posterior() -> None:
    score, item, right = _answers(np.random.default_rng(0))
    easy = np.zeros(6)
    for _ in range(4):
        chance = expit(score + easy[item])
        easy = item_difficulty(right - chance, chance * (1 - chance), item, 1.5, easy).easy

    def loss(values: np.ndarray) -> float:
        sign = np.where(right, 1.0, -1.0)
        return float(-log_expit(sign * (score + values[item])).sum() + (values**2).sum() / 4.5)

    assert np.abs(easy - minimize(loss, np.zeros(6)).x).max() < 1e-3


def test_an_answer_is_left_out_of_the_difficulty_that_predicts_it() -> None:
    """Leaving out an answer gives nearly what a fit without it gives."""
    score, item, right = _answers(np.random.default_rng(1))

    def fitted(keep: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        easy = np.zeros(6)
        for _ in range(4):
            chance = expit(score + easy[item])
            slopes, bends = keep * (right - chance), keep * chance * (1 - chance)
            easy, others = item_difficulty(slopes, bends, item, 1.5, easy)
        return easy, others

    others = fitted(np.ones(600))[1]
    for answer in (0, 77, 321):
        keep = np.ones(600)
        keep[answer] = 0.0
        assert abs(fitted(keep)[0][item[answer]] - others[answer]) < 5e-3


def test_items_without_answers_are_as_expected() -> None:
    found = item_difficulty(np.zeros(2), np.zeros(2), np.array([0, 0]), 0.5, np.zeros(3))
    assert not found.easy.any()


def test_practice_counts_answers_to_the_skill_only() -> None:
    practice = Practice.none(3, 2).after(np.array([0, 1, 0]), np.array([1.0, -1.0, 0.0]))
    assert practice.right.tolist() == [[1, 0], [0, 0], [0, 0]]
    assert practice.wrong.tolist() == [[0, 0], [0, 1], [0, 0]]
    assert practice.score(0, 1.0, 0.5).round(3).tolist() == [0.693, 0.0, 0.0]


def test_practice_before_is_not_changed() -> None:
    before = Practice.none(1, 1)
    before.after(0, np.ones(1))
    assert not before.right.any()
