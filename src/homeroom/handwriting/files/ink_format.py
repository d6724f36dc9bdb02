"""The interface of a file format of ink, and helpers that all formats share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import ClassVar, TypeAlias

import numpy as np

from homeroom._arrays import Floats
from homeroom._checks import InputError, counted
from homeroom._files import is_folder, reading
from homeroom.handwriting.ink import Ink, Stroke

MAX_BYTES = 64 << 20
"""The largest file that is read, 64 MiB: some million points. A larger one is something else."""

OnError: TypeAlias = Callable[[Exception], None]
"""Called with the error of a letter that cannot be read, before the letter is left out."""


def refuse(reason: Exception) -> None:
    """Refuse the whole file because of one letter."""
    raise reason


class AbstractFormat(ABC):
    """A text format for ink."""

    name: ClassVar[str]
    """Its usual name."""

    suffixes: ClassVar[tuple[str, ...]]
    """Its file suffixes, the usual one first."""

    @abstractmethod
    def recognises(self, start: str) -> bool:
        """Return whether a file that starts with this text has this format."""

    @abstractmethod
    def read(self, text: str, on_error: OnError = refuse) -> list[Ink]:
        """Return the inks in the text of a file.

        ``on_error`` is called for each letter that cannot be read.

        Raises
        ------
        ValueError
            With a sentence that continues "file.txt cannot be read as ink: ".
        """

    @abstractmethod
    def write(self, inks: Sequence[Ink]) -> Iterator[str]:
        """Yield the text of a file with the inks, piece by piece."""


def read_text(path: Path) -> str:
    """Return the text of a file that is not too large."""
    if is_folder(path):
        raise InputError(f"{path} is a folder: give a file of ink in it.")
    with reading(path):
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise InputError(
                f"{path} has {size / 2**20:.0f} MiB, but ink may have {MAX_BYTES / 2**20:.0f}. "
                "Split the file."
            )
        data = path.read_bytes()
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        raise InputError(
            f"{path} cannot be read as ink: it must be text in UTF-8, but is not."
        ) from None
    if not text.strip():
        raise InputError(f"{path} is empty.")
    if "\0" in text:
        raise InputError(
            f"{path} cannot be read as ink: it must be text, but has zero bytes in it."
        )
    return text


def keep_readable(makers: Iterable[Callable[[], Ink]], on_error: OnError) -> list[Ink]:
    """Return the letters that ``makers`` return, and report the errors of the others."""
    found = []
    for make in makers:
        try:
            found.append(make())
        except (TypeError, ValueError) as reason:
            on_error(reason)
    return found


def flipped(ink: Ink) -> Ink:
    """Return the ink with the direction of y reversed."""
    return replace(
        ink, strokes=tuple(replace(s, points=s.points * [1.0, -1.0]) for s in ink.strokes)
    )


def in_time_order(strokes: Sequence[Stroke]) -> tuple[Stroke, ...]:
    """Return the strokes with increasing times, even if the clock restarts with each stroke."""
    kept: list[Stroke] = []
    now = -np.inf
    for stroke in strokes:
        times = stroke.times
        if times is not None and times[0] < now:
            times = np.maximum(times + (now - times[0]), now)
        kept.append(replace(stroke, times=times))
        now = now if times is None else times[-1]
    return tuple(kept)


def format_number(value: float) -> str:
    """Return the shortest text that reads as the same number.

    >>> format_number(3.0), format_number(-0.25)
    ('3', '-0.25')
    """
    text = repr(float(value))
    return text.removesuffix(".0")


@dataclass(frozen=True)
class Trace:
    """A stroke as in the file, with pressures in the levels of the pen."""

    points: Floats
    times: Floats | None
    levels: Floats | None = None
    full: float | None = None  # the greatest level of the pen, if the file states it
    where: str = ""  # its place in the file, for errors

    def part(self, start: int, end: int) -> Trace:
        """Return some points, counted from 0."""
        if not 0 <= start < end <= len(self.points):
            raise InputError(
                f"the points {start} to {end - 1}, counted from 0, are not in {self.where}, which "
                f"has {counted(len(self.points), 'point')}."
            )
        times = None if self.times is None else self.times[start:end]
        levels = None if self.levels is None else self.levels[start:end]
        return replace(self, points=self.points[start:end], times=times, levels=levels)


@dataclass
class ParsedLetter:
    """One letter while it is parsed, trace by trace."""

    traces: list[Trace] = field(default_factory=list)
    letter: str | None = None
    writer: str | None = None
    wrong: ValueError | None = None  # the error of a trace that could not be read

    def ink(self, full: float | None) -> Ink:
        """Return the letter; ``full`` is the greatest level for traces that do not state it."""
        if self.wrong is not None:
            raise self.wrong
        return Ink(in_time_order([_stroke(t, full) for t in self.traces]), self.letter, self.writer)


def finish_letters(drafts: Sequence[ParsedLetter], on_error: OnError = refuse) -> list[Ink]:
    """Return the letters, with pressures as fractions of the greatest level of the pen.

    If the file does not state that level, it is the next power of two above all levels in the file,
    as pens have 1024, 2048, ... levels. Levels up to 1 are already fractions. If all levels are
    zero, the pressures are unknown.
    """
    unstated = [t.levels for d in drafts for t in d.traces if t.levels is not None and not t.full]
    most = max((float(levels.max()) for levels in unstated), default=0.0)
    full = 1.0 if not 1 < most < np.inf else 2.0 ** np.ceil(np.log2(most))
    return keep_readable((partial(draft.ink, full if most else None) for draft in drafts), on_error)


def _stroke(trace: Trace, full: float | None) -> Stroke:
    """Return a trace as a stroke; ``full`` is the greatest level if the trace has none."""
    full = trace.full or full
    pressures = None if trace.levels is None or full is None else trace.levels / full
    try:
        return Stroke(trace.points, trace.times, pressures)
    except ValueError as reason:
        raise InputError(f"{trace.where}: {reason}") from None
