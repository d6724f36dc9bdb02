"""Text files of others: how they are encoded, line by line, and no line too long."""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable, Iterator
from io import StringIO
from itertools import chain
from pathlib import Path
from typing import TextIO

from homeroom._checks import InputError

BLOCK = 1 << 20
MAX_LINE = 1 << 22
"""The longest line that is read: 4 million characters, 40 for each of 10^5 columns."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def encoding_of(path: Path, given: str | None = None) -> str:
    """Return how a file is encoded: as given, as its mark says, UTF-8, or what Windows writes.

    Costs one pass over the file, a block at a time.
    """
    with path.open("rb") as file:
        start = file.read(4)
    marked = next((name for mark, name in _MARKS if start.startswith(mark)), None)
    if given is not None:
        _must_decode(path, given)
        if marked is None or not _may_begin_with_a_mark(given):
            return given
    if marked is not None:  # told utf-8, Python would take the mark for a letter of the first name
        _must_decode(path, marked)
        return marked
    _refuse_binary(path)
    # cp1252 is latin-1 with letters and quotes where latin-1 has control characters.
    tried = ("utf-8", "cp1252", "latin-1")
    return next(name for name in tried if _decodes(path, name) is None)


def lines(file: TextIO, path: Path, tell: Callable[[int], None]) -> Iterator[str]:
    """Return the lines of a file, read a block at a time, and refuse one that has no end.

    The length of each block is told before its lines come.
    """
    # Lines are cut by StringIO and chained by itertools: no step of Python's for each line.
    return chain.from_iterable(_whole_lines(file, path, tell))


def _whole_lines(file: TextIO, path: Path, tell: Callable[[int], None]) -> Iterator[StringIO]:
    while block := file.read(BLOCK):
        rest = file.readline(MAX_LINE)
        if len(rest) == MAX_LINE:
            raise InputError(
                f"{path} has a line of more than {MAX_LINE} characters: it is no table of answers."
            )
        tell(len(block) + len(rest))
        yield StringIO(block + rest, newline="")


def _blocks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            yield block


def _refuse_binary(path: Path) -> None:
    if any(b"\0" in block for block in _blocks(path)):
        raise InputError(
            f"{path} is no text: it holds bytes that no text has. Answers are read from .csv, "
            ".tsv, .txt, .jsonl and .parquet."
        )


def _may_begin_with_a_mark(name: str) -> bool:
    return codecs.lookup(name).name.startswith(("utf-8", "utf-16", "utf-32"))


def _decodes(path: Path, name: str) -> str | None:
    """Return what speaks against this encoding."""
    decoder = codecs.getincrementaldecoder(name)()
    try:
        for block in _blocks(path):
            decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as reason:
        return reason.reason
    except UnicodeError as reason:  # as punycode says it
        return str(reason)
    return None


def _must_decode(path: Path, name: str) -> None:
    try:
        io.TextIOWrapper(io.BytesIO(), encoding=name)  # refuses what is no text, such as zlib
        reason = _decodes(path, name)
    except LookupError:
        raise InputError(
            f"There is no encoding called {name[:40]!r}: try encoding='latin-1', or leave it out."
        ) from None
    if reason is not None:
        raise InputError(
            f"{path} is not written in {name} ({reason}): leave the encoding out, or name another."
        )
