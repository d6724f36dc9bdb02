"""Lessons that are copied, split and taught together; students who do not read; orders of items."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom import PeopleLesson
from homeroom.people.choice import COVER_MAP, FEWEST, HOMEROOM, IN_TURN, ORDERS, RANDOM, TYPICAL
from homeroom.people.guessing import ANSWERS
from homeroom.people.map_laws import RuleLaw
from tests.people.test_people_lesson import make_map, states_of, teach


def make_lesson(students: int = 4, items: int = 40) -> PeopleLesson:
    labels, features = make_map(items)
    lesson = PeopleLesson(labels, features, students=students, pretest=0)
    teach(lesson, 0.6, 6)
    return lesson


def test_answers_of_a_test_are_heard_and_nothing_is_shown() -> None:
    labels, features = make_map(40)
    lesson = PeopleLesson(labels, features, students=6, pretest=0)
    before = lesson.knows.mean
    tested = lesson.test_order[:15]
    for item in tested:
        lesson.tell(np.full(6, labels[item]), item=item, shown=False)
    assert lesson.knows.mean > before
    assert lesson.shown == ()
    assert not set(lesson.find_candidates().items.tolist()) & set(tested)
    again = PeopleLesson.replay(lesson.log)
    assert states_of(again) == states_of(lesson)
    for item in lesson.test_order[15:25]:  # fewer than half of the items remain
        lesson.tell(np.full(6, labels[item]), item=item, shown=False)
    assert len(lesson.find_candidates().items) == 40


def test_a_copy_continues_on_its_own() -> None:
    lesson = make_lesson()
    before = states_of(lesson)
    other = lesson.copy()
    assert states_of(other) == before
    teach(other, 0.2, 12)
    assert states_of(lesson) == before
    assert states_of(other) != before


def test_a_copy_of_some_students_is_the_lesson_without_the_others() -> None:
    lesson = make_lesson()
    some = lesson.copy([3, 1])
    lesson.remove(0)
    lesson.remove(2)
    assert some.students == lesson.students == (1, 3)
    assert states_of(some) == states_of(lesson)
    assert some.find_candidates().choose() == lesson.find_candidates().choose()
    assert states_of(PeopleLesson.replay(some.log)) == states_of(some)
    some.add("new")
    lesson.add("new")
    for one in (some, lesson):
        one.tell([0, 1, 1], item=5)
    assert states_of(some) == states_of(lesson)
    assert some.pressers == lesson.pressers


def test_an_item_for_several_lessons_has_the_mean_gain_of_their_students() -> None:
    lesson = make_lesson(9)
    one, two = lesson.copy(range(6)), lesson.copy(range(6, 9))
    for item in (3, 8, 11):
        two.tell([0, 1, 0], item=item)
    both = one.find_candidates(two)
    assert set(both.items.tolist()).isdisjoint({3, 8, 11})  # shown lately to some of them
    gains = [each._bank.gain(both.items) for each in (one, two)]
    mean = (6 * gains[0] + 3 * gains[1]) / 9
    np.testing.assert_allclose(both.gains, mean - mean.mean(), atol=1e-12)
    cover = (6 * one._record.cover(both.items) + 3 * two._record.cover(both.items)) / 9
    assert both.pick(HOMEROOM) == both.items[(mean + COVER_MAP * cover).argmax()]
    without = both.items[:-1].tolist()
    assert one.find_candidates(two, without=without).items.tolist() == both.items[-1:].tolist()
    assert len(one.find_candidates(two, without=range(40)).items) == len(both.items)


def test_many_lessons_share_the_items_that_are_compared() -> None:
    lesson = make_lesson(4, items=200)
    assert len(lesson.find_candidates().items) == 150
    assert len(lesson.find_candidates(*[lesson.copy() for _ in range(9)]).items) == FEWEST


def test_orders_choose_among_the_allowed_items() -> None:
    labels, features = make_map(40)
    lesson = PeopleLesson(labels, features, students=4, pretest=0)
    shown = {order: list[int]() for order in ORDERS}
    for order in ORDERS:
        one = lesson.copy()
        for _ in range(12):
            candidates = one.find_candidates()
            item = candidates.pick(order)
            assert item in candidates.items
            shown[order].append(item)
            one.tell(np.zeros(4), item=item)
    for order in (IN_TURN, TYPICAL):
        pairs = np.array(labels[shown[order]]).reshape(-1, 2)
        assert (pairs.sum(axis=1) == 1).all()  # one of each answer
    first = features[shown[TYPICAL][0]]
    same = features[labels == labels[shown[TYPICAL][0]]]
    apart = np.abs(same - same.mean(axis=0)).sum(axis=1)
    assert np.abs(first - same.mean(axis=0)).sum() <= np.quantile(apart, 0.3)
    assert len({tuple(items) for items in shown.values()}) == len(ORDERS)
    assert len(set(shown[RANDOM])) > 6


@pytest.mark.parametrize("options", [2, 4])
def test_students_who_press_one_button_are_found_and_beginners_are_not(options: int) -> None:
    rng = np.random.default_rng(options)
    labels = np.arange(40) % options
    lesson = PeopleLesson(labels, students=12, pretest=0, answers=options)
    for number in range(ANSWERS + 6):
        item = int(rng.integers(40))
        given = rng.integers(0, options, 12)  # beginners
        given[4:8] = np.where(rng.random(4) < 0.9, labels[item], given[4:8])
        given[:4] = 1  # always the second button
        lesson.tell(given, item=item, shown=number > 4)
        if number < ANSWERS - 1:
            assert lesson.pressers == ()
    assert lesson.pressers == (0, 1, 2, 3)
    assert set(lesson.readers) >= {4, 5, 6, 7}
    assert set(lesson.readers).isdisjoint({8, 9, 10, 11})
    lesson.add("late")
    assert "late" not in lesson.heard
    assert len(lesson.heard) == 12


def test_a_button_that_an_item_does_not_have_is_no_evidence_against_pressing() -> None:
    lesson = PeopleLesson(np.tile([0, 3], 20), students=2, answers=[2, 4] * 20, pretest=0)
    rng = np.random.default_rng(0)
    for item in range(30):
        given = [3 if item % 2 else rng.integers(2), rng.integers(2 + 2 * (item % 2))]
        lesson.tell(np.array(given), item)
    assert lesson.pressers == (0,)


def test_rules_lie_in_the_direction_of_the_first_answer() -> None:
    labels, features = make_map(40)
    features = np.column_stack([5.0 * features[:, 0], np.ones(40), features[:, 1]])
    lesson = PeopleLesson(labels, features, students=["knows", "opposite"], pretest=0)
    for item in range(20):
        lesson.tell([labels[item], 1 - labels[item]], item=item, shown=False)
    assert lesson.rules is not None
    means, spread, best = lesson.rules
    assert means.shape == (2, 3)
    assert best[1] == 0.0  # all items are alike in it
    assert np.linalg.norm(best) == pytest.approx(1.0)
    assert best[0] < 0 < -best[2]  # the first answer is where features are small
    assert means[0] @ best > 0.3 > -0.1 > means[1] @ best
    law = lesson._bank.laws["rule"]
    assert isinstance(law, RuleLaw)
    scores = law.scores[0, :, :, 0] - law.scores[0, :, :, 1]
    expected, found = law.weights @ scores, means @ features.T
    ratio = np.ptp(expected[0]) / np.ptp(found[0])
    shift = (expected - ratio * found)[:, 0]
    np.testing.assert_allclose(expected, ratio * found + shift[:, None], atol=1e-8)
    off = (scores - scores.mean(axis=1, keepdims=True))[:, None] - (
        expected - expected.mean(axis=1, keepdims=True)
    )  # (hypotheses, students, items)
    centred = features - features.mean(axis=0)
    variance = np.einsum("ik,jkl,il->ji", centred, spread, centred)
    squares = np.einsum("jg,gji->ji", law.weights, off**2)
    np.testing.assert_allclose(squares, ratio**2 * variance, rtol=1e-6)
    assert PeopleLesson([0, 1, 2], [[1.0], [2.0], [3.0]], students=1).rules is None
    assert PeopleLesson([0, 1, 1], students=1).rules is None
