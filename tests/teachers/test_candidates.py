from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from homeroom import (
    Classroom,
    GradientLearner,
    ItemPool,
    NoisyMoments,
    Observation,
    PoolTeacher,
    teach,
)
from homeroom.engines import ExactClass
from homeroom.learners import AbstractLoss, Hinge, Logistic, Squared
from homeroom.teachers import candidates


def look(room: Classroom, loss: AbstractLoss) -> Observation:
    return ExactClass(room, GradientLearner(loss), np.random.default_rng(0)).look()


LOSSES = [Squared(), Hinge(), Logistic(classes=2)]


@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("radius", [np.inf, 2.5])
def test_the_evaluated_distances_are_the_actual_ones(
    loss: AbstractLoss, radius: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Projection included, and whatever the size of the blocks."""
    room = Classroom.sample(students=150, dimensions=4, seed=1, state_radius=radius)
    seen, rng = look(room, loss), np.random.default_rng(0)
    xs = rng.uniform(-1.2, 1.2, (7, seen.width))
    learner = GradientLearner(loss)
    after = np.empty((150, 7))
    for column, x in enumerate(xs):
        step = learner.step(
            room.states, room.rates, x, seen.labels(x), state_radius=radius, rng=rng
        )
        after[:, column] = ((step.states - room.target) ** 2).sum(axis=1)
    for size in (candidates.BLOCK_BYTES, 1):
        monkeypatch.setattr(candidates, "BLOCK_BYTES", size)
        found = candidates.mean_distances(seen, xs, seen.labels(xs))
        np.testing.assert_allclose(found, after.mean(axis=0))
        best, distances = candidates.best_for_each(seen, xs, seen.labels(xs))
        np.testing.assert_allclose(distances, after.min(axis=1))
        np.testing.assert_allclose(after[np.arange(150), best], after.min(axis=1))
    own = candidates.own_distances(seen, xs[np.arange(150) % 7])
    np.testing.assert_allclose(own, after[np.arange(150), np.arange(150) % 7])


def test_the_best_length_is_found_or_the_given_one_is_kept() -> None:
    lengths = np.array([1.0, 1.0, 1.0, 1.0])
    best = np.array([1.3, 0.7, 5.0, 1.0])
    found = candidates.best_lengths(lambda tried: (tried - best) ** 2, lengths, longest=1.5)
    np.testing.assert_allclose(found, [1.3, 0.7, 1.5, 1.0], atol=1e-3)


@pytest.mark.parametrize(
    "settings",
    [
        {"learner": GradientLearner("logistic")},
        {"teacher": PoolTeacher(ItemPool(np.eye(3), labels=[1.0, 1.0, 1.0]))},
    ],
)
def test_noise_in_an_unused_matrix_is_refused(settings: dict[str, Any]) -> None:
    room = Classroom.sample(students=6, dimensions=3)
    with pytest.raises(ValueError, match=r"NoisyMoments adds noise to W, .* Use NoisyStates"):
        teach(room, observer=NoisyMoments(0.1), **settings)
