"""The log of a lesson: answers and examples, from which all beliefs can be computed again."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats, Ints
from homeroom._checks import InputError


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """Items that were asked, and the answers of all students.

    Parameters
    ----------
    items
        Their numbers, shape ``(items,)``.
    answers
        +1, -1, or 0 for none, shape ``(students, items)``; with more than two answers their
        numbers 1, 2, 3, ..., or 0 for none.
    at
        The time in seconds, if it is known.
    seconds
        How long each answer took, NaN where it is not known, shape ``(students, items)``.
    """

    items: Ints
    answers: Floats
    at: float | None = None
    seconds: Floats | None = None

    def of_students(self, rows: Ints) -> Asked:
        """Return the answers of some of the students."""
        seconds = None if self.seconds is None else self.seconds[rows]
        return Asked(self.items, self.answers[rows], self.at, seconds)

    def with_newcomers(self, before: int, new: int) -> Asked:
        """Return the answers with a row of zeros for each of ``new`` students."""
        more = np.zeros((new, len(self.items)))
        seconds = self.seconds
        if seconds is not None:
            seconds = np.concatenate([seconds, np.full(more.shape, np.nan)])
        return Asked(self.items, np.concatenate([self.answers, more]), self.at, seconds)


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """An example that was shown to all students, or one each.

    Parameters
    ----------
    x
        The item, shape ``(dimensions,)``; or a row per student, zeros for students who saw none.
    y
        Its label; or one per student. With more than two answers, the number of the right one, or
        the scores of all answers in a further axis.
    items
        The number of the item, or one per student, -1 for none; ``None`` if it is not an item.
    at
        The time in seconds, if it is known.
    """

    x: Floats
    y: float | Floats
    items: int | Ints | None = None
    at: float | None = None

    def of_students(self, rows: Ints) -> Shown:
        """Return what some of the students were shown."""
        if self.x.ndim == 1:
            return self
        items = None if self.items is None else np.asarray(self.items)[rows]
        return Shown(self.x[rows], np.asarray(self.y)[rows], items, self.at)

    def with_newcomers(self, before: int, new: int) -> Shown:
        """Return the examples of ``before`` students, and zeros for ``new`` ones: they saw none."""
        xs = np.broadcast_to(self.x, (before, self.x.shape[-1]))
        scores = np.shape(self.y)[-1:] if np.ndim(self.y) == self.x.ndim else ()
        ys = np.broadcast_to(self.y, (before, *scores))
        items = self.items
        if items is not None:
            seen = np.broadcast_to(np.asarray(items, dtype=np.int64), (before,))
            items = np.concatenate([seen, np.full(new, -1, dtype=np.int64)])
        return Shown(
            np.concatenate([xs, np.zeros((new, xs.shape[1]))]),
            np.concatenate([ys, np.zeros((new, *scores))]),
            items,
            self.at,
        )


Event: TypeAlias = Asked | Shown
"""An entry of a log."""


def of_students(log: Sequence[Event], rows: Ints) -> list[Event]:
    """Return the log of some of the students."""
    return [event.of_students(rows) for event in log]


def plain(log: Sequence[Event]) -> list[dict[str, Any]]:
    """Return a log as plain JSON.

    >>> plain([Asked(np.array([7]), np.array([[1.0], [-1.0]])), Shown(np.array([0.6, 0.8]), 0.4)])
    [{'asked': [7], 'answers': [[1], [-1]]}, {'shown': [0.6, 0.8], 'label': 0.4}]
    """
    return [_entry(event) for event in log]


def _entry(event: Event) -> dict[str, Any]:
    """Return one event as plain JSON."""
    entry: dict[str, Any]
    if isinstance(event, Asked):
        entry = {"asked": event.items.tolist(), "answers": event.answers.astype(int).tolist()}
        if event.seconds is not None:
            entry["seconds"] = [
                [None if math.isnan(one) else one for one in row] for row in event.seconds.tolist()
            ]
    else:
        entry = {"shown": event.x.tolist(), "label": np.asarray(event.y).tolist()}
        if event.items is not None:
            entry["item"] = np.asarray(event.items).tolist()
    return entry if event.at is None else {**entry, "at": event.at}


def read(
    log: Sequence[Any],
    *,
    students: int,
    items: int,
    dimensions: int,
    options: Ints | None = None,
) -> list[Event]:
    """Return a log from plain JSON, checked.

    ``students``, ``items`` and ``dimensions`` are the numbers that its entries must fit.
    ``options`` is the number of answers to each item, if there are more than two.
    """
    if not isinstance(log, Sequence):
        raise InputError(
            f"`log` must be a list, as QuizObserver.log_of(...) gives it, but is {log!r}."
        )
    events: list[Event] = []
    for number, entry in enumerate(log):
        if isinstance(entry, Mapping) and {"asked", "answers"} <= entry.keys():
            asked = known_items(np.asarray(entry["asked"]), items)
            answers = answer_matrix(entry["answers"], asked, students, options)
            seconds = answer_seconds(entry.get("seconds"), answers)
            events.append(Asked(asked, answers, _time(entry), seconds))
        elif isinstance(entry, Mapping) and {"shown", "label"} <= entry.keys():
            most = None if options is None else int(options.max())
            shown = _shown(entry["shown"], entry["label"], students, dimensions, most)
            numbers = _numbered(entry.get("item"), shown, items)
            if options is not None and np.ndim(shown.y) < shown.x.ndim:
                _check_numbers(shown, numbers, options)
            events.append(Shown(shown.x, shown.y, numbers, _time(entry)))
        else:
            raise InputError(
                "`log` must have entries such as {'asked': [3], 'answers': [[1], [-1]]} or "
                f"{{'shown': [0.6, 0.8], 'label': 0.4}}, but entry {number} is {entry!r}."
            )
    return events


def _shown(values: Any, labels: Any, students: int, dimensions: int, options: int | None) -> Shown:
    """Return an example in a log, for all students or one each, after checking its shape.

    ``options`` is the number of answers, ``None`` for yes and no.
    """
    x, y = _numbers(values), _numbers(labels)
    if x.shape in ((dimensions,), (students, dimensions)) and y.shape == (*x.shape[:-1], options):
        return Shown(x, y)  # the scores of all answers
    if x.ndim == 2 and x.shape == (students, dimensions):
        if y.shape != (students,):
            raise InputError(
                f"A row for each student in `log` needs {students} labels, but these have "
                f"shape {y.shape}."
            )
        return Shown(x, y)
    if x.shape != (dimensions,):
        raise InputError(
            f"An example in `log` must have {dimensions} numbers, but has shape {x.shape}."
        )
    if y.shape != ():
        raise InputError(f"An example in `log` has one label, but it has shape {y.shape}.")
    return Shown(x, float(y))


def _numbered(numbers: Any, shown: Shown, items: int) -> int | Ints | None:
    """Return the number of the item that was shown, or one per student, checked."""
    if numbers is None:
        return None
    found = np.asarray(numbers)
    if found.shape != shown.x.shape[:-1] or found.dtype.kind not in "iu":
        raise InputError(
            "An example in `log` has the number of one item, or one per student if each has a "
            f"label, but {str(numbers)[:80]} was given."
        )
    if found.min() < -1 or found.max() >= items:
        raise InputError(f"Items are numbered 0 to {items - 1}, but {str(numbers)[:80]} was shown.")
    return int(found) if found.ndim == 0 else found.astype(np.int64)


def _check_numbers(shown: Shown, numbers: int | Ints | None, options: Ints) -> None:
    """Refuse labels that are not the number of an answer to the item."""
    labels = np.asarray(shown.y)
    if numbers is None:
        raise InputError(
            "With more than two answers, an example in `log` must have the number of its `item`."
        )
    most = options[np.maximum(np.asarray(numbers), 0)]
    if not ((labels == np.round(labels)) & (labels >= 0) & (labels <= most)).all():
        raise InputError(
            "With more than two answers, a label in `log` is the number of the right answer, from "
            f"1 to at most {int(options.max())}, but among them is {str(shown.y)[:80]}."
        )


def answer_seconds(values: Any, answers: Floats) -> Floats | None:
    """Return how long answers took, in seconds, shaped like ``answers``; NaN where not known."""
    if values is None:
        return None
    try:
        seconds = np.array(values, dtype=np.float64)  # None becomes NaN
    except (OverflowError, TypeError, ValueError):
        seconds = np.array(np.inf)
    if seconds.shape != answers.shape or (np.isinf(seconds) | (seconds < 0)).any():
        raise InputError(
            "`seconds` must have a number that is not negative, or null if it is not known, for "
            f"each of the answers, but is {str(values)[:80]}."
        )
    return seconds


def _time(entry: Mapping[str, Any]) -> float | None:
    """Return the time of an entry in seconds, checked; ``None`` if it has none."""
    at = entry.get("at")
    if at is None:
        return None
    plain = isinstance(at, int | float) and not isinstance(at, bool)
    if not plain or not abs(at) <= sys.float_info.max:  # JSON may have larger whole numbers
        raise InputError(f"A time in `log` must be a number of seconds, but is {str(at)[:80]}.")
    return float(at)


def _numbers(values: Any) -> Floats:
    """Return an example, or its label, as finite numbers; refuse anything else."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (OverflowError, TypeError, ValueError):
        numbers = np.array(np.nan)
    if not np.isfinite(numbers).all():
        raise InputError(
            "An example in `log` and its label must be finite numbers, but among them is "
            f"{str(values)[:80]}."
        )
    return numbers


