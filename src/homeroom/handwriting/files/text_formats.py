"""Four text formats for ink: shapes (``.dat``), ``.svc`` recordings, UJI and Omniglot text.

*Shapes* are one-stroke letters with the same number of points, in a file named after the letter.
The first line is the number of letters, the second the number of points; then one line per letter,
with all x values and then all y values. With a heading before each of the three, the file may begin
with a reference: the letter that the others should become. It has another writer, so it is not
read. Some programs count that reference and some do not, so the number may differ by one.

An ``.svc`` *file* is one recording of a Wacom tablet, as used in research on handwriting. The first
line is the number of samples. Each further line is one sample: x, y, the time in milliseconds,
whether the pen touches (1) or hovers (0), azimuth, altitude and pressure. The two angles are not
read; y grows upwards. The recording is one ink, in a file that may be named after its letter.

*UJI text* is the format of UJIpenchars2, with many writers and letters in one file::

    // ASCII char: i
    WORD i trn_UJI_W03-01
      NUMSTROKES 2
      POINTS 3 # 541 1001 541 1030 540 1187
      POINTS 1 # 518 727

The session ``trn_UJI_W03-01`` is the writer and the number of the try. UJI text has neither times
nor pressures.

*Omniglot text* is one drawing: ``START``, one line ``x,y,milliseconds`` per point, and ``BREAK``
after each stroke; y grows upwards.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby, pairwise
from typing import ClassVar

import numpy as np

from homeroom._checks import InputError, counted
from homeroom.handwriting.files.ink_format import (
    AbstractFormat,
    OnError,
    ParsedLetter,
    Trace,
    finish_letters,
    format_number,
    from_milliseconds,
    keep_readable,
    parse_count,
    parse_numbers,
    refuse,
    to_milliseconds,
)
from homeroom.handwriting.ink import Ink, Stroke

_PLAIN_SHAPES = re.compile(r"\s*\d+[ \t]*\r?\n\s*\d+[ \t]*\r?\n")
_HEADED_SHAPES = re.compile(r"\s*nb_sample:")


class Shapes(AbstractFormat):
    """One line per letter: all x values, then all y values."""

    name: ClassVar[str] = "shapes"
    suffixes: ClassVar[tuple[str, ...]] = (".dat",)
    letter_from_name: ClassVar[bool] = True

    def recognises(self, start: str) -> bool:
        return bool(_PLAIN_SHAPES.match(start) or _HEADED_SHAPES.match(start))

    def read(self, text: str, on_error: OnError = refuse) -> list[Ink]:
        lines = [line.split() for line in text.splitlines() if line.strip()]
        headed = lines[0] == ["nb_sample:"]
        counts, rows = _without_headings(lines) if headed else (lines[:2], lines[2:])
        letters, points = (parse_count(" ".join(words), "each of its counts") for words in counts)
        if abs(len(rows) - (letters - headed)) > 1:
            raise InputError(f"it announces {counted(letters, 'letter')}, but has {len(rows)}.")
        makers = (partial(_shape, words, points, at) for at, words in enumerate(rows, 1))
        return keep_readable(makers, on_error)

    def write(self, inks: Sequence[Ink]) -> Iterator[str]:
        sizes = {len(stroke) for ink in inks for stroke in ink}
        if len(sizes) != 1 or any(len(ink.strokes) > 1 for ink in inks):
            raise InputError(
                "A .dat file contains one-stroke letters with the same number of points; resample "
                "them, Ink((Stroke(by_length(ink, 70)),)), or write .jsonl instead."
            )
        yield f"{len(inks)}\n{sizes.pop()}\n"
        for ink in inks:
            yield " ".join(map(format_number, ink.points.T.reshape(-1).tolist())) + "\n"


def _without_headings(lines: list[list[str]]) -> tuple[list[list[str]], list[list[str]]]:
    """Return the two counts, and the rows of letters without the reference."""
    headings = [lines[at] if at < len(lines) else [] for at in (0, 2, 4)]
    if headings != [["nb_sample:"], ["nb_pts:"], ["ref:"]]:
        raise InputError("its headings must be `nb_sample:`, `nb_pts:` and `ref:`.")
    return [lines[1], lines[3]], [words for words in lines[6:] if words != ["..."]]


def _shape(words: list[str], points: int, at: int) -> Ink:
    """Return the letter in a row of x and y values; ``at`` is its number, for errors."""
    if len(words) != 2 * points:
        raise InputError(
            f"letter {at} must have {points} x values and {points} y values, "
            f"but has {len(words)} numbers."
        )
    try:
        return Ink((Stroke(parse_numbers(words, f"letter {at}").reshape(2, points).T),))
    except ValueError as reason:
        raise InputError(f"letter {at}: {reason}") from None


_NUMBER = r"[-+]?[\d.]+(?:[eE][-+]?\d+)?"
_SVC_START = re.compile(rf"\s*\d+[ \t]*\r?\n\s*(?:{_NUMBER}[ \t]+){{3}}[01]\b")


class Svc(AbstractFormat):
    """A count, then one line per sample: ``x y time touching azimuth altitude pressure``."""

    name: ClassVar[str] = ".svc"
    suffixes: ClassVar[tuple[str, ...]] = (".svc",)
    y_up: ClassVar[bool] = True
    letter_from_name: ClassVar[bool] = True

    def recognises(self, start: str) -> bool:
        return bool(_SVC_START.match(start))

    def read(self, text: str, on_error: OnError = refuse) -> list[Ink]:
        head, *rows = [line.split() for line in text.splitlines() if line.strip()]
        announced = parse_count(" ".join(head), "its first line")
        if len(rows) != announced:
            raise InputError(f"it announces {counted(announced, 'sample')}, but has {len(rows)}.")
        if {len(row) for row in rows} != {7}:
            raise InputError(
                "each sample must have x, y, time, touching, azimuth, altitude and pressure."
            )
        down = [list(some) for touching, some in groupby(rows, _touches) if touching]
        if not down:
            raise InputError("the pen never touches the paper.")
        return finish_letters([ParsedLetter([_svc_trace(rows) for rows in down])], on_error)

    def write(self, inks: Sequence[Ink]) -> Iterator[str]:
        if len(inks) != 1 or not inks[0].timed:
            raise InputError(
                "A .svc file contains one letter with times; write one file per letter, or .jsonl "
                "for all of them."
            )
        lines = [line for stroke in inks[0] for line in _svc_lines(stroke)]
        yield f"{len(lines)}\n"
        yield "".join(f"{line}\n" for line in lines)


def _touches(row: list[str]) -> bool:
    return float(parse_numbers(row[3:4], "the fourth column")[0]) > 0


def _svc_trace(rows: list[list[str]]) -> Trace:
    """Return consecutive samples of one stroke as a trace."""
    x, y, times, _, _, _, levels = (list(column) for column in zip(*rows, strict=True))
    points = np.stack(
        [parse_numbers(x, "the first column"), parse_numbers(y, "the second column")], axis=1
    )
    return Trace(
        points,
        from_milliseconds(times, "the third column"),
        parse_numbers(levels, "the last column"),
        where="a stroke",
    )


def _svc_lines(stroke: Stroke) -> Iterator[str]:
    """Yield one line per point, and one for the pen leaving the paper."""
    none = np.zeros(len(stroke))
    times = none if stroke.times is None else stroke.times
    pressures = none if stroke.pressures is None else stroke.pressures
    for (x, y), time, pressure in zip(stroke.points, times, pressures, strict=True):
        place = f"{format_number(x)} {format_number(y)} {to_milliseconds(time)}"
        yield f"{place} 1 0 900 {format_number(pressure)}"
    yield f"{place} 0 0 900 0"


_UJI_START = re.compile(r"\s*(?://[^\n]*\n\s*)*WORD[ \t]")
_TRY = re.compile(r"-\d+$")


class Uji(AbstractFormat):
    """Letters as ``WORD``, ``NUMSTROKES`` and ``POINTS``."""

    name: ClassVar[str] = "UJI text"
    suffixes: ClassVar[tuple[str, ...]] = (".txt", ".uji")

    def recognises(self, start: str) -> bool:
        return bool(_UJI_START.match(start))

    def read(self, text: str, on_error: OnError = refuse) -> list[Ink]:
        lines = [
            (at, line.split())
            for at, line in enumerate(text.splitlines(), 1)
            if line.strip() and not line.lstrip().startswith("//")
        ]
        if lines and lines[0][1][0] != "WORD":
            raise InputError(f"line {lines[0][0]} must start a letter with WORD.")
        starts = [place for place, (_, words) in enumerate(lines) if words[0] == "WORD"]
        spans = pairwise([*starts, len(lines)])
        return keep_readable(
            (partial(_uji_ink, lines[start:end]) for start, end in spans), on_error
        )

    def write(self, inks: Sequence[Ink]) -> Iterator[str]:
        tries: Counter[tuple[str, str | None]] = Counter()
        for ink in inks:
            letter, writer = _one_word(ink.letter, "letter"), ink.writer
            tries[letter, writer] += 1
            session = f" {_one_word(writer, 'writer')}-{tries[letter, writer]:02d}"
            yield f"WORD {letter}{session if writer is not None else ''}\n"
            yield f"  NUMSTROKES {len(ink.strokes)}\n"
            for stroke in ink:
                values = " ".join(map(format_number, stroke.points.reshape(-1).tolist()))
                yield f"  POINTS {len(stroke)} # {values}\n"


def _one_word(word: str | None, name: str) -> str:
    """Return a name that UJI text can represent."""
    if word is None and name == "writer":
        return ""
    if word is None or " " in word:
        raise InputError(
            f"UJI text needs every {name} as one word, but has {word!r}: write .jsonl instead."
        )
    return word


def _uji_ink(lines: list[tuple[int, list[str]]]) -> Ink:
    """Return the letter in its lines: WORD, NUMSTROKES, and one POINTS line per stroke."""
    (at, head), *rest = lines
    if len(head) not in (2, 3):
        raise InputError(f"line {at} must be WORD, the letter and the session.")
    if not rest or rest[0][1][0] != "NUMSTROKES" or len(rest[0][1]) != 2:
        raise InputError(f"line {at} must be followed by NUMSTROKES and their number.")
    announced = parse_count(rest[0][1][1], f"NUMSTROKES in line {rest[0][0]}")
    if len(rest) - 1 != announced:
        raise InputError(
            f"line {rest[0][0]} announces {counted(announced, 'stroke')}, "
            f"but {len(rest) - 1} follow."
        )
    writer = _TRY.sub("", head[2]) if len(head) == 3 else None
    try:
        return Ink(tuple(_uji_stroke(*line) for line in rest[1:]), letter=head[1], writer=writer)
    except ValueError as reason:
        raise InputError(f"the letter in line {at}: {reason}") from None


def _uji_stroke(at: int, words: list[str]) -> Stroke:
    """Return the stroke in a POINTS line; ``at`` is the number of the line."""
    if words[0] != "POINTS" or len(words) < 3 or words[2] != "#":
        raise InputError(f"line {at} must be POINTS, their number, #, and the coordinates.")
    announced = parse_count(words[1], f"POINTS in line {at}")
    values = parse_numbers(words[3:], f"line {at}")
    if len(values) != 2 * announced:
        raise InputError(
            f"line {at} announces {counted(announced, 'point')}, an x and a y each, "
            f"but has {len(values)} numbers."
        )
    return Stroke(values.reshape(-1, 2))


_OMNIGLOT_START = re.compile(r"\s*START[ \t]*\r?\n")


class Omniglot(AbstractFormat):
    """One drawing: ``START``, points as ``x,y,milliseconds``, and ``BREAK`` after each stroke."""

    name: ClassVar[str] = "Omniglot text"
    suffixes: ClassVar[tuple[str, ...]] = (".omniglot",)
    y_up: ClassVar[bool] = True
    letter_from_name: ClassVar[bool] = True

    def recognises(self, start: str) -> bool:
        return bool(_OMNIGLOT_START.match(start))

    def read(self, text: str, on_error: OnError = refuse) -> list[Ink]:
        lines = [(at, line.strip()) for at, line in enumerate(text.splitlines(), 1) if line.strip()]
        if [line for _, line in lines].count("START") != 1:
            raise InputError("it must have START once, at its start: one drawing per file.")
        strokes = groupby(lines[1:], lambda line: line[1] == "BREAK")
        traces = [_omniglot_trace(list(some)) for is_break, some in strokes if not is_break]
        return finish_letters([ParsedLetter(traces)] if traces else [], on_error)

    def write(self, inks: Sequence[Ink]) -> Iterator[str]:
        if len(inks) != 1 or not inks[0].timed:
            raise InputError(
                "A file of Omniglot text contains one letter with times; write one file per "
                "letter, or .jsonl for all of them."
            )
        yield "START\n"
        for stroke in inks[0]:
            assert stroke.times is not None
            for (x, y), time in zip(stroke.points.tolist(), stroke.times.tolist(), strict=True):
                yield f"{format_number(x)},{format_number(y)},{to_milliseconds(time)}\n"
            yield "BREAK\n"


def _omniglot_trace(lines: list[tuple[int, str]]) -> Trace:
    """Return the stroke in consecutive lines, each with its number in the file."""
    where = f"the stroke in line {lines[0][0]}"
    rows = [line.split(",") for _, line in lines]
    if {len(row) for row in rows} != {3}:
        raise InputError(f"{where} must have x, y and a time per line, with commas.")
    x, y, times = (list(column) for column in zip(*rows, strict=True))
    points = np.stack([parse_numbers(x, where), parse_numbers(y, where)], axis=1)
    clock = from_milliseconds(times, where)
    return Trace(points, np.maximum.accumulate(clock), where=where)  # browsers' clocks jump back
