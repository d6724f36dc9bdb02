"""The order for people: what may be shown, and in coverage order on a map."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom import people_order as module
from homeroom.people_order import Coverage, ItemChances, choose_for_people, pause_for

RNG = np.random.default_rng(3)
PLACES, ANSWERS = RNG.standard_normal((40, 3)), RNG.integers(0, 3, 40)
UNKNOWN = ItemChances.of(np.full((2, 40), 0.5))


def best_to_cover(
    coverage: Coverage,
    items: np.ndarray,
    chances: ItemChances,
    shown: list[int],
    *,
    repeat_after: int,
) -> int:
    best = choose_for_people(
        items, chances, lambda _: np.zeros(0), coverage, shown, repeat_after=repeat_after
    )
    assert best is not None
    return best


def best_to_show(
    right: list[list[float]], helps: list[float], shown: list[int], repeat_after: int = 1
) -> int:
    chances, values = ItemChances.of(np.array(right)), np.array(helps)
    items = np.arange(len(values))
    best = choose_for_people(
        items, chances, lambda _: values, None, shown, repeat_after=repeat_after
    )
    assert best is not None
    return best


def allowed(right: list[list[float]], shown: list[int], repeat_after: int = 1) -> list[int]:
    """Return the items that are shown if they help most."""
    helps = 1.0 + np.eye(len(right[0]))
    return [
        item
        for item, values in enumerate(helps.tolist())
        if best_to_show(right, values, shown, repeat_after) == item
    ]


def test_recent_items_are_left_out() -> None:
    assert allowed([[0.9, 0.9, 0.9, 0.9]], [0, 1, 2], repeat_after=2) == [0, 3]


def test_a_new_item_that_a_student_misses_comes_before_any_repetition() -> None:
    right = [[0.1, 0.9, 0.79, 0.9], [0.9, 0.9, 0.9, 0.9]]
    assert allowed(right, [0, 3]) == [1, 2]
    right[0][2] = 0.81  # no new item is missed now
    assert allowed(right, [0, 3]) == [0, 1, 2]


def test_items_that_all_know_are_left_out_while_another_is_not_known() -> None:
    right = [[0.99, 0.99, 0.96], [0.99, 0.94, 0.96]]
    assert allowed(right, []) == [1]
    assert allowed([[0.96, 0.96, 0.96]], []) == [0, 1, 2]


def test_a_rule_that_would_leave_nothing_is_skipped() -> None:
    assert allowed([[0.5, 0.5]], [0, 1], repeat_after=5) == [0]
    assert allowed([[0.5, 0.5, 0.5]], [0, 2, 1, 2], repeat_after=50) == [0]


def test_if_all_is_known_the_least_known_item_is_shown() -> None:
    assert best_to_show([[0.99, 0.97, 0.98]], [3.0, 1.0, 2.0], []) == 1
    assert best_to_show([[1.0, 1.0, 1.0]], [3.0, 1.0, 4.0], []) == 2


def test_of_items_that_help_equally_the_least_known_one_is_shown() -> None:
    right = [[0.5, 0.25, 0.25], [0.5, 0.2, 0.3]]
    assert best_to_show(right, [1.0 + 1e-12, 1.0, 1.0 - 1e-12], []) == 1
    assert best_to_show(right, [1.0, 1.0, 1.1], []) == 2


def test_no_item_is_shown_if_the_best_one_helps_too_little() -> None:
    chances, items = ItemChances.of(np.array([[0.5, 0.5]])), np.arange(2)
    assert choose_for_people(items, chances, lambda _: np.array([0.0, -1.0]), None, []) is None
    helps = np.array([1e-9, 1.0])
    assert choose_for_people(items, chances, lambda _: helps, None, [1]) == 0
    assert choose_for_people(items, chances, lambda _: helps, None, [1], negligible=1e-3) is None


def test_the_default_pause_is_five_items_or_half_of_them() -> None:
    assert [pause_for(items) for items in (1, 2, 7, 10, 500)] == [0, 1, 3, 5, 5]


def lesson(coverage: Coverage, chances: ItemChances, rounds: int, pause: int = 5) -> list[int]:
    items, shown = np.arange(len(coverage.classes)), list[int]()
    for _ in range(rounds):
        shown.append(best_to_cover(coverage, items, chances, shown, repeat_after=pause))
    return shown


def represented(shown: list[int], answer: int) -> float:
    """Return how well the items shown represent a class."""
    places = PLACES / PLACES.std(axis=0)
    own = np.flatnonzero(answer == ANSWERS)
    distance = np.abs(places[own][:, None] - places[own]).sum(axis=2)
    missing = 1.0 - 0.9 * np.exp(-((distance / np.median(distance)) ** 2))
    seen = [int(np.flatnonzero(own == item)[0]) for item in shown if ANSWERS[item] == answer]
    return float(1.0 - missing[:, seen].prod(axis=1).mean())


def test_right_answers_take_turns_and_each_item_represents_its_class_best() -> None:
    shown = lesson(Coverage.of(PLACES, ANSWERS), UNKNOWN, 15)
    assert ANSWERS[shown].tolist() == [0, 1, 2] * 5
    for number, item in enumerate(shown):
        answer = int(ANSWERS[item])
        tried = {
            other: represented([*shown[:number], other], answer)
            for other in np.flatnonzero(answer == ANSWERS).tolist()
            if other not in shown[:number]
        }
        assert tried[item] == pytest.approx(max(tried.values()))


def test_the_units_and_constant_features_do_not_matter() -> None:
    scaled = np.column_stack([PLACES * [1.0, 1e6, 1e-6] + 5.0, np.full(40, 2.0)])
    expected = lesson(Coverage.of(PLACES, ANSWERS), UNKNOWN, 30)
    assert lesson(Coverage.of(scaled, ANSWERS), UNKNOWN, 30) == expected


def test_after_an_item_that_the_teacher_chose_another_class_has_its_turn() -> None:
    coverage = Coverage.of(PLACES, ANSWERS)
    first = int(np.flatnonzero(ANSWERS == 1)[0])
    best = best_to_cover(coverage, np.arange(40), UNKNOWN, [first], repeat_after=5)
    assert ANSWERS[best] == 0
    best = best_to_cover(coverage, np.arange(40), UNKNOWN, [first, best], repeat_after=5)
    assert ANSWERS[best] == 2


def test_known_and_recent_items_are_left_out() -> None:
    coverage = Coverage.of(PLACES, ANSWERS)
    right = np.full((2, 40), 0.5)
    right[:, ANSWERS != 1] = 0.99
    shown = lesson(coverage, ItemChances.of(right), 30)
    assert (ANSWERS[shown] == 1).all()
    assert all(len(set(shown[at : at + 6])) == 6 for at in range(25))
    assert len(set(shown)) == (ANSWERS == 1).sum()
    right[:] = 0.99
    right[:, 7] = 0.96  # all are known: the least known one
    assert best_to_cover(coverage, np.arange(40), ItemChances.of(right), [], repeat_after=5) == 7


def test_items_that_represent_equally_are_shown_by_what_is_known() -> None:
    right = np.array([[0.9, 0.2, 0.5, 0.3]])
    coverage = Coverage.of(np.ones((4, 2)), np.zeros(4))
    assert lesson(coverage, ItemChances.of(right), 4, pause=1) == [1, 3, 2, 1]
    assert coverage.why(0, []) == "typical"
    assert [coverage.why(0, shown) for shown in ([1], [1, 0])] == ["represents", ""]


def test_an_item_outside_the_choice_counts_as_shown() -> None:
    """An item of a test, or one that the teacher chose, is not shown again by coverage."""
    coverage = Coverage.of(PLACES, ANSWERS)
    shown = lesson(coverage, UNKNOWN, 6)
    items = np.setdiff1d(np.arange(40), shown)
    chances = ItemChances.of(np.full((1, len(items)), 0.5))
    best = int(items[best_to_cover(coverage, items, chances, shown, repeat_after=5)])
    assert best == best_to_cover(coverage, np.arange(40), UNKNOWN, shown, repeat_after=5)


def test_in_a_large_pool_some_items_stand_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 400)
    rng = np.random.default_rng(0)
    places, answers = rng.standard_normal((2000, 2)), rng.integers(0, 2, 2000)
    coverage = Coverage.of(places, answers)
    assert all(len(similar) == 1 for similar in coverage.similar)
    monkeypatch.setattr(module, "MOST", 200_000)
    coverage = Coverage.of(places, answers)
    assert sum(similar.size for similar in coverage.similar) <= 200_000
    first = lesson(coverage, ItemChances.of(np.full((1, 2000), 0.5)), 2)
    assert (np.abs(places[first]) < 0.5).all()  # typical ones
