from __future__ import annotations

import numpy as np
import pytest

from homeroom.crowd.repeats import rows_to_drop


@pytest.mark.parametrize("factor", [1, 10**8], ids=["pairs in 32 bits", "pairs in 64 bits"])
def test_the_same_as_a_dictionary_would_keep(factor: int) -> None:
    """For each pair the last row is kept."""
    rng = np.random.default_rng(0)
    person = (rng.integers(20, size=500) * factor).astype(np.int32)
    item = rng.integers(20, size=500).astype(np.int32)
    pairs = zip(person.tolist(), item.tolist(), strict=True)
    last = {pair: row for row, pair in enumerate(pairs)}
    dropped = rows_to_drop(person, item).tolist()
    assert dropped == sorted(set(range(500)) - set(last.values()))


def test_with_times_the_same_as_sorting_by_time_first() -> None:
    """For each pair the latest is kept; of two at once the last row, and no time is oldest."""
    rng = np.random.default_rng(1)
    person = rng.integers(9, size=500).astype(np.int32)
    item = rng.integers(9, size=500).astype(np.int32)
    times = rng.integers(4, size=500).astype(float)
    times[rng.random(500) < 0.2] = np.nan
    last: dict[tuple[int, int], tuple[float, int]] = {}
    for row, key in enumerate(zip(person.tolist(), item.tolist(), strict=True)):
        when = -np.inf if np.isnan(times[row]) else times[row]
        last[key] = max(last.get(key, (-np.inf, -1)), (when, row))
    dropped = rows_to_drop(person, item, times).tolist()
    assert dropped == sorted(set(range(500)) - {row for _, row in last.values()})


def test_the_first_is_kept_if_asked() -> None:
    """The first is the last of the table upside down; an answer without a time comes after all."""
    rng = np.random.default_rng(2)
    person = rng.integers(9, size=500).astype(np.int32)
    item = rng.integers(9, size=500).astype(np.int32)
    times = rng.integers(4, size=500).astype(float)
    times[rng.random(500) < 0.2] = np.nan
    for when in (None, times):
        upside_down = None if when is None else -when[::-1]
        expected = 499 - rows_to_drop(person[::-1], item[::-1], upside_down)[::-1]
        dropped = rows_to_drop(person, item, when, keep_first=True)
        np.testing.assert_array_equal(dropped, expected)


def test_without_repeats_nothing_is_dropped() -> None:
    some = np.arange(5, dtype=np.int32)
    assert rows_to_drop(some, some).tolist() == []
    assert rows_to_drop(some[:0], some[:0]).tolist() == []
    assert rows_to_drop(some[:0], some[:0], np.zeros(0)).tolist() == []
