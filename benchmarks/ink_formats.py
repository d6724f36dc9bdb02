"""Ink in the formats of research collections, for the benchmarks that measure letters of people.

*Shapes* (``.dat``) are one-stroke letters with the same number of points. The first line is the
number of letters, the second the number of points; then one line per letter, with all x values and
then all y values. With a heading before each of the three, the first letter is a reference by
another writer, which is not read.

*UJI text* is the format of UJIpenchars2, with many writers and letters in one file::

    WORD i trn_UJI_W03-01
      NUMSTROKES 2
      POINTS 3 # 541 1001 541 1030 540 1187
      POINTS 1 # 518 727

*Omniglot text* is one drawing: ``START``, one line ``x,y,milliseconds`` per point, and ``BREAK``
after each stroke; y grows upwards.

*UNIPEN text* is the format of UJIpenchars (version 1) and of UNIPEN's own collection::

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
the file has it. ``.INCLUDE labels/a.dat`` is replaced by the text of that file, which is in the
same folder or below it, or in a folder called ``include`` beside one of the folders above. Times
are in milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby, pairwise
from pathlib import Path

import numpy as np

from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom.handwriting import Ink, Stroke, read_ink
from homeroom.handwriting.files.ink_format import (
    OnError,
    ParsedLetter,
    Trace,
    finish_letters,
    flipped,
    keep_readable,
    read_text,
    refuse,
)

_LABEL = re.compile(r'"((?:[^"\\]|\\.)*)"\s*$')
_INCLUDE = re.compile(r"(?m)^\.INCLUDE[ \t]+(.+?)[ \t]*$")
_PART = re.compile(r"(\d{1,9})(?::(\d{1,9}))?(?:-(\d{1,9})(?::(\d{1,9}))?)?")

DEEPEST_INCLUDE = 8
"""How deeply files that include others may be nested."""

INCLUDE_ABOVE = 4
"""How many folders above a file may have a folder ``include`` with files that it includes."""


def read_letters(
    path: Path,
    *,
    letter: str | None = None,
    y_up: bool = False,
    leave_out: Callable[[str], None] | None = None,
) -> list[Ink]:
    """Return the letters in a file of a research collection, or in any other file of ink.

    ``letter`` is the letter of files that do not state it, ``y_up`` says that y grows upwards in
    UNIPEN text, and ``leave_out`` is called with a sentence for each letter that cannot be read.
    """
    text = read_text(path)
    read = next((read for start, read in _READERS if start.match(text)), None)
    if read is None:
        return read_ink(path, letter=letter, y_up=y_up, leave_out=leave_out)

    def report(reason: Exception) -> None:
        if leave_out is None:
            refuse(reason)
        else:
            leave_out(f"{path}, {reason}")

    if read is read_unipen:
        text = _expand_includes(text, path.resolve().parent, path.resolve().parent)
    inks = read(text, report)
    if y_up or read is read_omniglot:
        inks = [flipped(ink) for ink in inks]
    return [ink if ink.letter is not None else replace(ink, letter=letter) for ink in inks]


def parse_numbers(words: Sequence[str], where: str) -> Floats:
    """Return words as numbers; ``where`` names their place in the error."""
    try:
        return np.array(words, dtype=np.float64)
    except ValueError:
        raise InputError(f"{where} must be numbers, but contains {words[:8]!r}.") from None


def read_shapes(text: str, on_error: OnError = refuse) -> list[Ink]:
    """Return one-stroke letters, each in a line of all x values and then all y values."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    headed = lines[0] == ["nb_sample:"]
    [points] = map(int, lines[3] if headed else lines[1])
    rows = [words for words in lines[6 if headed else 2 :] if words != ["..."]]
    makers = (partial(_shape, words, points, at) for at, words in enumerate(rows, 1))
    return keep_readable(makers, on_error)


def _shape(words: list[str], points: int, at: int) -> Ink:
    """Return the letter in a row of x and y values; ``at`` is its number, for errors."""
    values = parse_numbers(words, f"letter {at}")
    if len(values) != 2 * points:
        raise InputError(f"letter {at} must have {2 * points} numbers, but has {len(values)}.")
    return Ink((Stroke(values.reshape(2, points).T),))


