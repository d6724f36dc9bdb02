from __future__ import annotations

import time

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
    PoolTeacher,
    RandomTeacher,
    StochasticRateLearner,
    StoppedBecause,
    teach,
)
from homeroom._arrays import Floats, Ints, to_numpy
from homeroom.engines import MAY_MOVE_AWAY, has_closed_form, straight_lessons, tutored_lessons
from homeroom.moments import Observation
from homeroom.observers import AbstractObserver, Outcome
from homeroom.teachers import Choices


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


def test_one_example_is_enough_where_it_fits_the_ball_and_none_where_all_is_known() -> None:
    room = Classroom([[5.0], [1.0], [1.1]], rates=[0.25, 0.1, 0.1], target=[1.0])
    alone = straight_lessons(room, 0.1, 1000)
    assert alone.rounds.tolist() == [1, 0, 0]
    assert alone.shrink[0] == 0.0


def test_no_student_is_shown_more_examples_than_the_limit() -> None:
    room = Classroom.sample(students=9, dimensions=8, rates=(1e-4, 1e-3))
    record = teach(room, groups=Individuals(), max_rounds=5)
    assert record.transcript.rounds.tolist() == [5] * 9
    assert record.stopped_because is StoppedBecause.ROUNDS


def test_a_hundred_thousand_individuals_take_less_than_a_second() -> None:
    room = Classroom.sample(students=100_000)
    started = time.process_time()
    record = teach(room, groups=Individuals())
    assert time.process_time() - started < 1.0  # of processor time, independent of other processes
    assert record.rounds == record.transcript.rounds.sum()
    assert len(record.groups) == 100_000
    assert record.groups[77_777].errors[-1] <= 0.1


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


def test_students_who_are_done_do_not_change() -> None:
    room = Classroom([[1.0], [9.0]], rates=[0.25, 0.1], target=[1.0])
    alone = tutored_lessons(
        room,
        teacher=MeanTeacher(),
        learner=GradientLearner(),
        observer=ExactObserver(),
        enough=0.1,
        max_rounds=100,
        rngs=three_rngs(),
    )
    assert alone.rounds.tolist() == [0, count_by_hand(64.0, 0.1, 4.0, 0.1)]
    assert alone.states[0, 0] == 1.0
    assert len(alone.errors) == alone.rounds.sum() + 2
    assert not alone.stuck.any()


class Counting(MeanTeacher):
    """Counts the students for whom it chooses."""

    def __init__(self) -> None:
        object.__setattr__(self, "chosen_for", [])

    chosen_for: list[int]

    def choose_each(self, seen: Observation, rng: np.random.Generator) -> Choices:
        self.chosen_for.append(seen.gaps.shape[0])
        return super().choose_each(seen, rng)


class WithMemory(AbstractObserver):
    """Observes everything, and keeps a memory with one row per student."""

    provides = frozenset({"states"})

    def begin(self, room: Classroom) -> Floats:
        return np.zeros(room.students)

    def observe(self, truth: Observation, memory: Floats, rng: np.random.Generator) -> Observation:
        assert len(memory) == truth.gaps.shape[0]
        return truth

    def remember(self, memory: Floats, outcome: Outcome) -> Floats:
        remembered: Floats = memory + outcome.rates
        return remembered


@pytest.mark.slow
@pytest.mark.parametrize("library", ["numpy", "array_api_strict"])
def test_the_last_student_is_taught_without_the_others(library: str) -> None:
    """At most two choices are made for an example, and lessons differ by rounding only."""
    xp = pytest.importorskip(library)
    drawn = Classroom.sample(students=40, dimensions=3, rates=(0.1, 0.9))
    rates = np.array(drawn.rates)
    rates[17] = 1e-3
    room = Classroom(*(xp.asarray(np.array(a)) for a in (drawn.states, rates, drawn.target)))
    alone, side_by_side = Counting(), Counting()
    record = teach(room, teacher=alone, groups=Individuals())
    kept = teach(room, teacher=side_by_side, groups=Individuals(), observer=WithMemory())
    assert record.transcript.rounds[17] > 200
    assert sum(alone.chosen_for) <= 2 * record.rounds + 40
    assert set(side_by_side.chosen_for) == {40}
    np.testing.assert_array_equal(record.transcript.rounds, kept.transcript.rounds)
    np.testing.assert_allclose(
        to_numpy(record.final_states), to_numpy(kept.final_states), atol=1e-12
    )
    for name, array in record.transcript.arrays().items():
        np.testing.assert_allclose(array, kept.transcript.arrays()[name], atol=1e-12)


def test_students_without_a_helpful_example_are_marked() -> None:
    """The pool teaches one direction; those who err in the other leave first, and stay stuck."""
    states = np.zeros((7, 2))
    states[:4, 1], states[4:, 0] = 3.0, 3.0
    room = Classroom(states, rates=[0.5] * 6 + [0.01], target=[0.0, 0.0])
    teacher = PoolTeacher(ItemPool([[1.0, 0.0]]))
    with pytest.warns(UserWarning, match="cannot teach 1 of 2 directions"):
        record = teach(room, teacher=teacher, groups=Individuals())
    stuck = [group.stopped_because is StoppedBecause.STUCK for group in record.groups]
    assert stuck == [True] * 4 + [False] * 3
    assert record.transcript.rounds[6] > record.transcript.rounds[5] > 0


def test_no_students_give_empty_results() -> None:
    room = Classroom([[1.0], [1.0]], rates=[0.25, 0.1], target=[1.0])
    record = teach(room, teacher=MeanTeacher(), groups=Individuals())
    assert record.rounds == 0
    assert record.examples.xs.shape == (0, 1)
    assert [group.errors.tolist() for group in record.groups] == [[0.0], [0.0]]


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


def test_negative_draws_are_counted() -> None:
    room = Classroom.sample(students=4, dimensions=2, rates=(0.05, 0.1))
    record = teach(
        room, learner=StochasticRateLearner(0.2), groups=Individuals(), max_rounds=20, seed=1
    )
    assert 0 < record.counts["negative rates drawn"] < record.rounds


def test_progress_reports_how_many_are_done() -> None:
    room = Classroom.sample(students=20, dimensions=2)
    shares: list[float] = []
    teach(
        room,
        teacher=MeanTeacher(),
        groups=Individuals(),
        progress=lambda progress: shares.append(progress.done),
    )
    assert shares == sorted(shares)
    assert 0.0 <= shares[0] < shares[-1] < 1.0


def three_rngs() -> tuple[np.random.Generator, np.random.Generator, np.random.Generator]:
    first, second, third = np.random.default_rng(0).spawn(3)
    return first, second, third


def ends(record_states: Floats, target: Floats) -> Floats:
    distances: Floats = ((record_states - target) ** 2).sum(axis=1)
    return distances


def test_final_states_are_in_the_order_of_the_students() -> None:
    room = Classroom.sample(students=12, dimensions=3)
    for teacher in (ClassroomTeacher(), MeanTeacher()):
        record = teach(room, teacher=teacher, groups=Individuals())
        last = [group.errors[-1] for group in record.groups]
        np.testing.assert_allclose(ends(record.final_states, room.target), last, atol=1e-12)
