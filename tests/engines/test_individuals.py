from __future__ import annotations

import numpy as np
import pytest

from homeroom import (
    Classroom,
    ClassroomTeacher,
    ExactObserver,
    GradientLearner,
    Individuals,
    ItemPool,
    LangevinLearner,
    MeanTeacher,
    NoisyStates,
    RandomTeacher,
    StoppedBecause,
    teach,
)
from homeroom._arrays import Floats, Ints
from homeroom.engines import MAY_MOVE_AWAY, has_closed_form, straight_lessons


def count_by_hand(distance: float, rate: float, g: float, enough: float) -> int:
    rounds = 0
    while distance > enough:
        distance *= (1 - rate * g) ** 2
        rounds += 1
    return rounds


def test_rounds_are_those_counted_by_hand() -> None:
    rng = np.random.default_rng(0)
    room = Classroom(3 * rng.standard_normal((500, 3)), rng.uniform(0.01, 0.9, 500), np.zeros(3))
    alone = straight_lessons(room, 0.05, max_rounds=10**6)
    expected = [
        count_by_hand(float(distance), float(rate), min(1 / rate, 4.0), 0.05)
        for distance, rate in zip(room.squared_distances, room.rates, strict=True)
    ]
    assert alone.rounds.tolist() == expected


@pytest.mark.parametrize("rounds", [1, 2, 7, 30])
def test_landing_exactly_on_the_goal_is_reaching_it(rounds: int) -> None:
    """Halving the distance is exact in floating point, the logarithms are not."""
    room = Classroom([[2.0**rounds]], rates=[0.5], target=[0.0], example_radius=1.0)
    assert straight_lessons(room, 1.0, 1000).rounds.tolist() == [rounds]
    assert straight_lessons(room, 0.999, 1000).rounds.tolist() == [rounds + 1]


def test_rounding_in_the_logarithms_costs_no_round() -> None:
    """Distances within a unit of rounding of where a student lands on the goal."""
    rates = np.tile(np.linspace(0.03, 0.97, 200), 39)
    rounds = np.repeat(np.arange(1, 40), 200)
    landing = np.sqrt(0.1 / (1 - rates) ** (2.0 * rounds))
    room = Classroom(landing[:, None], rates, [0.0], example_radius=1.0)
    alone = straight_lessons(room, 0.1, max_rounds=1000)

    def left(number: Ints) -> Floats:
        distances: Floats = alone.distances * alone.shrink ** (2.0 * number)
        return distances

    assert (left(alone.rounds) <= 0.1).all()
    assert (left(alone.rounds - 1) > 0.1).all()
    assert set(np.unique(alone.rounds - rounds)) == {0, 1}


def test_no_student_is_shown_more_examples_than_the_limit() -> None:
    room = Classroom.sample(students=9, dimensions=8, rates=(1e-4, 1e-3))
    record = teach(room, groups=Individuals(), max_rounds=5)
    assert record.transcript.rounds.tolist() == [5] * 9
    assert record.stopped_because is StoppedBecause.ROUNDS


@pytest.mark.parametrize(
    ("teacher", "learner", "observer", "straight"),
    [
        (ClassroomTeacher("joint"), GradientLearner(), ExactObserver(), True),
        (MeanTeacher(), GradientLearner(), ExactObserver(), False),
        (ClassroomTeacher(), GradientLearner("hinge"), ExactObserver(), False),
        (ClassroomTeacher(), LangevinLearner(1e4), ExactObserver(), False),
        (ClassroomTeacher(), GradientLearner(), NoisyStates(0.1), False),
    ],
)
def test_the_closed_form_is_used_only_where_it_applies(
    teacher: ClassroomTeacher | MeanTeacher,
    learner: GradientLearner | LangevinLearner,
    observer: ExactObserver | NoisyStates,
    straight: bool,
) -> None:
    assert has_closed_form(teacher, learner, observer) is straight


def test_divergence_is_a_result() -> None:
    """No warning about overflow; one about long examples, which are counted."""
    room = Classroom.sample(students=4, dimensions=2, rates=(5.0, 9.0))
    teacher = RandomTeacher(ItemPool([[1.0, 1.0], [-1.0, 1.0]]))
    with pytest.warns(UserWarning, match=r"rate \* \|x\|\^2 is .* above 2") as said:
        record = teach(room, teacher=teacher, groups=Individuals(), max_rounds=5000)
    assert len(said) == 1
    assert record.stopped_because is StoppedBecause.DIVERGED
    assert (record.transcript.stops == record.transcript.stops[0]).all()
    assert record.counts[MAY_MOVE_AWAY] == record.rounds
    assert all(np.isfinite(group.errors[:-1]).all() for group in record.groups)
