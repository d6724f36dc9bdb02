"""Errors for bad input, and the checks of arguments that the whole package shares."""

from __future__ import annotations

import math
import os
import sys
import warnings
from collections.abc import Iterable, Sequence
from itertools import islice
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from homeroom import _arrays
from homeroom._arrays import Array, Floats, Ints


class InputError(ValueError):
    """A value, file or option from outside is wrong; the message says how to correct it.

    The command line prints the message of an ``InputError`` and nothing else. Any other exception
    is a programming error, and is shown with its traceback.
    """


class InputTypeError(InputError, TypeError):
    """A value from outside has the wrong type."""


# Tracebacks name these classes as users import them.
for _error in (InputError, InputTypeError):
    _error.__module__ = "homeroom"


def describe_value(value: Any) -> str:
    """Return what a value is, for an error message.

    >>> describe_value(np.zeros(3)), describe_value(None), describe_value([1, 2])
    ('an array of shape (3,)', 'None', 'list [1, 2]')
    """
    shape = getattr(value, "shape", None)
    if shape is not None and not isinstance(value, np.generic):
        return f"an array of shape {tuple(shape)}"
    return repr(value) if value is None else f"{type(value).__name__} {value!r:.60}"


PACKAGE = f"{Path(__file__).parent}{os.sep}"  # not of a package called homeroom_something


