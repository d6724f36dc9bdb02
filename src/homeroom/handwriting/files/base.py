"""What every format of ink has in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import ClassVar, TypeAlias

import numpy as np

from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom.handwriting.ink import Ink, Stroke

Amiss: TypeAlias = Callable[[Exception], None]
"""Called with what is wrong with a letter, before it is left out."""


def refuse(reason: Exception) -> None:
    """Refuse the whole file for one letter."""
    raise reason


class AbstractFormat(ABC):
    """One way to keep ink in a file of text."""

    name: ClassVar[str]
    """What people call it."""

    suffixes: ClassVar[tuple[str, ...]]
    """Which endings of a file's name ask for it, the usual one first."""

    y_up: ClassVar[bool] = False
    """Whether y grows upwards in such a file."""

    letter_from_name: ClassVar[bool] = False
    """Whether the file cannot say which letter it holds, so that its name must: ``f.dat``."""

    @abstractmethod
    def recognises(self, start: str) -> bool:
        """Tell whether a file that starts like this is one of these."""

    @abstractmethod
    def read(self, text: str, amiss: Amiss = refuse) -> list[Ink]:
        """Return the inks that a file holds, y as it is there.

        Where one letter is wrong, and the file is sound around it, ``amiss`` decides.

        Raises
        ------
        ValueError
            With a sentence that goes on after "file.txt is no ink: ".
        """

    @abstractmethod
    def write(self, inks: Sequence[Ink]) -> Iterator[str]:
        """Yield the text of a file that holds the inks, piece by piece."""


def sound(makers: Iterable[Callable[[], Ink]], amiss: Amiss) -> list[Ink]:
    """Return the letters that can be made."""
    found = []
    for make in makers:
        try:
            found.append(make())
        except (TypeError, ValueError) as reason:
            amiss(reason)
    return found


def upside_down(ink: Ink) -> Ink:
    """Return the ink with y growing the other way."""
    return replace(
        ink, strokes=tuple(replace(s, points=s.points * [1.0, -1.0]) for s in ink.strokes)
    )


def in_time(strokes: Sequence[Stroke]) -> tuple[Stroke, ...]:
    """Return the strokes, their times in one row where each stroke's clock started anew."""
    kept: list[Stroke] = []
    now = -np.inf
    for stroke in strokes:
        times = stroke.times
        if times is not None and times[0] < now:
            times = np.maximum(times + (now - times[0]), now)
        kept.append(replace(stroke, times=times))
        now = now if times is None else times[-1]
    return tuple(kept)


def number(value: float) -> str:
    """Return the shortest text that reads as the same number.

    >>> number(3.0), number(-0.25)
    ('3', '-0.25')
    """
    text = repr(float(value))
    return text.removesuffix(".0")


def numbers(words: Sequence[str], where: str) -> Floats:
    """Return words as numbers; the refusal says where the wrong one stands."""
    try:
        return np.array(words, dtype=np.float64)
    except ValueError:
        wrong = next(word for word in words if not _is_number(word))
        raise InputError(f"{where} must hold numbers, but has {wrong[:40]!r}.") from None


def whole(word: str, where: str) -> int:
    """Return a word as a count."""
    if not (word.isascii() and word.isdigit() and len(word) < 10):
        raise InputError(f"{where} must be a count such as 70, but is {word[:40]!r}.")
    return int(word)


def thousandths(words: Sequence[str], where: str) -> Floats:
    """Return words for milliseconds as seconds, exactly: 1.7 is 0.0017, as it is in decimals."""
    numbers(words, where)
    try:
        return np.array([float(Decimal(word).scaleb(-3)) for word in words])
    except InvalidOperation:
        raise InputError(f"{where} must hold times in milliseconds.") from None


def thousands(value: float) -> str:
    """Return seconds as text in milliseconds, exactly.

    >>> thousands(0.0017), thousands(2.0)
    ('1.7', '2000')
    """
    shifted = f"{Decimal(repr(float(value))).scaleb(3):f}"
    return shifted.rstrip("0").rstrip(".") if "." in shifted else shifted


@dataclass(frozen=True)
class Trace:
    """A stroke as a file has it: the pressures in the pen's own levels."""

    points: Floats
    times: Floats | None
    levels: Floats | None = None
    full: float | None = None  # the level of the greatest pressure, where the file says it
    where: str = ""  # in the file, for refusals


@dataclass
class Draft:
    """One letter as it is read, trace by trace."""

    traces: list[Trace] = field(default_factory=list)
    letter: str | None = None
    writer: str | None = None
    wrong: ValueError | None = None  # what is wrong with a trace that could not be read

    def ink(self, full: float | None) -> Ink:
        """Return the letter; ``full`` is the greatest pressure where a trace does not say it."""
        if self.wrong is not None:
            raise self.wrong
        return Ink(in_time([_stroke(t, full) for t in self.traces]), self.letter, self.writer)


def finished(drafts: Sequence[Draft], amiss: Amiss = refuse) -> list[Ink]:
    """Return the letters, every pressure a share of the greatest that the pen can report.

    Where the file does not say what that is, it is taken to be the next power of two above all of
    its levels, as pens have 1024, 2048, ... of them; levels up to 1 are shares already, and a pen
    that reports nothing but zeros reports nothing.
    """
    silent = [t.levels for d in drafts for t in d.traces if t.levels is not None and not t.full]
    most = max((float(levels.max()) for levels in silent), default=0.0)
    full = 1.0 if not 1 < most < np.inf else 2.0 ** np.ceil(np.log2(most))
    return sound((partial(draft.ink, full if most else None) for draft in drafts), amiss)


def _stroke(trace: Trace, full: float | None) -> Stroke:
    full = trace.full or full
    heard = None if trace.levels is None or full is None else trace.levels / full
    try:
        return Stroke(trace.points, trace.times, heard)
    except ValueError as reason:
        raise InputError(f"{trace.where}: {reason}") from None


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
