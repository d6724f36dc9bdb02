"""Learn the forms of letters from a collection: clusters of letters that are written alike.

A form is one of the given letters, as for :func:`typical`: it has a real shape, and a few outliers
do not matter. Forms are chosen one after the other. Each is the letter that is closest to all
letters that are far from the forms before it; it is kept if enough letters are written like it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path

import numpy as np

from homeroom._arrays import Floats
from homeroom._checks import InputError, counted, whole
from homeroom.handwriting.files import read_ink, write_ink
from homeroom.handwriting.ink import Ink
from homeroom.handwriting.letters import model_from
from homeroom.handwriting.scores.registration import (
    TRACE_POINTS,
    standardise,
    stroke_lines,
    trace_letters,
)
from homeroom.handwriting.scores.score import has_line, scorable_letters

MOST_FORMS = 5
"""The most forms of a letter."""

MOST_COMPARED = 1500
"""The most letters that are compared with each other; of more, an even sample is taken."""

ALIKE = 0.35
"""Distances beyond this, in RMS radii, count as equal when forms are chosen."""

LEAST_SHARE, LEAST_LETTERS = 0.05, 3
"""A form needs this fraction of the letters, and at least this many."""


def learn_forms(inks: Sequence[Ink], most: int = MOST_FORMS) -> dict[str, Ink]:
    """Return the forms of one letter, by name, the most frequent first.

    Parameters
    ----------
    inks
        Many letters, by several writers if possible.
    most
        The maximum number of forms. Every letter is counted with its nearest form, however far.

    Examples
    --------
    >>> from homeroom.handwriting import Kinematic, Ranges, model_letter
    >>> tidy = Ranges(distortion=(0, 0.2), rotation=(-5, 5), shakiness=0).draw(20)
    >>> styles = [model_letter("n", name) for name in ("print", "cursive")]
    >>> inks = [ink for style in styles for ink in Kinematic(style).write("n", tidy)]
    >>> list(learn_forms(inks))
    ['form 1 (20 of 40 letters)', 'form 2 (20 of 40 letters)']
    """
    whole(most, "most", at_least=1)
    letters = scorable_letters(inks)
    kept = [letters[i] for i in _evenly(len(letters), MOST_COMPARED)]
    apart = _distances(kept)
    medoids = _medoids(apart, most)
    counts = np.bincount(apart[medoids].argmin(axis=0), minlength=len(medoids))
    order = np.argsort(-counts, kind="stable").tolist()
    return {
        f"form {number} ({counts[at]} of {counted(len(kept), 'letter')})": model_from(
            kept[medoids[at]]
        )
        for number, at in enumerate(order, start=1)
    }


def _evenly(count: int, most: int) -> list[int]:
    """Return at most ``most`` evenly spaced indices, from 0 to ``count - 1``."""
    found: list[int] = np.unique(
        np.linspace(0, count - 1, min(count, most)).round().astype(int)
    ).tolist()
    return found


def _distances(inks: Sequence[Ink]) -> Floats:
    """Return the distance of all pairs of letters, apart from rotation and size.

    The shape is ``(letters, letters)``. It is 1 for different numbers of strokes. Cost:
    O(letters^2).
    """
    per_letter = np.array([TRACE_POINTS])
    lines = [stroke_lines(ink, joined=True) for ink in inks]
    points, _ = standardise(trace_letters(lines, per_letter))
    similarity = np.minimum(1.0, np.abs(points.conj().T @ points) / TRACE_POINTS)
    strokes = np.array([len(ink.strokes) for ink in inks])
    same = strokes[:, None] == strokes
    return np.where(same, np.sqrt(1.0 - similarity**2), 1.0)


def _medoids(apart: Floats, most: int) -> list[int]:
    """Return the indices of the letters that are the forms.

    Each reduces the sum of the distances to the nearest form the most. The first one that brings
    too few letters closer, by ``ALIKE / 4``, ends the search; there is always one form.
    """
    near = np.minimum(apart, ALIKE)
    nearest = np.full(len(apart), ALIKE)
    needed = max(LEAST_LETTERS, LEAST_SHARE * len(apart))
    found: list[int] = []
    while len(found) < most:
        gains = np.maximum(0.0, nearest - near).sum(axis=1)
        best = int(gains.argmax())
        joining = (near[best] < nearest - ALIKE / 4).sum()
        if found and joining < needed:
            break
        found.append(best)
        nearest = np.minimum(nearest, near[best])
    return found


def write_forms(forms: Mapping[str, Mapping[str, Ink]], path: str | PathLike[str]) -> None:
    """Write the forms of letters, by letter and name, to a file: each ink in it is a form."""
    write_ink(
        [
            replace(ink, letter=letter, writer=name)
            for letter, of_letter in forms.items()
            for name, ink in of_letter.items()
        ],
        path,
    )


def read_forms(path: str | PathLike[str], letter: str) -> dict[str, Ink]:
    """Return the forms of a letter in a file: each ink of the letter, named by its writer."""
    own = [ink for ink in read_ink(path) if ink.letter == letter and has_line(ink)]
    if not own:
        raise InputError(f"{Path(path)} has no form of the letter {letter!r}.")
    found: dict[str, Ink] = {}
    for number, ink in enumerate(own, start=1):
        name = ink.writer or f"form {number}"
        found[name if name not in found else f"{name} ({number})"] = model_from(ink)
    return found


def forms_by_letter(inks: Iterable[Ink], most: int = MOST_FORMS) -> dict[str, dict[str, Ink]]:
    """Return the forms of each letter in a collection, without dots and inks without a letter."""
    by_letter: dict[str, list[Ink]] = {}
    for ink in inks:
        if ink.letter is not None and has_line(ink):
            by_letter.setdefault(ink.letter, []).append(ink)
    return {letter: learn_forms(own, most) for letter, own in sorted(by_letter.items())}
