"""Shapes: one-stroke letters with equally many points each, in a file named after the letter.

The first line is how many letters, the second how many points each; then a line for each letter,
all its x values and then all its y values. The same, with a heading before each of the three, may
begin with a reference: the letter that the others should become. It was not written by whoever
wrote them, so it is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
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

_PLAIN = re.compile(r"\s*\d+[ \t]*\r?\n\s*\d+[ \t]*\r?\n")
_HEADED = re.compile(r"\s*nb_sample:")


class Shapes(AbstractFormat):
    """All x values and then all y values of a letter on one line."""

    name: ClassVar[str] = "shapes"
    suffixes: ClassVar[tuple[str, ...]] = (".dat",)
    letter_from_name: ClassVar[bool] = True

    def recognises(self, start: str) -> bool:
        return bool(_PLAIN.match(start) or _HEADED.match(start))

    def read(self, text: str, amiss: Amiss = refuse) -> list[Ink]:
        lines = [line.split() for line in text.splitlines() if line.strip()]
        headed = lines[0] == ["nb_sample:"]
        counts, rows = _headed(lines) if headed else (lines[:2], lines[2:])
        letters, points = (whole(" ".join(words), "each of its counts") for words in counts)
        if len(rows) != letters - headed:
            raise InputError(
                f"it announces {counted(letters - headed, 'letter')}, but has {len(rows)}."
            )
        makers = (partial(_ink, words, points, at) for at, words in enumerate(rows, 1))
        return sound(makers, amiss)

    def write(self, inks: Sequence[Ink]) -> Iterator[str]:
        sizes = {len(stroke) for ink in inks for stroke in ink}
        if len(sizes) != 1 or any(len(ink.strokes) > 1 for ink in inks):
            raise InputError(
                "A .dat file holds letters of one stroke with equally many points each; resample "
                "them, Ink((Stroke(by_length(ink, 70)),)), or write .jsonl instead."
            )
        yield f"{len(inks)}\n{sizes.pop()}\n"
        for ink in inks:
            yield " ".join(map(number, ink.points.T.reshape(-1).tolist())) + "\n"


def _headed(lines: list[list[str]]) -> tuple[list[list[str]], list[list[str]]]:
    headings = [lines[at] if at < len(lines) else [] for at in (0, 2, 4)]
    if headings != [["nb_sample:"], ["nb_pts:"], ["ref:"]]:
        raise InputError("its headings must be `nb_sample:`, `nb_pts:` and `ref:`.")
    return [lines[1], lines[3]], [words for words in lines[6:] if words != ["..."]]


def _ink(words: list[str], points: int, at: int) -> Ink:
    if len(words) != 2 * points:
        raise InputError(
            f"letter {at} must have {points} x values and {points} y values, "
            f"but has {len(words)} numbers."
        )
    try:
        return Ink((Stroke(numbers(words, f"letter {at}").reshape(2, points).T),))
    except ValueError as reason:
        raise InputError(f"letter {at}: {reason}") from None