def known_items(numbers: npt.NDArray[Any], items: int) -> Ints:
    """Return the numbers of items as integers; refuse those not from 0 to ``items - 1``."""
    known = numbers.ndim == 1 and (numbers.dtype.kind in "iu" or not len(numbers))
    if not known or (len(numbers) and not (numbers.min() >= 0 and numbers.max() < items)):
        raise InputError(f"Items are numbered 0 to {items - 1}, but {numbers.tolist()} were asked.")
    return numbers.astype(np.int64)


def answer_matrix(answers: Any, asked: Ints, students: int, options: Ints | None = None) -> Floats:
    """Return answers after checking them, one row per student and one column per item.

    They are +1, -1 and 0; or, with the number of ``options`` of each item, 1, 2, 3, ... and 0.
    """
    try:
        said = np.asarray(answers, dtype=np.float64)
    except (OverflowError, TypeError, ValueError):
        raise InputError(
            "`answers` must be rows of equal length with 1 for yes, -1 for no and 0 for none, "
            f"but could not be read as such: {str(answers)[:80]}."
        ) from None
    if said.shape != (students, len(asked)):
        raise InputError(
            f"`answers` must have a row for each of the {students} students with an answer to each "
            f"of the items {asked.tolist()}, but has shape {said.shape}."
        )
    return _known(np.nan_to_num(said, nan=0.0), None if options is None else options[asked])


