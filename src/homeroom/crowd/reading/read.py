"""From a file to answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path

from homeroom._checks import InputError, yes_or_no
from homeroom._files import reading, refuse_size
from homeroom.crowd.answers import MAX_BYTES, Answers
from homeroom.crowd.checks import columns as named_columns
from homeroom.crowd.checks import which_is_kept, word, words
from homeroom.crowd.reading import matrix, triples
from homeroom.crowd.reading.assemble import assembled
from homeroom.crowd.reading.codes import meaning
from homeroom.crowd.reading.columns import (
    ANSWER,
    CORRECT,
    ITEM,
    LABEL,
    STUDENT,
    TIME,
    Layout,
    layout,
    nothing_found,
)
from homeroom.crowd.reading.delimited import Delimited
from homeroom.crowd.reading.experts import labels_from_file
from homeroom.crowd.reading.gather import BYTES, Gathered
from homeroom.crowd.reading.glance import refuse_at_a_glance
from homeroom.crowd.reading.json_lines import JsonLines
from homeroom.crowd.reading.parquet import Parquet
from homeroom.crowd.reading.source import AbstractSource, Tell

_SOURCES: dict[str, Callable[[Path, str | None, Tell | None], AbstractSource]] = {
    ".csv": Delimited,
    ".tsv": Delimited,
    ".tab": Delimited,
    ".txt": Delimited,
    ".jsonl": JsonLines,
    ".ndjson": JsonLines,
    ".parquet": Parquet,
}


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
    tell: Tell | None = None,
) -> Answers:
    """Read answers, as :meth:`homeroom.crowd.Answers.read` says.

    ``tell`` is told which part of the file has been read, from 0 to 1.
    """
    if keep is not None:
        which_is_kept(keep)
    if positive is not None:
        word(positive, "positive")
    missing = words(missing, "missing")
    if columns is not None:
        columns = named_columns(columns)
    yes_or_no(quotes, "quotes")
    told = None  # read first, as the answers may take long and the labels may be wrong
    if labels is not None:
        told = labels_from_file(Path(labels), max_bytes=max_bytes, quotes=quotes)
    source = opened(Path(path), encoding, tell, max_bytes=max_bytes, quotes=quotes)
    sizes = None
    if isinstance(source, Delimited) and triples.without_header(source, columns):
        source, sizes = triples.numbered(source)
        columns = columns or triples.order(source)
    found = layout(source.path, source.header, columns)
    with reading(source.path):
        gathered = _gathered(source, found, max_bytes)
    _refuse_nothing(source.path, gathered.rows, source.dropped)
    meant = meaning(
        source.path,
        list(gathered.values),
        positive=positive,
        missing=missing,
        correct=CORRECT in found,
        unread=found.unread,
    )
    keep = keep or ("first" if found.counts_attempts else "last")
    answers = assembled(source, gathered, meant, told, positive_labels, keep=keep)
    _refuse_nothing(source.path, len(answers), answers.dropped)
    return answers if sizes is None else triples.as_announced(answers, sizes, source.path)


def opened(
    path: Path,
    encoding: str | None = None,
    tell: Tell | None = None,
    *,
    max_bytes: int | None = None,
    quotes: bool = True,
    what: str = "a table of answers",
) -> AbstractSource:
    """Return the table in a file, ``what`` it is to be; the ending says which format."""
    open_as = _SOURCES.get(path.suffix.lower())
    if not path.is_file():
        raise InputError(f"There is no file {path}.")
    if open_as is None:
        raise InputError(
            f"{path} must end in {', '.join(_SOURCES)} to be {what}: save it as one of them."
        )
    with reading(path):
        if max_bytes is not None and open_as is not Parquet:
            refuse_at_a_glance(path, max_bytes)
        if open_as is Delimited:
            return Delimited(path, encoding, tell, quotes=quotes)
        return open_as(path, encoding, tell)


def _gathered(source: AbstractSource, found: Layout, max_bytes: int) -> Gathered:
    gathered = Gathered(source.path, max_bytes)
    if said := found.in_words():
        source.notes.append(said)
    if found.is_wide:
        matrix.gather(source, found, gathered)
    elif found.is_long:
        refuse_size(source.path, BYTES * source.rows, max_bytes)
        _gather_rows(source, found, gathered)
    else:
        raise nothing_found(source.path, found)
    return gathered


def _gather_rows(source: AbstractSource, found: Layout, gathered: Gathered) -> None:
    """Gather a table with a row for each answer."""
    answer = ANSWER if ANSWER in found else CORRECT
    parts = [part for part in (STUDENT, ITEM, answer, TIME, LABEL) if part in found]
    wanted = [at for part in parts for at in found.places[part]]
    for texts in source.chunks(wanted):
        cells = iter(texts)
        by_part = {part: _together([next(cells) for _ in found.places[part]]) for part in parts}
        gathered.add(
            by_part[STUDENT],
            by_part[ITEM],
            by_part[answer],
            by_part.get(TIME),
            by_part.get(LABEL),
        )


def _together(columns: Sequence[Sequence[str]]) -> Sequence[str]:
    """Return names that are in pieces as one; a blank piece is none."""
    if len(columns) == 1:
        return columns[0]
    return [
        " / ".join(filter(None, map(str.strip, pieces))) for pieces in zip(*columns, strict=True)
    ]


def _refuse_nothing(path: Path, number: int, dropped: Mapping[str, int]) -> None:
    if number:
        return
    why = "; ".join(f"{what}: {rows}" for what, rows in dropped.items() if rows)
    raise InputError(
        f"{path} has no answers{f' ({why})' if why else ''}: a table needs a row for each, "
        "as in student,item,answer."
    )
