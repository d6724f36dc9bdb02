"""Learner laws, compared with brute force."""

from __future__ import annotations

from copy import deepcopy
from itertools import product

import numpy as np
import pytest

from homeroom._arrays import Floats, Ints
from homeroom.people import beliefs, memory
from homeroom.people.beliefs import LawBank, OffsetFilter
from homeroom.people.laws import CLASS_PRIOR, TRUST, ClassAnswers, TrendLaw
from homeroom.people.map_laws import AbstractMapLaw, ExampleLaw, ItemMap, RuleLaw
from homeroom.people.memory import UnitLaw
from homeroom.people.numbers import NumberLaw


def hear(right: list[bool], heard: list[bool] | None = None) -> ClassAnswers:
    """Return answers 0 (right) and 1 (wrong) of a class."""
    given = np.where(right, 0.0, 1.0)
    there = np.ones(len(right), dtype=bool) if heard is None else np.array(heard)
    return ClassAnswers(given, there, np.array(right) & there, given)


def make_map(items: int = 12, classes: int = 3) -> ItemMap:
    rng = np.random.default_rng(1)
    labels = np.arange(items) % classes
    features = labels[:, None] + 0.4 * rng.standard_normal((items, 2))
    return ItemMap(features, labels, np.full(items, classes), seed=0)


def test_weights_are_the_posterior_of_a_class_prior() -> None:
    """One round of empirical Bayes per answer, written as loops."""
    law = TrendLaw(3, 0.5)
    prior, logs = law.prior.tolist(), np.zeros((3, 30)).tolist()
    rounds = [[True, False, True], [True, True, False], [False, False, True]]
    for answers in rounds:
        law.hear(0, hear(answers))
        chance = law.expect_rows(0)[0]
        for student, right in enumerate(answers):
            for number in range(30):
                likely = chance[number] if right else 1.0 - chance[number]
                logs[student][number] += TRUST * np.log(likely)
        for number in range(2):
            weights = [[p * np.exp(one) for p, one in zip(prior, row, strict=True)] for row in logs]
            weights = [[one / sum(row) for one in row] for row in weights]
            if number == 0:
                total = [sum(row[number] for row in weights) for number in range(30)]
                prior = [(CLASS_PRIOR / 30 + one) / (CLASS_PRIOR + 3) for one in total]
        law.show(0, 1.0)
    np.testing.assert_allclose(law.weights, weights, rtol=1e-10)
    np.testing.assert_allclose(law.prior, prior, rtol=1e-10)


def enumerate_states(law: UnitLaw, number: int, answers: list[bool]) -> Floats:
    """Return the posterior of the three states, by all ways in which they may have changed."""
    start = law._begin(law.easiness[0], 0.0)[number]
    chance, learns = [0.4 * 0.25, 0.25, law.top[number]], law.learns[number]
    posterior = np.zeros(3)
    for first, *jumps in product(range(3), *[(False, True)] * len(answers)):
        likely, state = start[first], first
        for right, jump in zip(answers, jumps, strict=True):
            likely *= chance[state] if right else 1.0 - chance[state]
            likely *= learns if jump else 1.0 - learns
            state = 2 if jump else state
        posterior[state] += likely
    return np.asarray(posterior / posterior.sum())


def test_states_of_a_unit_are_those_of_all_ways_to_learn_it() -> None:
    law = UnitLaw(2, np.array([0, 0, 1]), np.full(3, 0.25))
    answers = [[False, True], [False, False], [True, True], [True, False]]
    for each in answers:
        law.hear(0, hear(each))
        law.show(1, 1.0)  # the same unit
    for number in np.flatnonzero(~law.fades).tolist():
        for student in range(2):
            expected = enumerate_states(law, number, [each[student] for each in answers])
            states = law.tables[0][law.rows[student, 0], number]
            np.testing.assert_allclose(states, expected, rtol=1e-9)


def test_what_fades_is_recalled_by_a_power_of_its_age() -> None:
    law = UnitLaw(1, np.array([0, 1]), np.full(2, 0.25))
    for item in (0, 1, 0):
        law.show(item, 2.0)
    number = int(np.flatnonzero(law.fades)[3])
    strength = (6.0 - 0.0) ** -law.decay[number] + (6.0 - 4.0) ** -law.decay[number]
    recall = 1 / (1 + np.exp(-(np.log(strength + 0.4) - law.threshold[number]) / 0.35))
    chance = law._state_chances(np.array([0]))[0, 0, number, 1]
    assert chance == pytest.approx(0.25 + (law.top[number] - 0.25) * recall, rel=1e-6)


