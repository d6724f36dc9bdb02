"""Predicted distances, compared with students who took the step."""

import math
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest

from homeroom import GradientLearner
from homeroom._arrays import to_numpy
from homeroom.learners import Absolute, AbstractLoss, Hinge, Logistic, OwnLoss, Squared
from homeroom.teachers.candidates import distances_after

LOSSES = [Squared(), Absolute(), Logistic(), Hinge(), Logistic(classes=3), Hinge(classes=3),
          OwnLoss(lambda scores, labels: (scores - labels) ** 3)]  # fmt: skip


@pytest.mark.parametrize("xp", [np, strict])
@pytest.mark.parametrize("radius", [math.inf, 1.5, 0.7])
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: repr(loss)[:20])
def test_distances_are_those_of_students_who_took_the_step(
    loss: AbstractLoss, radius: float, xp: Any
) -> None:
    """|Proj(w - eta dloss/dw) - w*|^2, each student and each example by itself."""
    rng = np.random.default_rng(0)
    students, examples, width = 6, 5, 2
    states = rng.standard_normal((students, width * loss.outputs))
    states *= np.minimum(1.0, radius / np.linalg.norm(states, axis=1))[:, None]
    rates, target = 0.2 + rng.random(students), 0.2 * rng.standard_normal(width * loss.outputs)
    xs = 2 * rng.standard_normal((examples, width))
    ys = (rng.integers(1, 4, examples) if loss.outputs > 1 else
          rng.choice([-1.0, 1.0], examples)).astype(float)  # fmt: skip
    expected, moved = np.zeros((students, examples)), 0
    for j in range(students):
        for i in range(examples):
            step = GradientLearner(loss).step(states[j : j + 1], rates[j : j + 1], xs[i], ys[i],
                                              state_radius=radius, rng=rng)  # fmt: skip
            expected[j, i] = ((step.states[0] - target) ** 2).sum()
            moved += math.isclose(np.linalg.norm(step.states), radius)
    assert (moved > 0) == math.isfinite(radius)
    found = distances_after(xp.asarray(states), xp.asarray(rates), target=target, xs=xs, ys=ys,
                            loss=loss, state_radius=radius)  # fmt: skip
    assert found.shape == (students, examples)
    np.testing.assert_allclose(to_numpy(found), expected, rtol=1e-10, atol=1e-12)


def test_single_precision_stays_single() -> None:
    found = distances_after(np.ones((2, 3), np.float32), np.ones(2, np.float32),
                            target=np.zeros(3), xs=np.eye(3), ys=np.zeros(3), loss=Squared(),
                            state_radius=2.0)  # fmt: skip
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, np.full((2, 3), 2.0))
