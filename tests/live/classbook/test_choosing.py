"""The next item is chosen as in a lesson, from the items that are fresh."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from homeroom.live.activities.insects import activity
from homeroom.live.activities.space import Space
from homeroom.live.classbook.choosing import (
    TEACHER,
    fresh_items,
    lesson_reason,
    next_item,
    sentence,
    some_items,
)
from homeroom.live.events import PhaseBegan

Make = Callable[..., Any]


def small(count: int) -> Space:
    places = {f"i{n}": (np.cos(n), np.sin(n)) for n in range(count)}
    labels = {item: 1 if x > 0 else -1 for item, (x, _) in places.items()}
    return Space.of(places, (1.0, 0.0, 0.0), labels)


def test_items_of_the_pre_test_are_held_out_while_enough_are_left() -> None:
    space = small(30)
    tested = space.ids[:10]
    assert fresh_items(space, tested, []).tolist() == list(range(10, 30))
    assert len(fresh_items(space, space.ids[:20], [])) == 30  # too few would be left


def test_no_item_is_repeated_too_soon(new_class: Make) -> None:
    one = new_class(3)
    one.add(PhaseBegan("teach"))
    beliefs = one.state.beliefs
    shown: list[int] = []
    for _ in range(12):
        choice = next_item(
            beliefs, beliefs.students, goal=0.1, fresh=np.arange(6), rounds=9, shown=shown
        )
        assert choice.item is not None
        shown.append(one.space.row_of[choice.item])
    for sign in (-1, 1):  # all new ones of a class come before any of it again
        own = [number for number in shown if one.space.labels[number] == sign]
        different = len({*own})
        assert len({*own[:different]}) == different
    assert {*shown} == {*range(6)}
    assert all(len(set(shown[at : at + 4])) == 4 for at in range(9))


def test_skipped_items_are_left_out_while_enough_others_remain() -> None:
    space = small(6)
    assert fresh_items(space, (), space.ids[:2]).tolist() == [2, 3, 4, 5]
    assert len(fresh_items(space, (), space.ids[:3])) == 6


def test_the_reason_has_the_expected_wrong_answers_and_the_reduction_of_the_error(
    new_class: Make,
) -> None:
    one = new_class(10)
    one.add(PhaseBegan("pretest"))
    one.answer()
    one.add(PhaseBegan("teach"))
    beliefs, space = one.state.beliefs, one.space
    fresh = np.arange(len(space.ids))
    choice = next_item(beliefs, beliefs.students, goal=0.1, fresh=fresh, rounds=9)
    assert choice.item is not None
    assert choice.reason is not None
    number = np.array([space.row_of[choice.item]])
    right = beliefs.memory.right(number)
    assert choice.reason["wrong"] == round(float((1 - right).sum()), 1)
    assert choice.reason["of"] == 10
    assert 0 < choice.reason["off"] < 1
    assert choice.reason["cover"] == "typical"
    values = space.coverage.values(fresh, [])
    same = space.labels == space.labels[number[0]]
    assert values[number[0]] == values[same].max()  # no other of its class is more typical


def test_a_group_that_is_done_gets_no_item_and_a_reason(new_class: Make) -> None:
    one = new_class(4)
    one.add(PhaseBegan("teach"))
    beliefs, fresh = one.state.beliefs, np.arange(160)
    done = next_item(beliefs, beliefs.students, goal=1e6, fresh=fresh, rounds=9)
    assert done == (None, None, "the goal was reached")
    over = next_item(beliefs, beliefs.students, goal=0.1, fresh=fresh, rounds=0)
    assert over.stopped == "the limit of rounds was reached before the goal"


def test_some_items_are_drawn_without_repeats() -> None:
    ids = tuple(activity().labels)
    drawn = some_items(ids, 20, seed=1)
    assert len(set(drawn)) == 20
    assert drawn == some_items(ids, 20, seed=1)
    assert drawn != some_items(ids, 20, seed=2)
    assert len(some_items(ids[:3], 20, seed=1)) == 3


def test_the_reason_for_a_choice_has_numbers() -> None:
    text = sentence(lesson_reason(wrong=3.4, of=5, off=0.123))
    assert text == ("About 3 of 5 would get it wrong.")


def test_no_number_is_given_when_almost_no_student_is_wrong() -> None:
    text = sentence(lesson_reason(wrong=0.2, of=5, off=0.1))
    assert text == "Almost no student would get it wrong."
    assert sentence(lesson_reason(wrong=1.4, of=30)) == text


@pytest.mark.parametrize(("wrong", "of"), [(0.5, 1), (0.1, 1), (0.4, 5), (1.5, 30)])
def test_few_students_are_not_almost_none_of_a_small_group(wrong: float, of: int) -> None:
    text = sentence(lesson_reason(wrong=wrong, of=of))
    assert text == f"About {max(1, round(wrong))} of {of} would get it wrong."


def test_a_choice_of_the_teacher_is_marked() -> None:
    assert (
        sentence({**lesson_reason(wrong=3.4, of=5, off=0.1), **TEACHER}) == "The teacher chose it."
    )


def test_a_test_has_no_reason() -> None:
    assert sentence(None) == ""
