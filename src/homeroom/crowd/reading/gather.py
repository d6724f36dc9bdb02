"""Collect the rows of a table as number codes in arrays while the table is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from sys import getsizeof
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

NAME_BYTES = 70
"""Memory per name besides its text: the dictionary entry and the code."""

LABEL_BYTES = 270
"""Memory per item with an expert's label: the dictionary entry and a dictionary of one label."""


class NameCodes(dict[str, int]):
    """A dictionary that gives each new name the next code, from 0 on.

    ``bytes_needed`` is about how much memory the names need.

    >>> codes = NameCodes()
    >>> [codes[name] for name in ("b", "a", "b")]
    [0, 1, 0]
    """

    def __init__(self) -> None:
        super().__init__()
        self.bytes_needed = 0

    def __missing__(self, name: str) -> int:
        code = self[name] = len(self)
        self.bytes_needed += NAME_BYTES + getsizeof(name)
        return code


class RowArrays(NamedTuple):
    """All rows of a table: the codes of annotator, item and answer text, and the times.

    A time is NaN where there is none; ``times`` is ``None`` without a column of times.
    """

    annotator: npt.NDArray[np.int32]
    item: npt.NDArray[np.int32]
    value: npt.NDArray[np.int16]
    times: Floats | None


@dataclass(eq=False)
class GatheredAnswers:
    """The rows read so far: 10 bytes per answer, 18 with a time, and each name once.

    Parameters
    ----------
    path
        The file, for errors.
    max_bytes
        The most memory that answers, names and labels may need.
    annotators, items, values
        The codes of the annotators, the items, and the different texts of answers.
    experts
        The expert's labels of each item, by the item's code; the inner keys are the labels.
    unread_times
        How many answers have a time that could not be read.
    rows
        The number of answers added so far.
    """

    path: Path
    max_bytes: int
    annotators: NameCodes = field(default_factory=NameCodes)
    items: NameCodes = field(default_factory=NameCodes)
    values: NameCodes = field(default_factory=NameCodes)
    experts: dict[int, dict[str, None]] = field(default_factory=dict)
    unread_times: int = 0
    _annotator: list[npt.NDArray[np.int32]] = field(default_factory=list)
    _item: list[npt.NDArray[np.int32]] = field(default_factory=list)
    _value: list[npt.NDArray[np.int16]] = field(default_factory=list)
    _time: list[Floats] = field(default_factory=list)
    rows: int = 0

    def add(
        self,
        annotators: Sequence[str],
        items: Sequence[str],
        answers: Sequence[str],
        times: Sequence[str] | None = None,
        labels: Sequence[str] | None = None,
    ) -> None:
        """Add answers, given as texts: one entry per answer in each argument.

        ``labels`` are the expert's labels of the items. Spaces around a text do not count. A time
        that cannot be read is NaN, and is counted in ``unread_times``.

        Raises
        ------
        ValueError
            If there are more than ``MAX_VALUES`` different answers, or all rows so far need more
            than ``max_bytes``.
        """
        which = _coded(self.items, items)
        self._annotator.append(_coded(self.annotators, annotators))
        self._item.append(which)
        self._value.append(_coded(self.values, answers).astype(np.int16))
        self.rows += len(which)
        if times is not None:
            read, unread = times_from(times)
            self._time.append(read)
            self.unread_times += unread
        if labels is not None:
            self.add_labels(which, labels)
        self.refuse_too_much()

    def add_labels(self, codes: npt.NDArray[np.int32], labels: Sequence[str]) -> None:
        """Add the expert's labels of the items with these codes."""
        pairs = zip(codes.tolist(), map(str.strip, labels), strict=True)
        for code, label in dict.fromkeys(pairs):  # each pair once, in the order of the table
            self.experts.setdefault(code, {})[label] = None

    def take(self) -> RowArrays:
        """Return all rows, and release the chunks that they were gathered in."""
        return RowArrays(
            _taken(self._annotator, np.int32),
            _taken(self._item, np.int32),
            _taken(self._value, np.int16),
            _taken(self._time, np.float64) if self._time else None,
        )

    def refuse_too_much(self) -> None:
        """Raise an error if there are too many different answers, or too much memory is needed."""
        if len(self.values) > MAX_VALUES:
            raise InputError(
                f"{self.path} has more than {MAX_VALUES} different answers, such as "
                f"{quoted(list(self.values), 3)}: is that the right column?"
            )
        names = self.annotators.bytes_needed + self.items.bytes_needed
        labels = LABEL_BYTES * len(self.experts)
        answers = (ANSWER_BYTES + (2 * 8 if self._time else 0)) * self.rows
        refuse_size(self.path, answers + names + labels, self.max_bytes)


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


