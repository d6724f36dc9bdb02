from typing import Any

import numpy as np
import pytest

from homeroom import (
    AsGiven,
    Classroom,
    ClassroomTeacher,
    EveryoneGoal,
    LangevinLearner,
    LargeClass,
    Lesson,
    MeanTeacher,
    NoisyStates,
    teach,
)
from homeroom.lessons.choose_engine import FEWEST, STUDENTS_A_DIMENSION, sketch_pays


@pytest.fixture(scope="module")
def many() -> Classroom:
    return Classroom.sample(students=FEWEST, dimensions=3, rates=(0.1, 0.5))


def test_a_large_class_is_sketched_and_the_record_states_it(many: Classroom) -> None:
    record, exact = teach(many), teach(many, engine="exact")
    assert (record.engine, exact.engine) == ("sketch", "exact")
    assert record.settings["nodes"] == 33
    assert record.rounds == exact.rounds
    np.testing.assert_allclose(record.errors, exact.errors, rtol=1e-8)
    np.testing.assert_allclose(record.final_states, exact.final_states, atol=1e-8)


def test_a_small_class_is_not(many: Classroom) -> None:
    assert teach(many.subset(np.arange(FEWEST - 1))).engine == "exact"
    wide = 1 + FEWEST // STUDENTS_A_DIMENSION
    assert not sketch_pays(Lesson(Classroom.sample(students=FEWEST, dimensions=wide)))


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
    assert not sketch_pays(Lesson(many, **settings))


def test_a_class_that_is_not_in_memory_can_only_be_sketched(many: Classroom) -> None:
    large = LargeClass.open((many.states, many.rates), target=many.target)
    assert sketch_pays(Lesson(large))


def test_any_length_of_examples_is_sketched(many: Classroom) -> None:
    assert teach(many, teacher=ClassroomTeacher("joint", safe=True)).engine == "sketch"