def sheets_to_matrix(
    sheets: Sequence[Mapping[int, Any] | None], items: int, options: Ints | None = None
) -> Asked:
    """Return the answers on sheets, one per student: ``{item: answer}``, or ``None``.

    An answer is True or 1 for yes, False, 0 or -1 for no, and ``None`` for none; or, with the
    number of ``options`` of each item, the number of the answer.

    >>> asked = sheets_to_matrix([{4: True, 2: False}, None, {2: 1}], items=5)
    >>> asked.items, asked.answers
    (array([2, 4]), array([[-1.,  1.],
           [ 0.,  0.],
           [ 1.,  0.]]))
    """
    rows, numbers, said = [], [], []
    for student, sheet in enumerate(sheets):
        for item, answer in (sheet or {}).items():
            if answer is not None:
                rows.append(student)
                numbers.append(item)
                said.append(-1.0 if answer == 0 and options is None else answer)
    try:
        heard = np.array(said, dtype=np.float64)
    except (OverflowError, TypeError, ValueError):
        raise InputError(
            f"An answer must be 1 for yes, -1 for no or None, but among them are {said[:4]}."
        ) from None
    asked, columns = np.unique(np.array(numbers), return_inverse=True)
    asked = known_items(asked, items)
    answers = np.zeros((len(sheets), len(asked)))
    most = None if options is None else options[asked][columns]
    answers[rows, columns] = _known(heard, most)
    return Asked(asked, answers)


def _known(said: Floats, options: Ints | None = None) -> Floats:
    """Return answers after checking that each is a possible one."""
    if options is not None:
        whole = (said == np.round(said)) & (said >= 0) & (said <= options)
        if not whole.all():
            raise InputError(
                "An answer must be its number, counted from 1 to the number of answers of the "
                f"item, or 0 for none, but {said[~whole][0]:g} was given."
            )
        return said
    strange = said[~np.isin(said, (-1.0, 0.0, 1.0))]
    if len(strange):
        raise InputError(
            f"An answer must be 1 for yes, -1 for no or 0 for none, but {strange[0]:g} was given."
        )
    return said
