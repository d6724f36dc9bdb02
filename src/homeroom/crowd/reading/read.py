"""From a file to answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np

from homeroom._checks import InputError, InputTypeError, yes_or_no
from homeroom._files import reading, refuse_size
from homeroom.crowd.answers import MAX_BYTES, Answers, check_keep
from homeroom.crowd.reading.assemble import SILENT_ANNOTATORS, SILENT_ITEMS, assemble
from homeroom.crowd.reading.gather import ANSWER_BYTES, GatheredAnswers, gather_matrix, joined
from homeroom.crowd.reading.labels import labels_from_file
from homeroom.crowd.reading.layout import (
    ANSWER,
    CORRECT,
    ITEM,
    LABEL,
    STUDENT,
    TIME,
    Layout,
    by_content,
    find_parts,
    layout_of,
    missing_parts,
)
from homeroom.crowd.reading.meaning import (
    NO,
    YES,
    canonical,
    check_word,
    meaning_of,
    words_for_none,
)
from homeroom.tables import AbstractTable, ReportFraction, open_table, quoted
from homeroom.tables.delimited import DelimitedTable
from homeroom.tables.exports import ExportTable, as_answers, as_form
from homeroom.tables.table import shell_word, to_type

TRIPLE_ORDER = {ITEM: "1", STUDENT: "2", ANSWER: "3"}
"""The columns of a table without a header, unless a comment above it says otherwise."""


class AnnouncedSizes(NamedTuple):
    """The numbers in a first line such as ``240 53 9600``."""

    items: int
    annotators: int
    answers: int


def read(
    path: str | PathLike[str],
    *,
    columns: Mapping[str, str] | None = None,
    labels: str | PathLike[str] | None = None,
    positive: str | None = None,
    missing: Sequence[str] = (),
    positive_labels: Sequence[str] | None = None,
    keep: str | None = None,
    max_bytes: int = MAX_BYTES,
    encoding: str | None = None,
    quotes: bool = True,
    workflow: str | None = None,
    task: str | None = None,
    sheet: str | None = None,
    progress: ReportFraction | None = None,
) -> Answers:
    """Read answers, as :meth:`homeroom.crowd.Answers.read` does.

    ``progress`` is called with the fraction of the file that has been read.
    """
    if keep is not None:
        check_keep(keep)
    if positive is not None:
        check_word(positive, "positive")
    missing = _words(missing, "missing")
    if columns is not None:
        columns = _column_names(columns)
    yes_or_no(quotes, "quotes")
    own_labels = None  # read first: errors in the labels should not have to wait for the answers
    if labels is not None:
        own_labels = labels_from_file(Path(labels), max_bytes=max_bytes, quotes=quotes)
    table = open_table(
        Path(path),
        encoding,
        progress,
        max_bytes=max_bytes,
        bytes_per_line=ANSWER_BYTES,
        quotes=quotes,
        sheet=sheet,
        what="a table of answers",
    )
    sizes = None
    if isinstance(table, DelimitedTable) and _lacks_header(table, columns):
        columns = columns or _triple_columns(table)
        sizes = _announced_sizes(table)
        table.notes.append("there is no header")
        table = table.without_header(skip_first=sizes is not None)
    with reading(table.path):
        if not columns:
            table = as_answers(table, workflow=workflow, task=task)
        layout = by_content(table, layout_of(table.path, table.header, columns))
        if not layout.is_long and (not columns or columns.keys() == {STUDENT}):
            form = as_form(table, (columns or {}).get(STUDENT))
            if form is not None:
                table, layout = form, layout_of(table.path, form.header)
        gathered = _gather(table, layout, max_bytes)
    _refuse_nothing(table.path, gathered.rows, table.dropped)
    meaning = meaning_of(
        table.path,
        list(gathered.values),
        positive=positive,
        missing=words_for_none(missing, gathered.values, positive),
        correct=CORRECT in layout,
        unread=layout.unread,
    )
    if doubts := [text for text in meaning.doubts if text != positive]:
        table.notes.append(
            f"{quoted(doubts)} counted as answers; if they mean that there is none, add "
            f"missing=[{to_type(doubts[0])!r}] (--missing {shell_word(doubts[0])})"
        )
    keep = keep or ("first" if layout.counts_attempts else "last")
    answers = assemble(table, gathered, meaning, own_labels, positive_labels, keep=keep)
    _refuse_nothing(table.path, len(answers), answers.dropped)
    return answers if sizes is None else _as_announced(answers, sizes, table.path)


def _words(values: object, name: str) -> tuple[str, ...]:
    """Return a list of words as a tuple; refuse other types. ``name`` is used in errors."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputTypeError(f"`{name}` must be a list of words, as in ['unsure', 'skipped'].")
    return tuple(check_word(value, f"{name}[{place}]") for place, value in enumerate(values))


def _column_names(named: object) -> dict[str, str]:
    """Return the user's names of columns by part; refuse other types."""
    if not isinstance(named, Mapping):
        raise InputTypeError(
            "`columns` must map parts to names of columns, as in {'student': 'Pupil'}, "
            f"but is {type(named).__name__}."
        )
    return {str(part): check_word(name, f"columns[{part!r}]") for part, name in named.items()}


