"""Text files: their encoding, their lines, and what separates the cells of a line."""

from __future__ import annotations

import codecs
import io
import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from homeroom._checks import InputError

BLOCK = 1 << 20
MAX_LINE = 1 << 22
"""The longest line that is read: 4 million characters, 40 for each of 10^5 columns."""

MAX_TIDY = 255
"""The longest text whose accents are normalized."""

DELIMITERS = ("\t", ",", ";", "|")

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

_SCRIPTS = (
    ("cp932", "cp932", "[ぁ-ヿ]+|[一-龥]{2,}", "[ぁ-ヿ一-龥、-〟！-～]", 0x9F),
    ("cp949", "euc_kr", "[가-힣]+", "[가-힣]", 0xC8),
    ("gb18030", "gb2312", "[一-龥]+", "[一-龥、-〟！-～]", 0xD7),
    ("cp1251", "cp1251", "[А-яЁёІіЇїЄє]{3,}", "[А-яЁёІіЇїЄє]", 0xFF),
)
"""Encodings of Windows in Japan, Korea, China and Russia. For each: its name, the stricter one
that recognises it, the runs of letters that such a text mostly consists of, all characters expected
in it beyond ASCII, and the highest first byte of a common one. A western text rarely has three
Russian letters in a row if it is read as Russian. If it is read as Japanese or Chinese, its letters
with accents become rare characters, as in "élève"."""


def encoding_of(path: Path, given: str | None = None) -> str:
    """Return the encoding of a file: as given, by its byte order mark, UTF-8, or one of Windows.

    Costs one pass over the file, one block at a time.
    """
    with path.open("rb") as file:
        marked = _marked_encoding(file.read(4))
    if given is not None:
        _must_decode(path, given)
        if marked is None or not _may_have_mark(given):
            return given
    # The mark decides even if "utf-8" is given: as plain UTF-8, it would become part of the first
    # name.
    if marked is not None:
        _must_decode(path, marked)
        return marked
    if any(b"\0" in block for block in _blocks(path)):
        raise InputError(
            f"{path} is not text: it contains bytes that text never has. Tables are read from "
            ".csv, .tsv, .txt, .json, .jsonl, .xlsx, .ods and .parquet."
        )
    with path.open("rb") as file:
        guesses = _guesses(file.read(BLOCK))
    return next(name for name in guesses if _why_not(path, name) is None)


def announced_delimiter(line: str) -> str | None:
    """Return the delimiter that a first line such as ``sep=;`` announces; spreadsheets write it."""
    text = line.rstrip("\r\n")
    found = text[4] if len(text) == 5 and text[:4].lower() == "sep=" else ""
    return found if found in DELIMITERS else None


def delimiter_of(line: str, *, quotes: bool = True) -> str | None:
    """Return what separates the cells of a line; ``None`` for blanks, a comma if it has one cell.

    Text in quotation marks does not count, unless ``quotes`` says that these are ordinary
    characters.

    >>> delimiter_of("student;item;answer"), delimiter_of("0 12 1"), delimiter_of("0,5;-1,25")
    (';', None, ';')
    """
    outside = "".join(line.split('"')[::2]) if quotes else line
    best = max(DELIMITERS, key=outside.count)
    if best == ",":  # if these are decimal commas, the delimiter splits the line into numbers
        decimal = (mark for mark in DELIMITERS if mark in line and _are_decimals(line.split(mark)))
        best = next(decimal, best)
    if best in outside:
        return best
    is_quoted = quotes and '"' in line
    return None if len(line.split()) > 1 and not is_quoted else ","


def _are_decimals(cells: Sequence[str]) -> bool:
    """Return whether all cells are numbers, with a decimal comma or without."""
    try:
        return all(math.isfinite(float(cell.replace(",", ".").strip(' \r\n"'))) for cell in cells)
    except ValueError:
        return False


