"""The log of a lesson: answers and examples, from which all beliefs can be computed again."""

from __future__ import annotations

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
        +1, -1, or 0 for none, shape ``(students, items)``.
    """

    items: Ints
    answers: Floats

    def of_students(self, rows: Ints) -> Asked:
        """Return the answers of some of the students."""
        return Asked(self.items, self.answers[rows])

    def with_newcomers(self, before: int, new: int) -> Asked:
        """Return the answers with a row of zeros for each new student."""
        return Asked(self.items, np.concatenate([self.answers, np.zeros((new, len(self.items)))]))


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """An example that was shown to all students, or one each.

    Parameters
    ----------
    x
        The item, shape ``(dimensions,)``; or a row per student, zeros for students who saw none.
    y
        Its label; or one per student.
    """

    x: Floats
    y: float | Floats

    def of_students(self, rows: Ints) -> Shown:
        """Return what some of the students were shown."""
        if self.x.ndim == 1:
            return self
        return Shown(self.x[rows], np.asarray(self.y)[rows])

    def with_newcomers(self, before: int, new: int) -> Shown:
        """Return the examples with a row of zeros for each new student: they saw nothing."""
        xs = np.broadcast_to(self.x, (before, self.x.shape[-1]))
        ys = np.broadcast_to(self.y, (before,))
        return Shown(
            np.concatenate([xs, np.zeros((new, xs.shape[1]))]), np.concatenate([ys, np.zeros(new)])
        )


Event: TypeAlias = Asked | Shown


def of_students(log: Sequence[Event], rows: Ints) -> list[Event]:
    """Return the log of some of the students."""
    return [event.of_students(rows) for event in log]


def plain(log: Sequence[Event]) -> list[dict[str, Any]]:
    """Return a log as plain JSON.

    >>> plain([Asked(np.array([7]), np.array([[1.0], [-1.0]])), Shown(np.array([0.6, 0.8]), 0.4)])
    [{'asked': [7], 'answers': [[1], [-1]]}, {'shown': [0.6, 0.8], 'label': 0.4}]
    """
    return [
        {"asked": event.items.tolist(), "answers": event.answers.astype(int).tolist()}
        if isinstance(event, Asked)
        else {"shown": event.x.tolist(), "label": np.asarray(event.y).tolist()}
        for event in log
    ]


def read(log: Sequence[Any], *, students: int, items: int, dimensions: int) -> list[Event]:
    """Return a log from plain JSON, checked."""
    if not isinstance(log, Sequence):
        raise InputError(
            f"`log` must be a list, as QuizObserver.log_of(...) gives it, but is {log!r}."
        )
    events: list[Event] = []
    for number, entry in enumerate(log):
        if isinstance(entry, Mapping) and {"asked", "answers"} <= entry.keys():
            asked = known_items(np.asarray(entry["asked"]), items)
            events.append(Asked(asked, answer_matrix(entry["answers"], asked, students)))
        elif isinstance(entry, Mapping) and {"shown", "label"} <= entry.keys():
            events.append(_shown(entry["shown"], entry["label"], students, dimensions))
        else:
            raise InputError(
                "`log` must have entries such as {'asked': [3], 'answers': [[1], [-1]]} or "
                f"{{'shown': [0.6, 0.8], 'label': 0.4}}, but entry {number} is {entry!r}."
            )
    return events


def _shown(values: Any, labels: Any, students: int, dimensions: int) -> Shown:
    x, y = _numbers(values), _numbers(labels)
    if x.ndim == 2 and x.shape == (students, dimensions):
        if y.shape != (students,):
            raise InputError(
                f"A row for each student in `log` goes with {students} labels, but they have "
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


def _numbers(values: Any) -> Floats:
    """Return an example as finite numbers; refuse anything else."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.array(np.nan)
    if not np.isfinite(numbers).all():
        raise InputError(
            "An example in `log` and its label must be finite numbers, but among them is "
            f"{str(values)[:80]}."
        )
    return numbers


def known_items(numbers: npt.NDArray[Any], items: int) -> Ints:
    """Return the numbers of items; refuse numbers that do not exist."""
    known = numbers.ndim == 1 and (numbers.dtype.kind in "iu" or not len(numbers))
    if not known or (len(numbers) and not (numbers.min() >= 0 and numbers.max() < items)):
        raise InputError(f"Items are numbered 0 to {items - 1}, but {numbers.tolist()} were asked.")
    return numbers.astype(np.int64)


def answer_matrix(answers: Any, asked: Ints, students: int) -> Floats:
    """Return answers as +1, -1 and 0, one row per student and one column per item."""
    try:
        said = np.asarray(answers, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            "`answers` must be rows of equal length with 1 for yes, -1 for no and 0 for none, "
            f"but could not be read as such: {str(answers)[:80]}."
        ) from None
    if said.shape != (students, len(asked)):
        raise InputError(
            f"`answers` must have a row for each of the {students} students with an answer to each "
            f"of the items {asked.tolist()}, but has shape {said.shape}."
        )
    return _known(np.nan_to_num(said, nan=0.0))


def sheets_to_matrix(sheets: Sequence[Mapping[int, Any] | None], items: int) -> Asked:
    """Return the answers on sheets, one per student: ``{item: answer}``, or ``None``.

    An answer is True or 1 for yes, False, 0 or -1 for no, and ``None`` for none.

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
                said.append(-1.0 if answer == 0 else answer)
    try:
        heard = np.array(said, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"An answer must be 1 for yes, -1 for no or None, but among them are {said[:4]}."
        ) from None
    asked, columns = np.unique(np.array(numbers), return_inverse=True)
    asked = known_items(asked, items)
    answers = np.zeros((len(sheets), len(asked)))
    answers[rows, columns] = _known(heard)
    return Asked(asked, answers)


def _known(said: Floats) -> Floats:
    strange = said[~np.isin(said, (-1.0, 0.0, 1.0))]
    if len(strange):
        raise InputError(
            f"An answer must be 1 for yes, -1 for no or 0 for none, but {strange[0]:g} was given."
        )
    return said
