"""Learners with a memory: momentum, and attention that lasts."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom import (
    AttentionLearner,
    AverageGoal,
    Classroom,
    GradientLearner,
    MomentumLearner,
    teach,
)
from homeroom.classroom import Example
from homeroom.learners import MixedLearner
from tests.bad_input import refuse

ROOM = Classroom.sample(students=40, dimensions=3, rates=(0.1, 0.4), example_radius=1.0)
FAR = AverageGoal(1e-9)


def test_momentum_follows_its_formula() -> None:
    """``v <- m v - rate <e, x> x``, ``w <- w + v``, students one by one."""
    record = teach(ROOM, learner=MomentumLearner(0.5), goal=FAR, max_rounds=6)
    xs = record.examples.xs
    for student in (0, 17):
        gap = np.asarray(ROOM.states[student] - ROOM.target)
        rate, velocity = float(ROOM.rates[student]), np.zeros(3)
        for x in xs:
            velocity = 0.5 * velocity - rate * (gap @ x) * x
            gap = gap + velocity
        np.testing.assert_allclose(record.final_states[student] - ROOM.target, gap, atol=1e-12)


def attended(
    learner: AttentionLearner, rounds: int
) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Return who attended in which round, shape ``(rounds, students)``."""
    room = Classroom.sample(students=2000, dimensions=1)
    rng, memory, states = np.random.default_rng(1), learner.begin(room), room.states
    rows = []
    for _ in range(rounds):
        step = learner.step(states, room.rates, memory, Example(np.ones(1), np.array(0.0)), rng)
        memory = step.memory
        rows.append(np.asarray(step.rates) > 0)
    return np.array(rows)


@pytest.mark.parametrize("lasting", [0.0, 0.6])
def test_the_share_that_attends_is_the_same_in_every_round(lasting: float) -> None:
    """Within 4.5 standard errors of 2000 draws."""
    share = attended(AttentionLearner(0.7, lasting), rounds=8).mean(axis=1)
    assert np.abs(share - 0.7).max() <= 4.5 * np.sqrt(0.7 * 0.3 / 2000)


def test_attention_lasts_as_long_as_stated() -> None:
    """The correlation of two neighbouring rounds is ``lasting``, within 4.5 standard errors."""
    rows = attended(AttentionLearner(0.7, 0.6), rounds=8).astype(float)
    pairs = np.corrcoef(rows[:-1].ravel(), rows[1:].ravel())[0, 1]
    assert abs(pairs - 0.6) <= 4.5 / np.sqrt(rows[1:].size)


def test_a_sketch_of_students_who_do_not_always_attend_is_their_mean() -> None:
    """Within 5 standard errors of 80 lessons with the same examples' rule."""
    sketched = teach(
        ROOM, learner=AttentionLearner(0.6), goal=FAR, engine="sketch", max_rounds=1
    ).errors
    drawn = [
        teach(ROOM, learner=AttentionLearner(0.6), goal=FAR, max_rounds=1, seed=seed).errors
        for seed in range(80)
    ]
    mean, error = np.mean(drawn, axis=0), np.std(drawn, axis=0) / np.sqrt(80)
    assert (np.abs(sketched - mean) <= 5 * error + 1e-12).all()


def test_lasting_attention_is_not_sketched() -> None:
    refuse(lambda: teach(ROOM, learner=AttentionLearner(0.6, 0.5), engine="sketch"), "`noise`")


def test_a_lesson_of_students_who_learn_at_random_is_verified_from_their_states() -> None:
    refuse(
        lambda: teach(ROOM, learner=AttentionLearner(), verify=True, engine="sketch"), "`verify`"
    )
    exact = teach(ROOM, learner=AttentionLearner(), verify=True)
    assert exact.verified is not None
    assert exact.verified["error"] == pytest.approx(exact.errors[-1])
    record = teach(ROOM, learner=MomentumLearner(0.3), verify=True)
    assert record.verified is not None
    assert record.verified["error"] == pytest.approx(record.errors[-1])


def test_students_who_learn_differently_have_several_outputs() -> None:
    room = Classroom.sample(students=6, dimensions=3, outputs=2)
    learner = MixedLearner((GradientLearner(), MomentumLearner(0.0)))
    np.testing.assert_allclose(teach(room, learner=learner).errors, teach(room).errors)