def _gather(table: AbstractTable, layout: Layout, max_bytes: int) -> GatheredAnswers:
    """Return the rows of a table, which is a matrix or has one row per answer."""
    gathered = GatheredAnswers(table.path, max_bytes)
    if note := layout.describe():
        table.notes.append(note)
    if layout.is_wide:
        gather_matrix(table, layout, gathered)
    elif layout.is_long:
        refuse_size(table.path, ANSWER_BYTES * table.rows, max_bytes)
        _gather_rows(table, layout, gathered)
    else:
        raise missing_parts(table, layout)
    return gathered


def _gather_rows(table: AbstractTable, layout: Layout, gathered: GatheredAnswers) -> None:
    """Gather a table with one row per answer."""
    answer = ANSWER if ANSWER in layout else CORRECT
    parts = [part for part in (STUDENT, ITEM, answer, TIME, LABEL) if part in layout]
    wanted = [at for part in parts for at in layout.places[part]]
    for texts in table.chunks(wanted):
        cells = iter(texts)
        by_part = {part: joined([next(cells) for _ in layout.places[part]]) for part in parts}
        if isinstance(table, ExportTable):
            by_part = _without_experts(gathered, by_part)
        gathered.add(
            by_part[STUDENT], by_part[ITEM], by_part[answer], by_part.get(TIME), by_part.get(LABEL)
        )


def _without_experts(
    gathered: GatheredAnswers, by_part: Mapping[str, Sequence[str]]
) -> dict[str, Sequence[str]]:
    """Add the labels of an export's experts, whose rows have no student; return the other rows."""
    rows = list(zip(*by_part.values(), strict=True))
    student, item, label = (list(by_part).index(part) for part in (STUDENT, ITEM, LABEL))
    experts = [row for row in rows if row[label] and not row[student]]
    if not experts:
        return dict(by_part)
    numbers = [gathered.items[row[item].strip()] for row in experts]
    gathered.add_labels(np.array(numbers, dtype=np.int32), [row[label] for row in experts])
    others = [row for row in rows if row[student] or not row[label]]
    columns = list(zip(*others, strict=True)) or [()] * len(by_part)
    return dict(zip(by_part, columns, strict=True))


def _refuse_nothing(path: Path, number: int, dropped: Mapping[str, int]) -> None:
    """Raise an error that names what was dropped if the number of answers is zero."""
    if number:
        return
    why = "; ".join(f"{what}: {rows}" for what, rows in dropped.items() if rows)
    raise InputError(
        f"{path} has no answers{f' ({why})' if why else ''}: a table needs one row per answer, "
        "as in student,item,answer."
    )


def _lacks_header(table: DelimitedTable, columns: Mapping[str, str] | None) -> bool:
    """Return whether the first line of a table names no columns.

    That is so if it has three cells with an answer or a number in the last, or if the user refers
    to the columns by number, as in ``{"student": "2", "item": "1", "answer": "3"}``.
    """
    if columns:
        return all(name.strip().isdecimal() for name in columns.values())
    first = [cell.strip() for cell in table.header]
    if len(first) != 3 or find_parts(first):
        return False
    return first[2].isdecimal() or canonical(first[2]) in YES | NO


def _triple_columns(table: DelimitedTable) -> dict[str, str]:
    """Return the columns as a comment above the table names them, else the usual order."""
    cells = table.last_comment()
    above = find_parts(cells)
    if len(cells) == len(above) == 3 and {STUDENT, ITEM} <= above.keys():
        return {part: str(at + 1) for part, at in above.items()}
    return TRIPLE_ORDER


def _announced_sizes(table: DelimitedTable) -> AnnouncedSizes | None:
    """Return the sizes that the first line announces, if it is not an answer itself."""
    first = [cell.strip() for cell in table.header]
    if len(first) != 3 or not all(cell.isdecimal() and len(cell) < 16 for cell in first):
        return None
    announced = AnnouncedSizes(*map(int, first))
    if announced.answers < 2 or announced.items * announced.annotators < announced.answers:
        return None
    rows = sum(len(texts[0]) for texts in table.chunks([0]))
    table.dropped.clear()  # this pass only counted rows
    if announced.answers > rows:
        raise InputError(
            f"{table.path} announces {announced.answers} answers in its first line, "
            f"but has {rows}: it is cut off."
        )
    return announced if announced.answers == rows else None


def _as_announced(answers: Answers, sizes: AnnouncedSizes, path: Path) -> Answers:
    """Return the answers with a note on annotators and items that were announced but are absent."""
    items = sizes.items - len(answers.items)
    annotators = sizes.annotators - len(answers.people)
    if items < 0 or annotators < 0:
        raise InputError(
            f"{path} announces {sizes.items} items and {sizes.annotators} annotators in its first "
            f"line, but has {len(answers.items)} and {len(answers.people)}: correct that line."
        )
    return answers.noting({SILENT_ITEMS: items, SILENT_ANNOTATORS: annotators})
