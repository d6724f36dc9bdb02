import pickle
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
    NoisyMoments,
    NoisyStates,
    teach,
)
from homeroom.lessons import strategies
from homeroom.lessons.strategies import FEWEST, STUDENTS_PER_DIMENSION, strategy_for


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
    wide = 1 + FEWEST // STUDENTS_PER_DIMENSION
    assert Lesson(Classroom.sample(students=FEWEST, dimensions=wide)).engine == "exact"


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


def test_a_class_that_is_not_in_memory_can_only_be_sketched(many: Classroom) -> None:
    large = LargeClass.open((many.states, many.rates), target=many.target)
    assert Lesson(large).engine == "sketch"


def test_any_length_of_examples_is_sketched(many: Classroom) -> None:
    assert teach(many, teacher=ClassroomTeacher("joint", safe=True)).engine == "sketch"


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


@pytest.mark.parametrize(
    ("settings", "strategy"),
    [
        ({}, strategies.RoundByRound),
        ({"groups": "by-rate"}, strategies.RoundByRound),
        ({"groups": "individuals"}, strategies.ClosedForm),
        ({"groups": "individuals", "learner": LangevinLearner(1e4)}, strategies.InStep),
        ({"groups": "individuals", "observer": NoisyStates(0.1)}, strategies.InStep),
        ({"groups": "individuals", "observer": NoisyMoments(0.1)}, strategies.RoundByRound),
    ],
    ids=str,
)
def test_a_lesson_is_computed_in_the_shortest_way(
    settings: dict[str, Any], strategy: type[strategies.AbstractStrategy]
) -> None:
    room = Classroom.sample(students=6, dimensions=2)
    assert type(strategy_for(Lesson(room, **settings))) is strategy


def test_ways_that_both_fit_give_the_same_lesson() -> None:
    room = Classroom.sample(students=6, dimensions=2, example_radius=1.0)
    rounds = [
        strategy.run(Lesson(room, groups="individuals"), lambda _: None).transcript.rounds.tolist()
        for strategy in strategies.STRATEGIES
    ]
    assert rounds[0] == rounds[1] == rounds[2]


@pytest.mark.parametrize("outputs", [1, 2])
def test_final_states_of_a_closed_form_are_those_of_its_rounds(outputs: int) -> None:
    """They are computed when they are asked for, also from a copy of the record."""
    room = Classroom.sample(students=6, dimensions=3, outputs=outputs, example_radius=1.0)
    lessons = [
        strategy.run(Lesson(room, groups="individuals"), lambda _: None)
        for strategy in strategies.STRATEGIES
    ]
    straight = pickle.loads(pickle.dumps(lessons[0]))
    assert callable(straight.final)
    for other in lessons[1:]:
        np.testing.assert_allclose(straight.final_states, other.final_states, atol=1e-12)
