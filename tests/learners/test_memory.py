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
from homeroom.learners import MixedLearner
from homeroom.learners.learners import take_step

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


def test_without_momentum_it_is_the_gradient_learner() -> None:
    np.testing.assert_allclose(
        teach(ROOM, learner=MomentumLearner(0.0)).errors, teach(ROOM).errors, rtol=1e-9
    )


@pytest.mark.parametrize("groups", ["whole", "by-rate", "individuals"])
def test_momentum_is_kept_in_every_kind_of_lesson(groups: str) -> None:
    plain, heavy = (
        teach(ROOM, learner=learner, groups=groups)
        for learner in ("gradient", "momentum:momentum=0.2")
    )
    assert heavy.stopped_because is plain.stopped_because
    assert heavy.rounds != plain.rounds


def test_a_lesson_with_memory_is_repeated_by_its_seed() -> None:
    learner = AttentionLearner(0.6, 0.7)
    once, again = (teach(ROOM, learner=learner, seed=3).errors for _ in range(2))
    np.testing.assert_array_equal(once, again)


def attended(
    learner: AttentionLearner, rounds: int
) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Return who attended in which round, shape ``(rounds, students)``."""
    room = Classroom.sample(students=2000, dimensions=1)
    rng, memory, states = np.random.default_rng(1), learner.begin(room), room.states
    rows = []
    for _ in range(rounds):
        step = take_step(
            learner,
            states,
            room.rates,
            np.ones(1),
            np.array(0.0),
            state_radius=np.inf,
            rng=rng,
            memory=memory,
        )
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


def test_a_student_who_does_not_attend_does_not_move() -> None:
    record = teach(ROOM, learner=AttentionLearner(0.5), goal=FAR, max_rounds=1)
    still = (record.final_states == ROOM.states).all(axis=1)
    assert 5 <= still.sum() <= 35


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
    with pytest.raises(ValueError, match="AttentionLearner declares no `step_noise`"):
        teach(ROOM, learner=AttentionLearner(0.6, 0.5), engine="sketch")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("momentum:momentum=1.0", "`momentum` must be below 1"),
        ("momentum:momentum=-0.1", "`momentum`"),
        ("attention:attention=0", "`attention`"),
        ("attention:attention=1.5", "`attention` must be at most 1"),
        ("attention:lasting=1", "`lasting` must be below 1"),
    ],
)
def test_settings_out_of_range_are_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        teach(ROOM, learner=text)


def test_a_lesson_with_memory_cannot_be_verified_if_it_is_random() -> None:
    with pytest.raises(ValueError, match="learn at random"):
        teach(ROOM, learner=AttentionLearner(), verify=True)
    record = teach(ROOM, learner=MomentumLearner(0.3), verify=True)
    assert record.verified is not None
    assert record.verified["error"] == pytest.approx(record.errors[-1])


def test_students_who_learn_differently_have_several_outputs() -> None:
    room = Classroom.sample(students=6, dimensions=3, outputs=2)
    learner = MixedLearner((GradientLearner(), MomentumLearner(0.0)))
    np.testing.assert_allclose(teach(room, learner=learner).errors, teach(room).errors)
