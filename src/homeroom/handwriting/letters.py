"""Model letters: how a letter should look, from a cursive single-line font or a teacher's pen.

The shipped letters are the lower-case letters and digits of the Hershey Fonts' "script simplex",
as the ``Hershey-Fonts`` package has them. The Hershey Fonts were originally created by
Dr. A. V. Hershey while working at the U. S. National Bureau of Standards. The format of the font
data was originally created by James Hurt, Cognition, Inc., 900 Technology Park Drive, Billerica,
MA 01821 (mit-eddie!ci-dandelion!hurt).

The font was made for plotters: few vertices on a grid of whole numbers, and lines in any order.
:mod:`homeroom.handwriting.hershey` puts them in the order that a school teaches; here they are
made smooth, and the same is done for a letter that a teacher draws.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from homeroom._checks import InputError
from homeroom.handwriting import hershey, smooth
from homeroom.handwriting.ink import Ink, Stroke

LETTERS: tuple[str, ...] = hershey.LETTERS
"""The letters that ship with homeroom: lower case, and the digits."""

_SPACING = 0.02  # between two points of a model letter, in x-heights


def model_letter(letter: str) -> Ink:
    """Return a shipped letter as it should be written: x-height 1, baseline at y = 0, no times.

    Its strokes are in the order in which one writes them, with a point every 0.02.

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
            "For any other, draw it yourself: model_from(ink)."
        )
    return _shipped(letter)


@cache
def _shipped(letter: str) -> Ink:
    curves = (smooth.through(line) for line in hershey.strokes(letter))
    return Ink(tuple(Stroke(smooth.evenly(curve, _SPACING)) for curve in curves), letter=letter)


def model_from(ink: Ink) -> Ink:
    """Return a letter that a teacher drew as a model: smooth, evenly dense, without times.

    The trembling of a hand or of a mouse is smoothed away: what is finer than about a twentieth
    of the x-height. A letter that also ships gets the height and the place of the shipped one; any
    other gets height 1 and stands on the baseline.

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
    strokes = tuple(Stroke(smooth.calmed(stroke.points, _SPACING)) for stroke in moved)
    return Ink(strokes, letter=ink.letter, writer=ink.writer)


def _frame(letter: str | None) -> tuple[float, float]:
    """Return the top and the bottom that a letter should have."""
    if letter not in LETTERS:
        return -1.0, 0.0
    heights = _shipped(letter).points[:, 1]
    return float(heights.min()), float(heights.max())
