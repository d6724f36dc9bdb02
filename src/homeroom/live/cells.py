"""The cells of a table that a stranger sent, a line at a time."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Iterator, Sequence

from homeroom.live.refused import Refused

MOST_COLUMNS = 100
"""How many columns are looked at: OneRoster has about thirty."""


def lines(data: bytes) -> Iterator[list[str]]:
    r"""Yield the lines of a CSV file with something in them, the head among them.

    >>> list(lines(b"name;seat\n\nAda;1\n"))
    [['name', 'seat'], ['Ada', '1']]
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    first = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=first.count)
    try:
        for row in filter(any, csv.reader(io.StringIO(text), delimiter=delimiter)):
            yield row[:MOST_COLUMNS]
    except csv.Error as why:
        raise Refused("roster_unreadable", why=str(why)) from None


def head(row: Sequence[str]) -> list[str]:
    """Return the names of the columns, in small letters."""
    return [name.strip().casefold() for name in row]


def cell(row: Sequence[str], column: int | None) -> str:
    """Return what a line says in a column; what a short one lacks is empty."""
    return "" if column is None or column >= len(row) else tidy(row[column])


def tidy(text: str) -> str:
    """Return a text in one line, its letters written in one way."""
    return " ".join(unicodedata.normalize("NFC", text).split())
