"""The letters of a Hershey font, in the order in which a school teaches to write them.

``hershey.json`` holds the vertices of the font's lower-case letters and digits, as the package
Hershey-Fonts 2.1.0 has them (MIT; acknowledgement and licence are in the file). The package itself
is no dependency: it also installs a package called ``tests``, which hides other people's own.
"""

from __future__ import annotations

import json
import string
from functools import cache
from importlib.resources import files

import numpy as np

from homeroom._arrays import Floats

LETTERS: tuple[str, ...] = tuple(string.ascii_lowercase + string.digits)

_BASELINE = 9.0  # y of the font's baseline;
_X_HEIGHT = 9.0  # an "x" goes from there up to y = 0

_Line = list[tuple[float, float]]

# Which of the font's lines make up each stroke, where that is not simply all of them in order.
_ORDER = {"t": "01 2", "x": "0 1", "4": "0 1", "7": "10"}

_DOT: _Line = [(3.7, -5.0), (3.4, -4.2)]


def strokes(letter: str) -> list[Floats]:
    """Return the letter's strokes: the font's vertices, baseline at y = 0, x-height 1."""
    lines = font_lines()[letter]
    ordered = _MENDED[letter](lines) if letter in _MENDED else _in_order(letter, lines)
    return [(np.array(line) - [0.0, _BASELINE]) / _X_HEIGHT for line in ordered]


@cache
def font_lines() -> dict[str, list[_Line]]:
    """Return the lines of each letter as the font draws them, on its own grid."""
    text = files("homeroom.handwriting").joinpath("hershey.json").read_text(encoding="utf-8")
    lines = json.loads(text)["lines"]
    return {
        letter: [[(float(x), float(y)) for x, y in line] for line in of_letter]
        for letter, of_letter in lines.items()
    }


def _in_order(letter: str, lines: list[_Line]) -> list[_Line]:
    order = _ORDER.get(letter, "".join(map(str, range(len(lines)))))
    return [[vertex for at in stroke for vertex in lines[int(at)]] for stroke in order.split()]


def _dot_last(lines: list[_Line]) -> list[_Line]:
    return [lines[1], _DOT]  # the font draws the dot first, as a small square


def _bowl_then_exit(lines: list[_Line]) -> list[_Line]:
    *before, leave = lines  # the bowl goes back along the way on which the pen then leaves
    return [[vertex for line in [*before, leave[1:0:-1], leave] for vertex in line]]


def _bar_last(lines: list[_Line]) -> list[_Line]:
    return [lines[0][1:], lines[0][1::-1]]


def _against_the_clock(lines: list[_Line]) -> list[_Line]:
    ring, tail = lines[0][:15], lines[0][15:]  # the font goes around with the clock
    return [[*ring[::-1], ring[-1], *tail]]


_MENDED = {
    "i": _dot_last,
    "j": _dot_last,
    "p": _bowl_then_exit,
    "s": _bowl_then_exit,
    "5": _bar_last,
    "9": _against_the_clock,
}
