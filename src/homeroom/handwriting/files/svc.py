"""``.svc``: one recording of a Wacom tablet, as research on handwriting keeps it.

The first line is how many samples there are, and each line after it is one of them: x, y, the
time in milliseconds, whether the pen touches (1) or hovers (0), azimuth, altitude and pressure. The
two angles are not read; y grows upwards. The whole recording is one ink, in a file that may be
named after its letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import ClassVar

import numpy as np

from homeroom._checks import InputError
from homeroom._words import counted
from homeroom.handwriting.files.base import (
    AbstractFormat,
    Amiss,
    Draft,
    Trace,
    finished,
    number,
    numbers,
    refuse,
    thousands,
    thousandths,
    whole,
)
from homeroom.handwriting.ink import Ink, Stroke

_NUMBER = r"[-+]?[\d.]+(?:[eE][-+]?\d+)?"
_START = re.compile(rf"\s*\d+[ \t]*\r?\n\s*(?:{_NUMBER}[ \t]+){{3}}[01]\b")


class Svc(AbstractFormat):
    """A count, then ``x y time touching azimuth altitude pressure`` on each line."""

    name: ClassVar[str] = ".svc"
    suffixes: ClassVar[tuple[str, ...]] = (".svc",)
    y_up: ClassVar[bool] = True
    letter_from_name: ClassVar[bool] = True

    def recognises(self, start: str) -> bool:
        return bool(_START.match(start))

    def read(self, text: str, amiss: Amiss = refuse) -> list[Ink]:
        head, *rows = [line.split() for line in text.splitlines() if line.strip()]
        announced = whole(" ".join(head), "its first line")
        if len(rows) != announced:
            raise InputError(f"it announces {counted(announced, 'sample')}, but has {len(rows)}.")
        if {len(row) for row in rows} != {7}:
            raise InputError(
                "each sample must have x, y, time, touching, azimuth, altitude and pressure."
            )
        down = [list(some) for touching, some in groupby(rows, _touches) if touching]
        if not down:
            raise InputError("the pen never touches the paper.")
        return finished([Draft([_trace(rows) for rows in down])], amiss)

    def write(self, inks: Sequence[Ink]) -> Iterator[str]:
        if len(inks) != 1 or not inks[0].timed:
            raise InputError(
                "A .svc file holds one letter with its times; write one file for each letter, "
                "or .jsonl for all of them."
            )
        lines = [line for stroke in inks[0] for line in _lines(stroke)]
        yield f"{len(lines)}\n"
        yield "".join(f"{line}\n" for line in lines)


def _touches(row: list[str]) -> bool:
    return float(numbers(row[3:4], "the fourth column")[0]) > 0


def _trace(rows: list[list[str]]) -> Trace:
    x, y, times, _, _, _, levels = (list(column) for column in zip(*rows, strict=True))
    points = np.stack([numbers(x, "the first column"), numbers(y, "the second column")], axis=1)
    return Trace(
        points,
        thousandths(times, "the third column"),
        numbers(levels, "the last column"),
        where="a stroke",
    )


def _lines(stroke: Stroke) -> Iterator[str]:
    """Yield a line for each point, and one for the pen that leaves the paper."""
    none = np.zeros(len(stroke))
    times = none if stroke.times is None else stroke.times
    pressures = none if stroke.pressures is None else stroke.pressures
    for (x, y), time, pressure in zip(stroke.points, times, pressures, strict=True):
        place = f"{number(x)} {number(y)} {thousands(time)}"
        yield f"{place} 1 0 900 {number(pressure)}"
    yield f"{place} 0 0 900 0"