def warn(message: str) -> None:
    """Warn about the line of the caller's own code: the innermost one outside this package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)


def matrix(values: Any, name: str, shape: str, *, axes: tuple[int, ...] = (2,)) -> Array:
    """Return the values as an array of finite floats, two-dimensional by default.

    ``axes`` are the numbers of axes that are allowed; ``shape`` is the expected shape, as text for
    the error message.
    """
    array = _floats(values, name)
    if array.ndim not in axes:
        several = " With several outputs, (students, outputs, dimensions)." if 3 in axes else ""
        raise InputError(
            f"`{name}` must have shape {shape}, but has shape {tuple(array.shape)}. "
            f"For a single row, write {name}=[[...]].{several}"
        )
    if 0 in array.shape:
        raise InputError(
            f"`{name}` must have at least one row and one column, "
            f"but has shape {tuple(array.shape)}."
        )
    _all_finite(array, name)
    return array


def states(values: Any, target: Any = None) -> Array:
    """Return states as an array of finite floats: per student, one vector or one per output."""
    array = matrix(values, "states", "(students, dimensions)", axes=(2, 3))
    if array.ndim == 3 and target is not None and _floats(target, "target").ndim == 1:
        raise InputError(
            "`states` must have shape (students, dimensions) where `target` is one vector, but has "
            f"shape {tuple(array.shape)}. With several outputs, give a target of shape "
            f"{tuple(array.shape[1:])}."
        )
    return array


def vector(
    values: Any, name: str, *, like: Array, length: int, each: str, outputs: int | None = None
) -> Array:
    """Return the values as a vector of finite floats of the same library and type as ``like``.

    ``each`` is what has one number each, as a word for the error message. With ``outputs``, return
    a matrix with one such vector per output.
    """
    array = _floats(values, name)
    shape = (length,) if outputs is None else (outputs, length)
    if tuple(array.shape) != shape:
        one = "one number" if outputs is None else "for each output one number"
        raise InputError(
            f"`{name}` must have {one} for each {each}, shape {shape}, "
            f"but has shape {tuple(array.shape)}."
        )
    if _arrays.is_numpy(array):
        with np.errstate(over="ignore"):  # too large for the precision of `like`: refused below
            array = _arrays.like(array, like)
    else:
        _same_library(array, like, name)
        array = _arrays.namespace(array).astype(array, like.dtype, copy=False)
    _all_finite(array, name)
    return array


def labels(values: npt.ArrayLike, rows: Floats) -> tuple[Floats, tuple[str, ...] | None]:
    """Return the labels of items as numbers and, for texts, the names of the classes 1, 2, ...

    ``rows`` are the items.

    >>> labels(["wasp", "moth"], np.eye(2))
    (array([2., 1.]), ('moth', 'wasp'))
    """
    texts: Any = values if _arrays.is_array(values) else np.asarray(values)
    if not (_arrays.is_numpy(texts) and texts.dtype.kind in "OSTU"):
        return _arrays.to_host(
            vector(values, "labels", like=rows, length=len(rows), each="item")
        ), None
    if texts.shape != (len(rows),):
        raise InputError(
            f"`labels` must have one label for each item, shape ({len(rows)},), "
            f"but has shape {texts.shape}."
        )
    entries: list[Any] = texts.tolist()
    if all(isinstance(entry, Real | np.bool_) for entry in entries):
        return labels(np.array(entries, dtype=np.float64), rows)
    for item, entry in enumerate(entries):
        if not isinstance(entry, str):
            other = next((k for k, also in enumerate(entries) if isinstance(also, str)), item)
            raise InputTypeError(
                f"`labels` must be all numbers or all texts, but the label of item {item} is "
                f"{entry!r}, and that of item {other} is {entries[other]!r}."
            )
    names, numbers = np.unique(texts.astype(str), return_inverse=True)
    return numbers.astype(np.float64) + 1.0, tuple(names.tolist())


def labels_among(known: Floats, values: Floats, names: Sequence[str] | None = None) -> Floats:
    """Translate labels to the ones in use, such as 0 and 1 to -1 and +1.

    Parameters
    ----------
    known
        The labels in use: -1 and +1, or 1, 2, ...
    values
        Such labels, or numbers counted from 0.
    names
        The names of the classes 1, 2, ..., if the labels stand for texts.
    """
    if names is not None:
        if len(names) != len(known):
            raise InputError(
                f"`labels` must be {len(known)} different texts for this loss, but are "
                f"{len(names)}: {_list_some(map(repr, names))}. "
                f"Use, for example, GradientLearner('logistic', classes={len(names)})."
            )
        return known[values.astype(np.int64) - 1]
    if np.isin(values, known).all():
        return values
    if np.isin(values, np.arange(len(known))).all():  # counted from 0, as in scikit-learn
        return known[values.astype(np.int64)]
    kinds = "-1 and +1, or 0 and 1"
    if known[0] > 0:
        kinds = f"classes 1 to {len(known)}, or 0 to {len(known) - 1}"
    listed = _list_some(f"{label:g}" for label in np.unique(values))
    raise InputError(f"`labels` must be {kinds}, for this loss, but are {listed}.")


def _list_some(texts: Iterable[str]) -> str:
    """Return the first six texts, for an error message."""
    first = list(islice(texts, 7))
    return ", ".join(first[:6]) + (", ..." if len(first) > 6 else "")


def rates(values: Array) -> None:
    """Raise an error that names the student if a rate is not positive."""
    xp = _arrays.namespace(values)
    if bool(xp.all(values > 0)):
        return
    student = int(xp.argmin(values))
    rate = float(values[student])
    raise InputError(
        f"`rates` must be positive, but student {student} has {rate}. {rate_advice(rate)}"
    )


def rate_advice(rate: float) -> str:
    """Return what a rate that is not positive and finite means, and what to do about it."""
    problem = "does not learn" if rate == 0 else "moves away from what is shown"
    meaning = f"A student with this rate {problem}. " if -math.inf < rate <= 0 else ""
    return f"{meaning}Drop the row, or give a small rate such as 1e-3."


def radius(value: float, name: str, *, may_be_infinite: bool = False) -> float:
    """Return the value as a float if it is a valid radius."""
    return positive(value, name, example="2.0", may_be_infinite=may_be_infinite)


def positive(value: float, name: str, *, example: str, may_be_infinite: bool = False) -> float:
    """Return the value as a float if it is positive, and finite unless infinity is allowed."""
    number = _number(value, name)
    if number > 0 and (may_be_infinite or math.isfinite(number)):
        return number
    kind = "positive" if may_be_infinite else "positive and finite"
    raise InputError(f"`{name}` must be {kind}, but is {value}. Try {name}={example}.")


def not_negative(value: float, name: str, *, example: str) -> float:
    """Return the value as a float if it is finite and not negative."""
    number = _number(value, name)
    if 0 <= number < math.inf:
        return number
    raise InputError(
        f"`{name}` must be finite and not negative, but is {value}. Try {name}={example}."
    )


def whole(value: int, name: str, *, at_least: int, at_most: int | None = None) -> int:
    """Return the value as an int if it is a whole number within the limits."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InputTypeError(f"`{name}` must be a whole number, but is {value!r}.")
    if value < at_least or (at_most is not None and value > at_most):
        limits = f"at least {at_least}" + ("" if at_most is None else f" and at most {at_most}")
        raise InputError(f"`{name}` must be {limits}, but is {value}.")
    return int(value)


