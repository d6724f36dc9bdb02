"""Collect the rows of a table as number codes in arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom.crowd.reading.layout import ANSWER, CORRECT, ITEM, LABEL, STUDENT, TIME, Layout
from homeroom.crowd.reading.meaning import is_gap
from homeroom.tables import Table, normalized, quoted
from homeroom.tables.columns import aliases
from homeroom.tables.table import to_column
from homeroom.tables.times import times_from

MAX_VALUES = 1000
"""How many different answers a table may have before it is refused."""

Codes = npt.NDArray[np.int32]


@dataclass(eq=False)
class GatheredAnswers:
    """All answers of a table, each as positions among names.

    Parameters
    ----------
    path
        The file, for errors.
    annotators, items, values
        The names of the annotators and items, and the different texts of answers.
    person, item, value
        The annotator, the item and the text of each answer, as positions among these.
    times
        When each answer was given, NaN where that is not known; ``None`` without such a column.
    unread_times
        How many answers have a time that could not be read.
    experts
        The expert's labels of each item, by the item's position; the inner keys are the labels.
    """

    path: Path
    annotators: list[str]
    items: list[str]
    values: list[str]
    person: Codes
    item: Codes
    value: Codes
    times: Floats | None = None
    unread_times: int = 0
    experts: dict[int, dict[str, None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.values) > MAX_VALUES:
            raise InputError(
                f"{self.path} has more than {MAX_VALUES} different answers, such as "
                f"{quoted(self.values, 3)}: is that the right column?"
            )
        for what, names in (("annotators", self.annotators), ("items", self.items)):
            if any(name[:1] in ("{", "[") and name[-1:] in ("}", "]") for name in names[:3]):
                raise InputError(
                    f"{self.path} must have texts and numbers for the {what}, but has "
                    f"{quoted(names, 1)}: name another column (--column)."
                )

    def add_labels(self, items: Sequence[int], labels: Sequence[str]) -> None:
        """Add the expert's labels of the items at these positions."""
        for pair in dict.fromkeys(zip(items, labels, strict=True)):  # in the order of the table
            self.experts.setdefault(pair[0], {})[pair[1]] = None


def encode(column: Any) -> tuple[Codes, list[str]]:
    """Return the position of each text among the different ones, and these; blanks do not count.

    >>> encode(to_column(["b", "a", " b"]))
    (array([0, 1, 0], dtype=int32), ['b', 'a'])
    """
    from pyarrow import compute

    found = compute.utf8_trim_whitespace(column).combine_chunks().dictionary_encode()
    return found.indices.to_numpy().astype(np.int32), found.dictionary.to_pylist()


def gather(table: Table, layout: Layout) -> GatheredAnswers:
    """Return the rows of a table, which is a matrix or has one row per answer."""
    return gather_matrix(table, layout) if layout.is_wide else gather_rows(table, layout)


def gather_rows(table: Table, layout: Layout) -> GatheredAnswers:
    """Return the answers of a table with one row per answer.

    In an export, rows without a student hold the labels of an expert.
    """
    item, items = encode(table.joined(layout.places[ITEM]))
    labels: list[str] = []
    counted = np.ones(table.rows, dtype=bool)
    if LABEL in layout:
        code, texts = encode(table.joined(layout.places[LABEL]))
        labels = [texts[at] for at in code]
        if table.program is not None:
            students = table.texts(layout.places[STUDENT][0])
            counted = np.array(
                [bool(who or not label) for who, label in zip(students, labels, strict=True)],
                dtype=bool,
            )
    answers = table if counted.all() else table.keep(counted, "")
    times, unread = None, 0
    if TIME in layout:
        times, unread = _read_times(answers.joined(layout.places[TIME]))
    person, annotators = encode(answers.joined(layout.places[STUDENT]))
    part = ANSWER if ANSWER in layout else CORRECT
    value, values = encode(answers.joined(layout.places[part]))
    gathered = GatheredAnswers(
        table.path, annotators, items, values, person, item[counted], value, times, unread
    )
    if labels:
        gathered.add_labels(item.tolist(), labels)
    return gathered


def _read_times(column: Any) -> tuple[Floats, int]:
    """Return a column of times as numbers, and how many could not be read."""
    import pyarrow

    try:
        numbers: Floats = column.cast(pyarrow.float64()).to_numpy()
    except pyarrow.ArrowException:
        return times_from(column.to_pylist())
    return numbers, 0


def gather_matrix(table: Table, layout: Layout) -> GatheredAnswers:
    """Return the answers of a matrix: one row per annotator, one column per item, or transposed.

    Cells without an answer (blank, NA, ?) are skipped, and not counted as dropped rows. Adds a note
    to the table about columns that are ignored.
    """
    by_annotator = STUDENT in layout
    label_places = () if by_annotator else layout.places.get(LABEL, ())
    used = {at for columns in layout.places.values() for at in columns}
    answer_places = [at for at in range(len(layout.header)) if at not in used]
    columns = [layout.header[at].strip() for at in answer_places]
    _refuse_duplicates(table, columns, "item" if by_annotator else "annotator")
    _note_left_out(table, layout, by_annotator=by_annotator)
    row, rows = encode(table.joined(layout.places[STUDENT if by_annotator else ITEM]))
    cells = list(chain.from_iterable(map(table.texts, answer_places)))
    value, values = encode(to_column(cells))
    known = list(dict.fromkeys(columns))
    column = np.repeat([known.index(name) for name in columns] or [0], table.rows)[: len(cells)]
    experts = aliases("rows")["expert"] if by_annotator else ()
    is_expert = np.array([normalized(name) in experts for name in rows], dtype=bool)
    row = np.tile(row, len(answer_places))
    counted = ~np.array([is_gap(text) for text in values], dtype=bool)[value]
    if len(is_expert):
        counted &= ~is_expert[row]
    kept = np.flatnonzero(~is_expert)
    new_row = np.cumsum(~is_expert) - 1 if len(kept) else row
    first, second = new_row[row[counted]].astype(np.int32), column[counted].astype(np.int32)
    names = [rows[at] for at in kept]
    used_values, codes = np.unique(value[counted], return_inverse=True)
    texts = [values[at] for at in used_values]
    gathered = GatheredAnswers(
        table.path,
        *((names, known) if by_annotator else (known, names)),
        texts,
        *((first, second) if by_annotator else (second, first)),
        codes.astype(np.int32),
    )
    if by_annotator and is_expert.any():
        for at in np.flatnonzero(is_expert[row]) if len(row) else ():
            if values[value[at]]:
                gathered.add_labels([int(column[at])], [values[value[at]]])
    elif label_places:
        labels = [label.strip() for label in table.joined(label_places).to_pylist()]
        pairs = [pair for pair in zip(row.tolist(), labels, strict=False) if pair[1]]
        gathered.add_labels([one for one, _ in pairs], [label for _, label in pairs])
    return gathered


def _refuse_duplicates(table: Table, names: Sequence[str], what: str) -> None:
    seen: set[str] = set()
    for name in filter(None, names):  # cells of unnamed columns are counted as dropped
        if name in seen:
            raise InputError(
                f"{table.path} has several columns for the {what} {name[:200]!r}: rename them."
            )
        seen.add(name)


def _note_left_out(table: Table, layout: Layout, *, by_annotator: bool) -> None:
    """Add a note to the table on the columns of a matrix that are not read."""
    left = [layout.header[at] for at in layout.places.get(TIME, ())]
    if by_annotator:
        left += [layout.header[at] for at in layout.places.get(LABEL, ())]
    if left:
        table.notes.append(f"columns ignored because they hold no answers: {quoted(left)}")
