import pickle
from typing import Any

import numpy as np
import pytest

from homeroom import (
    AsGiven,
    Classroom,
    EveryoneGoal,
    LangevinLearner,
    Lesson,
    MeanTeacher,
    NoisyStates,
    teach,
)
from homeroom.engines.costs import FEWEST


@pytest.fixture(scope="module")
def many() -> Classroom:
    return Classroom.sample(students=FEWEST, dimensions=3, rates=(0.1, 0.5))


def test_a_large_class_is_sketched_and_the_record_states_it(many: Classroom) -> None:
    record, exact = teach(many), teach(many, engine="exact")
    assert (record.engine, exact.engine) == ("sketch", "exact")
    assert record.nodes == 33
    assert record.rounds == exact.rounds
    np.testing.assert_allclose(record.errors, exact.errors, rtol=1e-8)
    np.testing.assert_allclose(record.final_states, exact.final_states, atol=1e-8)


def test_a_small_class_is_not(many: Classroom) -> None:
    assert teach(many.subset(np.arange(FEWEST - 1))).engine == "exact"


@pytest.mark.parametrize(
    "settings",
    [
        {"learner": LangevinLearner(1e4)},
        {"goal": EveryoneGoal(0.5)},
        {"watch": [0]},
        {"observer": NoisyStates(0.1)},
        {"teacher": MeanTeacher()},
        {"groups": AsGiven([i % 2 for i in range(FEWEST)])},
    ],
    ids=str,
)
def test_lessons_that_a_sketch_would_change_use_the_exact_engine(
    many: Classroom, settings: dict[str, Any]
) -> None:
    assert Lesson(many, **settings).engine == "exact"


def test_auto_means_the_same_in_a_lesson_of_asking_and_telling(many: Classroom) -> None:
    """Both decide in one place; a sketch that receives states hands over to the exact engine."""
    lesson = Lesson(many)
    assert lesson.engine == teach(many).engine == "sketch"
    lesson.ask()
    lesson.tell(states=0.5 * np.asarray(many.states))
    record = lesson.record()
    np.testing.assert_allclose(record.errors[1], _error(many, 0.5), rtol=1e-9)


def _error(room: Classroom, share: float) -> float:
    gaps = share * np.asarray(room.states) - np.asarray(room.target)
    return float((gaps * gaps).sum(axis=1).mean())


def test_the_closed_form_gives_the_same_lessons_as_its_rounds() -> None:
    """Final states are computed when they are asked for, also from a copy of the record."""
    room = Classroom.sample(students=6, dimensions=3, example_radius=1.0)
    lesson = Lesson(room, groups="individuals")
    while lesson.ask() is not None:
        lesson.tell()
    stepped = lesson.record()
    straight = pickle.loads(pickle.dumps(teach(room, groups="individuals")))
    assert callable(straight.final)
    assert straight.transcript.rounds.tolist() == stepped.transcript.rounds.tolist()
    np.testing.assert_allclose(straight.final_states, stepped.final_states, atol=1e-12)
