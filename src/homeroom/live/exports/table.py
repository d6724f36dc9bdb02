"""A class as a table: CSV for a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from homeroom.live.activities.base import WRITING
from homeroom.live.classbook import ClassBook
from homeroom.live.events import Wrote
from homeroom.live.exports.rows import answers, clock
from homeroom.live.store.store import Stored

ANSWERS = ("student", "name", "phase", "round", "item", "answer", "label", "right", "time")
LETTERS = ("student", "name", "round", "distortion", "rotation", "shakiness", "time")

BYTE_ORDER_MARK = "\ufeff"


def csv_of(book: ClassBook, stored: Sequence[Stored]) -> str:
    """Return one row per answer, or per letter that was written.

    The text begins with a byte-order mark, without which Excel does not read it as UTF-8.
    """
    file = io.StringIO(newline="")
    file.write(BYTE_ORDER_MARK)
    writer = csv.writer(file)
    if book.state.activity.kind == WRITING:
        writer.writerow(LETTERS)
        writer.writerows([safe(cell) for cell in row] for row in _letters(book, stored))
    else:
        writer.writerow(ANSWERS)
        writer.writerows([safe(cell) for cell in row] for row in _answers(book, stored))
    return file.getvalue()


def _answers(book: ClassBook, stored: Sequence[Stored]) -> list[tuple[Any, ...]]:
    word = book.state.activity.word
    return [
        (
            said.student,
            said.name,
            said.phase,
            said.round,
            said.item,
            word(said.answer),
            "" if said.label is None else word(said.label),
            "" if said.right is None else int(said.right),
            clock(said.at),
        )
        for said in answers(book, stored)
    ]


def _letters(book: ClassBook, stored: Sequence[Stored]) -> list[tuple[Any, ...]]:
    return [
        (
            one.event.student,
            book.state.people[one.event.student].name,
            one.event.round,
            *(one.event.scores.get(name, "") for name in LETTERS[3:6]),
            clock(one.at),
        )
        for one in stored
        if isinstance(one.event, Wrote) and one.event.student in book.state.people
    ]


def safe(cell: Any) -> Any:
    """Return a cell that no spreadsheet takes for a formula.

    >>> safe("=cmd()"), safe("Ada"), safe(-1)
    ("'=cmd()", 'Ada', -1)
    """
    risky = isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r")
    return f"'{cell}" if risky else cell