def states_of(law: UnitLaw, student: int, unit: int) -> Floats:
    return np.array(law.tables[unit][law.rows[student, unit]])


def test_students_who_are_not_heard_keep_their_states() -> None:
    law = UnitLaw(2, np.arange(3), np.full(3, 0.5))
    law.hear(1, hear([True, True]))
    before = states_of(law, 1, 1)
    law.hear(1, hear([True, False], [True, False]))
    np.testing.assert_allclose(states_of(law, 1, 1), before, rtol=1e-12)
    assert (states_of(law, 0, 1)[~law.fades, 2] > before[~law.fades, 2]).all()


def test_few_tables_and_few_rows_hardly_change_what_is_expected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What bounds the cost of a round: old units have a mean student, similar rows are merged."""
    rng = np.random.default_rng(0)
    laws = {most: UnitLaw(40, np.arange(24), np.full(24, 0.25)) for most in (2**14, 100)}
    ability = rng.uniform(0.3, 0.9, 40)
    for number in range(120):
        answers = hear((rng.random(40) < ability).tolist())
        for most, law in laws.items():
            monkeypatch.setattr(memory, "MOST_PAIRS", most)
            monkeypatch.setattr(memory, "MOST_ROWS", most // 10)
            law.hear(number % 24, answers)
            law.show(number % 24, 1.0)
    many, few = laws.values()
    assert (len(many.tables), len(few.tables)) == (24, 2)
    assert max(map(len, few.tables.values())) < 20 < max(map(len, many.tables.values()))
    assert few.moments().class_mean == pytest.approx(many.moments().class_mean, abs=0.03)
    np.testing.assert_allclose(few.means.sum(axis=3), 1.0)


def test_a_late_cohort_was_shown_nothing() -> None:
    """Whatever was shown before, a new student is one of a new class with the same prior."""
    item_map = make_map()
    unit_law = UnitLaw(2, np.arange(12) % 4, np.full(12, 1 / 3))
    laws = [unit_law, TrendLaw(2, 0.5), ExampleLaw(2, item_map, 1), RuleLaw(2, item_map, 1)]
    for law in laws:
        new = deepcopy(law)
        for item in (3, 7, 3, 1):
            law.show(item, 1.0)
        law.add_cohort()
        law.add_student()
        for number in range(2):
            np.testing.assert_allclose(law.expect_rows(3)[-1], new.expect_rows(3)[0])
            np.testing.assert_allclose(law.expect_all()[-1], new.expect_all()[0])
            assert number or not np.allclose(law.expect_all()[0], new.expect_all()[0])
            law.show(5, 1.0)
            new.show(5, 1.0)
        law.hear(3, hear([True, True, False]))
        assert law.expect(3)[2] < law.expect(3)[0]
        law.keep_students(np.array([2]))
        np.testing.assert_allclose(law.expect_all(), law.expect_all())
        assert law.expect_all().shape == (1, len(law.prior))


def step_by_hand(law: RuleLaw, starts: Floats, items: list[int]) -> Floats:
    """Return the scores of gradient steps on the weights, one hypothesis after the other."""
    scores = []
    for rate, start in zip(law.rates, starts, strict=True):
        weights = start.copy()
        for item in items:
            weights += rate * np.outer(law.rows[item], law.aims[item] - law.rows[item] @ weights)
        scores.append(law.rows @ weights)
    return np.array(scores)


def test_the_rule_moves_by_gradient_steps() -> None:
    law = RuleLaw(2, make_map(), seed=3)
    starts = np.array([np.linalg.lstsq(law.rows, scores)[0] for scores in law.scores[0]])
    for item in (4, 0, 7, 4):
        law.show(item, 1.0)
    np.testing.assert_allclose(law.scores[0], step_by_hand(law, starts, [4, 0, 7, 4]), atol=1e-8)


def test_examples_vote_by_similarity() -> None:
    item_map = make_map()
    law = ExampleLaw(1, item_map, seed=3)
    before = law.votes.copy()
    law.show(5, 1.0)
    added = np.exp(-law.steepness[:, None] * item_map.distances_from(5))
    np.testing.assert_allclose(law.votes[0, :, :, 2], before[0, :, :, 2] + added)
    chances = law.answer_chances(0, np.arange(12))
    np.testing.assert_allclose(chances.sum(axis=2), 1.0)
    assert (chances[:, 5, 2] > 1 / 3).mean() > 0.8


@pytest.mark.parametrize("kind", [ExampleLaw, RuleLaw])
def test_the_gain_of_an_item_is_what_showing_it_would_give(kind: type[AbstractMapLaw]) -> None:
    """Look-ahead, compared with showing each item to a copy."""
    law = kind(4, make_map(), 3)  # type: ignore[call-arg, arg-type]
    law.show(2, 1.0)
    candidates: Ints = np.array([0, 1, 2, 5, 11])
    shown = []
    for item in candidates.tolist():
        copy = deepcopy(law)
        copy.show(item, 1.0)
        shown.append(float(law.class_weights @ copy.expect_all()[0]))
    np.testing.assert_allclose(law.gain(candidates), shown, rtol=1e-9)


def test_the_gain_of_a_unit_is_what_showing_it_would_give(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "HORIZON", 0.0)
    law = UnitLaw(3, np.array([0, 0, 1, 2]), np.full(4, 0.25))
    law.hear(0, hear([True, False, False]))
    law.weights[:] = np.where(law.fades, 0.0, 1.0 / (~law.fades).sum())  # those change with time
    now, gains = law.moments().class_mean, law.gain(np.array([0, 1, 2]))
    for item, gain in enumerate(gains):
        copy = deepcopy(law)
        copy.show(item, 1.0)
        assert copy.moments().class_mean - now == pytest.approx(gain, rel=1e-9)
    assert gains[0] == gains[1] > gains[2]  # a unit of two items


def test_the_gain_of_a_number_is_what_showing_it_would_give() -> None:
    labels, near = np.array([1.0, 2.0, 4.0]), np.exp(-np.abs(np.subtract.outer(range(3), range(3))))
    law = NumberLaw(2, labels, lambda items: near[items])
    law.show(0, 1.0)
    now = law.moments().class_mean
    for item, gain in enumerate(law.gain(np.arange(3))):
        copy = deepcopy(law)
        copy.show(item, 1.0)
        assert now - copy.moments().class_mean == pytest.approx(gain, rel=1e-9)


def test_the_offset_is_the_posterior_of_a_gaussian_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """One spread: a Kalman filter, compared with the covariance matrix of all rounds."""
    monkeypatch.setattr(beliefs, "OFFSET_SPREADS", np.array([0.06]))
    monkeypatch.setattr(beliefs, "OFFSET_PRIOR", np.array([1.0]))
    offset, shares = OffsetFilter(0.1), [0.6, 0.4, 0.7, 0.65]
    for share in shares:
        offset.hear(0.5, share, 20)
    number = len(shares)
    ages = np.abs(np.subtract.outer(range(number), range(number)))
    prior = 0.06**2 * beliefs.OFFSET_FADE**ages
    noisy = prior + np.eye(number) * (0.25 / 20 + 0.1**2)
    weights = np.linalg.solve(noisy, prior[:, -1])
    assert offset.moments[0] == pytest.approx(weights @ (np.array(shares) - 0.5))
    assert offset.moments[1] == pytest.approx(0.06**2 - weights @ prior[:, -1])


def test_laws_are_weighted_by_what_they_foresaw() -> None:
    """The evidence counts as that of ten students, and fades."""
    bank = LawBank({"one": TrendLaw(20, 0.5), "two": TrendLaw(20, 0.25)}, 20)
    expected = np.zeros(2)
    for right in (0.9, 0.8):
        answers = hear((np.arange(20) < 20 * right).tolist())
        for place, law in enumerate(bank.laws.values()):
            chance = law.expect(0)
            likely = np.log(np.where(answers.right, chance, 1 - chance)).sum()
            expected[place] = beliefs.FADE * expected[place] + 0.5 * likely
        bank.hear(0, answers)
    weights = np.exp(expected - expected.max())
    np.testing.assert_allclose(bank.law_weights, weights / weights.sum(), rtol=1e-9)


def test_disagreement_of_laws_widens_the_range() -> None:
    same = LawBank({"one": TrendLaw(9, 0.5), "two": TrendLaw(9, 0.5)}, 9)
    other = LawBank({"one": TrendLaw(9, 0.5), "two": TrendLaw(9, 0.05)}, 9)
    assert other.knows.high - other.knows.low > same.knows.high - same.knows.low


def test_two_kinds_are_found_inside_each_class() -> None:
    rng = np.random.default_rng(0)
    kinds = np.arange(40) % 4
    centres = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 6.0], [4.0, 6.0]])
    features = centres[kinds] + 0.2 * rng.standard_normal((40, 2))
    found = ItemMap(features, kinds % 2, np.full(40, 2), 0).find_kinds()
    assert len(set(zip(found.tolist(), kinds.tolist(), strict=True))) == 4
