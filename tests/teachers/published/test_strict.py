"""STRICT equals brute-force greedy on tiny hypothesis sets."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from homeroom import (
    Classroom,
    ExactObserver,
    GradientLearner,
    ItemPool,
    NoisyStates,
    Observation,
    RandomTeacher,
    teach,
)
from homeroom._arrays import Floats
from homeroom.learners import HypothesisLearner
from homeroom.observers import AbstractObserver, Outcome
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


class Noted(AbstractObserver):
    """Another observer, with a note of the states that it observed in each round."""

    def __init__(self, inner: AbstractObserver) -> None:
        self.inner, self.states = inner, list[Floats]()

    def begin(self, room: Classroom) -> Any:
        return self.inner.begin(room)

    def observe(self, truth: Observation, memory: Any, rng: np.random.Generator) -> Observation:
        seen = self.inner.observe(truth, memory, rng)
        self.states.append(np.asarray(seen.states))
        return seen

    def remember(self, memory: Any, outcome: Outcome) -> Any:
        return self.inner.remember(memory, outcome)


@pytest.mark.parametrize("observer", [ExactObserver(), NoisyStates(0.5)], ids=["exact", "noisy"])
@pytest.mark.parametrize("block", range(10))
def test_it_equals_brute_force_greedy_on_tiny_hypothesis_sets(
    block: int, observer: AbstractObserver
) -> None:
    """Ten sets in each of ten blocks; the hypotheses are the states as they are observed first."""
    for seed in range(10 * block, 10 * block + 10):
        rng = np.random.default_rng(seed)
        hypotheses, target = rng.standard_normal((5, 2)), rng.standard_normal(2)
        items, noted = rng.standard_normal((7, 2)) * 0.6, Noted(observer)
        record = teach(
            Classroom(hypotheses, np.full(5, 0.1), target),
            teacher=StrictTeacher(ItemPool(items)),
            learner=GradientLearner("logistic"),
            observer=noted,
            max_rounds=5,
            goal="average:eps=1e-9",
            seed=seed,
        )
        assert np.allclose(noted.states[0], hypotheses) is isinstance(observer, ExactObserver)
        assert record.examples.items.tolist() == brute_force(noted.states[0], target, items, 5)


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
