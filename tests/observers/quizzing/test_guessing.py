"""Who answers, and who only clicks."""

from __future__ import annotations

import math

import numpy as np
import pytest

from homeroom.observers.quizzing.guessing import class_evidence, clicking_evidence, honesty_of


def test_clicking_is_an_unknown_constant_rate() -> None:
    """``integral of p^yes (1 - p)^no`` is ``yes! no! / (yes + no + 1)!``."""
    answers = np.array([[1.0, 1.0, -1.0, 0.0], [-1.0, -1.0, -1.0, -1.0], [0.0, 0.0, 0.0, 0.0]])
    expected = [
        math.factorial(2) * math.factorial(1) / math.factorial(4),
        math.factorial(4) / math.factorial(5),
        1.0,
    ]
    np.testing.assert_allclose(np.exp(clicking_evidence(answers)), expected)


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
