"""All that is known of a class from its answers."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom import Classroom, QuizObserver
from homeroom.observers.quizzing import quiz_state
from homeroom.observers.quizzing.answer_step import AnswerModel
from homeroom.observers.quizzing.estimates import chances, rates_in_words
from homeroom.observers.quizzing.log import Asked, Shown
from homeroom.observers.quizzing.quiz_state import QuizState
from homeroom.observers.quizzing.replay import Assumed, Setup
from tests.bad_input import refuse

ROOM = Classroom.sample(12, 3, rates=(0.1, 0.6), spread=0.5)


def a_book(**settings: bool | int) -> QuizState:
    return QuizObserver(**settings).begin(ROOM)  # type: ignore[arg-type]


def filled(book: QuizState, rounds: int = 3) -> QuizState:
    rng = np.random.default_rng(1)
    for number in range(rounds):
        items = np.array([2 * number, 2 * number + 1])
        book = book.hear(Asked(items, rng.choice([-1.0, 0.0, 1.0], (12, 2))))
        x = rng.standard_normal(3)
        book = book.show(Shown(x / np.linalg.norm(x), 0.3))
    return book


def test_a_revision_comes_only_when_there_is_something_new() -> None:
    rng = np.random.default_rng(0)
    book = a_book(revise_every=1).hear(Asked(np.arange(10), rng.choice([-1.0, 1.0], (12, 10))))
    usual = book.bank.usual
    book = book.show(Shown(np.array([1.0, 0.0, 0.0]), 0.5))
    np.testing.assert_array_equal(book.bank.usual, usual)
    book = book.hear(Asked(np.array([11]), np.ones((12, 1))))
    book = book.show(Shown(np.array([1.0, 0.0, 0.0]), 0.5))
    assert not np.array_equal(book.bank.usual, usual)


def test_a_class_too_large_to_be_remembered_is_refused() -> None:
    """Nine matrices a student: 100,000 in 10 dimensions fit, in 25 they do not."""
    refuse(lambda: QuizState.new(a_setup(25), 100_000), "4.7 GB", "range(0, 100000, 5)")
    refuse(lambda: QuizState.new(a_setup(10), 130_000), "GB")
    assert QuizState.new(a_setup(2), 50_000).students == 50_000


def a_setup(dimensions: int) -> Setup:
    assumed = Assumed(AnswerModel(0.25), 1.0)
    return Setup(np.eye(dimensions), np.ones(dimensions), np.zeros(dimensions), assumed)


def test_if_all_seem_to_click_the_most_honest_is_trusted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    honesty = np.full(12, 0.1)
    honesty[4] = 0.3
    monkeypatch.setattr(quiz_state, "honesty_of", lambda *_: honesty)
    book = filled(a_book())
    assert np.flatnonzero(book.trusted).tolist() == [4]


def test_summaries_for_display_are_available() -> None:
    book = filled(a_book())
    band = book.chances([5, 7], level=0.8)
    wider = book.chances([5, 7], level=0.95)
    expected = chances(book.belief, book.setup.xs[[5, 7]], book.assumed.model, level=0.8)
    np.testing.assert_array_equal(band.middle, expected.middle)
    assert ((wider.low < band.low) & (band.high < wider.high)).all()
    outline = book.outline(3, (0, 2))
    np.testing.assert_allclose(outline[:-1].mean(axis=0), book.belief.means[3, [0, 2]], atol=1e-12)
    assert book.rates_in_words == rates_in_words(book.bank)
    refuse(lambda: book.chances([200]), "numbered")
