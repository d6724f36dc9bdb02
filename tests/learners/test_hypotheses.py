"""Students who hold hypotheses: whom a contradiction moves, and where to."""

from __future__ import annotations

import math

import numpy as np
import pytest

from homeroom._arrays import Floats
from homeroom.classroom import Example
from homeroom.learners import HypothesisLearner
from homeroom.learners.hypotheses import HypothesisMemory

ALPHA, STUDENTS = 1.5, 20_000
HYPOTHESES = np.random.default_rng(5).standard_normal((5, 6))


def answer(hypothesis: Floats, x: Floats) -> int:
    """The sign of the score, or with several classes the one with the greatest score, from 1."""
    scores = hypothesis.reshape(-1, len(x)) @ x
    return int(np.argmax(scores)) + 1 if len(scores) > 1 else int(np.sign(scores[0]))


def chance(hypothesis: Floats, x: Floats, label: int) -> float:
    """``P(label | hypothesis, x)`` as it is published: a logistic function, or a softmax."""
    scores = [ALPHA * float(score) for score in hypothesis.reshape(-1, len(x)) @ x]
    if len(scores) == 1:
        return 1.0 / (1.0 + math.exp(-label * scores[0]))
    return math.exp(scores[label - 1]) / sum(map(math.exp, scores))


@pytest.mark.parametrize("classes", [None, 2, 3])
def test_a_mistaken_student_draws_a_hypothesis_with_the_published_chances(
    classes: int | None,
) -> None:
    """Students who were right stay; the others spread as the product over all mistakes so far."""
    rng, learner = np.random.default_rng(1), HypothesisLearner(ALPHA, classes=classes)
    held = np.arange(STUDENTS) % len(HYPOTHESES)
    memory = HypothesisMemory(HYPOTHESES, np.zeros((STUDENTS, len(HYPOTHESES))))
    weights, moved = np.ones(len(HYPOTHESES)), 0
    for _ in range(4):
        x = rng.standard_normal(6 // (classes or 1))
        label = answer(HYPOTHESES[-1], x)
        wrong = np.array([answer(one, x) != label for one in HYPOTHESES])
        chances = [chance(one, x, label) for one in HYPOTHESES]
        weights = weights * np.where(wrong, chances, 1.0)
        step = learner.step(
            HYPOTHESES[held], np.ones(STUDENTS), memory, Example(x, np.asarray(float(label))), rng
        )
        now = (step.states[:, None, :] == HYPOTHESES).all(axis=2).argmax(axis=1)
        mistaken = wrong[held]
        np.testing.assert_array_equal(now[~mistaken], held[~mistaken])
        if mistaken.any():
            expected = weights / weights.sum()
            shares = np.bincount(now[mistaken], minlength=len(HYPOTHESES)) / mistaken.sum()
            allowed = 5.0 * np.sqrt(expected * (1.0 - expected) / mistaken.sum())
            assert (np.abs(shares - expected) <= allowed).all()
        held, memory, moved = now, step.memory, moved + int(mistaken.sum())
    assert moved > 5_000
