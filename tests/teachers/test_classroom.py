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


def test_a_goal_below_rounding_is_not_declared() -> None:
    room = Classroom([[1.0, 0.0], [0.0, 1.0]], rates=[1.0, 1.0], target=[0.0, 0.0])
    record = teach(room, goal=AverageGoal(1e-300), max_rounds=50)
    assert record.rounds < 50
    assert record.errors[-1] < 1e-30
    # The goal is below what rounding leaves, so that reaching it cannot be shown.
    assert record.stopped_because in {StoppedBecause.STUCK, StoppedBecause.ROUNDING}
