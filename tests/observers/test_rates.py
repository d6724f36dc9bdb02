"""A teacher who has to infer how fast the students learn from how fast they learnt."""

import math
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest

from homeroom import Classroom, Observation, RateHistory
from homeroom._arrays import Floats, to_numpy
from homeroom.learners import Squared
from homeroom.observers import Outcome
from homeroom.observers.noisy import Draws

RNG = np.random.default_rng(0)


def truth(rates: Any, example_radius: float = 2.0) -> Observation:
    gaps = np.ones((len(rates), 2))
    return Observation(np.zeros(2), example_radius, math.inf, Squared(), gaps, np.asarray(rates))


def weights(seen: Observation, g: float) -> Floats:
    squares = seen.rates**2 if seen.squared_rates is None else seen.squared_rates
    found: Floats = 2 * g * seen.rates - g**2 * squares
    return found


@pytest.mark.parametrize("past", [1, 2, 5])
def test_the_weight_is_right_on_average(past: int) -> None:
    """E[2 g m - g^2 ((n-1)/n sigma^2 + m^2)] = 2 g eta - g^2 (sigma^2 + eta^2), by Monte Carlo."""
    eta, sigma, lessons = 0.5, 0.04, 40_000  # so narrow that no weight is ever negative
    rng = np.random.default_rng(past)
    draws = rng.normal(eta, sigma, (past, lessons))
    observer, memory = RateHistory(sigma), Draws(np.zeros(lessons))
    for drawn in draws:
        memory = observer.remember(memory, Outcome(drawn))
    seen = observer.observe(truth(np.full(lessons, eta)), memory, RNG)
    assert sum(seen.notes.values()) == 0
    for g in (0.5, 1.0, 2.0):
        found = weights(seen, g)
        expected = 2 * g * eta - g**2 * (sigma**2 + eta**2)
        error = 5 * found.std() / math.sqrt(lessons)
        assert found.mean() == pytest.approx(expected, abs=error + 1e-12)


def test_the_weight_is_the_formula_of_the_paper() -> None:
    """Eq. 13, by hand: draws 0.4 and 0.2, sigma 0.1."""
    observer = RateHistory(0.1)
    memory = observer.begin(Classroom(np.ones((1, 2)), [0.5], np.zeros(2)))
    for drawn in (0.4, 0.2):
        memory = observer.remember(memory, Outcome(np.array([drawn])))
    seen = observer.observe(truth([0.5]), memory, RNG)
    assert weights(seen, 1.5)[0] == pytest.approx(2 * 1.5 * 0.3 - 1.5**2 * (0.005 + 0.09))


def test_the_gentle_magnitude_suits_the_most_sensitive_student() -> None:
    """g = min_j eta_j / (sigma^2 + eta_j^2), where that student's weight is largest."""
    rates, sigma = np.array([0.3, 1.2, 0.02]), 0.1
    seen = RateHistory(sigma).observe(truth(rates), Draws(np.zeros(3)), RNG)
    assert seen.gentle == pytest.approx(min(rate / (sigma**2 + rate**2) for rate in rates))
    tried = np.linspace(0.01, 5, 2000)
    best = [tried[np.argmax(2 * tried * r - tried**2 * (sigma**2 + r**2))] for r in rates]
    assert seen.gentle == pytest.approx(min(best), abs=0.01)


def test_negative_weights_are_taken_as_zero_and_counted() -> None:
    memory = Draws(np.array([0.5, -0.5, 9.0, 0.0]), rounds=1)
    seen = RateHistory(0.1).observe(truth([0.5] * 4), memory, RNG)
    g = seen.gentle_g
    assert 2 * g * -0.5 - g**2 * 0.25 < 0
    assert 2 * g * 9.0 - g**2 * 81 < 0
    assert dict(seen.notes) == {"negative weights taken as zero": 2}
    assert (weights(seen, g) >= 0).all()
    assert (weights(seen, g) > 0).tolist() == [True, False, False, False]


def test_draws_are_added_up_in_the_library_of_the_class() -> None:
    room = Classroom(strict.ones((2, 1)), [0.1, 0.2], [0.0])
    observer = RateHistory(0.1)
    memory = observer.begin(room)
    for _ in range(3):
        memory = observer.remember(memory, Outcome(room.rates))
    assert memory.rounds == 3
    np.testing.assert_allclose(to_numpy(memory.total), [0.3, 0.6])
    real = Observation(np.zeros(1), 2.0, math.inf, Squared(), room.gaps, room.rates)
    seen = observer.observe(real, memory, RNG)
    np.testing.assert_allclose(to_numpy(seen.rates), [0.1, 0.2])
    assert seen.moments.weigh(1.0).shape == (1, 1)
