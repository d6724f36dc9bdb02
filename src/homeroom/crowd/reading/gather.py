"""Collect the rows of a table as number codes in arrays while the table is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom._files import refuse_size
from homeroom.crowd.reading.layout import ITEM, LABEL, STUDENT, TIME, Layout
from homeroom.crowd.reading.meaning import is_gap
from homeroom.tables import AbstractTable, normalized, quoted
from homeroom.tables.columns import EXPERTS
from homeroom.tables.table import Columns
from homeroom.tables.times import times_from

MAX_VALUES = 1000
"""How many different answers a table may have before it is refused."""

ANSWER_BYTES = 64
"""The most memory per answer, mainly while a map is fitted; a time needs 16 bytes more."""

NAME_BYTES = 120
"""Memory per name besides its characters: the dictionary entry and the Python object."""


class NameCodes(dict[str, int]):
    """A dictionary that gives each new name the next code, from 0 on.

    >>> codes = NameCodes()
    >>> [codes[name] for name in ("b", "a", "b")]
    [0, 1, 0]
    """

    def __init__(self) -> None:
        super().__init__()
        self.characters = 0

    def __missing__(self, name: str) -> int:
        code = self[name] = len(self)
        self.characters += len(name)
        return code

    @property
    def size(self) -> int:
        """About how many bytes of memory the names need."""
        return self.characters + NAME_BYTES * len(self)


class RowArrays(NamedTuple):
    """All rows of a table as numbers: annotator, item, text of the answer, perhaps time."""

    person: npt.NDArray[np.int32]
    item: npt.NDArray[np.int32]
    value: npt.NDArray[np.int16]
    times: Floats | None


@dataclass(eq=False)
class Gathered:
    """The rows read so far: 10 bytes per answer, 18 with a time, and each name once.

    Parameters
    ----------
    path
        The file, for errors.
    max_bytes
        The most memory that answers and names may need.
    people, items, values
        The codes of the annotators, the items, and the different texts of answers.
    experts
        The expert's labels of each item, by the item's code; the inner keys are the labels.
    unread_times
        How many answers have a time that could not be read.
    rows
        How many rows have been added.
    """

    path: Path
    max_bytes: int
    people: NameCodes = field(default_factory=NameCodes)
    items: NameCodes = field(default_factory=NameCodes)
    values: NameCodes = field(default_factory=NameCodes)
    experts: dict[int, dict[str, None]] = field(default_factory=dict)
    unread_times: int = 0
    _person: list[npt.NDArray[np.int32]] = field(default_factory=list)
    _item: list[npt.NDArray[np.int32]] = field(default_factory=list)
    _value: list[npt.NDArray[np.int16]] = field(default_factory=list)
    _time: list[Floats] = field(default_factory=list)
    rows: int = 0

    def add(
        self,
        students: Sequence[str],
        items: Sequence[str],
        answers: Sequence[str],
        times: Sequence[str] | None = None,
        labels: Sequence[str] | None = None,
    ) -> None:
        """Add some rows, given as texts."""
        which = _coded(self.items, items)
        self._person.append(_coded(self.people, students))
        self._item.append(which)
        self._value.append(_coded(self.values, answers).astype(np.int16))
        self.rows += len(which)
        if times is not None:
            read, unread = times_from(times)
            self._time.append(read)
            self.unread_times += unread
        if labels is not None:
            self.add_labels(which, labels)
        self._refuse_too_much()

    def add_labels(self, codes: npt.NDArray[np.int32], labels: Sequence[str]) -> None:
        """Add the expert's labels of the items with these codes."""
        pairs = zip(codes.tolist(), map(str.strip, labels), strict=True)
        for code, label in dict.fromkeys(pairs):  # each pair once, in the order of the table
            self.experts.setdefault(code, {})[label] = None

    def take(self) -> RowArrays:
        """Return all rows, and release the chunks that they were gathered in."""
        return RowArrays(
            _taken(self._person, np.int32),
            _taken(self._item, np.int32),
            _taken(self._value, np.int16),
            _taken(self._time, np.float64) if self._time else None,
        )

    def _refuse_too_much(self) -> None:
        if len(self.values) > MAX_VALUES:
            raise InputError(
                f"{self.path} has more than {MAX_VALUES} different answers, such as "
                f"{quoted(list(self.values), 3)}: is that the right column?"
            )
        names = self.people.size + self.items.size
        needed = ANSWER_BYTES + (2 * 8 if self._time else 0)
        refuse_size(self.path, needed * self.rows + names, self.max_bytes)


