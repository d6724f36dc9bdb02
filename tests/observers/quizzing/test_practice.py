"""Item difficulty and practice counts."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, log_expit, ndtr, softmax

from homeroom import AverageGoal, Classroom, QuizObserver, teach
from homeroom.observers.quizzing.choice_step import SHARP, contrasts
from homeroom.observers.quizzing.log import Asked, Shown
from homeroom.observers.quizzing.practice import item_difficulty
from homeroom.observers.quizzing.quiz_state import QuizState


def _answers(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return scores, items and marks of 600 answers to items that differ."""
    item = rng.integers(0, 6, 600)
    score = rng.standard_normal(600)
    easy = np.array([-2.0, -1.0, 0.0, 0.5, 1.0, 2.0])
    return score, item, rng.random(600) < expit(score + easy[item])


def test_newton_steps_reach_the_maximum_of_the_posterior() -> None:
    score, item, right = _answers(np.random.default_rng(0))
    easy = np.zeros(6)
    for _ in range(4):
        chance = expit(score + easy[item])
        easy = item_difficulty(right - chance, chance * (1 - chance), item, 1.5, easy).easy

    def loss(values: np.ndarray) -> float:
        sign = np.where(right, 1.0, -1.0)
        return float(-log_expit(sign * (score + values[item])).sum() + (values**2).sum() / 4.5)

    assert np.abs(easy - minimize(loss, np.zeros(6)).x).max() < 1e-3


