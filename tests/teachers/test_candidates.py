from __future__ import annotations

import math
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest

from homeroom import (
    GradientLearner,
    Observation,
)
from homeroom._arrays import to_numpy
from homeroom.classroom import Example, project
from homeroom.learners import Absolute, AbstractLoss, Hinge, Logistic, OwnLoss, Squared
from homeroom.teachers import candidates

LOSSES = [
    Squared(),
    Absolute(),
    Logistic(),
    Hinge(),
    Logistic(classes=3),
    Hinge(classes=3),
    OwnLoss(lambda scores, labels: (scores - labels) ** 3),
]


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
    ys = (
        rng.integers(1, 4, examples) if loss.outputs > 1 else rng.choice([-1.0, 1.0], examples)
    ).astype(float)
    expected, moved = np.zeros((students, examples)), 0
    for j in range(students):
        for i in range(examples):
            step = GradientLearner(loss).step(
                states[j : j + 1], rates[j : j + 1], None, Example(xs[i], ys[i]), rng
            )
            inside = project(step.states, radius)
            expected[j, i] = ((inside[0] - target) ** 2).sum()
            moved += math.isclose(np.linalg.norm(inside), radius)
    assert (moved > 0) == math.isfinite(radius)
    gaps = xp.asarray(states - target)
    seen = Observation(target, 2.0, radius, loss, gaps, xp.asarray(rates), outputs=loss.outputs)
    found = candidates.distances_after(seen, xs, ys)
    assert found.shape == (students, examples)
    np.testing.assert_allclose(to_numpy(found), expected, rtol=1e-10, atol=1e-12)
