"""The arrays behind a table of answers: how they are checked, and which rows are repeated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError, InputTypeError

BLOCK = 1 << 20
"""How many answers are looked up at a time."""

MAX_CLASSES = 50
"""How many different answers there may be."""


def check_classes(classes: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the answers: from two to fifty, and all different."""
    if isinstance(classes, str) or not all(isinstance(name, str) for name in classes):
        raise InputTypeError("`classes` must be the names of the answers, as in ['owl', 'kite'].")
    if not 2 <= len(classes) <= MAX_CLASSES:
        raise InputError(
            f"There must be from 2 to {MAX_CLASSES} different answers, but there are "
            f"{len(classes)}: merge rare ones, or compare one with the rest (--positive)."
        )
    if len(set(classes)) < len(classes):
        raise InputError("`classes` must have different names.")
    return tuple(classes)


def check_choices(values: npt.ArrayLike | None, classes: int) -> npt.NDArray[np.int8]:
    """Return the class of each answer, from 0 to ``classes - 1``; without values, no answers."""
    given = np.asarray(() if values is None else values)
    if given.ndim != 1 or (given.dtype.kind not in "biu" and given.size):
        raise InputError(
            "`choices` must be a whole number for each answer, "
            f"but has shape {given.shape} and dtype {given.dtype}."
        )
    if given.size and not 0 <= given.min() <= given.max() < classes:
        raise InputError(
            f"`choices` must be numbers from 0 to {classes - 1}, "
            f"but go from {given.min()} to {given.max()}."
        )
    return given.astype(np.int8, copy=False)


