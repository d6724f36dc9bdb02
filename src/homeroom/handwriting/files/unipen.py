"""UNIPEN text, the format of UJIpenchars (version 1) and other collections of letters.

::

    .WRITER_ID w01
    .COORD X Y T
    .SEGMENT CHARACTER 0 ? "a"
    .PEN_DOWN
    556 800 0
    548 801 10
    .PEN_UP

The strokes of a letter must follow its ``.SEGMENT``. Included files are not read. Times are in
milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from homeroom._checks import InputError
from homeroom.handwriting.files.ink_format import (
    AbstractFormat,
    OnError,
    ParsedLetter,
    Trace,
    finish_letters,
    format_number,
    from_milliseconds,
    parse_numbers,
    refuse,
    to_milliseconds,
)
from homeroom.handwriting.ink import Ink, Stroke

_START = re.compile(r"\s*\.[A-Z][A-Z_]+\b")
_LABEL = re.compile(r'"((?:[^"\\]|\\.)*)"\s*$')


class Unipen(AbstractFormat):
    """Keywords that start with a dot, such as ``.PEN_DOWN`` and ``.PEN_UP``."""

    name: ClassVar[str] = "UNIPEN text"
    suffixes: ClassVar[tuple[str, ...]] = (".unipen",)

    def recognises(self, start: str) -> bool:
        return bool(_START.match(start))

    def read(self, text: str, on_error: OnError = refuse) -> list[Ink]:
        page = _UnipenParser()
        for at, line in enumerate(text.splitlines(), 1):
            page.take(at, line)
        page.finish_letter()
        return finish_letters(page.letters, on_error)

    def write(self, inks: Sequence[Ink]) -> Iterator[str]:
        strokes = [stroke for ink in inks for stroke in ink]
        timed = all(stroke.times is not None for stroke in strokes)
        pressed = all(stroke.pressures is not None for stroke in strokes)
        yield f".VERSION 1.0\n.HIERARCHY CHARACTER\n.COORD X Y{' T' * timed}{' P' * pressed}\n"
        writer: str | None = None
        at = 0
        for ink in inks:
            if ink.writer != writer:
                writer = ink.writer
                yield f".WRITER_ID {writer or ''}".rstrip() + "\n"
            last = at + len(ink.strokes) - 1
            label = "" if ink.letter is None else f' ? "{_escaped(ink.letter)}"'
            yield f".SEGMENT CHARACTER {at}{f'-{last}' if last > at else ''}{label}\n"
            for stroke in ink:
                yield f".PEN_DOWN\n{_format_rows(stroke, timed, pressed)}.PEN_UP\n"
            at = last + 1


def _escaped(letter: str) -> str:
    return letter.replace("\\", "\\\\").replace('"', '\\"')


def _format_rows(stroke: Stroke, timed: bool, pressed: bool) -> str:
    columns = [[format_number(value) for value in column] for column in stroke.points.T.tolist()]
    if timed and stroke.times is not None:
        columns.append([to_milliseconds(time) for time in stroke.times])
    if pressed and stroke.pressures is not None:
        columns.append([format_number(pressure) for pressure in stroke.pressures])
    return "".join(" ".join(row) + "\n" for row in zip(*columns, strict=True))


@dataclass
class _UnipenParser:
    """The state of the parser."""

    letters: list[ParsedLetter] = field(default_factory=list)
    columns: list[str] = field(default_factory=lambda: ["X", "Y"])
    writer: str | None = None
    letter: str | None = None
    named: bool = False
    rows: list[list[str]] | None = None  # of the current stroke; None while the pen is up
    traces: list[Trace] = field(default_factory=list)
    started: int = 0  # the line where the stroke started
    empty: int = 0  # the line of a stroke without points
    wrong: ValueError | None = None  # the error of a stroke of the letter

    def take(self, at: int, line: str) -> None:
        """Handle one line of the file."""
        words = line.split()
        if not words:
            return
        if not line.startswith("."):
            self._take_row(words)
        elif words[0] == ".PEN_DOWN":
            self.rows, self.started = [], at
            self._take_row(words[1:])
        else:
            self._finish_stroke()
            self._take_keyword(at, words, line)

    def finish_letter(self) -> None:
        """Store the current letter, if there is one."""
        self._finish_stroke()
        if self.named and self.empty and not self.traces:
            self.wrong = self.wrong or ValueError(
                f"the stroke in line {self.empty} must have at least one point, but has none."
            )
        if self.traces or self.wrong:
            self.letters.append(ParsedLetter(self.traces, self.letter, self.writer, self.wrong))
        elif self.named:
            raise InputError(
                "the strokes of each letter must follow its .SEGMENT, but one has none: files that "
                "store letters and strokes separately cannot be read."
            )
        self.traces, self.letter, self.named, self.empty, self.wrong = [], None, False, 0, None

    def _take_row(self, words: list[str]) -> None:
        if self.rows is not None and words:
            self.rows.append(words)

    def _take_keyword(self, at: int, words: list[str], line: str) -> None:
        if words[0] == ".SEGMENT":
            self.finish_letter()
            label = _LABEL.search(line)
            self.letter = re.sub(r"\\(.)", r"\1", label[1]) if label else None
            self.named = True
        elif words[0] == ".WRITER_ID":
            self.finish_letter()
            self.writer = " ".join(words[1:]) or None
        elif words[0] == ".COORD":
            if not {"X", "Y"} <= set(words[1:]):
                raise InputError(f".COORD in line {at} must name X and Y.")
            self.columns = words[1:]

    def _finish_stroke(self) -> None:
        rows, self.rows = self.rows, None
        if rows == []:
            self.empty = self.started
        if rows:
            try:
                self.traces.append(self._trace(rows))
            except ValueError as reason:
                self.wrong = self.wrong or reason

    def _trace(self, rows: list[list[str]]) -> Trace:
        where = f"the stroke in line {self.started}"
        if {len(row) for row in rows} != {len(self.columns)}:
            raise InputError(
                f"{where} must have {len(self.columns)} numbers per line "
                f"({' '.join(self.columns)})."
            )
        column = dict(zip(self.columns, map(list, zip(*rows, strict=True)), strict=True))
        points = np.stack([parse_numbers(column[name], where) for name in "XY"], axis=1)
        times = from_milliseconds(column["T"], where) if "T" in column else None
        levels = parse_numbers(column["P"], where) if "P" in column else None
        return Trace(points, times, levels, where=where)
