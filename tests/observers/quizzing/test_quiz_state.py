"""All that is known of a class from its answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from homeroom import Classroom, QuizObserver
from homeroom._arrays import Floats
from homeroom.observers.quizzing import quiz_state
from homeroom.observers.quizzing.answer_step import AnswerModel
from homeroom.observers.quizzing.estimates import chances, rates_in_words
from homeroom.observers.quizzing.log import Asked, Shown
from homeroom.observers.quizzing.quiz_state import QuizState
from homeroom.observers.quizzing.replay import Assumed, Setup

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


def test_it_counts_rounds_and_answers() -> None:
    book = filled(a_book())
    assert (book.students, book.rounds, book.answers.shape) == (12, 3, (12, 6))
    np.testing.assert_array_equal(book.asked[:8], [1, 1, 1, 1, 1, 1, 0, 0])


def test_an_update_does_not_modify_the_previous_book() -> None:
    before = filled(a_book())
    means = before.bank.means.copy()
    filled(before)
    np.testing.assert_array_equal(before.bank.means, means)
    assert len(before.log) == 6


def test_the_same_log_gives_the_same_book() -> None:
    book = filled(a_book(), rounds=6)  # a revision among them
    again = a_book().replay(book.log)
    np.testing.assert_array_equal(again.bank.means, book.bank.means)
    np.testing.assert_array_equal(again.bank.evidence, book.bank.evidence)
    assert again.assumed == book.assumed


def written_out(book: QuizState, g: float) -> Floats:
    """The teacher's matrix as a sum over students and rates."""
    matrix = np.zeros((3, 3))
    for student in range(12):
        for number, rate in enumerate(book.bank.rates):
            gap = book.bank.means[student, number] - book.setup.target
            both = np.outer(gap, gap) + book.bank.covariances[student, number]
            weight = book.honesty[student] * book.bank.weights[student, number]
            matrix += weight * (2 * g * rate - g * g * rate**2) * both / 12
    return matrix


def test_the_moments_are_the_sum_written_out() -> None:
    book = filled(a_book())
    for g in (0.5, 1.0, 3.0):
        np.testing.assert_allclose(book.moments().weigh(g), written_out(book, g), atol=1e-13)


def test_gentle_suits_the_most_sensitive_student() -> None:
    book = filled(a_book(guard=False))
    p, rates = book.bank.weights, book.bank.rates
    assert book.gentle == pytest.approx(min((p @ rates) / (p @ rates**2)))
    np.testing.assert_array_equal(book.honesty, 1.0)


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
    match = r"9 matrices of 25 x 25 .* 100000 students 4.7 GB, and 1 GB .*range\(0, 100000, 5\)"
    setup = a_setup(25)
    with pytest.raises(ValueError, match=match):
        QuizState.new(setup, 100_000)
    with pytest.raises(ValueError, match="9 matrices of 10 x 10"):
        QuizState.new(a_setup(10), 130_000)
    assert QuizState.new(a_setup(2), 50_000).students == 50_000


def a_setup(dimensions: int) -> Setup:
    assumed = Assumed(AnswerModel(0.25), 1.0)
    return Setup(np.eye(dimensions), np.ones(dimensions), np.zeros(dimensions), assumed)


def test_the_sample_that_the_refusal_names_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quiz_state, "MOST_BYTES", 5000)  # eleven students in two dimensions
    with pytest.raises(ValueError, match=r"room.subset\(range\(0, 30, 3\)\)"):
        QuizState.new(a_setup(2), 30)
    assert QuizState.new(a_setup(2), len(range(0, 30, 3))).students == 10


def test_it_estimates_the_distance_of_the_class() -> None:
    book = filled(a_book())
    gaps = book.belief.means - book.setup.target
    far = (gaps**2).sum(axis=1) + np.trace(book.belief.covariances, axis1=1, axis2=2)
    assert book.error.total == pytest.approx(np.average(far, weights=book.honesty))
    assert book.farthest == pytest.approx(np.sqrt(far[book.honesty > 0.5].max()))
    assert book.farthest**2 > book.error.total > book.error.known


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
    with pytest.raises(ValueError, match="Items are numbered 0 to 199, but"):
        book.chances([200])


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"student": 12}, "`student` must be at least 0 and at most 11, but is 12"),
        ({"student": -1}, "`student` must be at least 0 and at most 11, but is -1"),
        ({"student": 0, "axes": (0, 3)}, "`axes` must be at least 0 and at most 2, but is 3"),
        ({"student": 0, "level": 1.5}, "`level` must be below 1, as 0.9 is, but is 1.5"),
        ({"student": 0, "level": 0.0}, "`level` must be positive"),
    ],
)
def test_there_is_no_outline_of_an_unknown_student(asked: dict[str, Any], sentence: str) -> None:
    book = a_book()
    with pytest.raises(ValueError, match=sentence):
        book.outline(**asked)


def test_a_band_cannot_have_a_probability_above_one() -> None:
    with pytest.raises(ValueError, match="`level` must be below 1"):
        a_book().chances([0], level=90)
