"""From a file to answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path

from homeroom._checks import InputError, InputTypeError, yes_or_no
from homeroom.crowd.answers import Answers, check_keep
from homeroom.crowd.reading import alarms
from homeroom.crowd.reading.assemble import assemble
from homeroom.crowd.reading.gather import gather
from homeroom.crowd.reading.labels import TEXT, labels_from_file
from homeroom.crowd.reading.layout import (
    ANSWER,
    CORRECT,
    ITEM,
    LABEL,
    STUDENT,
    Layout,
    by_content,
    find_parts,
    layout_of,
    missing_parts,
    refuse_swapped_triples,
)
from homeroom.crowd.reading.meaning import (
    NO,
    YES,
    canonical,
    check_word,
    meaning_of,
    words_for_none,
)
from homeroom.tables import Table, open_table, quoted
from homeroom.tables.exports import as_answers, without_rejected
from homeroom.tables.forms import as_form
from homeroom.tables.table import shell_word, to_type

GREATEST_RATING = 100
"""A larger number in the first line of a shorter table is no answer."""

TRIPLE_ORDER = {ITEM: "1", STUDENT: "2", ANSWER: "3"}
"""The columns of a table without a header, unless a comment above it says otherwise."""


def read(
    path: str | PathLike[str],
    *,
    columns: Mapping[str, str] | None = None,
    labels: str | PathLike[str] | None = None,
    positive: str | None = None,
    missing: Sequence[str] = (),
    positive_labels: Sequence[str] | None = None,
    keep: str | None = None,
    encoding: str | None = None,
    quotes: bool = True,
    workflow: str | None = None,
    task: str | None = None,
    sheet: str | None = None,
    as_read: bool = False,
) -> Answers:
    """Read answers, as :meth:`homeroom.crowd.Answers.read` does."""
    if keep is not None:
        check_keep(keep)
    if positive is not None:
        check_word(positive, "positive")
    missing = _words(missing, "missing")
    if columns is not None:
        columns = _column_names(columns)
    yes_or_no(quotes, "quotes")
    yes_or_no(as_read, "as_read")
    own_labels = None  # read first: errors in the labels should not have to wait for the answers
    if labels is not None:
        own_labels = labels_from_file(Path(labels), quotes=quotes)
    table = open_table(
        Path(path),
        encoding,
        quotes=quotes,
        sheet=sheet,
        what="a table of answers",
    )
    table, columns = _with_header(table, columns, as_read=as_read)
    table = alarms.without_summary(alarms.without_headers(table))
    if not columns:
        table = as_answers(table, workflow=workflow, task=task)
    if table.program is None:
        alarms.stop(table.path, alarms.check_rows(table), as_read=as_read)
    table, layout = _find_layout(table, columns)
    seen = alarms.check_columns(table, layout, named=columns or ())
    gathered = gather(table, layout)
    _refuse_nothing(table.path, len(gathered.value), table.dropped)
    meaning = meaning_of(
        table.path,
        gathered.values,
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
    seen += alarms.check_gathered(
        table,
        layout,
        gathered,
        meaning,
        own_labels=bool(labels or positive_labels or LABEL in (columns or {})),
    )
    alarms.stop(table.path, seen, as_read=as_read)
    keep = keep or ("first" if layout.counts_attempts else "last")
    answers = assemble(table, gathered, meaning, own_labels, positive_labels, keep=keep)
    _refuse_nothing(table.path, len(answers), answers.dropped)
    return answers


def _with_header(
    table: Table, columns: Mapping[str, str] | None, *, as_read: bool
) -> tuple[Table, Mapping[str, str] | None]:
    """Return the table with names for its columns if it has none, and what they hold."""
    if table.path.suffix.lower() not in TEXT or not _lacks_header(table, columns):
        return table, columns
    is_usual = not columns and (columns := _triple_columns(table)) is TRIPLE_ORDER
    if not as_read:
        _refuse_sizes(table)
    table.notes.append("there is no header")
    table = table.without_header()
    if is_usual and not as_read:
        refuse_swapped_triples(table)
    return table, columns


def _find_layout(table: Table, columns: Mapping[str, str] | None) -> tuple[Table, Layout]:
    """Return where the parts of a table are, and the rows that count.

    Raises
    ------
    ValueError
        If there is no annotator, no item or no answer: three rows, and how to name it.
    """
    layout = by_content(table, layout_of(table.path, table.header, columns))
    if not layout.is_long and (not columns or columns.keys() == {STUDENT}):
        form = as_form(table, (columns or {}).get(STUDENT))
        if form is not None:
            table, layout = form, layout_of(table.path, form.header)
    if LABEL not in (columns or {}):
        layout = alarms.without_flag(table, layout)
    if not layout.is_long and not layout.is_wide:
        raise missing_parts(table, layout)
    if layout.is_long:
        table = without_rejected(table, {at for places in layout.places.values() for at in places})
    if note := layout.describe():
        table.notes.append(note)
    return table, layout


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


def _refuse_nothing(path: Path, number: int, dropped: Mapping[str, int]) -> None:
    """Raise an error that names what was dropped if the number of answers is zero."""
    if number:
        return
    why = "; ".join(f"{what}: {rows}" for what, rows in dropped.items() if rows)
    raise InputError(
        f"{path} has no answers{f' ({why})' if why else ''}: a table needs one row per answer, "
        "as in student,item,answer."
    )


def _lacks_header(table: Table, columns: Mapping[str, str] | None) -> bool:
    """Return whether the first line of a table names no columns.

    That is so if it has three cells with an answer or a number in the last, or if the user refers
    to the columns by number, as in ``{"student": "2", "item": "1", "answer": "3"}``.
    """
    if columns:
        return all(name.strip().isdecimal() for name in columns.values())
    first = [cell.strip() for cell in table.header]
    if len(first) != 3 or find_parts(first) or not first[0]:
        return False
    return first[2].isdecimal() or canonical(first[2]) in YES | NO


def _triple_columns(table: Table) -> dict[str, str]:
    """Return the columns as a comment above the table names them, else the usual order."""
    comment = table.comment.lstrip("#").rpartition(":")[2].replace('"', "")
    cells = comment.split(table.delimiter)
    above = find_parts(cells)
    if len(cells) == len(above) == 3 and {STUDENT, ITEM} <= above.keys():
        return {part: str(at + 1) for part, at in above.items()}
    return TRIPLE_ORDER


def _refuse_sizes(table: Table) -> None:
    """Refuse a first line such as ``240 53 9600``: the numbers of items, annotators and answers."""
    first = [cell.strip() for cell in table.header]
    if len(first) != 3 or not all(cell.isdecimal() and len(cell) < 16 for cell in first):
        return
    items, annotators, answers = map(int, first)
    if not 1 < answers <= items * annotators:
        return
    if answers == table.rows or answers > max(table.rows, GREATEST_RATING):
        raise InputError(
            f"{table.path} begins with {' '.join(first)}, which may be the numbers of items, "
            "annotators and answers: delete that line, or read it as an answer with as_read=True "
            "(--as-read)."
        )
