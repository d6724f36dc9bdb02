"""From what happened to what is believed."""

from __future__ import annotations

import numpy as np

from homeroom.observers.quizzing.answer_step import AnswerModel
from homeroom.observers.quizzing.beliefs import UNIFORM
from homeroom.observers.quizzing.log import Asked, Event, Shown, of_students
from homeroom.observers.quizzing.replay import Assumed, Setup, beliefs_after, shown

XS = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [-0.8, 0.6]])
ASSUMED = Assumed(AnswerModel(0.25), 1.2)
SETUP = Setup(XS, np.ones(4), np.array([0.0, 1.0]), ASSUMED)
BEFORE = Asked(np.array([0, 1, 2]), np.array([[1.0, 1.0, 1.0], [-1.0, 1.0, 1.0], [1.0, 0.0, -1.0]]))
EXAMPLE = Shown(np.array([0.6, 0.8]), 0.8)
AFTER = Asked(np.array([3]), np.array([[1.0], [-1.0], [1.0]]))
LOG: list[Event] = [BEFORE, EXAMPLE, AFTER]


def test_several_pretests_are_one() -> None:
    parts = [Asked(BEFORE.items[i : i + 1], BEFORE.answers[:, i : i + 1]) for i in range(3)]
    one = beliefs_after([BEFORE], SETUP, ASSUMED, UNIFORM, students=3).bank
    other = beliefs_after(parts, SETUP, ASSUMED, UNIFORM, students=3).bank
    np.testing.assert_array_equal(one.means, other.means)


def test_a_log_of_some_students_has_only_their_answers() -> None:
    part = of_students(LOG, np.array([2, 0]))
    assert isinstance(part[0], Asked)
    np.testing.assert_array_equal(part[0].answers, BEFORE.answers[[2, 0]])
    assert part[1] is EXAMPLE


def test_individual_examples_affect_only_their_student() -> None:
    """Students who saw nothing (a row of zeros) do not change."""
    own = Shown(np.array([[0.6, 0.8], [0.0, 0.0], [1.0, 0.0]]), np.array([0.8, 0.0, -0.3]))
    bank = beliefs_after([BEFORE], SETUP, ASSUMED, UNIFORM, students=3).bank
    together = shown(bank, own, SETUP)
    np.testing.assert_array_equal(together.means[1], bank.means[1])
    for student in (0, 2):
        alone = shown(bank, Shown(own.x[student], np.asarray(own.y)[student]), SETUP)
        np.testing.assert_allclose(together.means[student], alone.means[student], atol=1e-14)
        np.testing.assert_allclose(
            together.covariances[student], alone.covariances[student], atol=1e-14
        )
    (part,) = of_students([own], np.array([2, 0]))
    assert isinstance(part, Shown)
    np.testing.assert_array_equal(part.x, own.x[[2, 0]])
    np.testing.assert_array_equal(part.y, [-0.3, 0.8])