def joined(columns: Columns) -> Sequence[str]:
    """Return names that are spread over several columns as one; blank pieces are left out."""
    if len(columns) == 1:
        return columns[0]
    return [
        " / ".join(filter(None, map(str.strip, pieces))) for pieces in zip(*columns, strict=True)
    ]


def gather_matrix(table: AbstractTable, layout: Layout, gathered: GatheredAnswers) -> None:
    """Gather a matrix: one row per annotator and one column per item, or its transpose.

    Cells without an answer (blank, NA, ?) are skipped, and not counted as dropped rows. Sets
    ``table.is_matrix``, and adds a note to the table about columns that are ignored.
    """
    table.is_matrix = True
    rows_are_annotators = STUDENT in layout
    name_columns = layout.places[STUDENT if rows_are_annotators else ITEM]
    label_columns = () if rows_are_annotators else layout.places.get(LABEL, ())
    used = {at for columns in layout.places.values() for at in columns}
    answer_columns = [at for at in range(len(layout.header)) if at not in used]
    names = [layout.header[at].strip() for at in answer_columns]
    _refuse_duplicates(table, names, "item" if rows_are_annotators else "annotator")
    _note_left_out(table, layout, rows_are_annotators=rows_are_annotators)
    for texts in table.chunks([*name_columns, *label_columns, *answer_columns]):
        cells = iter(texts)
        row_names = joined([next(cells) for _ in name_columns])
        if rows_are_annotators:
            _add_annotator_rows(gathered, row_names, names, list(cells))
        else:
            labels = joined([next(cells) for _ in label_columns]) if label_columns else ()
            _add_item_rows(gathered, row_names, names, list(cells), labels)
        gathered.refuse_too_much()  # names and labels alone may need too much memory


def _add_annotator_rows(
    gathered: GatheredAnswers, row_names: Sequence[str], items: Sequence[str], cells: Columns
) -> None:
    """Add rows of a matrix that has one row per annotator; the expert's row holds labels."""
    expert = [normalized(name) in EXPERTS for name in row_names]
    annotators = [name for name, is_expert in zip(row_names, expert, strict=True) if not is_expert]
    _register_names(gathered, annotators, items)
    answered = [
        (name, item, answers[row])
        for item, answers in zip(items, cells, strict=True)
        for row, name in enumerate(row_names)
        if not expert[row] and not is_gap(answers[row])
    ]
    _add_answers(gathered, answered)
    for row in range(len(row_names)):
        if expert[row]:
            for item, answers in zip(items, cells, strict=True):
                _add_label(gathered, item, answers[row])


def _add_item_rows(
    gathered: GatheredAnswers,
    items: Sequence[str],
    annotators: Sequence[str],
    cells: Columns,
    labels: Sequence[str],
) -> None:
    """Add rows of a matrix that has one row per item; ``labels`` is empty if it has none."""
    _register_names(gathered, annotators, items)
    for item, label in zip(items, labels, strict=False):
        _add_label(gathered, item, label)
    answered = [
        (annotator, item, answers[row])
        for annotator, answers in zip(annotators, cells, strict=True)
        for row, item in enumerate(items)
        if not is_gap(answers[row])
    ]
    _add_answers(gathered, answered)


def _add_answers(gathered: GatheredAnswers, answered: list[tuple[str, str, str]]) -> None:
    """Add answers given as (annotator, item, answer)."""
    if answered:
        annotators, items, answers = zip(*answered, strict=True)
        gathered.add(annotators, items, answers)


def _register_names(
    gathered: GatheredAnswers, annotators: Sequence[str], items: Sequence[str]
) -> None:
    """Give all names a code, so that those without an answer can be counted.

    Looking up a new name adds it.
    """
    for annotator in annotators:
        gathered.annotators[annotator.strip()]
    for item in items:
        gathered.items[item.strip()]


def _add_label(gathered: GatheredAnswers, item: str, label: str) -> None:
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
