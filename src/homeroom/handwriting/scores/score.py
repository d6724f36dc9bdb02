"""Score how well a letter is written: three defects, inspired by the BHK. Not a diagnosis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from homeroom._arrays import Floats
from homeroom._checks import InputError, InputTypeError
from homeroom.handwriting.ink import Ink
from homeroom.handwriting.letters import model_from, model_letter
from homeroom.handwriting.scores.reading import Reading, read
from homeroom.handwriting.scores.registration import (
    TRACE_POINTS,
    standardise,
    stroke_lines,
    trace_letters,
)
from homeroom.handwriting.scores.scales import tremor_share

DOT_REASON = "is a single dot: the pen never moves, so there is no form to compare with a model"


def as_letters(inks: Any) -> list[Ink]:
    """Return the letters as a list; dots are allowed."""
    if isinstance(inks, Ink):
        raise InputTypeError("`inks` must be a list of letters, but is one letter: write [ink].")
    found = list(inks)
    for ink in found:
        if not isinstance(ink, Ink):
            raise InputTypeError(f"`inks` must contain Ink objects, but has {type(ink).__name__}.")
    return found


def scorable_letters(inks: Any) -> list[Ink]:
    """Return the letters as a list; refuse a letter in which the pen never moves."""
    found = as_letters(inks)
    if not found:
        raise InputError("`inks` must contain at least one letter, but is empty.")
    for at, ink in enumerate(found):
        if not has_line(ink):
            which = "" if len(found) == 1 else f" number {at}, counted from 0,"
            raise InputError(f"The letter{which} {DOT_REASON}. Leave it out.")
    return found


def as_model(asked: Any) -> Ink:
    """Return the model, given as ink or as the name of a shipped letter."""
    if isinstance(asked, str):
        return model_letter(asked)
    if not isinstance(asked, Ink):
        raise InputTypeError(
            f"`model` must be an Ink or the name of a letter, as in score(ink, 'f'), but is "
            f"{asked!r}."
        )
    if not has_line(asked):
        raise InputError("`model` is a single dot: nothing can be compared with it.")
    return asked


def has_line(ink: Ink) -> bool:
    """Return whether a stroke has two different points."""
    return any(len(stroke) > 1 and np.ptp(stroke.points, axis=0).any() for stroke in ink)


UNRECOGNISABLE = 0.35
"""The distance from the model, in RMS radii, beyond which a letter is barely recognisable."""

FEATURES = ("distortion", "rotation", "shakiness")
"""The names of the three scores, in order."""


@dataclass(frozen=True)
class Scores:
    """How much a letter differs from its model: 0 is as in the model, 1 is the worst.

    The scores are inspired by features of the BHK, a scale for children's handwriting. They are not
    a diagnosis: they describe the appearance of a single letter.

    Parameters
    ----------
    distortion
        The error of the form, independent of place, size, slant, width and rotation.
    rotation
        The rotation, as a fraction of 45 degrees.
    shakiness
        The tremor of the line.
    angle
        The rotation in degrees, positive to the right.
    slant
        The slant of the downstrokes relative to the model, in degrees, positive to the right.
    mirrored
        Whether it is in mirror writing; the scores are then those of its mirror image.
    reversed
        Whether it, or one of its strokes, was written from its end to its start.
    tremor
        The fraction of 4 to 12 hertz in the pen's movement; ``None`` without suitable times.
    note
        A remark in a sentence; usually empty.
    """

    distortion: float
    rotation: float
    shakiness: float
    angle: float
    slant: float
    mirrored: bool = False
    reversed: bool = False
    tremor: float | None = None
    note: str = ""

    @property
    def vector(self) -> Floats:
        """The three scores as an array, in the order of ``FEATURES``."""
        return np.array([self.distortion, self.rotation, self.shakiness])

    @property
    def average(self) -> float:
        """The mean of the three."""
        return (self.distortion + self.rotation + self.shakiness) / 3.0


def score(ink: Ink, model: Ink | str) -> Scores:
    """Return the scores of a letter relative to a model, or to a shipped letter by name.

    Examples
    --------
    >>> from homeroom.handwriting.generators import generate
    >>> from homeroom.handwriting.letters import model_letter
    >>> score(model_letter("f"), "f").average
    0.0
    >>> turned = generate("f", rotation=20, distortion=0, shakiness=0, shear=0)[0]
    >>> found = score(turned, "f")
    >>> round(found.angle), round(found.rotation, 2)
    (20, 0.45)
    """
    return score_each([ink], model)[0]


def score_each(inks: Sequence[Ink], model: Ink | str) -> list[Scores]:
    """Return the full scores of many letters."""
    letters = scorable_letters(inks)
    found = read(letters, as_model(model))
    return [_scores(ink, found, i) for i, ink in enumerate(letters)]


def score_all(inks: Sequence[Ink], model: Ink | str) -> Floats:
    """Return distortion, rotation and shakiness of many letters, shape ``(letters, 3)``.

    About 0.2 ms per letter.

    >>> from homeroom.handwriting.generators import generate
    >>> score_all(generate("a", 3, rotation=(-40, 40)), "a").shape
    (3, 3)
    """
    return read(scorable_letters(inks), as_model(model)).table


def _scores(ink: Ink, found: Reading, i: int) -> Scores:
    distortion, rotation, shakiness = found.table[i].tolist()
    return Scores(
        distortion,
        rotation,
        shakiness,
        float(np.degrees(found.turn[i])),
        float(np.degrees(np.arctan(found.shear[i]))),
        bool(found.mirrored[i]),
        bool(found.backwards[i]),
        tremor_share(ink),
        _note(found, i),
    )


def _note(found: Reading, i: int) -> str:
    if found.form[i] > UNRECOGNISABLE:
        return "This does not look like the model: is it another letter, or another style?"
    mirrored, backwards = found.mirrored[i], found.backwards[i]
    if mirrored and backwards:
        return "This is mirror writing, traced from its end to its start."
    if mirrored:
        return "This is mirror writing: the scores are those of its mirror image."
    if backwards:
        return (
            "This was traced from its end to its start: it looks right, but was written backwards."
        )
    return ""


def typical(inks: Sequence[Ink]) -> Ink:
    """Return the most typical of many letters, as a model.

    It is one of the given letters, the one with the greatest median similarity to all: unlike a
    mean, it has a real form, and a few outliers do not matter. Place, size and rotation do not
    count.

    Examples
    --------
    >>> from homeroom.handwriting.generators import generate
    >>> tries = generate("f", 20, distortion=(0.0, 0.6), rotation=0)
    >>> from homeroom.handwriting.scores import score
    >>> score(typical(tries), "f").distortion < 0.3
    True
    """
    checked = scorable_letters(inks)
    counts = np.array([TRACE_POINTS])
    points, _ = standardise(
        trace_letters([stroke_lines(ink, joined=True) for ink in checked], counts)
    )
    alike = np.abs(points.conj().T @ points)
    return model_from(checked[int(np.median(alike, axis=0).argmax())])
