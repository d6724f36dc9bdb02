"""The teacher who looks at some letters of the pool each round."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom import AverageGoal, Classroom, GradientLearner, Individuals, PoolTeacher, teach
from homeroom.handwriting.letter_pool import LetterPool
from homeroom.handwriting.letter_teacher import LetterTeacher

LEARNER, GOAL = GradientLearner("logistic"), AverageGoal(0.2)


@pytest.fixture(scope="module")
def pool() -> LetterPool:
    return LetterPool.make("f", 300)


@pytest.fixture(scope="module")
def room(pool: LetterPool) -> Classroom:
    scores = np.array([[0.1, 0.5, 0.5], [0.1, 0.6, 0.4], [0.05, 0.55, 0.6]])
    return Classroom(pool.beliefs(scores), [0.05] * 3, pool.target, example_radius=6.0)


def test_one_who_looks_at_all_is_the_pool_teacher(pool: LetterPool, room: Classroom) -> None:
    everything = teach(
        room, teacher=LetterTeacher(pool, looks_at=300), learner=LEARNER, goal=GOAL, seed=3
    )
    usual = teach(room, teacher=PoolTeacher(pool.items), learner=LEARNER, goal=GOAL)
    np.testing.assert_array_equal(everything.examples.items, usual.examples.items)
    np.testing.assert_array_equal(everything.examples.xs, usual.examples.xs)


def test_fresh_letters_are_seldom_the_same(pool: LetterPool, room: Classroom) -> None:
    def different(teacher: LetterTeacher) -> float:
        items = teach(room, teacher=teacher, learner=LEARNER, goal=GOAL).examples.items
        return len(set(items.tolist())) / len(items)

    assert different(LetterTeacher(pool, looks_at=30)) > different(LetterTeacher(pool, 300)) + 0.1


def test_what_is_shown_is_the_letter_of_that_number(pool: LetterPool, room: Classroom) -> None:
    teacher = LetterTeacher(pool, looks_at=40)
    shown = teach(room, teacher=teacher, learner=LEARNER, goal=GOAL).examples
    assert pool.items.labels is not None
    np.testing.assert_allclose(shown.xs, pool.items.items[shown.items])
    np.testing.assert_allclose(shown.ys, pool.items.labels[shown.items])


def test_individuals_are_shown_letters_of_the_pool(pool: LetterPool, room: Classroom) -> None:
    teacher = LetterTeacher(pool, looks_at=40)
    record = teach(room, teacher=teacher, learner=LEARNER, goal=GOAL, groups=Individuals())
    assert len(record.groups) == 3
    for own in record.groups:
        assert own.errors[-1] <= 0.2
        np.testing.assert_allclose(own.examples.xs, pool.items.items[own.examples.items])


def test_where_no_fresh_letter_helps_the_whole_pool_is_looked_at(pool: LetterPool) -> None:
    """With one letter a round the lesson would be over at the first that does not help."""
    room = Classroom(pool.beliefs([[0.1, 0.5, 0.5]]), [0.05], pool.target, example_radius=6.0)
    for groups in ("whole", "individuals"):
        record = teach(
            room, teacher=LetterTeacher(pool, looks_at=1), learner=LEARNER, goal=GOAL, groups=groups
        )
        assert record.stopped_because.name == "GOAL"


def test_looking_at_nothing_is_refused(pool: LetterPool) -> None:
    with pytest.raises(ValueError, match=r"`looks_at` must be at least 1, but is 0"):
        LetterTeacher(pool, looks_at=0)