def yes_or_no(value: bool, name: str) -> bool:
    """Return the value if it is a bool; 0, 1 and "yes" are not."""
    if not isinstance(value, bool | np.bool_):
        raise InputTypeError(f"`{name}` must be True or False, but is {value!r}.")
    return bool(value)


def one_of(value: str, name: str, choices: Sequence[str]) -> str:
    """Return the value if it is one of the choices."""
    if value not in choices:
        raise InputError(f"`{name}` must be one of {', '.join(choices)}, but is {value!r}.")
    return value


def interval(value: tuple[float, float], name: str) -> tuple[float, float]:
    """Return the two ends of an interval of positive numbers, low first."""
    try:
        low, high = (float(end) for end in value)
    except (TypeError, ValueError):
        raise InputTypeError(
            f"`{name}` must be two numbers (low, high), but is {value!r}."
        ) from None
    if not 0 < low <= high < math.inf:
        raise InputError(
            f"`{name}` must be two positive numbers (low, high), low first, but is ({low}, {high})."
        )
    return low, high


def inside(states: Array, target: Array, state_radius: float) -> None:
    """Raise an error if the target or a state lies outside the ball."""
    if math.isinf(state_radius):
        return
    slack = 1 + 1e-6  # float32 points that were put on the sphere may lie this far outside it
    length = math.hypot(*_arrays.to_host(target).tolist())
    if length > state_radius * slack:
        raise InputError(
            f"`target` must lie within state_radius={state_radius}, but its length is "
            f"{length:.6g}: no student can reach it. Raise state_radius to at least that."
        )
    squares = _arrays.sum_squares(states)
    student = int(_arrays.namespace(states).argmax(squares))
    length = math.sqrt(float(squares[student]))
    if length > state_radius * slack:
        raise InputError(
            f"`states` must lie within state_radius={state_radius}, but student {student} has "
            f"length {length:.6g}. Raise state_radius, or project(states, state_radius) first."
        )


def distances(states: Array, target: Array) -> None:
    """Raise an error if states or target are so large that squared distances overflow."""
    xp = _arrays.namespace(states)
    with np.errstate(over="ignore", invalid="ignore"):
        # |w - w*|^2 <= 2 |w|^2 + 2 |w*|^2, so that no N x d temporary is needed.
        squared = _arrays.sum_squares(states) + xp.sum(target * target)
        if bool(xp.isfinite(4.0 * xp.sum(squared))):
            return
    largest = float(xp.max(xp.abs(states)))
    aim = float(xp.max(xp.abs(target)))
    raise InputError(
        f"`states` and `target` must be so small that squared distances fit into {states.dtype}, "
        f"but their largest entries are {largest:.3g} and {aim:.3g}. Divide both by a number."
    )


def names(values: Sequence[str] | None, students: int) -> tuple[str, ...] | None:
    """Return the names as a tuple, one for each student."""
    if values is None:
        return None
    if isinstance(values, str) or not all(issubclass(kind, str) for kind in set(map(type, values))):
        raise InputTypeError("`names` must be a list of texts, as in names=['Ada', 'Ben'].")
    if len(values) != students:
        raise InputError(
            f"`names` must have one name for each of the {students} students, "
            f"but has {len(values)}."
        )
    return tuple(map(str, values))


def check_students(values: npt.ArrayLike, students: int) -> Ints:
    """Return the indices of some students of a class as an array."""
    rows = np.asarray(values)
    if rows.ndim != 1 or not len(rows) or rows.dtype.kind not in "iu":
        raise InputError(
            "`students` must be a list of one or more students, counted from 0, as in [0, 2]; "
            f"but has shape {rows.shape} and dtype {rows.dtype}."
        )
    if not (rows.min() >= 0 and rows.max() < students):
        raise InputError(
            f"`students` must be numbers from 0 to {students - 1}, "
            f"but go from {rows.min()} to {rows.max()}."
        )
    return rows.astype(np.int64, copy=False)


