"""The counter-examples of the errata page, and the corrected statements."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

from homeroom import (
    AverageGoal,
    ByRate,
    Classroom,
    ClassroomTeacher,
    DirectionPool,
    EveryoneGoal,
    Individuals,
    NoisyMoments,
    NoisyStates,
    Observation,
    PoolTeacher,
    RateHistory,
    Record,
    StochasticRateLearner,
    StoppedBecause,
    WholeClass,
    certify,
    teach,
)
from homeroom._arrays import Floats
from homeroom.observers import AbstractObserver, Outcome

EPS = 0.01
ALPHA, RANK = 0.75, 2  # erratum 1: eta = 1, g = 1/2, two directions


@dataclass(frozen=True)
class Distorted(AbstractObserver):
    """W is observed with the same diagonal error in every round."""

    noise: tuple[float, float]

    def begin(self, room: Classroom) -> None:
        return None

    def observe(self, truth: Observation, memory: None, rng: np.random.Generator) -> Observation:
        return truth.seen_with(noise=np.diag(self.noise))

    def remember(self, memory: None, outcome: Outcome) -> None:
        return None


def lonely_student(students: int) -> Classroom:
    states = np.tile([1.0, 0.0], (students, 1))
    states[-1] = [0.0, 1.0]
    return Classroom(states, np.ones(students), [0.0, 0.0], example_radius=math.sqrt(0.5))


def lonely_rounds(students: int) -> int:
    """Return what the same lesson takes, from two numbers: a round quarters one of them."""
    many, one, rounds = 1.0, 1.0, 0
    while max(many, one) > EPS:
        many, one = (many / 4, one) if (students - 1) * many >= one else (many, one / 4)
        rounds += 1
    return rounds


def two_axes(example_radius: float = 2.0) -> Classroom:
    states = [[1.0, 0.0], [0.0, 1.0]]
    return Classroom(states, [0.25, 0.25], [0.0, 0.0], example_radius=example_radius)


# --- 1: everyone ----------------------------------------------------------------------------------


def test_the_papers_bound_for_everyone_is_13_rounds_and_1e5_students_need_16() -> None:
    rate, constant = 1 - ALPHA / RANK, ALPHA / (ALPHA - ALPHA / RANK)
    paper = max(
        math.log(2 / EPS) / -math.log(1 - ALPHA), math.log(2 * constant / EPS) / -math.log(rate)
    )
    assert math.ceil(paper) == 13
    record = teach(lonely_student(100_000), goal=EveryoneGoal(math.sqrt(EPS)))
    assert record.rounds == lonely_rounds(100_000) == 16
    assert record.stopped_because is StoppedBecause.GOAL


def test_1e9_students_need_22_rounds() -> None:
    assert lonely_rounds(10**9) == 22


@pytest.mark.parametrize("students", [10, 1000, 100_000])
def test_the_corrected_bound_for_everyone_holds_for_any_number_of_students(students: int) -> None:
    room = lonely_student(students)
    certificate = certify(room, goal=EveryoneGoal(math.sqrt(EPS)))
    assert certificate.rank == RANK
    assert certificate.weakest == pytest.approx(ALPHA)
    assert certificate.rounds is not None
    assert lonely_rounds(students) <= certificate.rounds
    expected = math.ceil(math.log(students / EPS) / -math.log(1 - ALPHA / RANK))
    assert certificate.rounds == expected


def test_the_corrected_bounds_are_35_and_54() -> None:
    rate = 1 - ALPHA / RANK
    assert [math.ceil(math.log(n / EPS) / -math.log(rate)) for n in (10**5, 10**9)] == [35, 54]
    assert certify(lonely_student(10**5), goal=EveryoneGoal(0.1)).rounds == 35


# --- 2: noisy states ------------------------------------------------------------------------------


def test_two_points_of_a_ball_can_be_two_radii_apart() -> None:
    """Both inequalities of the proof of Theorem 2 fail for w = -D_W, w* = D_W."""
    radius, state, target, delta = 1.0, -1.0, 1.0, 0.1
    room = Classroom([[state]], [0.1], [target], state_radius=radius)
    assert math.sqrt(room.error) == 2 * radius
    assert (state + delta - target) ** 2 < (state - target) ** 2 - 2 * radius * delta


def test_the_corrected_floor_for_noisy_states_is_as_written() -> None:
    room, delta = Classroom.sample(students=40, dimensions=4, rates=(0.1, 0.2)), 1e-4
    certificate = certify(room, observer=NoisyStates(delta))
    rates = np.asarray(room.rates)
    g = min(1 / rates.max(), room.example_radius**2)
    alpha = rates * g * (2 - rates * g)
    far = math.sqrt(float(np.asarray(room.squared_distances).max()))
    floor = 2 * delta * (far + 4 * alpha.mean() / alpha.min() * (far + delta))
    assert certificate.floor == pytest.approx(floor)
    record = teach(room, observer=NoisyStates(delta))
    assert certificate.rounds is not None
    assert record.rounds <= certificate.rounds


# --- 3: noisy W -----------------------------------------------------------------------------------


def test_noise_whose_largest_eigenvalue_is_zero_can_hide_a_direction_for_ever() -> None:
    record = teach(two_axes(), observer=Distorted((-1.0, 0.0)), max_rounds=1000)
    assert record.stopped_because is StoppedBecause.ROUNDS
    assert record.errors[-1] == pytest.approx(0.5)


def test_a_class_stays_above_the_papers_floor_for_noisy_w_and_below_the_corrected_one() -> None:
    delta, alpha = 0.01, 0.25 * (2 - 0.25)
    record = teach(
        two_axes(example_radius=1.0),
        observer=Distorted((-delta, delta)),
        goal=AverageGoal(1e-9),
        max_rounds=2000,
    )
    paper, corrected = (RANK - 1) * delta / alpha, 2 * RANK * delta / alpha
    assert paper < record.errors[-1] < corrected
    assert record.errors[-1] == pytest.approx(0.0282, abs=5e-5)


def test_the_corrected_floor_for_noisy_w_is_as_written() -> None:
    delta, alpha = 0.01, 0.25 * (2 - 0.25)
    certificate = certify(
        two_axes(example_radius=1.0), observer=NoisyMoments(delta), goal=AverageGoal(0.2)
    )
    assert certificate.floor == pytest.approx(2 * RANK * delta / alpha)
    assert certificate.rounds is not None
    for noise in ((-delta, delta), (delta, -delta), (-delta, -delta)):
        record = teach(
            two_axes(example_radius=1.0), observer=Distorted(noise), goal=AverageGoal(0.2)
        )
        assert record.rounds <= certificate.rounds


# --- 4: remark 1 ----------------------------------------------------------------------------------


def test_remark_one_holds_only_with_the_logarithm_on_the_left() -> None:
    x = np.linspace(1e-6, 1.59 / 2, 10_000)
    assert not (np.exp(-2 * x) <= np.log(1 - x)).any()
    assert (np.log(1 - x) >= -2 * x).all()
    assert math.log(1 - 0.8) < -1.6


# --- 5: random rates ------------------------------------------------------------------------------


def small_class() -> Classroom:
    return Classroom.sample(students=50, dimensions=5)


def papers_constant(room: Classroom, sigma: float, seed: int) -> tuple[float, float]:
    """Return the least estimated weight over 40 rounds, and what the paper has in its rate."""
    rates: Floats = np.asarray(room.rates)
    g = min(float((rates / (rates**2 + sigma**2)).min()), room.example_radius**2)
    known = 2 * g * rates - g**2 * (rates**2 + sigma**2)
    draws = rates + sigma * np.random.default_rng(seed).standard_normal((40, room.students))
    past = np.arange(1, 41)[:, None]
    mean = draws.cumsum(axis=0) / past
    estimated = 2 * g * mean - g**2 * ((past - 1) / past * sigma**2 + mean**2)
    least = float(estimated.min())
    return least, least * float((known / estimated).min())


def test_the_papers_constant_for_random_rates_is_random_and_makes_no_rate() -> None:
    found = [papers_constant(small_class(), 0.2, seed) for seed in range(4)]
    assert all(least < 0 for least, _ in found)
    assert [round(constant) for _, constant in found] == [135, 656, 162, 241]
    assert all(constant > small_class().dimensions for _, constant in found)  # 1 - c/k < 0


@pytest.mark.slow
def test_with_known_weights_the_mean_error_stays_below_the_certificate() -> None:
    sigma, room = 0.2, small_class()
    learner, observer = StochasticRateLearner(sigma), RateHistory(sigma, weights="known")
    certificate = certify(room, learner=learner, observer=observer)
    assert certificate.rounds == 352
    assert certificate.in_expectation

    def lesson(seed: int) -> Record:
        return teach(
            room,
            learner=learner,
            observer=observer,
            goal=AverageGoal(1e-9),
            max_rounds=100,
            seed=seed,
        )

    mean = np.mean([lesson(seed).errors for seed in range(20)], axis=0)
    bound = np.array([certificate.bound(rounds) for rounds in range(101)])
    assert (mean <= bound * (1 + 1e-12)).all()


def test_the_papers_own_weights_get_no_certificate() -> None:
    certificate = certify(
        small_class(), learner=StochasticRateLearner(0.2), observer=RateHistory(0.2)
    )
    assert certificate.rounds is None
    assert "weights='known'" in certificate.why


# --- 6: a pool and one learner --------------------------------------------------------------------


def test_the_signed_rule_would_show_an_axis_that_teaches_nothing() -> None:
    pool, gap = np.eye(2), np.array([-1.0, 0.0])
    signed = int((pool @ gap).argmax())
    assert pool[signed] @ gap == 0
    record = teach(
        Classroom([gap], [0.2], [0.0, 0.0]), teacher=PoolTeacher(DirectionPool(pool)), max_rounds=9
    )
    assert record.examples.items.tolist() == [0]
    assert record.stopped_because is StoppedBecause.GOAL


def test_each_student_alone_is_shown_the_largest_product_whatever_its_sign() -> None:
    room = Classroom([[-1.0, 0.0], [0.0, -1.0], [0.3, -0.9]], [0.2] * 3, [0.0, 0.0])
    record = teach(
        room, teacher=PoolTeacher(DirectionPool(np.eye(2))), groups=Individuals(), max_rounds=1
    )
    assert record.examples.items.tolist() == [0, 1, 1]


# --- 7: lambda = 0 --------------------------------------------------------------------------------


def test_two_very_different_students_need_fewer_examples_apart() -> None:
    room = Classroom([[1.0, 0.0], [0.0, 1.0]], [0.1, 5.0], [0.0, 0.0])
    together, apart = (
        teach(room, groups=groups, goal=AverageGoal(EPS))
        for groups in (WholeClass(), Individuals())
    )
    assert (together.rounds, apart.rounds) == (98, 6)
    assert together.cost(0) > apart.cost(0)


def test_groups_by_rate_with_dynamic_magnitude_need_fewer_examples_than_the_static_class() -> None:
    room = Classroom.sample(rates=(0.1, 0.6))
    dynamic = ClassroomTeacher("dynamic")
    assert teach(room).rounds == 178
    assert teach(room, groups=ByRate(), teacher=dynamic).rounds == 166
    assert teach(room, teacher=dynamic).rounds == 107


# --- the trap -------------------------------------------------------------------------------------


def test_a_rate_on_an_edge_falls_one_bin_short_by_logarithms_but_not_in_by_rate() -> None:
    slowest, on_edge = 0.07, 0.7 * 0.8
    assert math.floor(math.log2(on_edge / slowest)) == 2
    room = Classroom(np.zeros((5, 1)), [slowest, 0.14, 0.28, 0.55, on_edge], [1.0])
    assert ByRate().split(room, np.random.default_rng(0)).tolist() == [0, 1, 2, 2, 3]


def test_a_class_may_need_no_example_where_individuals_do() -> None:
    """Erratum 8: a group stops when its mean is at the goal."""
    room = Classroom([[0.11**0.5], [0.05**0.5]], [0.1, 0.1], [0.0])
    assert teach(room, groups=WholeClass()).workload == 0.0
    assert teach(room, groups=Individuals()).workload == 0.5


@pytest.mark.parametrize("seed", range(5))
def test_individuals_see_fewest_if_every_student_must_be_close(seed: int) -> None:
    """Erratum 8, corrected: with this goal, no student sees fewer examples in a group."""
    room, goal = Classroom.sample(students=6, dimensions=3, seed=seed), EveryoneGoal(0.3)
    alone = teach(room, groups=Individuals(), goal=goal)
    together = teach(room, groups=WholeClass(), goal=goal)
    assert (alone.transcript.rounds <= together.rounds).all()
