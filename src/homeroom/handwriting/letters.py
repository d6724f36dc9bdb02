"""Model letters: how a letter should look, in each of its forms, or drawn by a teacher.

A letter has several *forms*, the common ways to write it: in print and in cursive, with and without
loops, in one stroke and in two. ``forms.txt`` has the strokes of each, drawn for homeroom. Two or
three joined letters, such as "nu", are a model as well: the cursive forms, written in one line.

One more cursive form of the lower-case letters and digits, the default of version 0.1, is that of
the Hershey Fonts' "script simplex".
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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from types import MappingProxyType

import numpy as np
import scipy  # its parts are imported when they are first used

from homeroom._arrays import Floats
from homeroom._checks import InputError
from homeroom.handwriting.ink import Ink, Stroke
from homeroom.handwriting.resample import evenly_spaced, smooth_curve, without_tremor

LETTERS: tuple[str, ...] = tuple(string.ascii_lowercase + string.digits)
"""The letters of the Hershey cursive, which the shipped network writes: lower case, and digits."""

HERSHEY = "cursive (Hershey)"
"""The name of the form from the Hershey Fonts, the default of the letters in ``LETTERS``."""

STYLES = ("print", "cursive")
"""The styles: the first word of the name of a form."""

_BASELINE = 9.0  # y of the font's baseline;
_X_HEIGHT = 9.0  # an "x" goes from there up to y = 0

_Line = list[tuple[float, float]]  # the vertices of a line of the font, on its grid

# The numbers of the lines in each stroke, for letters other than one stroke of all lines in order.
_ORDER = {"t": "01 2", "x": "0 1", "4": "0 1", "7": "10"}

_DOT: _Line = [(3.7, -5.0), (3.4, -4.2)]  # of an i or a j: a short line


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
    """Return the strokes of a letter: its lines, joined in the order of ``_ORDER``."""
    order = _ORDER.get(letter, "".join(map(str, range(len(lines)))))
    return [[vertex for at in stroke for vertex in lines[int(at)]] for stroke in order.split()]


def _dot_last(lines: list[_Line]) -> list[_Line]:
    return [lines[1], _DOT]  # the font draws the dot first, as a small square


def _bowl_then_exit(lines: list[_Line]) -> list[_Line]:
    *before, leave = lines  # the bowl returns along the line on which the pen then leaves
    return [[vertex for line in [*before, leave[1:0:-1], leave] for vertex in line]]


def _bar_last(lines: list[_Line]) -> list[_Line]:
    return [lines[0][1:], lines[0][1::-1]]  # the font draws the bar first


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


MOST_JOINED = 3
"""The most joined letters that are one model; more of them are a word."""

KEPT = 256
"""The number of letters and joined letters whose forms are cached: all single ones, and more."""

JOIN_GAP = 0.1
"""The space between two joined letters, in x-heights."""

_SPACING = 0.02  # between two points of a model letter, in x-heights
_GRID = 10.0  # units of forms.txt per x-height
_UMLAUTS = dict(zip("äöüÄÖÜ", "aouAOU", strict=True))
_DOTS_ABOVE, _DOTS_APART = 4.0, 4.5  # the dots of an umlaut, in units of forms.txt


def model_letter(letter: str, form: str | None = None) -> Ink:
    """Return a shipped letter as a model: x-height 1, baseline at y = 0, no times.

    Its strokes are in the order of writing, with a distance of 0.02 between points.

    Parameters
    ----------
    letter
        The letter.
    form
        The name of a form, or ``"print"`` or ``"cursive"`` for the first form in that style; by
        default the Hershey cursive, or the first form of a letter that it does not have.

    Examples
    --------
    >>> model_letter("f")
    Ink('f', 1 stroke, 442 points)
    >>> model_letter("f", "print")
    Ink('f', 2 strokes, 160 points)
    """
    known = forms_of(letter)
    if form is None:
        return next(iter(known.values()))
    if form in known:
        return known[form]
    return next(iter(select_forms(known, form).values()))


def school_letter(letter: str, style: str = "cursive") -> Ink:
    """Return the model that lessons show to a class: the first upright form in a style.

    It is a form drawn for homeroom. Letters without a cursive form, such as digits, are in print.

    >>> school_letter("f") is model_letter("f", "cursive with a loop to the right")
    True
    >>> school_letter("nu")
    Ink('nu', 1 stroke, 502 points)
    """
    drawn = {name: form for name, form in forms_of(letter).items() if name != HERSHEY}
    of_style = (form for name, form in drawn.items() if name.startswith(style))
    return next(of_style, next(iter(drawn.values())))


@lru_cache(maxsize=KEPT)
def forms_of(letter: str) -> Mapping[str, Ink]:
    """Return the shipped forms of a letter, or of joined letters, by name; the default is first.

    Examples
    --------
    >>> list(forms_of("v")), list(forms_of("nu"))
    (['cursive (Hershey)', 'print', 'print round', 'cursive'], ['cursive, joined'])
    """
    if not has_forms(letter):
        raise InputError(
            f"`letter` must be one of {''.join(ALPHABET)}, or up to {MOST_JOINED} joined letters "
            f"from a to z, but is {str(letter)[:40]!r}. For any other letter, draw it yourself: "
            "model_from(ink) (--model FILE)."
        )
    if letter not in ALPHABET:
        models = [school_letter(one) for one in letter]
        return MappingProxyType({"cursive, joined": replace(joined(models, models), letter=letter)})
    found = {HERSHEY: _hershey(letter)} if letter in LETTERS else {}
    return MappingProxyType(found | {name: _drawn(letter, name) for name in _form_lines()[letter]})


def has_forms(letter: object) -> bool:
    """Return whether homeroom ships a form of a letter, or of some joined letters.

    >>> [has_forms(one) for one in ("f", "fl", "4", "42", "flower")]
    [True, True, True, False, False]
    """
    if letter in ALPHABET:
        return True
    several = isinstance(letter, str) and 1 < len(letter) <= MOST_JOINED
    return several and set(str(letter)) <= set(string.ascii_lowercase)


def joined(inks: Sequence[Ink], models: Sequence[Ink]) -> Ink:
    """Return letters in one line: the end of each is joined to the start of the next.

    Each letter of ``inks`` has the size and the place of its model in ``models``; the widths of the
    models set the distances. Strokes after its first, such as a dot, are not part of the line.
    """
    line: list[Floats] = []
    others: list[Floats] = []
    at = 0.0
    for ink, model in zip(inks, models, strict=True):
        moved = ink.moved(np.eye(2), np.array([at - float(model.points[:, 0].min()), 0.0]))
        first, *rest = (stroke.points for stroke in moved)
        line.append(_from_height(first, line[-1][-1, 1]) if line else first)
        others += rest
        at += float(np.ptp(model.points[:, 0])) + JOIN_GAP
    whole = evenly_spaced(np.concatenate(line), _SPACING)
    return Ink(tuple(map(Stroke, (whole, *others))))


def _from_height(stroke: Floats, height: float) -> Floats:
    """Return a stroke from where its first fifth rises to ``height`` (y grows downwards)."""
    entry = stroke[: len(stroke) // 5, 1] > height
    return stroke[len(entry) if entry.all() else int(entry.argmin()) :]


def select_forms(known: Mapping[str, Ink], wanted: str | None) -> Mapping[str, Ink]:
    """Return the forms with a name, or in a style; all of them if ``wanted`` is ``None``.

    >>> list(select_forms(forms_of("v"), "print"))
    ['print', 'print round']
    """
    if wanted is None:
        return known
    if wanted not in STYLES and wanted in known:
        return {wanted: known[wanted]}
    found = {name: ink for name, ink in known.items() if name.split()[0].strip(",") == wanted}
    if not found:
        raise InputError(
            f"There is no form {str(wanted)[:60]!r} of this letter: choose a style "
            f"({', '.join(STYLES)}) or one of {'; '.join(known)}."
        )
    return found


@cache
def _hershey(letter: str) -> Ink:
    """Return the Hershey form of a letter."""
    curves = (smooth_curve(line) for line in font_strokes(letter))
    return Ink(tuple(Stroke(evenly_spaced(curve, _SPACING)) for curve in curves), letter=letter)


@cache
def _form_lines() -> dict[str, dict[str, str]]:
    """Return the strokes of each form as text, by letter and name."""
    text = files("homeroom.handwriting").joinpath("forms.txt").read_text(encoding="utf-8")
    rows = (line.split("|") for line in text.splitlines() if line and not line.startswith("#"))
    found: dict[str, dict[str, str]] = {}
    for letter, name, strokes in rows:
        found.setdefault(letter.strip(), {})[name.strip()] = strokes
    return found | {umlaut: found[base] for umlaut, base in _UMLAUTS.items()}


def _drawn(letter: str, name: str) -> Ink:
    """Return a form from ``forms.txt``, given its name."""
    lines = [_parse_stroke(text) for text in _form_lines()[letter][name].split(";")]
    if letter in _UMLAUTS:
        lines += _umlaut_dots(np.concatenate(lines))
    scale = np.array([1.0, -1.0]) / _GRID
    strokes = (Stroke(evenly_spaced(line * scale, _SPACING)) for line in lines)
    return Ink(tuple(strokes), letter=letter)


def _parse_stroke(text: str) -> Floats:
    """Return a fine line through the points of a stroke, smooth except at corners.

    ``text`` has points such as ``3,10``; a ``/`` makes the point before it a corner.
    """
    words = text.split()
    points = np.array([word.split(",") for word in words if word != "/"], dtype=np.float64)
    before = np.cumsum([word != "/" for word in words]) - 1
    corners = [int(at) for at, word in zip(before, words, strict=True) if word == "/"]
    pieces = [_spline(points[a : b + 1]) for a, b in pairwise([0, *corners, len(points) - 1])]
    return np.concatenate([pieces[0][:1], *(piece[1:] for piece in pieces)])


def _spline(points: Floats) -> Floats:
    """Return a fine cubic spline through the points; periodic if they form a ring."""
    if len(points) == 2:
        return np.linspace(points[0], points[1], 33)
    steps = np.sqrt(np.hypot(*np.diff(points, axis=0).T))  # centripetal: no loops between points
    at = np.append(0.0, np.cumsum(steps))
    ring = bool((points[0] == points[-1]).all())
    line = scipy.interpolate.CubicSpline(at, points, bc_type="periodic" if ring else "natural")
    curve: Floats = line(np.linspace(0.0, at[-1], 32 * len(points)))
    return curve


def _umlaut_dots(points: Floats) -> Iterator[Floats]:
    """Yield the two dots above a letter, as short strokes."""
    middle, top = (points[:, 0].min() + points[:, 0].max()) / 2, points[:, 1].max() + _DOTS_ABOVE
    for side in (-0.5, 0.5):
        x = middle + side * _DOTS_APART
        yield np.array([[x, top + 0.8], [x, top]])


ALPHABET: tuple[str, ...] = tuple(dict.fromkeys([*LETTERS, *_form_lines()]))
"""The letters that have a form: lower and upper case, digits, umlauts and ß."""


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
    if letter is None or not has_forms(letter):
        return -1.0, 0.0
    heights = model_letter(letter).points[:, 1]
    return float(heights.min()), float(heights.max())
