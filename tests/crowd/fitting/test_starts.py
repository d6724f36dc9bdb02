"""Where the search starts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from homeroom.crowd.align import disparity
from homeroom.crowd.fitting.posterior import Prior
from homeroom.crowd.fitting.starts import patterns, starts
from homeroom.crowd.fitting.table import Table


def test_the_first_start_already_looks_like_the_truth(crowds: Callable[..., Any]) -> None:
    crowd = crowds()
    table = Table.of(crowd.answers)
    first, second = starts(table, 2, Prior(), 2, np.random.default_rng(0))
    assert disparity(crowd.items, first.items) < 0.15
    assert np.abs(first.items - second.items).max() > 0.1


def test_a_start_does_not_depend_on_the_order_of_people_and_items(
    crowds: Callable[..., Any],
) -> None:
    answers = crowds(items=60, people=40, share=0.6).answers
    rng = np.random.default_rng(0)
    people, items = rng.permutation(40), rng.permutation(60)
    table = Table.of(answers)
    other = Table.sort(40, 60, people[answers.person], items[answers.item], answers.yes)
    for mine, theirs in zip(
        starts(table, 2, Prior(), 3, np.random.default_rng(5)),
        starts(other, 2, Prior(), 3, np.random.default_rng(5)),
        strict=True,
    ):
        np.testing.assert_allclose(theirs.items[items], mine.items, atol=1e-8)
        np.testing.assert_allclose(theirs.people[people], mine.people, atol=1e-8)


def test_small_and_large_tables_have_the_same_patterns(crowds: Callable[..., Any]) -> None:
    """The sparse and the dense way of finding them agree."""
    table = Table.of(crowds(items=40, people=17).answers)
    few, many = patterns(table, 4), patterns(table, 12)  # 17 > 4 * 4, but not 4 * 12
    np.testing.assert_allclose(few, many[:, :4], atol=1e-9)


def test_a_table_with_fewer_patterns_than_axes_is_padded() -> None:
    table = Table.sort(2, 3, np.array([0, 1]), np.array([0, 1]), np.array([True, False]))
    assert patterns(table, 4).shape == (3, 4)
    for start in starts(table, 2, Prior(), 2, np.random.default_rng(0)):
        assert np.isfinite(start.flat()).all()


def test_a_table_without_any_pattern_has_a_start_too() -> None:
    """Everybody said no to everything, as may be where the only yes is held out."""
    person, item = np.divmod(np.arange(400), 20)
    table = Table.sort(20, 20, person, item, np.zeros(400, dtype=np.bool_))
    assert not patterns(table, 4).any()
    for start in starts(table, 2, Prior(), 2, np.random.default_rng(0)):
        assert np.isfinite(start.flat()).all()
