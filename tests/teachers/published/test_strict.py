"""STRICT equals brute-force greedy on tiny hypothesis sets."""

from __future__ import annotations

import math

import numpy as np
import pytest

from homeroom import Ball, Classroom, GradientLearner, ItemPool, RandomTeacher, teach
from homeroom._arrays import Floats
from homeroom.learners import HypothesisLearner
from homeroom.teachers.published import StrictTeacher


def brute_force(hypotheses: Floats, target: Floats, items: Floats, rounds: int) -> list[int]:
    """Greedy teaching as the paper writes it: sums over hypotheses, one at a time."""
    labels = [1 if item @ target >= 0 else -1 for item in items]
    shown: list[int] = []

    def wrong(h: Floats, item: int) -> bool:
        return bool((items[item] @ h) * labels[item] <= 0)

    def value(examples: list[int]) -> float:
        total = 0.0
        for h in hypotheses:
            error = sum(wrong(h, item) for item in range(len(items))) / len(items)
            weight = 1.0
            for item in examples:
                if wrong(h, item):
                    weight *= 1.0 / (1.0 + math.exp(-2.0 * labels[item] * float(items[item] @ h)))
            total += (1.0 - weight) * error
        return total

    for _ in range(rounds):
        values = [value([*shown, item]) for item in range(len(items))]
        shown.append(max(range(len(items)), key=lambda item: values[item]))
    return shown


@pytest.mark.parametrize("block", range(10))
def test_it_equals_brute_force_greedy_on_tiny_hypothesis_sets(block: int) -> None:
    """Ten sets in each of ten blocks."""
    for seed in range(10 * block, 10 * block + 10):
        rng = np.random.default_rng(seed)
        hypotheses, target = rng.standard_normal((5, 2)), rng.standard_normal(2)
        items = rng.standard_normal((7, 2)) * 0.6
        room = Classroom(hypotheses, np.full(5, 0.1), target)
        record = teach(
            room,
            teacher=StrictTeacher(ItemPool(items)),
            learner=GradientLearner("logistic"),
            max_rounds=5,
            goal="average:eps=1e-9",
        )
        assert record.examples.items.tolist() == brute_force(hypotheses, target, items, 5)


def test_it_teaches_the_students_it_assumes_faster_than_random() -> None:
    room = Classroom.sample(students=20, dimensions=3, seed=1)
    pool = ItemPool(np.random.default_rng(0).standard_normal((30, 3)) * 0.6)
    learner, goal = HypothesisLearner(), "average:eps=0.2"
    strict = [
        teach(room, teacher=StrictTeacher(pool), learner=learner, goal=goal, seed=s).rounds
        for s in range(5)
    ]
    at_random = [
        teach(room, teacher=RandomTeacher(pool), learner=learner, goal=goal, seed=s).rounds
        for s in range(5)
    ]
    assert np.mean(strict) < np.mean(at_random)


def test_hypotheses_of_your_own_and_several_classes() -> None:
    rng = np.random.default_rng(0)
    room = Classroom(rng.standard_normal((4, 6)), np.full(4, 0.2), rng.standard_normal(6))
    pool = ItemPool(0.5 * rng.standard_normal((9, 2)))
    learner = GradientLearner("logistic", classes=3)
    teacher = StrictTeacher(pool, hypotheses=rng.standard_normal((12, 6)))
    record = teach(room, teacher=teacher, learner=learner, max_rounds=6, goal="average:eps=1e-9")
    assert len(set(record.examples.items.tolist())) > 1


def test_the_ball_cannot_be_listed() -> None:
    room = Classroom.sample(students=3, dimensions=2)
    with pytest.raises(ValueError, match="StrictTeacher compares the items of a pool, but Ball"):
        teach(room, teacher=StrictTeacher(Ball()))
