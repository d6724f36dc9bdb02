"""UJI: the text format of UJIpenchars2, many writers and letters in one file.

::

    // ASCII char: i
    WORD i trn_UJI_W03-01
      NUMSTROKES 2
      POINTS 3 # 541 1001 541 1030 540 1187
      POINTS 1 # 518 727

The session ``trn_UJI_W03-01`` is the writer and a number for the try. Neither times nor pressures
are kept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import ClassVar

from homeroom._checks import InputError
from homeroom._words import counted
from homeroom.handwriting.files.base import (
    AbstractFormat,
    Amiss,
    number,
    numbers,
    refuse,
    sound,
    whole,
)
from homeroom.handwriting.ink import Ink, Stroke

_START = re.compile(r"\s*(?://[^\n]*\n\s*)*WORD[ \t]")
_TRY = re.compile(r"-\d+$")


class Uji(AbstractFormat):
    """Letters as ``WORD``, ``NUMSTROKES`` and ``POINTS``."""

    name: ClassVar[str] = "UJI text"
    suffixes: ClassVar[tuple[str, ...]] = (".txt", ".uji")

    def recognises(self, start: str) -> bool:
        return bool(_START.match(start))

    def read(self, text: str, amiss: Amiss = refuse) -> list[Ink]:
        lines = [
            (at, line.split())
            for at, line in enumerate(text.splitlines(), 1)
            if line.strip() and not line.lstrip().startswith("//")
        ]
        if lines and lines[0][1][0] != "WORD":
            raise InputError(f"line {lines[0][0]} must start a letter with WORD.")
        starts = [place for place, (_, words) in enumerate(lines) if words[0] == "WORD"]
        spans = pairwise([*starts, len(lines)])
        return sound((partial(_ink, lines[start:end]) for start, end in spans), amiss)

    def write(self, inks: Sequence[Ink]) -> Iterator[str]:
        tries: Counter[tuple[str, str | None]] = Counter()
        for ink in inks:
            letter, writer = _one_word(ink.letter, "letter"), ink.writer
            tries[letter, writer] += 1
            session = f" {_one_word(writer, 'writer')}-{tries[letter, writer]:02d}"
            yield f"WORD {letter}{session if writer is not None else ''}\n"
            yield f"  NUMSTROKES {len(ink.strokes)}\n"
            for stroke in ink:
                values = " ".join(map(number, stroke.points.reshape(-1).tolist()))
                yield f"  POINTS {len(stroke)} # {values}\n"


def _one_word(word: str | None, name: str) -> str:
    """Return a name that UJI text can hold."""
    if word is None and name == "writer":
        return ""
    if word is None or " " in word:
        raise InputError(
            f"UJI text needs every {name} as one word, but has {word!r}: write .jsonl instead."
        )
    return word


def _ink(lines: list[tuple[int, list[str]]]) -> Ink:
    (at, head), *rest = lines
    if len(head) not in (2, 3):
        raise InputError(f"line {at} must be WORD, the letter and the session.")
    if not rest or rest[0][1][0] != "NUMSTROKES" or len(rest[0][1]) != 2:
        raise InputError(f"line {at} must be followed by NUMSTROKES and their number.")
    announced = whole(rest[0][1][1], f"NUMSTROKES in line {rest[0][0]}")
    if len(rest) - 1 != announced:
        raise InputError(
            f"line {rest[0][0]} announces {counted(announced, 'stroke')}, "
            f"but {len(rest) - 1} follow."
        )
    writer = _TRY.sub("", head[2]) if len(head) == 3 else None
    try:
        return Ink(tuple(_stroke(*line) for line in rest[1:]), letter=head[1], writer=writer)
    except ValueError as reason:
        raise InputError(f"the letter in line {at}: {reason}") from None


def _stroke(at: int, words: list[str]) -> Stroke:
    if words[0] != "POINTS" or len(words) < 3 or words[2] != "#":
        raise InputError(f"line {at} must be POINTS, their number, #, and the numbers themselves.")
    announced = whole(words[1], f"POINTS in line {at}")
    values = numbers(words[3:], f"line {at}")
    if len(values) != 2 * announced:
        raise InputError(
            f"line {at} announces {counted(announced, 'point')}, an x and a y each, "
            f"but has {len(values)} numbers."
        )
    return Stroke(values.reshape(-1, 2))
