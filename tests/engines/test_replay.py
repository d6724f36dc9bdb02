"""Showing a whole lesson to the students at once."""

import numpy as np
import pytest

from homeroom import Classroom, Lesson
from homeroom.engines.replay import Verdict, replay, replay_class, verdict

XS = 0.5 * np.random.default_rng(0).standard_normal((30, 4))


@pytest.fixture(scope="module")
def room() -> Classroom:
    return Classroom.sample(students=300, dimensions=4, rates=(0.1, 0.9))


def test_a_replay_ends_where_the_rounds_end(room: Classroom) -> None:
    lesson = Lesson(room, engine="exact")
    while lesson.ask() is not None:
        lesson.tell()
    record = lesson.record()
    np.testing.assert_allclose(
        replay_class(room, record.examples.xs).states, record.final_states, atol=1e-12
    )


def test_verdicts_add_up(room: Classroom) -> None:
    gaps = replay(room.states, room.target, room.rates, XS)
    both, whole = verdict(gaps[:100]) + verdict(gaps[100:]), verdict(gaps)
    assert isinstance(both, Verdict)
    assert (both.students, both.farthest) == (whole.students, whole.farthest)
    assert both.error == pytest.approx(whole.error, rel=1e-12)
    assert whole.error == pytest.approx(float((gaps**2).sum(axis=1).mean()))