def test_an_answer_is_left_out_of_the_difficulty_that_predicts_it() -> None:
    """Leaving out an answer gives nearly what a fit without it gives."""
    score, item, right = _answers(np.random.default_rng(1))

    def fitted(keep: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        easy = np.zeros(6)
        for _ in range(4):
            chance = expit(score + easy[item])
            slopes, bends = keep * (right - chance), keep * chance * (1 - chance)
            easy, others = item_difficulty(slopes, bends, item, 1.5, easy)
        return easy, others

    others = fitted(np.ones(600))[1]
    for answer in (0, 77, 321):
        keep = np.ones(600)
        keep[answer] = 0.0
        assert abs(fitted(keep)[0][item[answer]] - others[answer]) < 5e-3


EASY, SKILLS, WEIGHTS = [1.0, -1.0, 0.5, 0.0], [0, 1, 0, 1], (0.3, -0.2)


def observer(**more: Any) -> QuizObserver:
    """An observer of right and wrong answers to four items of two skills, one ability."""
    settings: dict[str, Any] = {
        "items": np.ones((4, 1)),
        "marked": True,
        "sigma": 1.0,
        "radius": 1.0,
        "revise_every": 0,
        "guard": False,
        "live": True,
    }
    return QuizObserver(**{**settings, **more})


def after_answers(quiz: QuizObserver, answers: list[tuple[int, float]]) -> QuizState:
    state = quiz.begin_with(np.ones(1), 1)
    for item, answer in answers:
        state = state.hear(Asked(np.array([item]), np.array([[answer]])))
    return state


ANSWERS = [(0, 1.0), (2, 1.0), (1, -1.0), (0, -1.0), (3, 1.0), (1, 1.0)]


def test_difficulty_and_practice_are_part_of_the_score() -> None:
    """The belief is that of a posterior on a grid, with the prior that was found."""
    state = after_answers(observer(easy=EASY, skills=SKILLS, practice=WEIGHTS), ANSWERS)
    w = np.linspace(-8.0, 8.0, 4001)
    density = np.exp(-0.5 * (w - state.prior.mean[0]) ** 2 / state.prior.covariance[0, 0])
    right, wrong = np.zeros(2), np.zeros(2)
    for item, answer in ANSWERS:
        skill = SKILLS[item]
        score = w + EASY[item] + 0.3 * np.log1p(right[skill]) - 0.2 * np.log1p(wrong[skill])
        density = density * ndtr(answer * score)
        (right if answer > 0 else wrong)[skill] += 1
    density = density / density.sum()
    mean = float(density @ w)
    assert abs(float(state.belief.means[0, 0]) - mean) < 0.01
    assert abs(float(state.belief.covariances[0, 0, 0]) - float(density @ (w - mean) ** 2)) < 0.02
    score = w + EASY[1] + 0.3 * np.log1p(right[1]) - 0.2 * np.log1p(wrong[1])
    expected = float(density @ ndtr(score))
    assert abs(float(state.right(np.array([1]))[0, 0]) - expected) < 0.01
    assert abs(float(state.chances([1]).middle[0, 0]) - expected) < 0.01


def test_difficulty_and_practice_are_part_of_the_score_of_one_of_three_answers() -> None:
    """The belief is that of a posterior on a grid, with the prior that was found."""
    keys, answers = [1, 2, 3, 1], [(0, 1), (2, 3), (1, 3), (0, 2), (3, 1), (1, 2)]
    quiz = QuizObserver(
        np.ones((4, 1)),
        keys=keys,
        sigma=SHARP,  # a score is a logit
        radius=1.0,
        revise_every=0,
        guard=False,
        live=True,
        easy=EASY,
        skills=SKILLS,
        practice=WEIGHTS,
    )
    state = quiz.begin_with(None, 1)
    for item, answer in answers:
        state = state.hear(Asked(np.array([item]), np.array([[float(answer)]])))
    side = np.linspace(-6.0, 6.0, 241)
    z = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    off = z - state.prior.mean
    density = np.exp(-0.5 * (off @ np.linalg.inv(state.prior.covariance) * off).sum(axis=1))
    right, wrong = np.zeros(2), np.zeros(2)

    def chances(item: int) -> np.ndarray:
        skill, scores = SKILLS[item], z @ contrasts(3).T
        known = 0.3 * np.log1p(right[skill]) - 0.2 * np.log1p(wrong[skill])
        scores[:, keys[item] - 1] += EASY[item] + known
        return softmax(scores, axis=1)

    for item, answer in answers:
        density = density * chances(item)[:, answer - 1]
        (right if answer == keys[item] else wrong)[SKILLS[item]] += 1
    density = density / density.sum()
    np.testing.assert_allclose(state.belief.means[0], density @ z, atol=0.05)
    expected = density @ chances(1)
    np.testing.assert_allclose(state.answer_chances([1])[0][0], expected, atol=0.02)
    assert abs(float(state.right(np.array([1]))[0, 0]) - expected[1]) < 0.03
    practice = state.bank.practice
    assert practice is not None
    assert practice.right.tolist() == [[2, 2]]
    assert practice.wrong.tolist() == [[1, 1]]
    again = replace(quiz, log=quiz.log_of(state)).begin_with(None, 1)
    np.testing.assert_allclose(again.belief.means, state.belief.means, atol=1e-12)


@pytest.mark.parametrize("memory", [0.0, 0.3, math.inf])
def test_an_easy_item_counts_in_what_students_choose_and_know(memory: float) -> None:
    def state(by: float) -> QuizState:
        quiz = QuizObserver(
            keys=[1, 2, 3, 1], live=True, easy=[0, 0, 0, by], item_memory=memory, guard="buttons"
        )
        answers = np.array([[1.0, 2.0, 1.0], [1.0, 1.0, 3.0]])
        begun = quiz.begin_with(None, 2).hear(Asked(np.arange(3), answers))
        return begun.show(Shown(begun.setup.xs[2], 3.0, 2)).ask(1, np.random.default_rng(0))

    hard, easy = state(-0.3), state(0.3)
    assert easy.knows.draws.mean() > hard.knows.draws.mean() + 0.01
    assert (easy.right(np.array([3])) > hard.right(np.array([3])) + 0.05).all()


def test_questions_with_several_answers_are_those_whose_difficulty_suits_the_class() -> None:
    quiz = QuizObserver(
        np.ones((4, 1)), keys=[1] * 4, live=True, easy=[3.0, 2.0, 0.0, -3.0], random_every=0
    )
    state = quiz.begin_with(None, 20).ask(1, np.random.default_rng(0))
    assert state.questions is not None
    assert state.questions.tolist() == [2]


def test_questions_are_those_whose_difficulty_suits_the_class() -> None:
    quiz = observer(easy=[6.0, 5.0, 0.0, -7.0], random_every=0)
    state = quiz.begin_with(np.ones(1), 20).ask(1, np.random.default_rng(0))
    assert state.questions is not None
    assert state.questions.tolist() == [2]


def test_counts_follow_students_and_the_log() -> None:
    quiz = observer(easy=EASY, skills=SKILLS, practice=WEIGHTS)
    state = after_answers(quiz, ANSWERS).show(Shown(np.ones(1), 1.0)).with_newcomers(2)
    state = state.hear(Asked(np.array([3]), np.array([[1.0], [1.0], [0.0]])))
    practice = state.bank.practice
    assert practice is not None
    assert practice.right.tolist() == [[2, 3], [0, 1], [0, 0]]
    assert practice.wrong.tolist() == [[1, 1], [0, 0], [0, 0]]
    some = state.of_students(np.array([1])).bank.practice
    assert some is not None
    assert some.right.tolist() == [[0, 1]]
    again = replace(quiz, log=quiz.log_of(state)).begin_with(np.ones(1), 3)
    np.testing.assert_allclose(again.belief.means[0], state.belief.means[0], atol=0.05)
    assert again.bank.practice is not None
    assert again.bank.practice.right.tolist() == practice.right.tolist()


def test_a_simulated_class_is_taught_with_difficulty_and_practice() -> None:
    rng = np.random.default_rng(3)
    items = rng.standard_normal((40, 2))
    room = Classroom.sample(12, 2, rates=(0.2, 0.5), seed=1, example_radius=1.0)
    easy, skills = rng.standard_normal(40), np.arange(40) % 4
    quiz = QuizObserver(items, easy=easy, skills=skills, practice=(0.2, 0.0))
    record = teach(room, observer=quiz, goal=AverageGoal(0.2 * room.error))
    assert record.error_after(record.rounds) <= 0.2 * room.error
    assert record.rounds == teach(room, observer=quiz, goal=AverageGoal(0.2 * room.error)).rounds