def label_codes(labels: Floats, classes: int) -> Ints:
    """Return labels as codes from 0, and -1 where a label is missing (nan).

    With two classes, labels are -1 and +1; with more, they are codes already.

    >>> label_codes(np.array([1.0, -1.0, np.nan]), 2), label_codes(np.array([2.0, np.nan]), 3)
    (array([ 1,  0, -1]), array([ 2, -1]))
    """
    if classes == 2:
        return ((np.nan_to_num(labels, nan=-3.0) + 1) // 2).astype(np.int64)  # -3 becomes -1
    return np.nan_to_num(labels, nan=-1.0).astype(np.int64)


def check_codes(values: npt.ArrayLike, name: str, rows: int, length: int) -> npt.NDArray[np.int32]:
    """Return one whole number per answer, each from 0 to ``length - 1``."""
    codes = np.asarray(values)
    if codes.shape != (rows,) or codes.dtype.kind not in "iu":
        raise InputError(
            f"`{name}` must hold a whole number for each of the {rows} answers, "
            f"but has shape {codes.shape} and dtype {codes.dtype}."
        )
    if rows and not 0 <= codes.min() <= codes.max() < length:
        raise InputError(
            f"`{name}` must hold numbers from 0 to {length - 1}, "
            f"but they go from {codes.min()} to {codes.max()}."
        )
    return codes.astype(np.int32, copy=False)


def check_yes(values: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Return True or False for each answer."""
    given = np.asarray(values)
    if given.ndim != 1 or (given.dtype.kind not in "biuf" and given.size):
        raise InputError(
            "`yes` must be True or False for each answer, "
            f"but has shape {given.shape} and dtype {given.dtype}."
        )
    wrong = (given != 0) & (given != 1)
    if wrong.any():
        raise InputError(
            f"`yes` must be True or False (1 or 0), but answer {int(wrong.argmax())} is "
            f"{given[wrong][0]}."
        )
    return given.astype(np.bool_, copy=False)


def check_labels(values: npt.ArrayLike, length: int, classes: int = 2) -> Floats:
    """Return the expert's label of each item: +1, -1 or nan; with more classes a code or nan."""
    labels = np.asarray(values, dtype=np.float64)
    if labels.shape != (length,):
        raise InputError(
            f"`labels` must have one number for each of the {length} items, "
            f"but has shape {labels.shape}."
        )
    allowed, said = np.array([-1.0, 1.0]), "+1, -1"
    if classes > 2:
        allowed, said = np.arange(float(classes)), f"whole numbers from 0 to {classes - 1}"
    wrong = ~np.isnan(labels) & ~np.isin(labels, allowed)
    if wrong.any():
        raise InputError(
            f"`labels` must be {said}, or nan where the expert's answer is not known, "
            f"but item {int(wrong.argmax())} has {labels[wrong][0]}."
        )
    return labels


def check_times(values: npt.ArrayLike, rows: int) -> Floats:
    """Return the time of each answer; nan where it is not known."""
    times = np.asarray(values, dtype=np.float64)
    if times.shape != (rows,):
        raise InputError(
            f"`times` must have one number for each of the {rows} answers, "
            f"but has shape {times.shape}."
        )
    return times


def check_chosen(values: npt.ArrayLike | None, name: str, length: int) -> Ints:
    """Return the chosen positions, counted from 0; all if ``values`` is ``None``."""
    if values is None:
        return np.arange(length)
    chosen = np.asarray(values)
    if chosen.ndim != 1 or (chosen.dtype.kind not in "iu" and chosen.size):
        raise InputError(f"`{name}` must be a list of positions, counted from 0, as in [0, 2].")
    if chosen.size and not 0 <= chosen.min() <= chosen.max() < length:
        raise InputError(
            f"`{name}` must be positions from 0 to {length - 1}, "
            f"but go from {chosen.min()} to {chosen.max()}."
        )
    if len(np.unique(chosen)) < len(chosen):
        raise InputError(f"`{name}` must not contain the same position twice.")
    return chosen.astype(np.int64)


def new_positions(chosen: Ints, length: int) -> npt.NDArray[np.int32]:
    """Return the new position of each old one, and -1 where it is not chosen."""
    places = np.full(length, -1, dtype=np.int32)
    places[chosen] = np.arange(len(chosen), dtype=np.int32)
    return places


def count_codes(codes: npt.NDArray[np.int32], length: int) -> npt.NDArray[np.int64]:
    """Return how often each number from 0 occurs, in blocks, as NumPy copies what it counts.

    >>> count_codes(np.array([0, 2, 2], dtype=np.int32), 4)
    array([1, 0, 2, 0])
    """
    numbers = np.zeros(length, dtype=np.int64)
    for first in range(0, len(codes), BLOCK):
        numbers += np.bincount(codes[first : first + BLOCK], minlength=length)
    return numbers


def repeated_rows(
    person: npt.NDArray[np.int32],
    item: npt.NDArray[np.int32],
    times: Floats | None = None,
    *,
    keep_first: bool = False,
) -> Ints:
    """Return the rows that another row of the same annotator and item replaces.

    The latest row is kept, or with ``keep_first`` the earliest: by time, or else by position. A row
    with a time is preferred to one without. O(answers log answers), and at most 16 bytes per
    answer, because only pairs that occur more than once are sorted by time.

    >>> one, two = np.array([0, 0, 1], dtype=np.int32), np.array([5, 5, 5], dtype=np.int32)
    >>> repeated_rows(one, two)
    array([0])
    >>> repeated_rows(one, two, times=np.array([9.0, 3.0, 1.0]))
    array([1])
    >>> repeated_rows(one, two, keep_first=True)
    array([1])
    """
    pairs = _pair_numbers(person, item)
    rows = np.flatnonzero(_occurs_again(pairs))
    again = pairs[rows]
    never = np.inf if keep_first else -np.inf
    when = np.zeros(len(rows)) if times is None else np.nan_to_num(times[rows], nan=never)
    order = np.lexsort((when, again))  # stable: of two at the same time, the last row comes last
    same_pair = again[order][:-1] == again[order][1:]
    replaced = order[1:] if keep_first else order[:-1]
    return np.sort(rows[replaced[same_pair]])


def _pair_numbers(person: npt.NDArray[np.int32], item: npt.NDArray[np.int32]) -> npt.NDArray[Any]:
    """Return one number per pair of an annotator and an item, in as few bytes as possible."""
    items = int(item.max(initial=0)) + 1
    fits = (int(person.max(initial=0)) + 1) * items < 2**31
    pairs: npt.NDArray[Any] = person.astype(np.int32 if fits else np.int64)
    pairs *= items
    pairs += item
    return pairs


def _occurs_again(pairs: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return for each pair whether it occurs more than once."""
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
