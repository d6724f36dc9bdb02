"""Lessons for simulated classes that behave like people, not as the observer assumes.

One class of each kind, and five of the kind that never learns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from benchmarks.quiz import several_answers
from benchmarks.simulated_people import (
    CALIBRATED_ROUNDS,
    Calibration,
    SimulatedClass,
    all_or_none,
    all_or_none_facts,
    beginners,
    constant,
    exemplars,
    facts,
    forgetting_facts,
    gradient,
    gradual,
    lesson_for,
    mixed,
    mostly_right,
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
    """They guess, with five answers 12 times in a pre-test, and are right with 0.95 once shown.

    The range must have the truth: at 0.95, its lower end need not be above the goal by then.
    """
    lesson = lesson_for(beginners(3, options), rounds=20, to_the_end=True, pretest=pretest)
    assert lesson.knows[20].middle >= 0.9
    assert off(lesson, 20) == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("options", [2, 5])
@pytest.mark.parametrize(("make", "most"), [(gradual, 0.05), (mixed, 0.05), (gradient, 0.1)])
def test_what_a_class_knows_is_near_the_truth(
    make: Callable[[int, int], SimulatedClass], most: float, options: int
) -> None:
    lesson = lesson_for(make(3, options), rounds=20, to_the_end=True)
    assert abs(off(lesson, 20)) <= most


@pytest.mark.parametrize("make", [exemplars, all_or_none])
def test_the_range_has_the_truth_in_each_of_the_first_rounds(
    make: Callable[[int], SimulatedClass],
) -> None:
    """Students who do not learn as the quiz assumes."""
    lesson = lesson_for(make(3), rounds=CALIBRATED_ROUNDS, to_the_end=True)
    found = Calibration.of([lesson])
    assert found.coverage >= 0.85
    assert abs(found.bias) <= 0.1
    assert min(one.high - one.low for one in lesson.knows[1:11]) >= 0.1
    assert found.width <= 0.4


@pytest.mark.slow
@pytest.mark.parametrize("options", [2, 5])
@pytest.mark.parametrize("make", [exemplars, all_or_none, all_or_none_facts, forgetting_facts])
def test_the_range_has_the_truth_for_other_laws_of_learning(
    make: Callable[[int, int], SimulatedClass], options: int
) -> None:
    lessons = [
        lesson_for(make(seed, options), rounds=CALIBRATED_ROUNDS, to_the_end=True)
        for seed in (3, 4)
    ]
    found = Calibration.of(lessons)
    assert found.coverage >= 0.7
    assert found.width <= 0.55


@pytest.mark.slow
def test_a_class_that_is_right_in_85_of_100_answers_is_not_declared_done() -> None:
    assert lesson_for(mostly_right(0), rounds=40).done is None


@pytest.mark.slow
def test_several_answers_are_quick() -> None:
    """Processor time: 5 ms for an answer of each of 60, 300 ms for the choice among 500 items."""
    for line in several_answers():
        assert line.ours <= line.theirs, line.what
