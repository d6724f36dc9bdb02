"""Who answers, and who only clicks."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from homeroom.observers.quizzing.guessing import (
    class_evidence,
    clicking_evidence,
    flagged,
    hasty,
    honesty_of,
    pressing_odds,
)


def test_clicking_is_an_unknown_constant_rate() -> None:
    """``integral of p^yes (1 - p)^no`` is ``yes! no! / (yes + no + 1)!``."""
    answers = np.array([[1.0, 1.0, -1.0, 0.0], [-1.0, -1.0, -1.0, -1.0], [0.0, 0.0, 0.0, 0.0]])
    expected = [
        math.factorial(2) * math.factorial(1) / math.factorial(4),
        math.factorial(4) / math.factorial(5),
        1.0,
    ]
    np.testing.assert_allclose(np.exp(clicking_evidence(answers)), expected)


@pytest.mark.parametrize("options", [(3, 3, 3), (2, 5, 3), (2, 2, 4)])
def test_pressing_a_button_is_a_distribution_over_all_answers(options: tuple[int, ...]) -> None:
    """Also where items differ in their answers, and some do not have the button."""
    every = np.array(list(product(*(range(1, many + 1) for many in options))), dtype=float)
    chances = np.exp(clicking_evidence(every, np.array(options)))
    assert chances.sum() == pytest.approx(1.0)


def test_a_student_without_answers_is_trusted() -> None:
    np.testing.assert_allclose(honesty_of(np.zeros(50), np.zeros((50, 3))), 0.95, atol=1e-6)


def test_a_student_better_explained_by_clicking_is_not_trusted() -> None:
    answers = np.tile([1.0, -1.0], (4, 10))
    clicking = clicking_evidence(answers)
    honest = honesty_of(clicking + np.array([10.0, 10.0, 10.0, -10.0]), answers)
    assert (honest[:3] > 0.99).all()
    assert honest[3] < 0.01


def test_the_class_may_answer_or_click() -> None:
    answers = np.ones((2, 6))
    clicking = clicking_evidence(answers)
    evidence = class_evidence(np.array([-2.0, -900.0]), answers)
    expected = math.log(0.95 * math.exp(-2.0) + 0.05 * math.exp(clicking[0]))
    assert evidence == pytest.approx(expected + math.log(0.05) + clicking[1])


def test_a_beginner_who_guesses_is_not_suspected() -> None:
    """Of 2000 students who flip coins, at most 0.5 % are flagged after 18 answers."""
    answers = np.random.default_rng(0).choice([-1.0, 1.0], (2000, 18))
    odds = pressing_odds(np.full(2000, -30.0), answers)
    assert flagged(odds, answers).mean() < 0.005


def test_a_student_who_presses_one_button_is_flagged_after_twelve_answers() -> None:
    answers = np.random.default_rng(1).choice([-1.0, 1.0], (30, 12))
    answers[0], answers[1, :11] = 1.0, 1.0
    odds = pressing_odds(np.full(30, -8.0), answers)
    assert flagged(odds, answers)[0]
    assert not flagged(odds[:, ...], np.where(np.arange(12) < 11, answers, 0.0))[0]


def test_a_student_who_answers_like_the_class_is_not_suspected() -> None:
    """Fifteen of sixteen right answers are yes, and all say so."""
    right = np.where(np.arange(16) == 3, -1.0, 1.0)
    answers = np.tile(right, (20, 1))
    assert not flagged(pressing_odds(np.full(20, -99.0), answers), answers).any()


def test_hasty_answers_need_a_class_to_compare_with() -> None:
    assert not hasty(np.full((3, 20), np.nan)).any()
