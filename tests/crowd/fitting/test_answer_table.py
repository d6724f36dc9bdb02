"""The answers sorted by annotator, in blocks."""

from __future__ import annotations

import numpy as np
import pytest

from homeroom.crowd import Answers
from homeroom.crowd.fitting import answer_table as tables
from homeroom.crowd.fitting.answer_table import AnswerTable


def small() -> Answers:
    return Answers.from_arrays(
        ["b", "a", "a", "c", "b"], ["x", "y", "x", "y", "z"], [True, False, True, True, False]
    )


def test_answers_are_sorted_by_annotator_then_item() -> None:
    table = AnswerTable.of(small())
    assert table.person.tolist() == [0, 0, 1, 1, 2]
    assert table.item.tolist() == [0, 2, 0, 1, 1]
    assert table.signs.tolist() == [1, -1, 1, -1, 1]
    assert table.first.tolist() == [0, 2, 4, 5]


def test_only_answers_to_keep_are_in_the_table() -> None:
    table = AnswerTable.of(small(), np.array([True, False, False, True, False]))
    assert len(table) == 2
    assert table.answers_by_person().tolist() == [1, 0, 1]


def test_counts_are_by_annotator_and_by_item() -> None:
    table = AnswerTable.of(small())
    assert table.answers_by_person().tolist() == [2, 2, 1]
    assert table.answers_by_item().tolist() == [2, 2, 1]
    assert table.choices_by_person().tolist() == [[1, 1], [1, 1], [0, 1]]


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_blocks_hold_every_answer_once_and_split_no_annotator(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An annotator with more answers than a block should have is not split."""
    monkeypatch.setattr(tables, "BLOCK", size)
    rng = np.random.default_rng(size)
    person = rng.integers(0, 9, 40)  # some of the ten answered nothing, the last among them
    pairs = np.unique(np.column_stack([person, rng.integers(0, 7, 40)]), axis=0)
    table = AnswerTable.sort(10, 7, pairs[:, 0], pairs[:, 1], rng.random(len(pairs)) < 0.5)
    people = [row for part in table.blocks for row in range(part.rows.start, part.rows.stop)]
    assert people == list(range(10))
    whose = [part.person + part.rows.start for part in table.blocks]
    np.testing.assert_array_equal(np.concatenate(whose), table.person)
    np.testing.assert_array_equal(np.concatenate([part.item for part in table.blocks]), table.item)


def test_sums_are_those_of_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "BLOCK", 3)
    table = AnswerTable.of(small())
    rng = np.random.default_rng(0)
    values, items, people = rng.random(5), rng.random((3, 2)), rng.random((3, 2))
    by_person, by_item, totals = np.zeros((3, 2)), np.zeros((3, 2)), np.zeros(3)
    products = np.zeros(5)
    for row, (who, what) in enumerate(zip(table.person, table.item, strict=True)):
        by_person[who] += values[row] * items[what]
        by_item[what] += values[row] * people[who]
        totals[who] += values[row]
        products[row] = people[who] @ items[what]
    found_by_item = np.zeros((3, 2))
    begin = 0
    for part in table.blocks:
        mine = slice(begin, begin + len(part.signs))
        begin = mine.stop
        sums = part.sums(values[mine])
        np.testing.assert_allclose(sums.of_people(items), by_person[part.rows])
        np.testing.assert_allclose(sums.person_totals(), totals[part.rows])
        np.testing.assert_allclose(part.products(people[part.rows], items), products[mine])
        found_by_item += sums.of_items(people[part.rows])
    np.testing.assert_allclose(found_by_item, by_item)


def test_components_share_neither_annotators_nor_items() -> None:
    """No annotator connects x and y to z and u; an unanswered item is its own component."""
    person, item = np.array([0, 0, 1, 2, 2, 3]), np.array([0, 1, 1, 2, 3, 3])
    islands = AnswerTable.sort(4, 5, person, item, person > 1).components
    assert islands[0] == islands[1]
    assert islands[2] == islands[3]
    assert len(set(islands.tolist())) == 3
