"""The learner that remembers single items and forgets them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from homeroom import (
    AverageGoal,
    Classroom,
    GradientLearner,
    ItemMemoryLearner,
    ItemPool,
    PoolTeacher,
    teach,
)
from homeroom.classroom import Example
from homeroom.learners import item_features
from homeroom.testing import check_learner

RNG = np.random.default_rng


def followed(
    learner: ItemMemoryLearner, room: Classroom, xs: np.ndarray, ys: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return states and memory after examples, one after the other."""
    states, memory = np.asarray(room.states), learner.begin(room)
    for x, y in zip(xs, ys, strict=True):
        step = learner.step(states, room.rates, memory, Example(x, y), RNG(0))
        states, memory = step.states, step.memory
    return states, memory


def test_features_have_the_length_of_the_items_on_average() -> None:
    """Mean squared length 1 stays 1, whatever the weight of memory."""
    xs = RNG(0).standard_normal((9, 4))
    xs /= np.sqrt((xs**2).sum(axis=1).mean())
    for kappa in (0.0, 0.2, 1.0, math.inf):
        features = item_features(xs, kappa)
        assert features.shape == (9, 13)
        assert (features**2).sum(axis=1).mean() == pytest.approx(1.0)
    np.testing.assert_array_equal(item_features(9), item_features(xs, math.inf)[:, 4:])


def test_forgetting_follows_its_formula() -> None:
    """``rho = (1 + D / S)^-c`` since an item was last shown, student by student."""
    learner = ItemMemoryLearner(stability=100.0, exponent=0.7, seconds=40.0)
    room = Classroom(np.zeros((2, 3)), np.array([0.5, 0.2]), np.ones(3))
    eye = item_features(3)
    states, memory = followed(learner, room, eye[[0, 1, 2, 0]], np.ones(4))
    for student, rate in enumerate((0.5, 0.2)):
        left = rate * (1 + 120.0 / 100.0) ** -0.7  # a right answer after a gap: S doubles
        assert states[student, 0] == pytest.approx(left + rate * (1.0 - left))
        assert states[student, 1] == pytest.approx(rate * (1 + 80.0 / 100.0) ** -0.7)
        assert states[student, 2] == pytest.approx(rate * (1 + 40.0 / 100.0) ** -0.7)
    np.testing.assert_allclose(memory[0], [[0.0, 80.0, 40.0]] * 2)
    np.testing.assert_allclose(memory[1], [[200.0, 100.0, 100.0]] * 2)


def test_the_rule_and_unseen_items_do_not_fade() -> None:
    learner = ItemMemoryLearner(rule=2, stability=10.0, seconds=1e6)
    room = Classroom(np.ones((1, 5)), np.array([0.5]), np.ones(5))
    x = np.array([0.0, 0.0, 1.0, 0.0, 0.0])
    states, _ = followed(learner, room, np.stack([x, x]), np.ones(2))
    np.testing.assert_allclose(states[0, [0, 1, 3, 4]], 1.0)
    assert states[0, 2] < 0.6


def test_without_forgetting_it_is_the_gradient_learner_on_these_features() -> None:
    xs = item_features(RNG(1).standard_normal((8, 3)), 0.5)
    target = RNG(2).standard_normal(8) @ xs
    room = Classroom(np.zeros((20, 11)), np.linspace(0.05, 0.2, 20), target)
    ours, plain = (
        teach(
            room,
            learner=learner,
            max_rounds=30,
            teacher=PoolTeacher(ItemPool(xs)),
            goal=AverageGoal(1e-9),
        )
        for learner in (ItemMemoryLearner(rule=3, seconds=0.0), GradientLearner())
    )
    np.testing.assert_allclose(ours.errors, plain.errors, rtol=1e-9)


@pytest.mark.parametrize(
    "learner",
    [
        ItemMemoryLearner(),
        ItemMemoryLearner(rule=3),
        ItemMemoryLearner(loss="logistic"),
        ItemMemoryLearner(rule=1, loss="logistic", classes=2),
    ],
    ids=["facts", "rule", "logistic", "classes"],
)
def test_it_keeps_the_rules_of_learners(learner: ItemMemoryLearner) -> None:
    check_learner(learner)
