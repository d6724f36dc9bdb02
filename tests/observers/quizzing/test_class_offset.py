"""People may learn otherwise than the quiz assumes: what a class knows is uncertain accordingly."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from homeroom import QuizObserver
from homeroom._arrays import Floats
from homeroom.goals import Interval, Knows, MasteryGoal
from homeroom.observers.quizzing.class_offset import (
    AT_FIRST,
    ITEM,
    LAPSES,
    SPREAD,
    ClassOffset,
    widen,
)
from homeroom.observers.quizzing.log import Asked, Shown
from homeroom.observers.quizzing.quiz_state import QuizState

TARGET = np.array([1.0, 0.5, 0.0])
ITEMS = np.random.default_rng(0).standard_normal((60, 3)) / math.sqrt(3.0)
LABELS = np.sign(ITEMS @ TARGET)


def begun(students: int, kind: str = "rule", *, live: bool = True) -> QuizState:
    """Return the state of a class at the start: a rule or facts, with two or four answers."""
    memory = math.inf if kind.startswith("facts") else 0.2
    if kind.endswith("4"):
        keys = np.arange(60) % 4 + 1
        observer = QuizObserver(keys=keys, options=4, live=live, item_memory=memory)
        return observer.begin_with(None, students)
    items, target = (LABELS[:, None], np.ones(1)) if memory == math.inf else (ITEMS, TARGET)
    return QuizObserver(items, live=live, item_memory=memory).begin_with(target, students)


def answers_of(state: QuizState, item: int, share: float) -> Floats:
    """Return answers to an item, of which this share is right."""
    right = np.arange(state.students) < round(share * state.students)
    label = state.setup.labels[item]
    wrong = label % 4 + 1 if state.setup.chooses else -label
    found: Floats = np.random.default_rng(item).permutation(np.where(right, label, wrong))
    return found


def lesson(state: QuizState, share: float, rounds: int = 5, pretest: int = 10) -> QuizState:
    """Return the state after a pre-test and rounds in which a share of the answers is right."""
    columns = [answers_of(state, item, share) for item in range(pretest)]
    state = state.hear(Asked(np.arange(pretest), np.stack(columns, axis=1)))
    for item in range(pretest, pretest + rounds):
        state = state.hear(Asked(np.array([item]), answers_of(state, item, share)[:, None]))
        state = state.show(Shown(state.setup.xs[item], float(state.setup.labels[item]), item))
    return state


def width(interval: Interval) -> float:
    return float(interval.high - interval.low)


KINDS = ("rule", "facts", "rule4", "facts4")


@pytest.mark.parametrize("kind", KINDS)
def test_the_range_of_a_class_does_not_shrink_with_the_number_of_students(kind: str) -> None:
    small, large = (lesson(begun(students, kind), 0.7).knows.of_class for students in (20, 200))
    assert width(large) > 0.1  # no less than 5 points to each side
    assert width(large) > 0.6 * width(small)


@pytest.mark.parametrize("kind", ["rule", "rule4"])
def test_the_range_is_wider_than_that_of_students_who_learn_as_assumed(kind: str) -> None:
    state = lesson(begun(30, kind), 0.7)
    assert width(state.knows.of_class) > 1.5 * width(state.knows_by_law.of_class)


@pytest.mark.parametrize("kind", KINDS)
def test_the_offset_follows_the_answers(kind: str) -> None:
    """Two classes with the same pre-test: one is often right afterwards, one is often wrong."""
    state = lesson(begun(30, kind), 0.6, rounds=1)
    asked = [np.array([item]) for item in range(20, 24)]
    better, worse = state, state
    for item in asked:
        shown = Shown(state.setup.xs[item[0]], float(state.setup.labels[item[0]]), int(item[0]))
        better = better.hear(Asked(item, answers_of(state, item[0], 1.0)[:, None])).show(shown)
        worse = worse.hear(Asked(item, answers_of(state, item[0], 0.2)[:, None])).show(shown)
    assert better.offset.mean > state.offset.mean > worse.offset.mean
    assert better.offset.variance < SPREAD**2


def test_a_student_who_has_not_answered_does_not_count() -> None:
    state = lesson(begun(12), 0.7)
    answers = answers_of(state, 30, 1.0)[:, None]
    joined = state.with_newcomers(3)
    later = joined.hear(Asked(np.array([30]), np.concatenate([answers, np.zeros((3, 1))])))
    assert later.offset == state.hear(Asked(np.array([30]), answers)).offset
    nothing = Asked(np.array([30]), np.zeros((12, 1)))
    assert state.hear(nothing).offset == state.offset


def test_a_step_is_close_to_the_exact_posterior() -> None:
    """Against Bayes' rule on a grid of offsets, with what the item adds drawn."""
    before = ClassOffset(0.1, SPREAD**2)
    after = before.after_answers(0.55, 0.7, answers=30, items=1)
    grid = np.linspace(-2.0, 2.0, 801)
    item = ITEM * np.random.default_rng(0).standard_normal(2000)
    chance = ndtr(0.12566 + grid[:, None] + item)
    likely = (chance**21 * (1.0 - chance) ** 9).mean(axis=1)
    posterior = likely * np.exp(-0.5 * ((grid - 0.1) / SPREAD) ** 2)
    posterior /= posterior.sum()
    mean = float(posterior @ grid)
    assert after.mean == pytest.approx(mean, abs=0.02)
    assert after.variance == pytest.approx(float(posterior @ (grid - mean) ** 2), rel=0.1)


