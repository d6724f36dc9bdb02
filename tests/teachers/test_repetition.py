"""Which items may be shown to people."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from homeroom import Classroom, DirectionPool, GradientLearner, ItemPool, PoolTeacher, teach
from homeroom.engines import ExactClass
from homeroom.teachers.repetition import best_to_show, may_be_shown, pause_for


def allowed(right: list[list[float]], shown: list[int], repeat_after: int) -> list[int]:
    found = may_be_shown(np.array(right), shown, repeat_after=repeat_after)
    return np.flatnonzero(found).tolist()


def test_recent_items_are_left_out() -> None:
    right = [[0.9, 0.9, 0.9, 0.9]]
    assert allowed(right, [0, 1, 2], repeat_after=2) == [0, 3]


def test_a_new_item_that_a_student_misses_comes_before_any_repetition() -> None:
    right = [[0.1, 0.9, 0.79, 0.9], [0.9, 0.9, 0.9, 0.9]]
    assert allowed(right, [0, 3], repeat_after=1) == [1, 2]
    right[0][2] = 0.81  # no new item is missed now
    assert allowed(right, [0, 3], repeat_after=1) == [0, 1, 2]


def test_items_that_all_know_are_left_out_while_another_is_not_known() -> None:
    right = [[0.99, 0.99, 0.96], [0.99, 0.94, 0.96]]
    assert allowed(right, [], repeat_after=1) == [1]
    right[1][1] = 0.96
    assert allowed(right, [], repeat_after=1) == [0, 1, 2]


def test_a_rule_that_would_leave_nothing_is_skipped() -> None:
    assert allowed([[0.5, 0.5]], [0, 1], repeat_after=5) == [0]
    assert allowed([[0.5, 0.5, 0.5]], [0, 2, 1, 2], repeat_after=50) == [0]


def test_if_all_is_known_the_least_known_item_is_shown() -> None:
    right = np.array([[0.99, 0.97, 0.98]])
    assert best_to_show(right, np.array([3.0, 1.0, 2.0]), [], repeat_after=1) == 1
    assert best_to_show(np.ones((2, 3)), np.array([3.0, 1.0, 4.0]), [], repeat_after=1) == 2


def test_of_items_that_help_equally_the_least_known_one_is_shown() -> None:
    right = np.array([[0.5, 0.25, 0.25], [0.5, 0.2, 0.3]])
    helps = np.array([1.0 + 1e-12, 1.0, 1.0 - 1e-12])
    assert best_to_show(right, helps, [], repeat_after=1) == 1
    assert best_to_show(right, np.array([1.0, 1.0, 1.1]), [], repeat_after=1) == 2


def test_the_default_pause_is_five_items_or_half_of_them() -> None:
    assert [pause_for(items) for items in (1, 2, 7, 10, 500)] == [0, 1, 3, 5, 5]


@pytest.mark.parametrize("loss", ["gradient", "gradient:loss=logistic"])
def test_a_lesson_does_not_repeat_items_too_soon(loss: str) -> None:
    room = Classroom.sample(15, 3, example_radius=2.0)
    items = np.random.default_rng(0).standard_normal((12, 3))
    items /= np.linalg.norm(items, axis=1, keepdims=True)
    again = teach(room, teacher=PoolTeacher(ItemPool(items)), learner=loss, max_rounds=40)
    teacher = PoolTeacher(ItemPool(items), repeat_after=4)
    record = teach(room, teacher=teacher, learner=loss, max_rounds=40)
    shown = record.examples.items.tolist()
    assert all(len(set(shown[at : at + 5])) == 5 for at in range(len(shown) - 4))
    assert max(Counter(shown).values()) <= max(Counter(again.examples.items.tolist()).values())


def test_repeat_after_is_for_fixed_items() -> None:
    with pytest.raises(ValueError, match="`repeat_after` is for fixed items"):
        PoolTeacher(DirectionPool(np.eye(2)), repeat_after=3)
    with pytest.raises(ValueError, match="`repeat_after` must be at least 0"):
        PoolTeacher(ItemPool(np.eye(2)), repeat_after=-1)
    seen = ExactClass(Classroom.sample(4, 2), GradientLearner(), np.random.default_rng(0)).look()
    with pytest.raises(ValueError, match=r"were shown the same items: call choose\(\) for each"):
        PoolTeacher(ItemPool(np.eye(2)), repeat_after=1).choose_each(seen, np.random.default_rng(0))
