"""UNIPEN text, the format of UJIpenchars (version 1) and other collections of letters.

::

    .WRITER_ID w01
    .COORD X Y T
    .SEGMENT CHARACTER 0 ? "a"
    .PEN_DOWN
    556 800 0
    548 801 10
    .PEN_UP

The strokes of a letter follow its ``.SEGMENT``. If they do not, the numbers in the ``.SEGMENT``
refer to the strokes of the file, counted from 0 in their order. ``0-1`` means two strokes, and
``2:5-2:40`` means the points 5 to 40 of one stroke; the pen's path in the air counts as a stroke if
the file has it. ``.INCLUDE labels/a.dat`` is replaced by the text of that file, which must be in
the same folder or below it, or in a folder called ``include`` beside one of the folders above, as
UNIPEN's own collection is arranged. Times are in milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
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
    read_text,
    refuse,
    to_milliseconds,
)
from homeroom.handwriting.ink import Ink, Stroke

_START = re.compile(r"\s*\.[A-Z][A-Z_]+\b")
_LABEL = re.compile(r'"((?:[^"\\]|\\.)*)"\s*$')
_INCLUDE = re.compile(r"(?m)^\.INCLUDE[ \t]+(.+?)[ \t]*$")
_PART = re.compile(r"(\d{1,9})(?::(\d{1,9}))?(?:-(\d{1,9})(?::(\d{1,9}))?)?")

MOST_INCLUDES, DEEPEST_INCLUDE = 1000, 8
"""The most files that a file may include, and how deeply they may be nested."""

INCLUDE_ABOVE = 4
"""How many folders above a file may have a folder ``include`` with files that it includes."""

MOST_REFERRED = 1_000_000
"""The most strokes that segments may refer to, all together."""


class Unipen(AbstractFormat):
    """Keywords that start with a dot, such as ``.PEN_DOWN`` and ``.PEN_UP``."""

    name: ClassVar[str] = "UNIPEN text"
    suffixes: ClassVar[tuple[str, ...]] = (".unipen",)

    def recognises(self, start: str) -> bool:
        return bool(_START.match(start))

    def with_included(self, text: str, path: Path, max_bytes: int) -> str:
        return _Includes(path.resolve().parent, max_bytes).expand(text, path.resolve().parent)

    def read(self, text: str, on_error: OnError = refuse) -> list[Ink]:
        page = _UnipenParser()
        for at, line in enumerate(text.splitlines(), 1):
            page.take(at, line)
        page.finish_letter()
        return finish_letters(page.segmented() if page.segments else page.letters, on_error)

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
    """Return one line per point of a stroke, with time and pressure if asked."""
    columns = [[format_number(value) for value in column] for column in stroke.points.T.tolist()]
    if timed and stroke.times is not None:
        columns.append([to_milliseconds(time) for time in stroke.times])
    if pressed and stroke.pressures is not None:
        columns.append([format_number(pressure) for pressure in stroke.pressures])
    return "".join(" ".join(row) + "\n" for row in zip(*columns, strict=True))


@dataclass
class _Includes:
    """Replaces ``.INCLUDE`` by the text of files in one folder, within limits."""

    folder: Path
    bytes_left: int
    files: int = 0

    def expand(self, text: str, here: Path, depth: int = 0) -> str:
        """Return a text with the files that it includes; their paths start in ``here``."""
        return _INCLUDE.sub(lambda found: self._text(found[1].strip('"'), here, depth + 1), text)

    def _text(self, name: str, here: Path, depth: int) -> str:
        """Return the text of an included file, with the files that it includes."""
        what = f"the included file {name[:80]!r}"
        self.files += 1
        if depth > DEEPEST_INCLUDE or self.files > MOST_INCLUDES:
            raise InputError(
                f"it includes more than {MOST_INCLUDES} files, or more than {DEEPEST_INCLUDE} "
                "deep: a file may not include itself."
            )
        path = self._find(name, here, what)
        text = read_text(path, self.bytes_left)
        self.bytes_left -= path.stat().st_size
        return self.expand(text, path.parent, depth)

    def _find(self, name: str, here: Path, what: str) -> Path:
        """Return the path of an included file: in the file's folder, or in one called include."""
        shared = [above / "include" for above in self.folder.parents[:INCLUDE_ABOVE]]
        inside = False
        for start, folder in [(here, self.folder), *((one, one) for one in shared)]:
            try:
                path = (start / name).resolve()
                allowed = path.is_relative_to(folder.resolve())
                if allowed and path.is_file():
                    return path
            except (OSError, RuntimeError, ValueError):
                raise InputError(f"{what} has an invalid name.") from None
            inside = inside or (allowed and folder == self.folder)
        if not inside:
            raise InputError(f"{what} must be in the folder of the file, or below it.")
        raise InputError(f"{what} does not exist.")


@dataclass(frozen=True)
class _Segment:
    """A ``.SEGMENT`` line: its kind, the numbers of its strokes (such as 0-1,3) and its label."""

    kind: str
    parts: str
    letter: str | None
    writer: str | None
    line: int