def test_without_answers_the_offset_becomes_as_uncertain_as_it_can_be() -> None:
    offset = ClassOffset(1.0)
    assert offset.variance == AT_FIRST**2
    for _ in range(40):
        offset = offset.after_example()
    assert offset.variance == pytest.approx(SPREAD**2)
    assert offset.mean == pytest.approx(0.0, abs=1e-3)


def test_lapses_count_only_as_far_as_answers_are_wrong() -> None:
    shares, counted = np.full((4, 200), 0.99), np.ones(4)
    exact = ClassOffset(variance=1e-12)
    late = 10**6  # rounds, after which a narrow range is possible
    none = replace(exact, wrong=0.0).apply(shares, counted, late)
    np.testing.assert_allclose(none, 0.99, atol=1e-4)
    some = replace(exact, wrong=0.5).apply(shares, counted, late)
    assert some.min() == pytest.approx(0.99 * (1.0 - LAPSES), abs=1e-3)


def test_examples_teach_more_than_is_foreseen_where_much_is_not_known() -> None:
    counted = np.ones(3)
    for share, more in ((0.3, 0.1), (0.95, 0.0)):
        shares, offset = np.full((3, 200), share), ClassOffset(wrong=0.0)
        before, after = (offset.apply(shares, counted, rounds).mean() for rounds in (0, 4))
        assert after > before + more


@pytest.mark.parametrize("share", [0.03, 0.5, 0.98])
def test_a_range_has_at_least_ten_points_in_the_first_ten_rounds(share: float) -> None:
    """Even if all students are certain to know the same; fewer only next to 0 and 1."""
    certain = ClassOffset(variance=1e-12, wrong=0.0, facts=True)
    shares, counted = np.full((6, 200), share), np.array([1.0, 1.0, 1.0, 1.0, 1.0, 0.0])
    for rounds in range(11):
        _, low, high = Knows(certain.apply(shares, counted, rounds), counted).of_class
        assert high - low > 0.0999 or low < 1e-9 or high > 1.0 - 1e-9
    assert width(Knows(certain.apply(shares, counted, 100), counted).of_class) < 0.03


@given(share=st.floats(0.01, 0.99), spread=st.floats(0.0, 0.1))
def test_both_ends_are_far_enough_from_the_mean_or_at_0_or_1(share: float, spread: float) -> None:
    draws = np.random.default_rng(0).normal(share, spread + 1e-6, (5, 200)).clip(0.0, 1.0)
    found, mean = widen(draws, np.ones(5), 0.05), draws.mean()
    assert 0.0 <= found.min() <= found.max() <= 1.0
    _, low, high = Knows(found, np.ones(5)).of_class
    assert low <= max(mean - 0.05, 0.0) + 1e-9
    assert high >= min(mean + 0.05, 1.0) - 1e-9


def test_a_range_that_is_wide_enough_stays() -> None:
    shares = np.random.default_rng(0).beta(8.0, 2.0, (10, 200))
    np.testing.assert_allclose(widen(shares, np.ones(10), 0.01), shares, rtol=1e-12)


def test_a_class_that_is_widened_keeps_students_in_order_and_its_mean() -> None:
    shares, counted = np.repeat([[0.6], [0.9], [1.0], [0.0]], 200, axis=1), np.array([1, 1, 1, 0])
    shares[:3] += 0.001 * np.linspace(-1.0, 0.0, 200)
    found = widen(shares, counted.astype(float), 0.05)
    assert np.all(np.diff(found[:3], axis=0) >= 0.0)
    assert Knows(found, counted).of_class.middle == pytest.approx(0.833, abs=0.005)


@pytest.mark.parametrize("share", [0.7, 0.85])
@pytest.mark.parametrize(
    "kind", ["rule", *(pytest.param(kind, marks=pytest.mark.slow) for kind in KINDS[1:])]
)
def test_a_class_that_does_not_learn_is_not_done(kind: str, share: float) -> None:
    state = lesson(begun(30, kind), share, rounds=0)
    for item in range(10, 30):
        state = state.hear(Asked(np.array([item]), answers_of(state, item, share)[:, None]))
        state = state.show(Shown(state.setup.xs[item], float(state.setup.labels[item]), item))
        assert not MasteryGoal().reached_by(state.knows)
