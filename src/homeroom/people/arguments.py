"""The arguments of a lesson for people: read and checked once, where they enter."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from homeroom import _checks
from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError, InputTypeError
from homeroom.people.laws import ClassAnswers

Student = str | int
"""The name of a student: a text, or a number if only their number was given."""

MOST_ANSWERS, MOST_STUDENTS = 1000, 100_000


@dataclass(frozen=True, eq=False)
class PeopleTask:
    """What is taught to whom, as :class:`~homeroom.PeopleLesson` was given it.

    Parameters
    ----------
    labels
        The right answers, as numbers.
    numbers
        Whether they are numbers on a scale.
    options
        The number of answers of each item; 1 for numbers on a scale.
    features
        Shape ``(items, dimensions)``, or ``None``.
    kinds
        The kind of each item, counted from 0, or ``None``.
    students
        Their names.
    before
        Earlier answers: (student, item, answer).
    pretest, goal, repeat_after, seed
        As in :class:`~homeroom.PeopleLesson`.
    """

    labels: Floats
    numbers: bool
    options: Ints
    features: Floats | None
    kinds: Ints | None
    students: tuple[Student, ...]
    before: tuple[tuple[Student, int, float], ...]
    pretest: int
    goal: float
    repeat_after: int
    seed: int

    @property
    def classes(self) -> Ints:
        """The right answers as classes; all 0 for numbers on a scale."""
        return np.where(self.numbers, 0, self.labels).astype(np.int64)

    def read_answers(self, given: Any, item: int, students: Sequence[Student]) -> ClassAnswers:
        """Return the answers of the students to an item, checked.

        ``given`` has one answer per student, -1 (not for numbers on a scale), nan or ``None`` for
        none; or it is a mapping from some students to their answers.
        """
        values = _answer_numbers(_in_order(given, students), len(students))
        heard = ~np.isnan(values) if self.numbers else ~(np.isnan(values) | (values == -1.0))
        self.check_answers(values[heard], item)
        filled = np.where(heard, values, self.labels[item])
        right = heard & (filled == self.labels[item]) & (not self.numbers)
        return ClassAnswers(filled, heard, right, filled - self.labels[item])

    def check_answers(self, values: Floats, item: int) -> None:
        """Refuse answers that the item does not have."""
        options = int(self.options[item])
        if self.numbers:
            bad = values[~(np.abs(values) <= 1e100)]
            wanted = "numbers of at most 1e100, nan for none"
        else:
            bad = values[(values != np.floor(values)) | (values < 0) | (values >= options)]
            wanted = f"whole numbers from 0 to {options - 1} for item {item}, -1 for none"
        if len(bad):
            raise InputError(f"`given` must be {wanted}, but one answer is {bad[0]:g}.")

    def check_item(self, item: Any) -> int:
        """Return the number of an item of the list."""
        return _checks.whole(item, "item", at_least=0, at_most=len(self.labels) - 1)


def read_task(  # noqa: PLR0917 - the order of the public signature
    labels: npt.ArrayLike,
    items: npt.ArrayLike | None,
    students: int | Sequence[Student],
    answers: int | npt.ArrayLike | None,
    pretest: int,
    kinds: Sequence[Any] | None,
    goal: float,
    before: Iterable[tuple[Student, int, float]] | None,
    repeat_after: int | None,
    seed: int,
) -> PeopleTask:
    """Return the arguments of a lesson, checked."""
    right, numbers = _read_labels(labels, scale=answers is None)
    number = len(right)
    options = np.ones(number, np.int64) if numbers else _read_options(answers, right)
    pause = min(5, number // 2)
    if repeat_after is not None:
        pause = _checks.whole(repeat_after, "repeat_after", at_least=0)
    share = _checks.positive(goal, "goal", example="0.9")
    if share >= 1.0:
        raise InputError(f"`goal` must be a share below 1, but is {goal}. Try goal=0.9.")
    task = PeopleTask(
        labels=right,
        numbers=numbers,
        options=options,
        features=None if items is None else _read_features(items, number),
        kinds=None if kinds is None else _read_kinds(kinds, number),
        students=_read_students(students),
        before=(),
        pretest=min(_checks.whole(pretest, "pretest", at_least=0), number // 2),
        goal=share,
        repeat_after=pause,
        seed=_checks.whole(seed, "seed", at_least=0, at_most=2**63 - 1),
    )
    if before is None:
        return task
    return PeopleTask(**{**vars(task), "before": _read_before(before, task)})


def check_name(student: Any) -> Student:
    """Return the name of a student: a text or a whole number."""
    if isinstance(student, str) and student:
        return str(student)
    if isinstance(student, int | np.integer) and not isinstance(student, bool):
        return int(student)
    raise InputTypeError(
        f"`student` must be a name (a text) or a whole number, but is {student!r:.60}."
    )


def check_time(at: Any, earliest: float | None) -> float:
    """Return a time in seconds, which must not be before the last one."""
    time = _checks.not_negative(at, "at", example="30.0")
    if earliest is not None and time < earliest:
        raise InputError(
            f"`at` must not be before the last answers, at {earliest:g} seconds, but is {time:g}."
        )
    return time


def _read_array(values: Any, name: str, wanted: str) -> npt.NDArray[Any]:
    """Return one axis of real numbers."""
    try:
        array = np.asarray(values)
    except (TypeError, ValueError, OverflowError):
        raise InputTypeError(f"`{name}` must be {wanted}, but could not be read.") from None
    if array.dtype.kind not in "iufb" or array.ndim != 1:
        raise InputTypeError(f"`{name}` must be {wanted}, but is {_checks.describe_value(values)}.")
    return array


def _read_labels(labels: npt.ArrayLike, *, scale: bool) -> tuple[Floats, bool]:
    """Return the right answers, and whether they are numbers on a scale.

    They are if they have decimals, as ``2.0``, and the number of answers is not given.
    """
    wanted = "the right answer of each item: whole numbers 0, 1, ..., or numbers such as 2.5"
    array = _read_array(labels, "labels", wanted)
    if not len(array):
        raise InputError("`labels` must have at least one item, but has none.")
    numbers = scale and array.dtype.kind == "f"
    right = array.astype(np.float64)
    if not np.isfinite(right).all():
        raise InputError("`labels` must be finite numbers, but one is not.")
    if numbers and np.abs(right).max() > 1e100:
        raise InputError(f"`labels` must be below 1e100, but one is {np.abs(right).max():g}.")
    if not numbers and ((right != np.floor(right)) | (right < 0)).any():
        bad = right[(right != np.floor(right)) | (right < 0)][0]
        raise InputError(
            f"`labels` must be {wanted}, but one is {bad:g}. "
            "For other labels, write labels=np.unique(labels, return_inverse=True)[1]."
        )
    if not numbers and right.max() >= MOST_ANSWERS:
        raise InputError(
            f"`labels` must be below {MOST_ANSWERS}, but one is {right.max():g}. Number them from "
            "0, or write labels with decimals if they are numbers on a scale."
        )
    return right, numbers


def _read_options(answers: int | npt.ArrayLike | None, labels: Floats) -> Ints:
    """Return the number of answers of each item."""
    least = np.maximum(labels.astype(np.int64) + 1, 2)
    if answers is None:
        return np.full(len(labels), least.max())
    if isinstance(answers, int | np.integer | str | bool):
        answers = _checks.whole(answers, "answers", at_least=2, at_most=MOST_ANSWERS)  # type: ignore[arg-type]
        options = np.full(len(labels), answers)
    else:
        wanted = "a whole number, or one for each item"
        array = _read_array(answers, "answers", wanted)
        if array.dtype.kind not in "iu" or len(array) != len(labels):
            raise InputError(
                f"`answers` must be {wanted}, shape ({len(labels)},), "
                f"but is {_checks.describe_value(answers)}."
            )
        options = array.astype(np.int64)
    bad = np.flatnonzero((options < least) | (options > MOST_ANSWERS))
    if len(bad):
        raise InputError(
            f"`answers` must be at least 2 and more than each label, at most {MOST_ANSWERS}, "
            f"but is {options[bad[0]]} for item {bad[0]}, whose label is {labels[bad[0]]:g}."
        )
    return options


def _read_features(items: npt.ArrayLike, number: int) -> Floats:
    features = np.asarray(_checks.matrix(items, "items", "(items, dimensions)"), dtype=np.float64)
    if len(features) != number:
        raise InputError(
            f"`items` must have one row for each of the {number} labels, but has {len(features)}."
        )
    if np.abs(features).max() > 1e100:
        raise InputError("`items` must be below 1e100. Divide the features by a number.")
    return features


def _read_kinds(kinds: Sequence[Any], number: int) -> Ints:
    names = np.asarray(kinds)
    if names.dtype.kind not in "iufbUS" or names.shape != (number,):
        raise InputError(
            f"`kinds` must be a number or a text for each item, shape ({number},), "
            f"but is {_checks.describe_value(kinds)}."
        )
    return np.unique(names, return_inverse=True)[1].astype(np.int64)


def _read_students(students: int | Sequence[Student]) -> tuple[Student, ...]:
    if isinstance(students, int | np.integer | float | str | bool | None):
        most = MOST_STUDENTS
        return tuple(range(_checks.whole(students, "students", at_least=0, at_most=most)))  # type: ignore[arg-type]
    try:
        names = tuple(check_name(name) for name in students)
    except TypeError:
        raise InputTypeError(
            "`students` must be how many there are, or a list of their names, "
            f"but is {_checks.describe_value(students)}."
        ) from None
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"`students` must have different names, but has {twice!r} twice.")
    return names


def _read_before(
    before: Iterable[tuple[Student, int, float]], task: PeopleTask
) -> tuple[tuple[Student, int, float], ...]:
    """Return earlier answers (student, item, answer), checked."""
    known, found = set(task.students), []
    try:
        rows = [(student, item, answer) for student, item, answer in before]
    except (TypeError, ValueError):
        raise InputTypeError(
            "`before` must be earlier answers (student, item, answer), as in [('Ada', 3, 1)]."
        ) from None
    for student, item, answer in rows:
        name = check_name(student)
        if name not in known:
            raise InputError(f"`before` must be about students of the class, but has {name!r}.")
        number = task.check_item(item)
        value = _read_array([answer], "before", "earlier answers (student, item, number)")
        task.check_answers(value.astype(np.float64), number)
        found.append((name, number, float(value[0])))
    return tuple(found)


def _in_order(given: Any, students: Sequence[Student]) -> Any:
    """Return answers in the order of the students, where they are given by name."""
    if not isinstance(given, Mapping):
        return given
    unknown = [name for name in given if name not in set(students)]
    if unknown:
        raise InputError(
            f"`given` must be about students of the class, but has {unknown[0]!r:.60}."
        )
    return [given.get(name) for name in students]


def _answer_numbers(given: Any, students: int) -> Floats:
    """Return one number per student; nan for ``None``."""
    wanted = f"one number for each of the {students} students"
    try:
        array = np.asarray(given)
        if array.dtype.kind == "O":
            array = np.array([math.nan if value is None else value for value in array])
    except (TypeError, ValueError, OverflowError):
        raise InputTypeError(f"`given` must be {wanted}, but could not be read.") from None
    if array.dtype.kind not in "iuf" and array.size:
        raise InputTypeError(f"`given` must be {wanted}, but is {_checks.describe_value(given)}.")
    if array.shape != (students,):
        raise InputError(
            f"`given` must be {wanted}, shape ({students},), but has shape {array.shape}."
        )
    return array.astype(np.float64)
