"""What students know if there are several answers, and what to ask and to show."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.special import softmax

from homeroom import MasteryGoal, QuizObserver
from homeroom.observers import QuizState
from homeroom.observers.quizzing import choice_mastery
from homeroom.observers.quizzing.choice_bank import ChoiceBank
from homeroom.observers.quizzing.choice_step import SHARP, contrasts
from homeroom.observers.quizzing.log import Asked, Shown
from tests.bad_input import refuse

KEYS = np.arange(24) % 4 + 1


def quiz(**settings: Any) -> QuizObserver:
    usual: dict[str, Any] = {"keys": KEYS, "live": True, "answers": 0, "guard": "buttons"}
    return QuizObserver(**usual | {"item_memory": 0.2} | settings)


def taught(
    observer: QuizObserver, students: int = 6, rounds: int = 4, right: float = 0.6
) -> QuizState:
    """Return the state after a pre-test and a few rounds with random answers."""
    rng = np.random.default_rng(0)
    assert observer.keys is not None
    keys, options = np.asarray(observer.keys), np.asarray(observer.options)
    state = observer.asking(observer.begin_with(None, students), rng)
    assert state.questions is not None

    def answers(items: np.ndarray) -> np.ndarray:
        shape = students, len(items)
        wrong = (keys[items] - 1 + rng.integers(1, options[items], shape)) % options[items] + 1
        return np.asarray(np.where(rng.random(shape) < right, keys[items], wrong), dtype=float)

    items = np.unique(state.questions)
    state = state.hear(Asked(items, answers(items)))
    for item in range(rounds):
        state = state.hear(Asked(np.array([item]), answers(np.array([item]))))
        state = state.show(Shown(state.setup.xs[item], float(keys[item]), item))
    return state


def test_the_chance_of_a_right_answer_is_close_to_that_of_sampled_students() -> None:
    """Within 0.05, and 0.02 on average, of averages over draws of each belief."""
    state = taught(quiz(revise_every=0))
    bank, rng = state.bank, np.random.default_rng(0)
    assert isinstance(bank, ChoiceBank)
    assert bank.memory is not None
    found = state.right(np.arange(24))
    beta, off = SHARP / state.assumed.model.sigma, []
    for student in range(3):
        for item in (0, 3, 9, 20):
            chances = np.zeros(len(bank.rates))
            now = bank.memory.now(item, state.time)
            for rate in range(len(bank.rates)):
                root = np.linalg.cholesky(bank.covariances[student, rate])
                drawn = rng.standard_normal((4000, len(root))) @ root.T + bank.means[student, rate]
                t = bank.memory.rule * drawn.reshape(4000, 3, -1) @ state.setup.xs[item]
                u = now.means[student, rate] @ contrasts(4).T
                spread = np.sqrt(now.variances[student, rate])
                own = u + rng.standard_normal((4000, 4)) * spread
                scores = t @ contrasts(4).T + bank.memory.own * own
                chances[rate] = softmax(beta * scores, axis=1)[:, KEYS[item] - 1].mean()
            off.append(abs(found[student, item] - bank.weights[student] @ chances))
    assert max(off) < 0.05
    assert np.mean(off) < 0.02


def test_help_is_the_expected_gap_times_the_step() -> None:
    """Compared with draws, for one student and a bank of two rates."""
    state = taught(quiz(revise_every=0), students=1)
    bank = state.bank
    assert isinstance(bank, ChoiceBank)
    assert bank.memory is not None
    rng, margin, item = np.random.default_rng(0), 0.5, 2
    x, total = state.setup.xs[item], 0.0
    now = bank.memory.now(item, state.time)
    for rate, eta in enumerate(bank.rates):
        root = np.linalg.cholesky(bank.covariances[0, rate])
        drawn = rng.standard_normal((20_000, len(root))) @ root.T + bank.means[0, rate]
        t = bank.memory.rule * drawn.reshape(20_000, 3, -1) @ x
        own = now.means[0, rate] @ contrasts(4).T
        own = own + rng.standard_normal((20_000, 4)) * np.sqrt(now.variances[0, rate])
        scores = t @ contrasts(4).T + bank.memory.own * own
        key = KEYS[item] - 1
        ahead = scores[:, [key]] - np.delete(scores, key, axis=1)
        gap = (np.maximum(margin - ahead, 0.0) ** 2).mean()
        length = bank.memory.rule**2 * x @ x + bank.memory.own**2
        total += bank.weights[0, rate] * eta * (2.0 - eta * length) * gap
    found = choice_mastery.outlook(
        bank,
        state.setup,
        np.ones(1),
        np.array([item]),
        state.assumed.model,
        margin=margin,
        at=state.time,
    )
    assert found.helps[0] == pytest.approx(total, rel=0.05)


@pytest.mark.slow
def test_the_log_gives_the_same_beliefs() -> None:
    facts = quiz(item_memory=math.inf, options=np.arange(24) % 4 + 4, revise_every=0)
    for observer in (quiz(), facts):
        state = taught(observer, rounds=5)
        log = json.loads(json.dumps(observer.log_of(state)))
        again = replace(observer, log=log).begin_with(None, state.students)
        np.testing.assert_array_equal(again.bank.means, state.bank.means)
        np.testing.assert_array_equal(again.knows.draws, state.knows.draws)
        np.testing.assert_array_equal(again.right(np.arange(24)), state.right(np.arange(24)))


@pytest.mark.slow
@pytest.mark.parametrize("facts", [False, True])
def test_a_class_that_is_always_right_knows_and_one_that_guesses_does_not(facts: bool) -> None:
    observer = quiz(item_memory=math.inf if facts else 0.2, pretest=24, revise_every=0)
    knows, guesses = (taught(observer, 20, 8, right) for right in (1.0, 0.25))
    assert knows.knows.of_class.middle > 0.8
    assert guesses.knows.of_class.middle < 0.6
    assert not MasteryGoal().reached_by(guesses.knows)


@pytest.mark.slow
def test_students_come_and_go() -> None:
    state = taught(quiz())
    more = state.with_newcomers(2)
    assert more.students == 8
    some = more.of_students(np.array([1, 7]))
    np.testing.assert_allclose(some.right(np.arange(5))[0], state.right(np.arange(5))[1])
    assert some.hear(Asked(np.array([5]), np.array([[1.0], [0.0]]))).students == 2


def test_one_button_is_recognised_and_guessing_is_not() -> None:
    rng, students = np.random.default_rng(0), 30
    state = quiz(revise_every=0).begin_with(None, students)
    items = np.arange(18)
    answers = rng.integers(1, 5, (students, 18)).astype(float)
    answers[:3] = 2.0
    state = state.hear(Asked(items, answers))
    assert state.flagged[:3].all()
    assert not state.flagged[3:].any()
    assert state.honesty[:3].max() < 0.1


def test_answers_faster_than_reading_are_reported() -> None:
    rng = np.random.default_rng(0)
    state = quiz(revise_every=0).begin_with(None, 4)
    seconds = np.full((4, 14), 8.0)
    seconds[2] = 0.5
    given = rng.integers(1, 5, (4, 14))
    state = replace(state, questions=np.arange(14))
    for wrong in (-seconds, seconds[:, :5], "soon", [[10**400] * 14] * 4):
        refuse(partial(quiz().hear, state, given, seconds=wrong), "`seconds`")
    refuse(lambda: quiz().hear(state, [{3: 1}] * 4, seconds=seconds), "`seconds`")
    state = quiz().hear(state, given, seconds=seconds)
    assert state.flagged.tolist() == [False, False, True, False]
    log = json.loads(json.dumps(QuizObserver.log_of(state)))
    again = quiz(revise_every=0, log=log).begin_with(None, 4)
    assert again.flagged.tolist() == state.flagged.tolist()


def test_each_answer_has_a_chance() -> None:
    state = taught(quiz())
    for chances in state.answer_chances([0, 5]):
        assert chances.shape == (6, 4)
        np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    refuse(lambda: state.chances([0]), "right")


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"keys": [1, 0]}, "number"),
        ({"keys": [1.5]}, "number"),
        ({"options": 1}, "from"),
        ({"options": 3}, "answers"),
        ({"options": [4, 4]}, "each"),
        ({"options": np.arange(24) % 4 + 4}, "share"),
        ({"marked": True}, "`marked`"),
        ({"items": np.zeros((3, 2))}, "number"),
        ({"keys": None, "options": 4}, "`keys`"),
        ({"log": [{"asked": [0], "answers": [[5]]}]}, "given"),
        ({"log": [{"asked": [0], "answers": [[1]], "seconds": [[-1]]}]}, "`seconds`"),
        ({"log": [{"shown": [0] * 5, "label": 9, "item": 1}]}, "number"),
        ({"log": [{"shown": [0] * 5, "label": 1}]}, "`item`"),
    ],
)
def test_wrong_settings_are_refused_in_one_sentence(settings: dict[str, Any], why: str) -> None:
    refuse(lambda: quiz(**settings).begin_with(None, 1), why)


def test_answers_from_outside_are_numbers() -> None:
    observer = quiz()
    state = observer.asking(observer.begin_with(None, 2), np.random.default_rng(0))
    heard = observer.hear(state, [{0: 4, 3: 1}, None])
    assert heard.answers.tolist() == [[4.0, 1.0], [0.0, 0.0]]
    refuse(lambda: observer.hear(state, [{0: 5}, None]), "counted")
