"""The arrays behind a table of answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from homeroom.crowd import Answers
from homeroom.crowd.answer_arrays import repeated_rows
from homeroom.crowd.answers import check_keep

BAD: list[tuple[dict[str, Any], str]] = [
    ({"person": [0, 0, 1]}, r"`person` must hold a whole number for each of the 2 answers"),
    ({"person": [0.0, 1.0]}, r"whole number for each .* dtype float64"),
    ({"person": [0, 2]}, r"`person` must hold numbers from 0 to 1, but they go from 0 to 2"),
    ({"item": [-1, 0]}, r"`item` must hold numbers from 0 to 0, but they go from -1 to 0"),
    ({"yes": [[True], [False]]}, r"`yes` must be True or False .* shape \(2, 1\)"),
    ({"yes": ["a", "b"]}, r"`yes` must be True or False for each answer"),
    ({"yes": [1, 2]}, r"`yes` must be True or False \(1 or 0\), but answer 1 is 2"),
    ({"yes": [1.0, np.nan]}, r"but answer 1 is nan"),
    ({"labels": [1.0, 1.0]}, r"`labels` must have one number for each of the 1 items"),
    ({"labels": [0.5]}, r"`labels` must be \+1, -1, or nan .* but item 0 has 0.5"),
    ({"labels": [np.inf]}, r"item 0 has inf"),
    ({"times": [1.0]}, r"`times` must have one number for each of the 2 answers"),
]


@pytest.mark.parametrize(("change", "sentence"), BAD, ids=[str(i) for i in range(len(BAD))])
def test_invalid_answers_are_refused(change: dict[str, Any], sentence: str) -> None:
    good: dict[str, Any] = {
        "people": ("Ada", "Ben"),
        "items": ("moth",),
        "person": np.array([0, 1]),
        "item": np.array([0, 0]),
        "yes": np.array([True, False]),
        "labels": np.array([1.0]),
    }
    Answers(**good)
    with pytest.raises(ValueError, match=sentence):
        Answers(**good | {name: np.asarray(value) for name, value in change.items()})


@pytest.mark.parametrize(
    ("chosen", "sentence"),
    [
        ([2], r"`people` must be positions from 0 to 1, but go from 2 to 2"),
        ([0.5], r"`people` must be a list of positions, counted from 0"),
        ([1, 1], r"`people` must not contain the same position twice"),
    ],
)
def test_a_subset_is_given_by_positions(chosen: list[float], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Answers.from_arrays([1, 2], [1, 1], [1, 0]).subset(people=chosen)


def test_the_last_or_the_first_is_kept() -> None:
    check_keep("first")
    with pytest.raises(ValueError, match=r"`keep` must be 'last' or 'first' .* but is 'best'"):
        check_keep("best")


@pytest.mark.parametrize("factor", [1, 10**8], ids=["pairs in 32 bits", "pairs in 64 bits"])
def test_the_kept_rows_are_those_of_a_dictionary(factor: int) -> None:
    """For each pair the last row is kept."""
    rng = np.random.default_rng(0)
    person = (rng.integers(20, size=500) * factor).astype(np.int32)
    item = rng.integers(20, size=500).astype(np.int32)
    pairs = zip(person.tolist(), item.tolist(), strict=True)
    last = {pair: row for row, pair in enumerate(pairs)}
    dropped = repeated_rows(person, item).tolist()
    assert dropped == sorted(set(range(500)) - set(last.values()))


def test_with_times_rows_are_kept_as_if_sorted_by_time() -> None:
    """The latest of each pair is kept; of two at one time the last row; no time is oldest."""
    rng = np.random.default_rng(1)
    person = rng.integers(9, size=500).astype(np.int32)
    item = rng.integers(9, size=500).astype(np.int32)
    times = rng.integers(4, size=500).astype(float)
    times[rng.random(500) < 0.2] = np.nan
    last: dict[tuple[int, int], tuple[float, int]] = {}
    for row, key in enumerate(zip(person.tolist(), item.tolist(), strict=True)):
        when = -np.inf if np.isnan(times[row]) else times[row]
        last[key] = max(last.get(key, (-np.inf, -1)), (when, row))
    dropped = repeated_rows(person, item, times).tolist()
    assert dropped == sorted(set(range(500)) - {row for _, row in last.values()})


def test_the_first_is_kept_if_asked() -> None:
    """The first is the last of the reversed table; an answer without a time comes last."""
    rng = np.random.default_rng(2)
    person = rng.integers(9, size=500).astype(np.int32)
    item = rng.integers(9, size=500).astype(np.int32)
    times = rng.integers(4, size=500).astype(float)
    times[rng.random(500) < 0.2] = np.nan
    for when in (None, times):
        upside_down = None if when is None else -when[::-1]
        expected = 499 - repeated_rows(person[::-1], item[::-1], upside_down)[::-1]
        dropped = repeated_rows(person, item, when, keep_first=True)
        np.testing.assert_array_equal(dropped, expected)


def test_without_repeats_nothing_is_dropped() -> None:
    some = np.arange(5, dtype=np.int32)
    assert repeated_rows(some, some).tolist() == []
    assert repeated_rows(some[:0], some[:0]).tolist() == []
    assert repeated_rows(some[:0], some[:0], np.zeros(0)).tolist() == []
