"""Lessons for simulated classes that behave like people, not as the observer assumes.

One class of each kind, and five of the kind that never learns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from benchmarks.quiz import several_answers
from benchmarks.simulated_people import (
    SimulatedClass,
    beginners,
    constant,
    facts,
    gradient,
    gradual,
    lesson_for,
    mixed,
    off,
    perfect,
    pressers,
    small,
)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_a_class_that_never_learns_is_not_declared_done(seed: int) -> None:
    assert lesson_for(constant(seed), rounds=60).done is None


def test_a_class_that_is_always_right_is_done_soon() -> None:
    assert lesson_for(perfect(0), rounds=20).done is not None


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "options"), [(0, 2), (7, 2), (0, 4), (7, 4)])
def test_no_fact_is_starved(seed: int, options: int) -> None:
    """After 40 rounds, whether or not the goal was reached before."""
    lesson = lesson_for(facts(seed, options), rounds=40, to_the_end=True)
    assert len(lesson.shown) == 40
    counts = Counter(lesson.shown)
    missed = {item for item in range(24) if lesson.missed[item]}
    assert max(counts.values()) <= 3 or not missed - counts.keys()


def test_a_small_set_of_items_is_done_without_many_repetitions() -> None:
    lesson = lesson_for(small(0), rounds=20)
    assert lesson.done is not None
    assert max(Counter(lesson.shown).values()) <= 3


@pytest.mark.slow
def test_beginners_who_guess_are_not_flagged() -> None:
    lesson = lesson_for(beginners(0), rounds=6, to_the_end=True)
    assert lesson.flagged.sum(axis=1).max() == 0


def test_students_who_press_one_button_are_found_by_round_eight() -> None:
    lesson = lesson_for(pressers(0), rounds=8, to_the_end=True)
    assert lesson.flagged[-1, :5].sum() >= 4
    assert not lesson.flagged[:, 5:].any()


@pytest.mark.slow
def test_four_answers_give_what_two_give() -> None:
    """Never learning, always right, beginners and pressers with four answers."""
    assert lesson_for(constant(0, 4), rounds=60).done is None
    done = lesson_for(perfect(0, 4), rounds=20).done
    assert done is not None
    assert not lesson_for(beginners(0, 4), rounds=6, to_the_end=True).flagged.any()
    lesson = lesson_for(pressers(0, 4), rounds=8, to_the_end=True)
    assert lesson.flagged[-1, :5].sum() >= 4
    assert not lesson.flagged[:, 5:].any()


@pytest.mark.slow
@pytest.mark.parametrize("options", [2, 3, 5, 8])
@pytest.mark.parametrize("pretest", [True, False])
def test_guesses_of_beginners_do_not_count_as_noise_later(options: int, *, pretest: bool) -> None:
    """They guess, with five answers 12 times in a pre-test, and are reliable once shown."""
    lesson = lesson_for(beginners(3, options), rounds=20, to_the_end=True, pretest=pretest)
    assert lesson.done is not None
    assert lesson.knows[20].middle >= 0.93
    assert off(lesson, 20) == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("options", [2, 5])
@pytest.mark.parametrize(("make", "most"), [(gradual, 0.05), (mixed, 0.05), (gradient, 0.1)])
def test_what_a_class_knows_is_near_the_truth(
    make: Callable[[int, int], SimulatedClass], most: float, options: int
) -> None:
    lesson = lesson_for(make(3, options), rounds=20, to_the_end=True)
    assert abs(off(lesson, 20)) <= most


@pytest.mark.slow
def test_several_answers_are_quick() -> None:
    """Processor time: 5 ms for an answer of each of 60, 300 ms for the choice among 500 items."""
    for line in several_answers():
        assert line.ours <= line.theirs, line.what
