"""A table that somebody sent: its lines, however it is written, and its cells."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import suppress

from homeroom._checks import InputError
from homeroom.crowd.reading.delimited import announced_mark
from homeroom.crowd.reading.one_roster import tidy


def lines(data: bytes) -> Iterator[list[str]]:
    r"""Yield the lines with something in them, the head among them.

    Cells stand between commas, semicolons or tabs, whichever the first line has most of, or
    between what a first line such as ``sep=;`` announces.

    Raises
    ------
    ValueError
        If it cannot be read: why not.

    Examples
    --------
    >>> list(lines(b"name;seat\n\nAda;1\n"))
    [['name', 'seat'], ['Ada', '1']]
    """
    file = io.StringIO(_text(data), newline="")
    first = file.readline()
    delimiter = announced_mark(first)
    if delimiter is None:
        delimiter = max(",;\t", key=first.count)
        file.seek(0)
    try:
        yield from filter(any, csv.reader(file, delimiter=delimiter))
    except csv.Error as why:
        raise InputError(str(why)) from None


def _text(data: bytes) -> str:
    """Return a file's text: in UTF-16 if its mark says so, else in UTF-8, or as Windows writes."""
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    for encoding in ("utf-16",) if marked else ("utf-8-sig", "cp1252", "latin-1"):
        with suppress(UnicodeDecodeError):
            return data.decode(encoding)
    raise InputError("it begins as UTF-16, but does not go on so")


def head(row: Sequence[str]) -> list[str]:
    """Return the names of the columns, in small letters."""
    return [name.strip().casefold() for name in row]


def cell(row: Sequence[str], column: int | None) -> str:
    """Return what a line says in a column; what a short one lacks is empty."""
    return "" if column is None or column >= len(row) else tidy(row[column])