def _coded(codes: NameCodes, names: Sequence[str]) -> npt.NDArray[np.int32]:
    """Return the code of each name, with new codes for new names."""
    return np.fromiter(
        map(codes.__getitem__, map(str.strip, names)), dtype=np.int32, count=len(names)
    )


def _taken(parts: list[npt.NDArray[Any]], dtype: type) -> npt.NDArray[Any]:
    """Return the parts as one array, and empty the list."""
    joined = np.concatenate(parts) if parts else np.empty(0, dtype=dtype)
    parts.clear()
    return joined


def gather_matrix(table: AbstractTable, layout: Layout, gathered: Gathered) -> None:
    """Gather a matrix: one row per annotator and one column per item, or its transpose.

    Blank cells are skipped, and not counted as dropped rows. The table is marked as a matrix, and
    gets a note about columns that are left out.
    """
    table.is_matrix = True
    rows_are_annotators = STUDENT in layout
    (name_column,) = layout.places[STUDENT if rows_are_annotators else ITEM]
    other_columns = {at for part in (TIME, LABEL) if part in layout for at in layout.places[part]}
    answer_columns = [
        at for at in range(len(layout.header)) if at != name_column and at not in other_columns
    ]
    names = [layout.header[at].strip() for at in answer_columns]
    _refuse_duplicates(table, names, "item" if rows_are_annotators else "annotator")
    _note_left_out(table, layout, rows_are_annotators=rows_are_annotators)
    labelled = [] if rows_are_annotators else list(layout.places.get(LABEL, ()))
    for texts in table.chunks([name_column, *labelled, *answer_columns]):
        row_names, *cells = texts
        if rows_are_annotators:
            _add_annotators(gathered, row_names, names, cells)
        else:
            _add_items(gathered, row_names, names, cells, labelled=bool(labelled))


def _add_annotators(
    gathered: Gathered, people: Sequence[str], items: Sequence[str], cells: Columns
) -> None:
    """Add rows of a matrix that has one row per annotator; the expert's row holds labels."""
    expert = [normalized(name) in EXPERTS for name in people]
    annotators = [name for name, is_expert in zip(people, expert, strict=True) if not is_expert]
    _register_names(gathered, annotators, items)
    answered = [
        (person, item, answers[row])
        for item, answers in zip(items, cells, strict=True)
        for row, person in enumerate(people)
        if not expert[row] and not is_gap(answers[row])
    ]
    _add(gathered, answered)
    for row in range(len(people)):
        if expert[row]:
            for item, answers in zip(items, cells, strict=True):
                _add_label(gathered, item, answers[row])


def _add_items(
    gathered: Gathered,
    items: Sequence[str],
    people: Sequence[str],
    cells: Columns,
    *,
    labelled: bool,
) -> None:
    """Add rows of a matrix that has one row per item; ``cells[0]`` has labels if ``labelled``."""
    _register_names(gathered, people, items)
    if labelled:
        for item, label in zip(items, cells[0], strict=True):
            _add_label(gathered, item, label)
    answered = [
        (person, item, answers[row])
        for person, answers in zip(people, cells[int(labelled) :], strict=True)
        for row, item in enumerate(items)
        if not is_gap(answers[row])
    ]
    _add(gathered, answered)


def _add(gathered: Gathered, answered: list[tuple[str, str, str]]) -> None:
    """Add answers given as (annotator, item, answer)."""
    if answered:
        people, items, answers = zip(*answered, strict=True)
        gathered.add(people, items, answers)


def _register_names(gathered: Gathered, people: Sequence[str], items: Sequence[str]) -> None:
    """Give all names a code, so that those without an answer can be counted.

    Looking up a new name adds it.
    """
    for person in people:
        gathered.people[person.strip()]
    for item in items:
        gathered.items[item.strip()]


def _add_label(gathered: Gathered, item: str, label: str) -> None:
    if label.strip():
        number = gathered.items[item.strip()]
        gathered.add_labels(np.array([number], dtype=np.int32), [label])


def _refuse_duplicates(table: AbstractTable, names: Sequence[str], what: str) -> None:
    seen: set[str] = set()
    for name in filter(None, names):  # cells of unnamed columns are counted as dropped
        if name in seen:
            raise InputError(
                f"{table.path} has several columns for the {what} {name[:200]!r}: rename them."
            )
        seen.add(name)


def _note_left_out(table: AbstractTable, layout: Layout, *, rows_are_annotators: bool) -> None:
    """Add a note to the table on the columns of a matrix that are not read."""
    left = [layout.header[at] for at in layout.places.get(TIME, ())]
    if rows_are_annotators:
        left += [layout.header[at] for at in layout.places.get(LABEL, ())]
    if left:
        table.notes.append(f"columns ignored because they hold no answers: {quoted(left)}")
