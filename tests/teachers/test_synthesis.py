from __future__ import annotations

import numpy as np
import pytest

from homeroom import Classroom, GradientLearner, Observation
from homeroom._arrays import Floats
from homeroom.engines import ExactClass
from homeroom.learners import AbstractLoss, Hinge, Logistic, Squared
from homeroom.pools import Ball
from homeroom.teachers.candidates import mean_distances
from homeroom.teachers.pool import GreedyRule
from homeroom.teachers.synthesis import synthesise


def look(room: Classroom, loss: AbstractLoss) -> Observation:
    return ExactClass(room, GradientLearner(loss), np.random.default_rng(0)).look()


def test_under_the_squared_loss_the_search_finds_what_the_closed_form_gives() -> None:
    """The joint magnitude is the best length of the best direction, up to a local optimum."""
    for seed in range(5):
        room = Classroom.sample(students=9, dimensions=4, rates=(0.2, 0.9), seed=seed)
        seen = look(room, Squared())
        example = synthesise(seen, np.random.default_rng(seed))
        assert example is not None
        students = ExactClass(room, GradientLearner(), np.random.default_rng(0))
        students.learn(example)
        closed = GreedyRule(Ball(), "joint").pick(seen).help
        assert room.error - students.error >= closed * (1 - 1e-6)


@pytest.mark.parametrize("dimensions", [3, 25])
def test_the_search_has_the_stated_cost(dimensions: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """300 + 96 (d + 12) evaluations, the ends of six descents, and the mirror of the best."""
    counted: list[int] = []

    def count(seen: Observation, xs: Floats, ys: Floats) -> Floats:
        counted.append(len(xs))
        return mean_distances(seen, xs, ys)

    monkeypatch.setattr("homeroom.teachers.synthesis.mean_distances", count)
    room = Classroom.sample(students=20, dimensions=dimensions)
    assert synthesise(look(room, Logistic()), np.random.default_rng(0)) is not None
    assert sum(counted) == 300 + 96 * (dimensions + 12) + 6 + 1


def test_a_class_that_no_example_helps_gets_none() -> None:
    """Under the hinge loss a student at the target is pushed by anything with a small margin."""
    room = Classroom([[0.6, 0.8]], rates=[0.5], target=[0.6, 0.8])
    assert synthesise(look(room, Hinge()), np.random.default_rng(0)) is None
