"""What first answers to facts show about the facts that were not asked."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from homeroom import QuizObserver
from homeroom.observers import QuizState
from homeroom.observers.quizzing.answer_step import AnswerModel
from homeroom.observers.quizzing.first_answers import FirstAnswers
from homeroom.observers.quizzing.log import Asked, Shown

MODEL = AnswerModel(0.25)


def answers_of(shares: Any, facts: int, options: int = 4) -> FirstAnswers:
    """Return the answers of students who were right on these shares of some facts."""
    marks = np.where(np.arange(facts) < np.outer(shares, [facts]).round(), 1.0, -1.0)
    none = FirstAnswers.none(MODEL, 1.0, len(marks))
    return none.after(np.arange(facts), marks, np.full(facts, options))


def begun(facts: int, options: int, students: int, **settings: Any) -> QuizState:
    """Return a quiz about facts; the first answer is right."""
    quiz = QuizObserver(
        keys=np.ones(facts, dtype=int),
        options=options,
        live=True,
        answers=0,
        item_memory=math.inf,
        **settings,
    )
    return quiz.begin_with(None, students)


@pytest.mark.parametrize("options", [2, 3, 5, 8])
@pytest.mark.parametrize("share", [0.55, 0.8, 0.95])
def test_a_level_gives_a_right_answer_with_the_chance_that_was_seen(
    share: float, options: int
) -> None:
    """The chance of a right answer, averaged over the prior, by a simulation of its own."""
    first = answers_of(np.full(40, share), 20, options)
    level = float(first.levels(options)[0])
    scores = np.random.default_rng(9).standard_normal((200_000, options))
    ahead = level + math.sqrt(first.variance / 2) * (scores[:, :1] - scores[:, 1:])
    chance = 1.0 / (1.0 + np.exp(-1.702 / MODEL.sigma * ahead).sum(axis=1))
    assert chance.mean() == pytest.approx(share, abs=0.015)


def test_the_same_knowledge_gives_fewer_right_answers_if_there_are_more_answers() -> None:
    first = answers_of(np.full(40, 0.7), 20, 2)  # 40 % are known, and half of the others guessed
    known = 1.0 / 5 + (1.0 - 1.0 / 5) * 0.4
    again = answers_of(np.full(40, known), 20, 5)
    assert first.levels(5)[0] == pytest.approx(again.levels(5)[0], abs=0.05)


def test_students_who_differ_are_told_apart() -> None:
    """In a class of equal students, one who did worse probably had bad luck."""
    alike = answers_of([0.8] * 29 + [0.6], 10)
    unlike = answers_of([1.0, 0.2] * 14 + [0.6] * 2, 10)
    assert alike.class_share is not None
    assert unlike.class_share is not None
    assert alike.class_share.weight > 8 * unlike.class_share.weight
    assert alike.shares[-1] > 0.75
    assert unlike.shares[0] > 0.9
    assert unlike.shares[1] < 0.4


def test_a_part_of_the_class_keeps_the_distribution_of_the_whole() -> None:
    first = answers_of([1.0, 0.9, 0.2, 0.1], 10)
    some = first.of_students(np.array([3]))
    assert some.class_share == first.class_share
    np.testing.assert_allclose(some.levels(4), first.levels(4)[[3]])
    more = first.with_newcomers(2)
    assert first.class_share is not None
    np.testing.assert_allclose(more.shares[4:], first.class_share.mean)
    fact, marks, four = np.array([10]), np.array([[0.0, 0, 0, 0, 1, 1]]).T, np.array([4])
    assert more.after(fact, marks, four).class_share != first.class_share


@pytest.mark.parametrize("options", [3, 5])
def test_a_class_that_was_always_right_knows_the_other_facts_too(options: int) -> None:
    state = begun(60, options, 30)
    guessing = state.knows.of_class
    assert guessing.middle == pytest.approx(1 / options, abs=0.02)
    state = state.hear(Asked(np.arange(10), np.ones((30, 10))))
    assert state.knows.of_class.low > 0.9
    assert state.right(np.arange(10, 60)).min() > 0.9


def test_who_knows_more_of_the_facts_that_were_asked_knows_more_of_the_others() -> None:
    answers = np.where(np.arange(10) < np.array([[10], [10], [5], [5]]), 1.0, 2.0)
    state = begun(40, 3, 4).hear(Asked(np.arange(10), answers))
    right = state.right(np.arange(10, 40))
    np.testing.assert_allclose(right, right[:, [0]] + np.zeros(30))
    assert (right[:2] > right[2:] + 0.1).all()
    wide = state.knows.students[0]
    assert wide.high - wide.low > 0.05  # only a quarter of the facts was asked


def test_facts_that_were_missed_come_before_those_that_were_not_asked() -> None:
    answers = np.ones((20, 10))
    answers[:15, 3] = 2.0
    state = begun(30, 3, 20).hear(Asked(np.arange(10), answers))
    helps = state.helps(np.arange(30))
    assert helps.argmax() == 3
    assert helps[10:].min() > np.delete(helps[:10], 3).max()


def test_later_first_answers_count_too_and_repeated_ones_do_not() -> None:
    state = begun(20, 4, 10).hear(Asked(np.arange(5), np.ones((10, 5))))
    state = state.show(Shown(state.setup.xs[0], 1.0, 0))
    again = state.hear(Asked(np.array([0]), np.full((10, 1), 2.0)))
    new = state.hear(Asked(np.array([7]), np.full((10, 1), 2.0)))
    unasked = np.arange(10, 20)
    np.testing.assert_allclose(again.right(unasked), state.right(unasked))
    assert (new.right(unasked) < state.right(unasked) - 0.05).all()
    assert (new.right(np.arange(1, 5)) < state.right(np.arange(1, 5))).all()


def test_the_uncertainty_is_the_same_if_groups_are_asked_one_after_the_other() -> None:
    """It depends on how many facts were asked, not on how many times."""
    answers = np.where(np.arange(6) % 2, 1.0, 2.0) * np.ones((20, 1))
    once = begun(30, 3, 20).hear(Asked(np.arange(6), answers))
    apart = begun(30, 3, 20)
    for group in range(4):
        some = np.where(np.arange(20)[:, None] % 4 == group, answers, 0.0)
        apart = apart.hear(Asked(np.arange(6), some))
    first, again = (state.bank.memory for state in (once, apart))
    assert first is not None
    assert again is not None
    assert first.first is not None
    assert again.first is not None
    assert again.first.class_share == first.first.class_share
    np.testing.assert_allclose(apart.knows.of_class, once.knows.of_class)


@pytest.mark.parametrize("students", [40, 41, 300])
def test_the_estimate_of_a_long_list_does_not_depend_on_how_many_are_drawn(students: int) -> None:
    answers = np.where(np.arange(6) < 5, 1.0, 2.0) * np.ones((students, 1))
    state = begun(500, 4, students).hear(Asked(np.arange(6), answers))
    middle, low, high = state.knows_by_law.of_class
    assert middle == pytest.approx(0.83, abs=0.02)
    assert 0.3 < high - low < 0.6


def test_facts_that_were_known_are_forgotten_no_sooner_than_facts_that_were_not_asked() -> None:
    week = 7 * 24 * 3600.0
    state = begun(60, 4, 10).hear(Asked(np.arange(10), np.ones((10, 10))))
    later = state.hear(Asked(np.array([59]), np.ones((10, 1)), at=week))
    right = later.right(np.arange(60))
    assert right[:, :10].min() >= right[:, 10:59].max() - 0.01


def test_a_student_who_missed_a_fact_is_judged_by_later_answers() -> None:
    """Others were asked; what is expected of this student follows from their own answers."""
    absent = np.array([[1.0], [1.0], [0.0]])
    state = begun(12, 4, 3).hear(Asked(np.array([0]), absent))
    before = state.right(np.array([0]))[2, 0]
    state = state.hear(Asked(np.array([1, 2, 3]), np.ones((3, 3))))
    assert state.right(np.array([0]))[2, 0] > before


def test_the_rates_of_all_are_uncertain_together_until_students_are_asked_again() -> None:
    state = begun(20, 4, 30, revise_every=0).hear(Asked(np.arange(10), np.full((30, 10), 2.0)))
    for item in range(10):
        state = state.show(Shown(state.setup.xs[item], 1.0, item))
    unsure = state.knows.of_class
    for item in range(6):
        state = state.hear(Asked(np.array([item]), np.ones((30, 1))))
    sure = state.knows.of_class
    assert unsure.high - unsure.low > 0.25
    assert sure.high - sure.low < 0.6 * (unsure.high - unsure.low)