@dataclass
class _UnipenParser:
    """The state of the parser."""

    letters: list[ParsedLetter] = field(default_factory=list)
    headings: list[_Segment] = field(default_factory=list)  # every .SEGMENT so far
    # All headings as soon as one of them is not followed by strokes, otherwise empty:
    segments: list[_Segment] = field(default_factory=list)
    components: list[Trace | None] = field(default_factory=list)  # None: in the air, or unreadable
    referred: int = 0  # the number of strokes that segments refer to, with repetitions
    lifted: bool = False  # whether the next row starts a path of the pen in the air
    columns: list[str] = field(default_factory=lambda: ["X", "Y"])
    writer: str | None = None
    letter: str | None = None
    named: bool = False  # whether the current letter began with a .SEGMENT
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
            self._finish_stroke()
            self.rows, self.started, self.lifted = [], at, False
            self._take_row(words[1:])
        else:
            self._finish_stroke()
            self.lifted = words[0] == ".PEN_UP"
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
            self.segments = self.headings  # strokes and letters are stored separately
        self.traces, self.letter, self.named, self.empty, self.wrong = [], None, False, 0, None

    def segmented(self) -> list[ParsedLetter]:
        """Return the letters whose strokes are given by their numbers."""
        kinds = {one.kind for one in self.segments}
        wanted = "CHARACTER" if "CHARACTER" in kinds else self.segments[-1].kind
        found = [self._letter_of(one) for one in self.segments if one.kind == wanted]
        if self.referred > MOST_REFERRED:
            raise InputError(f"its segments refer to more than {MOST_REFERRED:,} strokes.")
        return found

    def _letter_of(self, one: _Segment) -> ParsedLetter:
        """Return the letter that a .SEGMENT refers to, or its error."""
        try:
            traces = [t for part in one.parts.split(",") for t in self._part(part, one.line)]
            if not traces:
                raise InputError(f"the .SEGMENT in line {one.line} has no stroke.")
            return ParsedLetter(traces, one.letter, one.writer)
        except ValueError as reason:
            return ParsedLetter([], one.letter, one.writer, reason)

    def _part(self, part: str, line: int) -> list[Trace]:
        """Return the strokes that one item of a .SEGMENT names: ``3``, ``0-1`` or ``2:5-2:40``."""
        found = _PART.fullmatch(part)
        first = int(found[1]) if found else 0
        last = int(found[3] or first) if found else -1
        if not self.components:
            raise InputError(f"the .SEGMENT in line {line} has no stroke: the file has none.")
        if found is None or not first <= last < len(self.components):
            raise InputError(
                f"the .SEGMENT in line {line} must name strokes of the file, 0 to "
                f"{len(self.components) - 1}, but has {part[:40]!r}."
            )
        self.referred += last + 1 - first
        if self.referred > MOST_REFERRED:
            return []  # segmented() refuses the file
        chosen = self.components[first : last + 1]
        # The end is cut first: both cuts may be in one stroke.
        for at, start, end in ((-1, None, found[4]), (0, found[2], None)):
            trace = chosen[at]
            if trace is not None and (start or end) is not None:
                last_point = len(trace.points) - 1 if end is None else int(end)
                chosen[at] = trace.part(int(start or 0), last_point + 1)
        return [trace for trace in chosen if trace is not None]

    def _take_row(self, words: list[str]) -> None:
        """Add a row to the current stroke, or note that the pen has a path in the air."""
        if self.rows is not None and words:
            self.rows.append(words)
        elif self.lifted:
            self.components.append(None)
            self.lifted = False

    def _take_keyword(self, at: int, words: list[str], line: str) -> None:
        """Handle a line that begins with a keyword."""
        if words[0] == ".SEGMENT":
            self.finish_letter()
            label = _LABEL.search(line)
            self.letter = re.sub(r"\\(.)", r"\1", label[1]) if label else None
            self.named = True
            kind, parts = [*words[1:3], "", ""][:2]
            self.headings.append(_Segment(kind, parts, self.letter, self.writer, at))
        elif words[0] == ".WRITER_ID":
            self.finish_letter()
            self.writer = " ".join(words[1:]) or None
        elif words[0] == ".COORD":
            if not {"X", "Y"} <= set(words[1:]):
                raise InputError(f".COORD in line {at} must name X and Y.")
            self.columns = words[1:]

    def _finish_stroke(self) -> None:
        """Store the current stroke or its error, if there is a stroke."""
        rows, self.rows = self.rows, None
        if rows == []:
            self.empty = self.started
        if rows:
            self.components.append(None)
            try:
                trace = self.components[-1] = self._trace(rows)
                self.traces.append(trace)
            except ValueError as reason:
                self.wrong = self.wrong or reason

    def _trace(self, rows: list[list[str]]) -> Trace:
        """Return the rows of the current stroke as a trace."""
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
