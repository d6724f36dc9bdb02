"""Each student's gradient."""

from typing import Any

import array_api_strict as strict
import numpy as np
import pytest

from homeroom._arrays import to_numpy
from homeroom.learners import Absolute, AbstractLoss, Hinge, Logistic, Squared
from homeroom.learners.base import gradients

LOSSES = [Squared(), Absolute(), Logistic(), Hinge(), Logistic(classes=3), Hinge(classes=3)]


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("xp", [np, strict])
def test_gradients_are_the_slopes_times_the_example(loss: AbstractLoss, xp: Any) -> None:
    """d loss(<w_k, x>) / d w_k = slope_k x, a student at a time."""
    rng = np.random.default_rng(0)
    states, x = rng.standard_normal((5, 4 * loss.outputs)), rng.standard_normal(4)
    label = 2.0 if loss.outputs > 1 else -1.0
    expected = []
    for state in states:
        scores = state.reshape(loss.outputs, 4) @ x
        slopes = loss.slopes(scores if loss.outputs == 1 else scores[None], np.array(label))
        expected.append(np.outer(slopes, x).reshape(-1))
    found = gradients(xp.asarray(states), xp.asarray(x), xp.asarray(label), loss)
    np.testing.assert_allclose(to_numpy(found), expected, atol=1e-14)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("xp", [np, strict])
def test_an_example_for_each_student_is_one_student_at_a_time(loss: AbstractLoss, xp: Any) -> None:
    rng = np.random.default_rng(1)
    states, xs = rng.standard_normal((5, 4 * loss.outputs)), rng.standard_normal((5, 4))
    ys = np.array([1.0, 2, 3, 1, 2]) if loss.outputs > 1 else np.array([1.0, -1, 1, 1, -1])
    found = to_numpy(gradients(xp.asarray(states), xp.asarray(xs), xp.asarray(ys), loss))
    for j in range(5):
        alone = gradients(states[j : j + 1], xs[j], ys[j], loss)
        np.testing.assert_allclose(found[j], alone[0], atol=1e-14)
