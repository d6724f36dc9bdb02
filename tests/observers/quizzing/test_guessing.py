"""Who answers, and who only clicks."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from homeroom.observers.quizzing.guessing import (
    clicking_evidence,
    flagged,
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


def test_a_student_who_presses_one_button_is_flagged_after_twelve_answers() -> None:
    answers = np.random.default_rng(1).choice([-1.0, 1.0], (30, 12))
    answers[0], answers[1, :11] = 1.0, 1.0
    odds = pressing_odds(np.full(30, -8.0), answers)
    assert flagged(odds, answers)[0]
    assert not flagged(odds[:, ...], np.where(np.arange(12) < 11, answers, 0.0))[0]