def read_uji(text: str, on_error: OnError = refuse) -> list[Ink]:
    """Return letters that are given as ``WORD``, ``NUMSTROKES`` and ``POINTS``."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    lines = [words for words in lines if not words[0].startswith("//")]
    starts = [at for at, words in enumerate(lines) if words[0] == "WORD"]
    spans = pairwise([*starts, len(lines)])
    return keep_readable((partial(_uji_letter, lines[start:end]) for start, end in spans), on_error)


def _uji_letter(lines: list[list[str]]) -> Ink:
    """Return the letter in its lines: WORD, NUMSTROKES, and one POINTS line per stroke."""
    head, _, *rest = lines
    name = " ".join(head)
    strokes = [Stroke(parse_numbers(words[3:], name).reshape(-1, 2)) for words in rest]
    writer = re.sub(r"-\d+$", "", head[2]) if len(head) == 3 else None
    return Ink(tuple(strokes), letter=head[1], writer=writer)


def read_omniglot(text: str, on_error: OnError = refuse) -> list[Ink]:
    """Return the one drawing in a text, with y as it is there."""
    lines = [(at, line.strip()) for at, line in enumerate(text.splitlines(), 1) if line.strip()]
    strokes = groupby(lines[1:], lambda line: line[1] == "BREAK")
    traces = [_omniglot_trace(list(some)) for is_break, some in strokes if not is_break]
    return finish_letters([ParsedLetter(traces)] if traces else [], on_error)


def _omniglot_trace(lines: list[tuple[int, str]]) -> Trace:
    """Return the stroke in consecutive lines, each with its number in the file."""
    where = f"the stroke in line {lines[0][0]}"
    rows = np.array([parse_numbers(line.split(","), where) for _, line in lines])
    clock = np.maximum.accumulate(rows[:, 2] / 1000)  # browsers' clocks jump back
    return Trace(rows[:, :2], clock, where=where)


def read_unipen(text: str, on_error: OnError = refuse) -> list[Ink]:
    """Return letters that are given by keywords such as ``.PEN_DOWN`` and ``.PEN_UP``."""
    page = _UnipenParser()
    for at, line in enumerate(text.splitlines(), 1):
        page.take(at, line)
    page.finish_letter()
    return finish_letters(page.segmented() if page.segments else page.letters, on_error)


_READERS = (
    (re.compile(r"\s*\.[A-Z][A-Z_]+\b"), read_unipen),
    (re.compile(r"\s*(?://[^\n]*\n\s*)*WORD[ \t]"), read_uji),
    (re.compile(r"\s*START[ \t]*\r?\n"), read_omniglot),
    (re.compile(r"\s*(?:nb_sample:|\d+[ \t]*\r?\n\s*\d+[ \t]*\r?\n)"), read_shapes),
)
"""How files of each format start, and their readers."""


def _expand_includes(text: str, here: Path, folder: Path, depth: int = 0) -> str:
    """Return a text with the files that it includes; their paths start in ``here``."""
    if depth > DEEPEST_INCLUDE:
        raise InputError(f"files are included more than {DEEPEST_INCLUDE} deep.")

    def included(found: re.Match[str]) -> str:
        path = _find_included(found[1].strip('"'), here, folder)
        return _expand_includes(read_text(path), path.parent, folder, depth + 1)

    return _INCLUDE.sub(included, text)


def _find_included(name: str, here: Path, folder: Path) -> Path:
    """Return the path of an included file: in the file's folder, or in one called include."""
    shared = [above / "include" for above in folder.parents[:INCLUDE_ABOVE]]
    for start, within in [(here, folder), *((one, one) for one in shared)]:
        path = (start / name).resolve()
        if path.is_relative_to(within.resolve()) and path.is_file():
            return path
    raise InputError(f"the included file {name[:80]!r} is not in {folder} or in include.")


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
        return [self._letter_of(one) for one in self.segments if one.kind == wanted]

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
        if found is None or not first <= last < len(self.components):
            raise InputError(
                f"the .SEGMENT in line {line} must name strokes of the file, 0 to "
                f"{len(self.components) - 1}, but has {part[:40]!r}."
            )
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
        times = parse_numbers(column["T"], where) / 1000 if "T" in column else None
        levels = parse_numbers(column["P"], where) if "P" in column else None
        return Trace(points, times, levels, where=where)