def has_decimal_commas(path: Path, cells: Sequence[str]) -> bool:
    """Return whether numbers are written with a decimal comma, as in 0,5; refuse a mixture.

    For cells that are not separated by commas. Both marks in one table would be ambiguous: 1,234
    next to 0.5 may be a thousand, or a little more than one.
    """
    comma = next((cell for cell in cells if "," in cell), None)
    point = next((cell for cell in cells if "." in cell), None)
    if comma is not None and point is not None:
        raise InputError(
            f"{path} has numbers with a comma ({comma.strip()[:40]!r}) and with a point "
            f"({point.strip()[:40]!r}): write all of them with the same decimal mark."
        )
    return comma is not None


def cell(row: Sequence[str], column: int | None) -> str:
    """Return the tidy text of a cell; empty if the row is too short or there is no such column."""
    return "" if column is None or column >= len(row) else tidy(row[column])


def tidy(text: str) -> str:
    """Return a text on one line, with composed accents (NFC) unless it is very long.

    Normalizing n accents on one letter takes n^2 steps.

    >>> tidy(" Ada  Lee ")
    'Ada Lee'
    """
    line = " ".join(text.split())
    return line if len(line) > MAX_TIDY else unicodedata.normalize("NFC", line)


def decoded(data: bytes) -> str:
    """Return a text file as text, whatever its encoding.

    The error states only the reason; the caller names the file.
    """
    marked = _marked_encoding(data)
    for encoding in (marked,) if marked else _guesses(data[:BLOCK]):
        with suppress(UnicodeDecodeError):
            return data.decode(encoding)
    raise InputError(f"it begins as {str(marked).upper()}, but is not")


def _guesses(start: bytes) -> Iterator[str]:
    """Yield the encodings that a file may have, by its first bytes; the last fits every file.

    cp1252 is latin-1 with letters and quotes instead of control characters.

    >>> list(_guesses("写真,はい".encode("cp932"))), list(_guesses("Müßiggänger".encode("cp1252")))
    (['utf-8', 'cp932', 'cp1252', 'latin-1'], ['utf-8', 'cp1252', 'latin-1'])
    """
    yield "utf-8"
    for name, strict, typical, expected, highest in _SCRIPTS:
        with suppress(UnicodeDecodeError):
            text = codecs.getincrementaldecoder(strict)().decode(start)
            others = len(text) - len(text.encode("ascii", "ignore"))
            known = "".join(re.findall(expected, text))
            of_words = sum(map(len, re.findall(typical, text)))
            common = sum(1 for char in known if char.encode(strict)[0] <= highest)
            if len(known) > 0.9 * others and min(of_words, common) > 0.6 * others:
                yield name
                break
    yield from ("cp1252", "latin-1")


def _marked_encoding(start: bytes) -> str | None:
    return next((name for mark, name in _BYTE_ORDER_MARKS if start.startswith(mark)), None)


def _may_have_mark(name: str) -> bool:
    return codecs.lookup(name).name.startswith(("utf-8", "utf-16", "utf-32"))


def _blocks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            yield block


def _why_not(path: Path, name: str) -> str | None:
    """Return why a file is not in this encoding; ``None`` if it is."""
    decoder = codecs.getincrementaldecoder(name)()
    try:
        for block in _blocks(path):
            decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as reason:
        return reason.reason
    except UnicodeError as reason:  # punycode raises this one
        return str(reason)
    return None


def _must_decode(path: Path, name: str) -> None:
    """Refuse an encoding that does not exist, or in which the file is not written."""
    try:
        io.TextIOWrapper(io.BytesIO(), encoding=name)  # refuses codecs that are not for text (zlib)
        reason = _why_not(path, name)
    except LookupError:
        raise InputError(
            f"There is no encoding called {name[:40]!r}: try encoding='latin-1', or leave it out."
        ) from None
    if reason is not None:
        raise InputError(
            f"{path} is not written in {name} ({reason}): leave the encoding out, or name another."
        )
