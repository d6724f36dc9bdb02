from __future__ import annotations

import numpy as np
import pytest

from homeroom import (
    AverageGoal,
    Classroom,
    ClassroomTeacher,
    DirectionPool,
    GradientLearner,
    Individuals,
    Lesson,
    PoolTeacher,
    StoppedBecause,
    teach,
)


def test_a_single_student_moves_straight_to_the_target() -> None:
    """The single-student omniscient teacher: the direction is the gap, one example is enough."""
    room = Classroom([[3.0, 4.0]], rates=[0.5], target=[0.0, 0.0])
    record = teach(room)
    assert record.rounds == 1
    np.testing.assert_allclose(record.examples.xs, [[0.6 * 2**0.5, 0.8 * 2**0.5]])
    np.testing.assert_allclose(record.final_states, [[0.0, 0.0]], atol=1e-14)


def test_a_small_example_radius_needs_more_rounds() -> None:
    room = Classroom([[3.0, 4.0]], rates=[0.5], target=[0.0, 0.0], example_radius=1.0)
    record = teach(room)
    np.testing.assert_allclose(record.errors, 25.0 * 0.25 ** np.arange(5))


def test_dynamic_is_faster_where_rates_differ() -> None:
    room = Classroom.sample(rates=(0.1, 0.6))
    static, dynamic, joint = (
        teach(room, teacher=ClassroomTeacher(rule, safe=True)).rounds
        for rule in ("static", "dynamic", "joint")
    )
    assert joint <= dynamic < static


@pytest.mark.parametrize("within", [0.1, 0.5])
@pytest.mark.parametrize("magnitude", ["static", "dynamic", "joint"])
def test_safe_moves_no_student_away_at_any_rates_in_the_range(
    magnitude: str, within: float
) -> None:
    """Rates higher than assumed would; with ``rates_within=0`` it happens here."""
    room = Classroom.sample(students=30, dimensions=3, rates=(0.1, 3.0))
    pool = DirectionPool(np.random.default_rng(0).standard_normal((50, 3)))
    real = room.rates * (1.0 + within)

    def grows(teacher: ClassroomTeacher | PoolTeacher) -> bool:
        lesson, gaps = Lesson(room, teacher=teacher, max_rounds=300), room.gaps
        grown = False
        while (example := lesson.ask()) is not None:
            assert not isinstance(example, tuple)
            before = np.vecdot(gaps, gaps)
            gaps = gaps - (real * (gaps @ example.x))[:, None] * example.x
            grown |= bool((np.vecdot(gaps, gaps) > before * (1 + 1e-9)).any())
            lesson.tell(states=gaps + room.target)
        return grown

    assert not grows(ClassroomTeacher(magnitude, safe=True, rates_within=within))
    assert not grows(PoolTeacher(pool, magnitude, safe=True, rates_within=within))
    if magnitude != "static":
        assert grows(ClassroomTeacher(magnitude, safe=True))


def test_an_unknown_magnitude_is_refused() -> None:
    with pytest.raises(ValueError, match="must be one of static, dynamic, joint, best, but"):
        ClassroomTeacher("fast")


def test_safe_is_refused_where_it_cannot_be_guaranteed() -> None:
    room = Classroom.sample(students=3, dimensions=2)
    with pytest.raises(ValueError, match=r"safe=True needs the squared loss.*is Logistic"):
        teach(room, teacher=ClassroomTeacher(safe=True), learner=GradientLearner("logistic"))


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["logistic", "hinge", "absolute"])
def test_other_losses_bring_the_class_closer_every_round(loss: str) -> None:
    room = Classroom.sample(students=10, dimensions=3, seed=2)
    record = teach(room, learner=GradientLearner(loss), max_rounds=15)
    assert (np.diff(record.errors) < 0).all()
    assert record.errors[-1] < 0.7 * record.errors[0]


@pytest.mark.parametrize("loss", ["logistic", "hinge", "absolute"])
def test_individuals_under_other_losses_come_closer_every_round(loss: str) -> None:
    room = Classroom.sample(students=6, dimensions=3, seed=2)
    record = teach(room, groups=Individuals(), learner=GradientLearner(loss), max_rounds=6)
    for group in record.groups:
        assert (np.diff(group.errors) < 0).all()


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_classes_have_one_state_vector_each(loss: str) -> None:
    room = Classroom.sample(students=8, dimensions=6, seed=2)
    record = teach(room, learner=GradientLearner(loss, classes=3), max_rounds=8)
    assert record.examples.xs.shape == (record.rounds, 2)
    assert set(record.examples.ys) <= {1.0, 2.0, 3.0}
    assert (np.diff(record.errors) < 0).all()


def test_dimensions_that_do_not_fit_the_classes_are_refused() -> None:
    room = Classroom.sample(students=3, dimensions=5)
    with pytest.raises(ValueError, match="5 dimensions cannot be split into 3"):
        teach(room, learner=GradientLearner("logistic", classes=3))


def test_a_goal_below_rounding_is_not_declared() -> None:
    room = Classroom([[1.0, 0.0], [0.0, 1.0]], rates=[1.0, 1.0], target=[0.0, 0.0])
    record = teach(room, goal=AverageGoal(1e-300), max_rounds=50)
    assert record.rounds < 50
    assert record.errors[-1] < 1e-30
    # The goal is below what rounding leaves, so that reaching it cannot be shown.
    assert record.stopped_because in {StoppedBecause.STUCK, StoppedBecause.ROUNDING}
