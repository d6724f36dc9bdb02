"""Ridge regression from scratch, and steps like people's by their formula."""

from __future__ import annotations

import math

import numpy as np
import pytest

from homeroom import AverageGoal, Classroom, ItemPool, RandomTeacher, teach
from homeroom.classroom import Example
from homeroom.learners import ForgettingLearner, PeopleLearner, RidgeLearner

ITEMS = np.random.default_rng(4).standard_normal((12, 2)) * 0.4
NEVER = AverageGoal(1e-12)


@pytest.mark.parametrize(
    ("loss", "classes", "outputs"),
    [("squared", None, 1), ("squared", None, 3), ("logistic", None, 1), ("logistic", 3, 3)],
)
def test_states_are_those_of_a_ridge_regression_from_scratch(
    loss: str, classes: int | None, outputs: int
) -> None:
    """``(X'X + I / rate) w = X'y + w_0 / rate``; labels of classes are numbers around zero."""
    rng = np.random.default_rng(2)
    states, target = rng.standard_normal((4, outputs, 2)), rng.standard_normal((outputs, 2))
    flat = outputs == 1 or classes is not None
    room = Classroom(
        states.reshape(4, -1) if flat else states,
        rng.uniform(0.2, 2.0, 4),
        target.ravel() if flat else target,
    )
    record = teach(
        room,
        teacher=RandomTeacher(ItemPool(ITEMS)),
        learner=RidgeLearner(loss, classes, margin=1.5),
        goal=NEVER,
        max_rounds=7,
    )
    xs, ys = record.examples.xs, np.asarray(record.examples.ys)
    if classes is not None:
        numbers = 1.5 * ((ys[:, None] == np.arange(1, classes + 1)) - 1.0 / classes)
    else:
        numbers = ys.reshape(len(xs), outputs) * (1.5 if loss == "logistic" else 1.0)
    for student, rate in enumerate(np.asarray(room.rates)):
        left = xs.T @ xs + np.eye(2) / rate
        fitted = np.linalg.solve(left, xs.T @ numbers + states[student].T / rate).T
        found = np.asarray(record.final_states)[student].reshape(outputs, 2)
        np.testing.assert_allclose(found, fitted, atol=1e-10)


def test_people_step_towards_a_margin_drift_and_miss_examples() -> None:
    students, rate, x = 20_000, 0.3, np.array([0.8, -0.5])
    learner = PeopleLearner(margin=2.0, lapse=0.2, drift=0.1)
    start = np.tile([0.4, 1.0], (students, 1))
    step = learner.step(
        start, np.full(students, rate), None, Example(x, np.asarray(-1.0)), np.random.default_rng(0)
    )
    move = -rate * (start[0] @ x - 2.0 * -1.0) * x
    attended = np.asarray(step.rates) > 0.0
    assert attended.mean() == pytest.approx(0.8, abs=5 * math.sqrt(0.16 / students))
    for who, expected in ((attended, start[0] + move), (~attended, start[0])):
        error = 0.1 / math.sqrt(who.sum())
        np.testing.assert_allclose(step.states[who].mean(axis=0), expected, atol=5 * error)
        np.testing.assert_allclose(step.states[who].std(axis=0), 0.1, rtol=5 / math.sqrt(who.sum()))


@pytest.mark.parametrize("outputs", [1, 2])
def test_what_is_not_shown_again_fades_by_the_power_law(outputs: int) -> None:
    """Two facts, learned at once: the first is left with ``(1 + D / S)^-c`` after D rounds."""
    target = np.ones((outputs, 2)) if outputs > 1 else np.ones(2)
    room = Classroom(np.zeros((1, *target.shape)), [1.0], target)
    learner = ForgettingLearner(strength=3.0, exponent=0.7)
    first, second = np.eye(2)
    states, memory = room.flat.states, learner.begin(room.flat)
    for x in (first, second, second, second):
        label = np.asarray(target @ x)
        taken = learner.step(
            states, room.rates, memory, Example(x, label), np.random.default_rng(0)
        )
        states, memory = taken.states, taken.memory
    left = np.asarray(states).reshape(outputs, 2)[:, 0]
    np.testing.assert_allclose(left, (1.0 + 3.0 / 3.0) ** -0.7)
