"""The numbers that must hold: rounds in the paper's class, from an independent implementation."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from homeroom import (
    ByRate,
    Classroom,
    ClassroomTeacher,
    Individuals,
    MeanTeacher,
    NoisyStates,
    RandomTeacher,
    StoppedBecause,
    teach,
)

# diversity: T static, T dynamic, T by rate (dynamic), S by rate (dynamic), T individuals
TABLE = {
    0.0: (137, 137, 137, 137.0, 1778),
    0.05: (106, 106, 106, 106.0, 1351),
    0.1: (92, 92, 92, 92.0, 1057),
    0.15: (83, 83, 130, 70.41, 865),
    0.2: (99, 78, 130, 62.2, 707),
    0.3: (128, 81, 140, 59.88, 574),
    0.4: (154, 94, 161, 48.85, 508),
    0.5: (178, 107, 166, 48.17, 465),
}


def paper_class(slowest: float, diversity: float) -> Classroom:
    rng = np.random.default_rng(0)
    rates = slowest + diversity * rng.random(300)
    target = rng.standard_normal(25)
    target /= np.linalg.norm(target)
    return Classroom(rng.standard_normal((300, 25)), rates, target, example_radius=2.0)


@pytest.fixture(scope="module")
def usual() -> Classroom:
    return paper_class(0.05, 0.2)


@pytest.fixture(scope="module")
def individual_rounds(usual: Classroom) -> int:
    return teach(usual, groups=Individuals()).rounds


@pytest.mark.parametrize("diversity", TABLE)
def test_rounds_in_the_papers_class(diversity: float) -> None:
    static, dynamic, by_rate, workload, individuals = TABLE[diversity]
    room = paper_class(0.1, diversity)
    assert teach(room).rounds == static
    assert teach(room, teacher=ClassroomTeacher("dynamic")).rounds == dynamic
    grouped = teach(room, teacher=ClassroomTeacher("dynamic"), groups=ByRate())
    assert grouped.rounds == by_rate
    assert grouped.workload == pytest.approx(workload, abs=0.005)
    assert teach(room, groups=Individuals()).rounds == individuals


def test_the_usual_class_needs_154_rounds(usual: Classroom) -> None:
    assert teach(usual).rounds == 154


def test_sampling_draws_the_same_class(usual: Classroom) -> None:
    sampled = Classroom.sample()
    np.testing.assert_allclose(sampled.rates, usual.rates, rtol=1e-15)
    np.testing.assert_array_equal(sampled.states, usual.states)
    np.testing.assert_allclose(sampled.target, usual.target, rtol=1e-15)


@pytest.mark.slow
def test_noise_on_the_states_costs_rounds_gradually(
    usual: Classroom, individual_rounds: int
) -> None:
    rounds = [154]
    for delta, about in ((0.5, 158), (1.0, 165), (5.0, 197)):
        found = [teach(usual, observer=NoisyStates(delta), seed=seed).rounds for seed in range(3)]
        assert max(abs(one - about) for one in found) <= 10
        rounds.append(round(np.mean(found)))
    assert all(less < more for less, more in pairwise(rounds))
    assert rounds[-1] < individual_rounds / 5


def test_the_mean_direction_stalls_far_from_the_target(usual: Classroom) -> None:
    record = teach(usual, teacher=MeanTeacher(), max_rounds=10_000)
    assert record.stopped_because is StoppedBecause.STUCK
    assert record.errors.min() > 20


def test_random_directions_need_more_rounds(usual: Classroom) -> None:
    for seed in range(3):
        assert teach(usual, teacher=RandomTeacher(), seed=seed).rounds > 1.2 * 154
