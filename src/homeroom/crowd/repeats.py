"""One answer for each person and item."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats, Ints

BLOCK = 1 << 20
"""How many answers are looked up at a time."""


def rows_to_drop(
    person: npt.NDArray[np.int32],
    item: npt.NDArray[np.int32],
    times: Floats | None = None,
    *,
    keep_first: bool = False,
) -> Ints:
    """Return the rows that a later one about the same pair replaces: by time, else by row.

    Or, with ``keep_first``, those that an earlier one makes needless. An answer with a time is kept
    before one without. O(answers log answers), and at most 16 bytes an answer, as only pairs that
    occur more than once are looked at closely.

    >>> one, two = np.array([0, 0, 1], dtype=np.int32), np.array([5, 5, 5], dtype=np.int32)
    >>> rows_to_drop(one, two)
    array([0])
    >>> rows_to_drop(one, two, times=np.array([9.0, 3.0, 1.0]))
    array([1])
    >>> rows_to_drop(one, two, keep_first=True)
    array([1])
    """
    pairs = _pairs(person, item)
    rows = np.flatnonzero(_occurs_again(pairs))
    again = pairs[rows]
    never = np.inf if keep_first else -np.inf
    when = np.zeros(len(rows)) if times is None else np.nan_to_num(times[rows], nan=never)
    order = np.lexsort((when, again))  # stable: of two at once, the last row comes last
    same_pair = again[order][:-1] == again[order][1:]
    needless = order[1:] if keep_first else order[:-1]
    return np.sort(rows[needless[same_pair]])


def _pairs(person: npt.NDArray[np.int32], item: npt.NDArray[np.int32]) -> npt.NDArray[Any]:
    """Return a number for each pair of a person and an item, in as few bytes as will do."""
    items = int(item.max(initial=0)) + 1
    fits = (int(person.max(initial=0)) + 1) * items < 2**31
    pairs: npt.NDArray[Any] = person.astype(np.int32 if fits else np.int64)
    pairs *= items
    pairs += item
    return pairs


def _occurs_again(pairs: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Tell of each pair whether it occurs more than once."""
    ordered = np.sort(pairs)
    twice = np.unique(ordered[:-1][ordered[:-1] == ordered[1:]])
    del ordered
    if not len(twice):
        return np.zeros(len(pairs), dtype=np.bool_)
    found = np.empty(len(pairs), dtype=np.bool_)
    for first in range(0, len(pairs), BLOCK):
        some = pairs[first : first + BLOCK]
        places = np.minimum(np.searchsorted(twice, some), len(twice) - 1)
        found[first : first + BLOCK] = twice[places] == some
    return found
