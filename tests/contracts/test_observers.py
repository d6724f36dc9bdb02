"""The contract of every registered observer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from homeroom import (
    Classroom,
    ExactObserver,
    GradientLearner,
    NoisyMoments,
    NoisyStates,
    Observation,
    QuizObserver,
    RateHistory,
    Record,
    StochasticRateLearner,
    _plugins,
    teach,
)
from homeroom._arrays import Floats, to_numpy
from homeroom.engines import ExactClass
from homeroom.observers import AbstractObserver, Outcome
from homeroom.testing import check_observer

# Name: the short text, what it builds, and the same without noise, where there is such a thing.
OBSERVERS: dict[str, tuple[str, AbstractObserver, AbstractObserver | None]] = {
    "exact": ("exact", ExactObserver(), ExactObserver()),
    "noisy-states": ("noisy-states:delta=0.5", NoisyStates(0.5), NoisyStates(0.0)),
    "noisy-moments": ("noisy-moments:delta=0.1", NoisyMoments(0.1), NoisyMoments(0.0)),
    "rate-history": (
        "rate-history:sigma=0.02,weights=known",
        RateHistory(0.02, weights="known"),
        RateHistory(0.0),
    ),
    "quiz": ("quiz:answers=1,pretest=6", QuizObserver(answers=1, pretest=6), None),
}
every_observer = pytest.mark.parametrize("name", _plugins.names("observers"))


@pytest.fixture
def noiseless(name: str) -> AbstractObserver:
    """The observer without noise; answers are never without."""
    observer = OBSERVERS[name][2]
    if observer is None:
        pytest.skip("answers do not show the truth")
    return observer


def look(room: Classroom) -> Observation:
    return ExactClass(room, GradientLearner(), np.random.default_rng(0)).look()


def observe(observer: AbstractObserver, room: Classroom, *, rounds: int = 1) -> Observation:
    """Observe a class after some rounds at its own rates."""
    memory = observer.begin(room)
    for _ in range(rounds):
        memory = observer.remember(memory, Outcome(room.rates))
    return observer.observe(look(room), memory, np.random.default_rng(8))


def matrix(seen: Observation) -> Floats:
    return seen.moments.weigh(1.5)


def test_every_registered_observer_is_checked() -> None:
    assert set(OBSERVERS) == set(_plugins.names("observers"))


@every_observer
def test_it_passes_the_public_check(name: str, room: Classroom) -> None:
    for observer in OBSERVERS[name][1:]:
        if observer is not None:
            check_observer(observer, room=room)


@every_observer
def test_without_noise_the_truth_is_observed(noiseless: AbstractObserver, room: Classroom) -> None:
    seen = observe(noiseless, room, rounds=3)
    np.testing.assert_allclose(matrix(seen), matrix(look(room)), rtol=1e-12, atol=1e-14)
    assert seen.gentle_g == pytest.approx(look(room).gentle_g)


@every_observer
def test_without_noise_the_lesson_is_the_same(noiseless: AbstractObserver, room: Classroom) -> None:
    record, exact = teach(room, observer=noiseless), teach(room)
    np.testing.assert_allclose(record.errors, exact.errors, rtol=1e-9)


@every_observer
def test_without_noise_the_order_of_the_students_does_not_matter(
    noiseless: AbstractObserver, room: Classroom, order: Any
) -> None:
    shuffled = observe(noiseless, room.subset(order))
    np.testing.assert_allclose(matrix(shuffled), matrix(observe(noiseless, room)), atol=1e-13)


@every_observer
def test_without_noise_rotating_the_space_rotates_the_observation(
    noiseless: AbstractObserver,
    room: Classroom,
    rotation: Floats,
    rotate: Callable[[Classroom, Floats], Classroom],
) -> None:
    turned = matrix(observe(noiseless, rotate(room, rotation)))
    expected = rotation.T @ matrix(observe(noiseless, room)) @ rotation
    np.testing.assert_allclose(turned, expected, atol=1e-12)


@every_observer
def test_other_array_libraries_give_the_same_observation(
    name: str, room: Classroom, library: Any, move: Callable[..., Classroom]
) -> None:
    """Within 1e-12 of NumPy's."""
    observer = OBSERVERS[name][1]
    there, here = observe(observer, move(room, library)), observe(observer, room)
    np.testing.assert_allclose(matrix(there), matrix(here), atol=1e-12)
    np.testing.assert_allclose(to_numpy(there.gaps), here.gaps, atol=1e-12)
    assert there.gentle_g == pytest.approx(here.gentle_g, rel=1e-12)


@every_observer
def test_single_precision_gives_nearly_the_same_observation(
    name: str, room: Classroom, move: Callable[..., Classroom]
) -> None:
    """Within 1e-4 of double precision."""
    observer = OBSERVERS[name][1]
    single = observe(observer, move(room, dtype="float32"))
    assert single.gaps.dtype == np.float32
    np.testing.assert_allclose(matrix(single), matrix(observe(observer, room)), atol=1e-4)


@every_observer
def test_the_same_seed_gives_the_same_lesson_and_record(
    name: str, room: Classroom, same_after_saving: Callable[[Record], None]
) -> None:
    learner = StochasticRateLearner(0.02)
    once, again = (
        teach(room, observer=OBSERVERS[name][1], learner=learner, max_rounds=6, seed=9)
        for _ in range(2)
    )
    np.testing.assert_array_equal(once.examples.xs, again.examples.xs)
    same_after_saving(once)


@every_observer
def test_it_is_described_by_its_name_and_built_from_its_text(name: str) -> None:
    text, observer, _ = OBSERVERS[name]
    assert _plugins.describe(observer)["name"] == name
    assert _plugins.make("observers", text) == observer
