"""Model letters: how a letter should look, from a single-line cursive font or a teacher's pen.

The shipped letters are the lower-case letters and digits of the Hershey Fonts' "script simplex".
The Hershey Fonts were originally created by Dr. A. V. Hershey while working at the U. S. National
Bureau of Standards. The format of the font data was originally created by James Hurt, Cognition,
Inc., 900 Technology Park Drive, Billerica, MA 01821 (mit-eddie!ci-dandelion!hurt).

``hershey.json`` contains the vertices of these letters from the package Hershey-Fonts 2.1.0 (MIT;
acknowledgement and licence are in the file). The package is not a dependency, because it also
installs a package called ``tests``. The font was made for plotters: few vertices on an integer
grid, and lines in any order. Here the strokes get the order that is taught in schools, and are
smoothed. A letter that a teacher draws is smoothed in the same way.
"""

from __future__ import annotations

import json
import string
from functools import cache
from importlib.resources import files

import numpy as np

from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom.handwriting.ink import Ink, Stroke
from homeroom.handwriting.resample import evenly_spaced, smooth_curve, without_tremor

LETTERS: tuple[str, ...] = tuple(string.ascii_lowercase + string.digits)
"""The letters that ship with homeroom: lower case, and the digits."""

_BASELINE = 9.0  # y of the font's baseline;
_X_HEIGHT = 9.0  # an "x" goes from there up to y = 0

_Line = list[tuple[float, float]]

# The lines of each stroke, where a stroke is not simply all lines in order.
_ORDER = {"t": "01 2", "x": "0 1", "4": "0 1", "7": "10"}

_DOT: _Line = [(3.7, -5.0), (3.4, -4.2)]


def font_strokes(letter: str) -> list[Floats]:
    """Return the strokes of a letter: the vertices of the font, baseline at y = 0, x-height 1."""
    lines = font_lines()[letter]
    ordered = _REORDERED[letter](lines) if letter in _REORDERED else _in_order(letter, lines)
    return [(np.array(line) - [0.0, _BASELINE]) / _X_HEIGHT for line in ordered]


@cache
def font_lines() -> dict[str, list[_Line]]:
    """Return the lines of each letter as in the font, on its integer grid."""
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
    *before, leave = lines  # the bowl returns along the line on which the pen then leaves
    return [[vertex for line in [*before, leave[1:0:-1], leave] for vertex in line]]


def _bar_last(lines: list[_Line]) -> list[_Line]:
    return [lines[0][1:], lines[0][1::-1]]


def _counterclockwise(lines: list[_Line]) -> list[_Line]:
    ring, tail = lines[0][:15], lines[0][15:]  # the font draws the ring clockwise
    return [[*ring[::-1], ring[-1], *tail]]


_REORDERED = {
    "i": _dot_last,
    "j": _dot_last,
    "p": _bowl_then_exit,
    "s": _bowl_then_exit,
    "5": _bar_last,
    "9": _counterclockwise,
}


_SPACING = 0.02  # between two points of a model letter, in x-heights


def model_letter(letter: str) -> Ink:
    """Return a shipped letter as a model: x-height 1, baseline at y = 0, no times.

    Its strokes are in the order of writing, with a distance of 0.02 between points.

    Examples
    --------
    >>> model_letter("f")
    Ink('f', 1 stroke, 442 points)
    >>> ", ".join(letter for letter in LETTERS if len(model_letter(letter).strokes) > 1)
    'i, j, t, x, 4, 5'
    """
    if letter not in LETTERS:
        raise InputError(
            f"`letter` must be one of {''.join(LETTERS)}, but is {str(letter)[:40]!r}. "
            "For any other letter, draw it yourself: model_from(ink)."
        )
    return _shipped(letter)


@cache
def _shipped(letter: str) -> Ink:
    curves = (smooth_curve(line) for line in font_strokes(letter))
    return Ink(tuple(Stroke(evenly_spaced(curve, _SPACING)) for curve in curves), letter=letter)


def model_from(ink: Ink) -> Ink:
    """Return a drawn letter as a model: smooth, with evenly spaced points, without times.

    The tremor of a hand or a mouse is smoothed: details below about a twentieth of the x-height.
    A letter that homeroom ships gets the height and the place of the shipped one; any other gets
    height 1 and stands on the baseline.

    Examples
    --------
    >>> from homeroom.handwriting import Stroke
    >>> plus = Ink((Stroke([[0, 5], [10, 5]]), Stroke([[5, 0], [5, 10]])), letter="+")
    >>> model_from(plus)
    Ink('+', 2 strokes, 102 points)
    """
    low, high = ink.points.min(axis=0), ink.points.max(axis=0)
    size = high[1] - low[1] or high[0] - low[0]
    if not size > 0:
        raise InputError(
            "A letter must have at least two different points, but in this one the pen never moves."
        )
    top, bottom = _frame(ink.letter)
    scale = (bottom - top) / size
    moved = ink.moved(scale * np.eye(2), [0.0, bottom] - scale * np.array([low[0], high[1]]))
    strokes = tuple(Stroke(without_tremor(stroke.points, _SPACING)) for stroke in moved)
    return Ink(strokes, letter=ink.letter, writer=ink.writer)


def _frame(letter: str | None) -> tuple[float, float]:
    """Return the top and the bottom of a model of this letter."""
    if letter not in LETTERS:
        return -1.0, 0.0
    heights = _shipped(letter).points[:, 1]
    return float(heights.min()), float(heights.max())
