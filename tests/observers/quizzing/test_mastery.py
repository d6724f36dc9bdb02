"""What students know, and which items would help them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr

from homeroom import Classroom, QuizObserver
from homeroom.goals import Knows, MasteryGoal
from homeroom.observers.quizzing.answer_step import AnswerModel
from homeroom.observers.quizzing.log import Asked, Shown
from homeroom.observers.quizzing.mastery import strict
from homeroom.observers.quizzing.quiz_state import QuizState
from homeroom.observers.quizzing.replay import Assumed

ROOM = Classroom.sample(6, 3, rates=(0.1, 0.6), spread=0.5)
ITEMS = np.random.default_rng(0).standard_normal((30, 3))


def a_state(item_memory: float = 0.3, **settings: object) -> QuizState:
    rng = np.random.default_rng(1)
    observer = QuizObserver(ITEMS, live=True, item_memory=item_memory, **settings)  # type: ignore[arg-type]
    state = observer.begin(ROOM).hear(Asked(np.arange(8), rng.choice([-1.0, 1.0], (6, 8))))
    return state.show(Shown(ITEMS[9], 0.5, 9))


def test_the_chance_of_a_right_answer_is_an_average_over_rates() -> None:
    state = a_state()
    bank, sigma = state.bank, state.assumed.model.sigma
    assert bank.memory is not None
    for item in (3, 9, 20):
        own = bank.memory.now(item, state.time)
        x = bank.memory.rule * ITEMS[item]
        mean = bank.means @ x + bank.memory.own * own.means
        variance = np.einsum("jkab,a,b->jk", bank.covariances, x, x)
        variance += bank.memory.own**2 * own.variances
        label = np.sign(ITEMS[item] @ ROOM.target)
        chance = (bank.weights * ndtr(label * mean / np.sqrt(sigma**2 + variance))).sum(axis=1)
        np.testing.assert_allclose(state.right(np.array([item]))[:, 0], chance, atol=1e-12)


def test_help_is_the_expected_gap_below_the_margin() -> None:
    """Against 200,000 draws of every score."""
    state = a_state(margin=0.6)
    bank, items = state.bank, np.array([2, 9])
    means, variances = bank.scores(ITEMS[items], items, state.time)
    drawn = np.random.default_rng(0).standard_normal((200_000, 1, 1, 1))
    labels = np.sign(ITEMS[items] @ ROOM.target)
    gaps = np.zeros(means.shape)
    for part in np.array_split(drawn, 20):
        scores = means + np.sqrt(variances) * part
        gaps += (np.maximum(0.6 - labels * scores, 0.0) ** 2).sum(axis=0) / len(drawn)
    memory = bank.memory
    assert memory is not None
    length = memory.rule**2 * (ITEMS[items] ** 2).sum(axis=1) + memory.own**2
    eta = bank.rates[:, None]
    weights = (state.honesty[:, None] * bank.weights)[..., None] / 6
    expected = (weights * eta * (2 - eta * length) * gaps).sum(axis=(0, 1))
    np.testing.assert_allclose(state.helps(items), expected, rtol=0.02)


@pytest.mark.parametrize("item_memory", [0.0, 0.3])
def test_knowledge_of_a_rule_is_over_new_items(item_memory: float) -> None:
    """The mean of the draws is the chance of being right on an item that was never seen."""
    state = a_state(item_memory)
    found = [student.middle for student in state.knows_by_law.students]
    assumed, belief = state.assumed, state.belief
    rule = 1.0 / math.hypot(1.0, assumed.kappa)
    labels = np.sign(ITEMS @ ROOM.target)
    means, variances = belief.scores(rule * ITEMS)
    wide = assumed.model.sigma**2 + (assumed.kappa * rule) ** 2 + variances
    expected = ndtr(labels * means / np.sqrt(wide)).mean(axis=1)
    np.testing.assert_allclose(found, expected, atol=0.03)
    low, high = state.knows_by_law.of_class.low, state.knows_by_law.of_class.high
    assert low < state.knows_by_law.of_class.middle < high


def test_knowledge_of_facts_is_over_all_of_them() -> None:
    labels = np.where(np.arange(10) % 2, 1.0, -1.0)
    room = Classroom(np.zeros((5, 1)), np.full(5, 0.1), np.ones(1))
    state = QuizObserver(labels[:, None], live=True, item_memory=math.inf).begin(room)
    assert state.knows_by_law.of_class.middle == pytest.approx(0.5, abs=0.01)
    answers = np.tile(labels[:5], (5, 1))
    state = state.hear(Asked(np.arange(5), answers))
    for _ in range(4):
        state = state.hear(Asked(np.arange(5), answers)).show(Shown(labels[[0]], labels[0], 0))
    assert state.knows_by_law.of_class.middle > 0.97  # also those that were not asked
    half = np.where(np.arange(5) % 2, labels[:5], -labels[:5])
    state = QuizObserver(labels[:, None], live=True, item_memory=math.inf).begin(room)
    state = state.hear(Asked(np.arange(5), np.tile(half, (5, 1))))
    assert state.knows_by_law.of_class.middle == pytest.approx(0.48, abs=0.03)


@pytest.mark.parametrize("answers", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_facts_are_all_counted_in_a_large_class(answers: int) -> None:
    """A class that knows two thirds of 60 facts knows two thirds, however large it is."""
    labels = np.tile([1.0, -1.0], 30) if answers == 2 else np.arange(60) // 15 + 1.0
    observer = QuizObserver(
        labels[:, None] if answers == 2 else None,
        keys=None if answers == 2 else labels.astype(int),
        live=True,
        item_memory=math.inf,
        revise_every=0,
        guard=False,
    )
    for students in (8, 300):
        state = observer.begin_with(np.ones(1) if answers == 2 else None, students)
        wrong = -labels if answers == 2 else labels % 4 + 1
        given = np.where(np.arange(60) % 3 > 0, labels, wrong)
        for _ in range(2):
            state = state.hear(Asked(np.arange(60), np.tile(given, (students, 1))))
        found = state.knows_by_law
        assert found.of_class.middle == pytest.approx(state.right(np.arange(60)).mean(), abs=0.02)
        assert found.of_class.middle == pytest.approx(2 / 3, abs=0.03)
        assert 0.01 < found.draws.std(axis=1).mean() < 0.03


def test_noise_that_is_estimated_makes_the_interval_wider() -> None:
    """It is common to all students, so it does not average out over the class."""
    bank = a_state().bank
    means, exact = np.broadcast_to(ROOM.target, bank.means.shape), 1e-6 * bank.covariances
    estimated = replace(a_state(), bank=replace(bank, means=means, covariances=exact))
    given = replace(estimated, setup=replace(estimated.setup, revise_every=0))
    (_, low, high), known = estimated.knows_by_law.of_class, given.knows_by_law.of_class
    assert known.high - known.low < 1e-3
    assert low + 0.005 < known.middle < high - 0.005
    assert estimated.knows_by_law.of_class.middle == pytest.approx(known.middle, abs=0.01)


def test_large_lapses_count_as_not_knowing() -> None:
    """A class that is always right in 70 % of its answers does not know 90 %."""
    base = Assumed(AnswerModel(0.25), 1.0)
    assert strict(Assumed(AnswerModel(0.25, 0.02, 0.02), 1.0), base) == AnswerModel(0.25)
    assert strict(Assumed(AnswerModel(0.25, 0.2, 0.2), 1.0), base).slip == pytest.approx(0.175)
    guessing = Assumed(AnswerModel(0.25, 0.25, 0.05), 1.0)
    assert strict(guessing, guessing) == guessing.model


@pytest.mark.parametrize(("lapse", "right"), [(0.02, 1.0), (0.3, 0.875)])
def test_lapses_that_are_expected_at_first_are_excused_alike(lapse: float, right: float) -> None:
    """Above 0.05 they count as not knowing: ``lapse' = max(0, lapse - 0.05)``."""
    observer = QuizObserver(ITEMS, live=True, lapse=lapse, guess=0.1, radius=50.0, revise_every=0)
    state = observer.begin(ROOM)
    for _ in range(4):
        state = state.hear(Asked(np.arange(30), np.tile(state.setup.labels, (6, 1))))
    clear = np.argsort(state.setup.labels * (ITEMS @ state.setup.target))[-1:]
    assert state.right(clear).min() == pytest.approx(right, abs=0.003)


class TestMasteryGoal:
    def test_the_class_knows_enough_with_the_required_probability(self) -> None:
        draws = np.full((4, 100), 0.92)
        assert MasteryGoal().reached_by(Knows(draws, np.ones(4)))
        draws[:, :6] = 0.85
        assert not MasteryGoal().reached_by(Knows(draws, np.ones(4)))
        assert MasteryGoal(sure=0.9).reached_by(Knows(draws, np.ones(4)))

    def test_each_student_separately(self) -> None:
        draws = np.full((3, 100), 0.95)
        draws[2] = 0.7
        assert MasteryGoal(share=0.85).reached_by(Knows(draws, np.ones(3)))
        assert not MasteryGoal(of="each").reached_by(Knows(draws, np.ones(3)))
        assert MasteryGoal(of="each").reached_by(Knows(draws, np.array([1.0, 1.0, 0.0])))
