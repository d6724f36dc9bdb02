"""What students remember about single items."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from homeroom import Classroom, QuizObserver
from homeroom.learners.item_memory import SECONDS, Forgetting
from homeroom.observers.quizzing.answer_step import AnswerModel, after_answer
from homeroom.observers.quizzing.beliefs import RATES, Belief, BeliefBank
from homeroom.observers.quizzing.item_memory import ItemMemory
from homeroom.observers.quizzing.log import Asked, Event, Shown
from homeroom.observers.quizzing.quiz_state import QuizState
from homeroom.observers.quizzing.teach_step import after_example

MODEL = AnswerModel(0.3, 0.05, 0.05)
ITEMS = np.random.default_rng(0).standard_normal((20, 3))
ROOM = Classroom.sample(8, 3, rates=(0.1, 0.6), spread=0.5)


def a_bank(kappa: float | None, students: int = 4) -> BeliefBank:
    rng = np.random.default_rng(2)
    belief = Belief(rng.standard_normal((students, 3)), np.tile(0.5 * np.eye(3), (students, 1, 1)))
    memory = None if kappa is None else ItemMemory(kappa, students, len(RATES))
    return replace(BeliefBank.of(belief, np.zeros(students)), memory=memory)


def a_log(rounds: int = 7, students: int = 8) -> list[Event]:
    rng = np.random.default_rng(1)
    first = Asked(np.arange(10), rng.choice([-1.0, 1.0], (students, 10)))
    log: list[Event] = [first]
    for number in range(rounds):
        item = 10 + number % 4
        log.append(Asked(np.array([item]), rng.choice([-1.0, 0.0, 1.0], (students, 1))))
        log.append(Shown(ITEMS[item], 0.5, item))
    return log


def a_state(item_memory: float, **settings: object) -> QuizState:
    observer = QuizObserver(ITEMS, live=True, item_memory=item_memory, **settings)  # type: ignore[arg-type]
    return observer.begin(ROOM)


def test_without_weight_it_is_the_rule_alone() -> None:
    """``kappa = 0`` is the model without memory, to 1e-9."""
    rng = np.random.default_rng(3)
    one, other = a_bank(None), a_bank(0.0)
    for number in range(12):
        x, answers = ITEMS[number % 5], rng.choice([-1.0, 0.0, 1.0], 4)
        one, other = (
            bank.heard(x, answers, MODEL, item=number % 5, at=float(number)).shown(
                x, 0.4, attention=0.9, drift=0.01, items=number % 5, at=float(number)
            )
            for bank in (one, other)
        )
    np.testing.assert_allclose(other.means, one.means, rtol=0, atol=1e-9)
    np.testing.assert_allclose(other.covariances, one.covariances, rtol=0, atol=1e-9)
    np.testing.assert_allclose(other.evidence, one.evidence, rtol=0, atol=1e-9)


@pytest.mark.parametrize("kappa", [0.2, 1.0, math.inf])
def test_the_first_answer_and_example_update_the_joint_gaussian(kappa: float) -> None:
    """One answer, or one example, against the full Gaussian of rule and memory."""
    bank = a_bank(kappa)
    assert bank.memory is not None
    rule, own = bank.memory.rule, bank.memory.own
    assert rule**2 + own**2 == pytest.approx(1.0)
    x = np.append(rule * ITEMS[0], own)
    means = np.concatenate([bank.means, np.zeros((4, 9, 1))], axis=2)
    joint = np.zeros((4, 9, 4, 4))
    joint[..., :3, :3], joint[..., 3, 3] = bank.covariances, 1.0
    answers = np.array([1.0, -1.0, 1.0, -1.0])
    expected = after_answer(means, joint, x, answers[:, None], MODEL)
    found = bank.heard(ITEMS[0], answers, MODEL, item=0)
    _same(found, expected[0], expected[1])
    np.testing.assert_allclose(found.evidence, expected[2])
    taught = after_example(means, joint, RATES, x, 0.7, attention=0.8, rate_error=0.3)
    _same(bank.shown(ITEMS[0], 0.7, attention=0.8, drift=0.0, items=0), *taught)


def _same(bank: BeliefBank, means: np.ndarray, joint: np.ndarray) -> None:
    assert bank.memory is not None
    trace = bank.memory.trace(0)
    np.testing.assert_allclose(bank.means, means[..., :3], atol=1e-12)
    np.testing.assert_allclose(bank.covariances, joint[..., :3, :3], atol=1e-12)
    np.testing.assert_allclose(trace.means, means[..., 3], atol=1e-12)
    np.testing.assert_allclose(trace.variances, joint[..., 3, 3], atol=1e-12)


def test_facts_need_no_features() -> None:
    """With ``inf`` the features do not matter; who knew one fact may know others too."""
    labels = np.array([1.0, -1.0, 1.0])
    room = Classroom(np.zeros((2, 1)), np.full(2, 0.1), np.ones(1))
    observer = QuizObserver(labels[:, None], live=True, item_memory=math.inf)
    state = observer.begin(room).hear(Asked(np.array([0]), np.array([[1.0], [-1.0]])))
    right = state.right(np.arange(3))
    assert right[0, 0] > right[0, 1] > 0.55
    assert right[1, 0] < 0.45
    np.testing.assert_allclose(right[1, 1:], 0.5, atol=0.01)
    np.testing.assert_allclose(right[:, 1], right[:, 2])
    state = state.show(Shown(np.array([-1.0]), -1.0, 1))
    later = state.right(np.arange(3))
    assert (later[:, 1] > 0.6).all()
    np.testing.assert_allclose(later[:, [0, 2]], right[:, [0, 2]], atol=1e-4)  # it fades a little


def test_memory_fades_by_a_power_law_and_only_reading_stores_nothing() -> None:
    memory = ItemMemory(1.0, 2, 1, forgetting=Forgetting(100.0, 0.5))
    item = np.array([5, 5])
    memory = memory.stored(item, np.full((2, 1), 0.8), np.full((2, 1), 0.2), at=10.0)
    later = memory.now(5, 310.0)
    np.testing.assert_allclose(later.means, 0.8 / 2.0)
    np.testing.assert_allclose(later.variances, 0.25 * 0.2 + 0.75)
    assert memory.trace(5).means[0, 0] == 0.8
    np.testing.assert_allclose(memory.now(7, 310.0).variances, 1.0)  # never seen


def test_stability_doubles_after_a_success_that_is_spaced() -> None:
    memory, item = ItemMemory(1.0, 2, 1, forgetting=Forgetting(100.0)), np.array([5, 5])
    zeros, ones, right = np.zeros((2, 1)), np.ones((2, 1)), np.array([True, False])
    first = memory.stored(item, zeros, ones, 0.0, success=right)
    soon = first.stored(item, zeros, ones, 0.5, success=right)
    np.testing.assert_array_equal(soon.trace(5).stability, 100.0)
    spaced = soon.stored(item, zeros, ones, 90.0, success=right)
    np.testing.assert_array_equal(spaced.trace(5).stability, [200.0, 100.0])


@pytest.mark.slow
def test_replaying_a_log_with_times_gives_the_same_beliefs() -> None:
    log = [replace(event, at=3600.0 * n) for n, event in enumerate(a_log())]
    state = a_state(0.2).replay(log)
    plain = json.loads(json.dumps(QuizObserver.log_of(state)))
    observer = QuizObserver(ITEMS, live=True, item_memory=0.2, log=plain)
    again = observer.begin(ROOM)
    assert state.bank.memory is not None
    assert again.bank.memory is not None
    np.testing.assert_array_equal(again.bank.means, state.bank.means)
    np.testing.assert_array_equal(again.right(np.arange(20)), state.right(np.arange(20)))
    assert state.time == 3600.0 * 14
    assert a_state(0.2).replay(a_log()).time == 7 * SECONDS


def test_students_can_be_selected_and_added() -> None:
    state = a_state(0.5).replay(a_log())
    some = state.of_students(np.array([5, 2]))
    np.testing.assert_array_equal(some.right(np.arange(20)), state.right(np.arange(20))[[5, 2]])
    more = state.with_newcomers(3)
    np.testing.assert_array_equal(more.right(np.arange(20))[:8], state.right(np.arange(20)))
    fresh = more.right(np.arange(20))[8:]
    np.testing.assert_allclose(fresh, np.tile(fresh[0], (3, 1)))


@pytest.mark.slow
def test_memory_is_estimated_again_from_the_answers() -> None:
    """Answers that follow a rule need none; answers that follow single items need more."""
    rng = np.random.default_rng(5)
    own = rng.standard_normal((8, 20))
    by_rule = np.sign(np.asarray(ROOM.states) @ ITEMS.T)

    def estimated(signs: np.ndarray) -> float:
        state = a_state(0.2).hear(Asked(np.arange(12), signs[:, :12]))
        for number in range(10):
            item = number % 5
            state = state.hear(Asked(np.array([item]), signs[:, [item]]))
            state = state.show(Shown(ITEMS[item], 0.0, item))
        return state.assumed.kappa

    assert estimated(np.sign(own)) > 0.2 >= estimated(by_rule)
