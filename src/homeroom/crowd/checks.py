"""What answers must be, checked once where they enter; each refusal says what to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError, InputTypeError


def codes(values: npt.ArrayLike, name: str, rows: int, length: int) -> npt.NDArray[np.int32]:
    """Return a number for each answer, each of them a place among so many."""
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


def yes(values: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Return yes or no for each answer."""
    given = np.asarray(values)
    if given.ndim != 1 or (given.dtype.kind not in "biuf" and given.size):
        raise InputError(
            "`yes` must say True or False for each answer, "
            f"but has shape {given.shape} and dtype {given.dtype}."
        )
    wrong = (given != 0) & (given != 1)
    if wrong.any():
        raise InputError(
            f"`yes` must be True or False (1 or 0), but answer {int(wrong.argmax())} is "
            f"{given[wrong][0]}."
        )
    return given.astype(np.bool_, copy=False)


def labels(values: npt.ArrayLike, length: int) -> Floats:
    """Return the expert's label of each item: +1, -1 or nan."""
    labels = np.asarray(values, dtype=np.float64)
    if labels.shape != (length,):
        raise InputError(
            f"`labels` must have one number for each of the {length} items, "
            f"but has shape {labels.shape}."
        )
    wrong = np.isfinite(labels) & (np.abs(labels) != 1) | np.isinf(labels)
    if wrong.any():
        raise InputError(
            "`labels` must be +1, -1, or nan where the expert's answer is not known, "
            f"but item {int(wrong.argmax())} has {labels[wrong][0]}."
        )
    return labels


def times(values: npt.ArrayLike, rows: int) -> Floats:
    """Return a time for each answer."""
    times = np.asarray(values, dtype=np.float64)
    if times.shape != (rows,):
        raise InputError(
            f"`times` must have one number for each of the {rows} answers, "
            f"but has shape {times.shape}."
        )
    return times


def word(value: object, name: str) -> str:
    """Return what stands in a table, as it is written there."""
    if not isinstance(value, str):
        raise InputTypeError(
            f"`{name}` must be text as it stands in the table, as in {str(value)[:40]!r}, "
            f"but is {type(value).__name__}."
        )
    return value


def words(values: object, name: str) -> tuple[str, ...]:
    """Return several words as they are written in a table."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputTypeError(f"`{name}` must be a list of words, as in ['unsure', 'skipped'].")
    return tuple(word(value, f"{name}[{place}]") for place, value in enumerate(values))


def columns(named: object) -> dict[str, str]:
    """Return what each part of a table is called there."""
    if not isinstance(named, Mapping):
        raise InputTypeError(
            "`columns` must say what each part is called, as in {'student': 'Pupil'}, "
            f"but is {type(named).__name__}."
        )
    return {str(part): word(name, f"columns[{part!r}]") for part, name in named.items()}


def which_is_kept(keep: str) -> str:
    """Return which of several answers of one person to one item is kept."""
    if keep not in ("last", "first"):
        raise InputError(f"`keep` must be 'last' or 'first' (--keep), but is {str(keep)[:40]!r}.")
    return keep


def chosen(values: npt.ArrayLike | None, name: str, length: int) -> Ints:
    """Return the places of some of so many; of all, if nothing is said."""
    if values is None:
        return np.arange(length)
    chosen = np.asarray(values)
    if chosen.ndim != 1 or (chosen.dtype.kind not in "iu" and chosen.size):
        raise InputError(f"`{name}` must be a list of places, counted from 0, as in [0, 2].")
    if chosen.size and not 0 <= chosen.min() <= chosen.max() < length:
        raise InputError(
            f"`{name}` must be places from 0 to {length - 1}, "
            f"but go from {chosen.min()} to {chosen.max()}."
        )
    if len(np.unique(chosen)) < len(chosen):
        raise InputError(f"`{name}` must not name anything twice.")
    return chosen.astype(np.int64)


def places(chosen: Ints, length: int) -> npt.NDArray[np.int32]:
    """Return where each old place went, and -1 where it is left out."""
    places = np.full(length, -1, dtype=np.int32)
    places[chosen] = np.arange(len(chosen), dtype=np.int32)
    return places
