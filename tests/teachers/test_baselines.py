from __future__ import annotations

import numpy as np
import pytest

from homeroom import (
    Classroom,
    DirectionPool,
    Individuals,
    MeanTeacher,
    RandomTeacher,
    StoppedBecause,
    teach,
)


def test_the_mean_teacher_does_not_help_students_with_opposite_gaps() -> None:
    room = Classroom([[1.0, 0.0], [-1.0, 0.0]], rates=[0.5, 0.5], target=[0.0, 0.0])
    record = teach(room, teacher=MeanTeacher())
    assert record.stopped_because is StoppedBecause.STUCK
    assert record.rounds == 0
    assert teach(room).stopped_because is StoppedBecause.GOAL


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_mean_teacher_stops_when_the_mean_is_right(dtype: str) -> None:
    room = Classroom.sample(students=40, dimensions=4)
    same = Classroom(*(np.asarray(a, dtype) for a in (room.states, room.rates, room.target)))
    record = teach(same, teacher=MeanTeacher(), max_rounds=3000)
    assert record.stopped_because is StoppedBecause.STUCK
    mean = (record.final_states - same.target).mean(axis=0)
    assert np.linalg.norm(mean) < (1e-6 if dtype == "float64" else 1e-2)
    assert record.errors[-1] > 1.0


@pytest.mark.parametrize("pool", [None, DirectionPool(np.eye(3))], ids=["ball", "directions"])
def test_random_examples_have_the_static_length(pool: DirectionPool | None) -> None:
    room = Classroom.sample(students=5, dimensions=3, rates=(0.3, 0.9))
    teacher = RandomTeacher() if pool is None else RandomTeacher(pool)
    lengths = np.linalg.norm(teach(room, teacher=teacher, max_rounds=9).examples.xs, axis=1)
    np.testing.assert_allclose(lengths, 1 / np.sqrt(room.rates.max()))
    alone = teach(room, teacher=teacher, groups=Individuals(), max_rounds=9).examples
    lengths = np.linalg.norm(alone.xs, axis=1)
    np.testing.assert_allclose(lengths, 1 / np.sqrt(room.rates[alone.groups]))