def width(rows: Array, name: str, dimensions: int) -> None:
    """Raise an error if the items and the class's examples differ in their dimensions."""
    if rows.shape[1] != dimensions:
        raise InputError(
            f"`{name}` must have {dimensions} columns, one for each dimension of an example in "
            f"this class, but have {rows.shape[1]}."
        )


def _number(value: float, name: str) -> float:
    """Return a value as a float; refuse texts and truth values."""
    try:
        if isinstance(value, str | bytes | bool):  # "0.1" is text, though float() would take it
            raise TypeError
        return float(value)
    except (OverflowError, TypeError, ValueError):
        raise InputTypeError(f"`{name}` must be a number, but is {value!r}.") from None


def _floats(values: Any, name: str) -> Array:
    """Return an array of floats as it is, and a list as NumPy float64."""
    if not _arrays.is_array(values):
        try:
            return np.asarray(values, dtype=np.float64)
        except (OverflowError, TypeError, ValueError):
            raise InputTypeError(
                f"`{name}` must be numbers in rows of equal length, but could not be read as such."
            ) from None
    values = _arrays.without_gradient(values)  # a class is data: no gradient flows through it
    xp = _arrays.namespace(values)
    if _arrays.is_numpy(values):
        if values.dtype.kind in "iub":
            return values.astype(np.float64)
        if values.dtype.kind != "f":
            raise InputTypeError(f"`{name}` must be real numbers, but has dtype {values.dtype}.")
        if values.dtype in (np.float32, np.float64):
            return values
        with np.errstate(over="ignore"):  # a long double beyond float64 is refused as infinite
            return values.astype(np.float64)
    if values.dtype not in (xp.float32, xp.float64):
        raise InputTypeError(
            f"`{name}` must be float32 or float64, but has dtype {values.dtype}. Convert it first."
        )
    return values


def _all_finite(array: Array, name: str) -> None:
    """Raise an error that names the first number that is not finite."""
    xp = _arrays.namespace(array)
    # A sum is finite only if every number is (or overflowed): no N x d temporary of booleans.
    with np.errstate(over="ignore", invalid="ignore"):
        if bool(xp.isfinite(xp.sum(array))):
            return
    numbers = _arrays.to_numpy(array)
    bad = np.argwhere(~np.isfinite(numbers))
    if len(bad):
        where = ", ".join(str(index) for index in bad[0])
        more = f" (and {len(bad) - 1} more are not)" if len(bad) > 1 else ""
        raise InputError(
            f"`{name}` must be finite, but {name}[{where}] is {numbers[tuple(bad[0])]}{more}. "
            "Fill in or drop the rows with missing numbers."
        )


def _same_library(array: Array, like: Array, name: str) -> None:
    """Raise an error if two arrays are of different libraries."""
    if _arrays.namespace(array) is not _arrays.namespace(like):
        raise InputTypeError(
            f"`{name}` must be an array of the same library as `states`, "
            f"but is {type(array).__module__}.{type(array).__name__}."
        )


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number of things as text, with the noun in singular or plural.

    >>> counted(1, "round"), counted(3, "round"), counted(2, "class", "classes")
    ('1 round', '3 rounds', '2 classes')
    """
    return f"{number} {one}" if number == 1 else f"{number} {many or one + 's'}"


def cost(number: float) -> str:
    """Return a cost as text: whole from 100 on, below that with three digits.

    >>> cost(4.5), cost(7.0), cost(1234.5)
    ('4.5', '7', '1234')
    """
    return f"{number:.0f}" if number >= 100 else f"{number:.3g}"


def percent(share: float) -> str:
    """Return a share as text, in percent; a dash for NaN.

    >>> percent(0.561), percent(float("nan"))
    ('56 %', '-')
    """
    return "-" if math.isnan(share) else f"{100 * share:.0f} %"
