"""How well a letter is written: three defects against a model, BHK-inspired, and no diagnosis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from homeroom._arrays import Floats
from homeroom.handwriting.ink import Ink
from homeroom.handwriting.scores import checks
from homeroom.handwriting.scores.band import tremor_share
from homeroom.handwriting.scores.reading import Reading, read

LOST = 0.35
"""How far the line may be from the model's, in RMS radii, before it is hardly that letter."""

FEATURES = ("distortion", "rotation", "shakiness")
"""What is scored, in order."""


@dataclass(frozen=True)
class Scores:
    """How far a letter is from its model: 0 is as in the model, 1 as bad as it gets.

    They are inspired by features of the BHK, a scale for children's handwriting, and are no
    diagnosis: of one letter, and of its look only.

    Parameters
    ----------
    distortion
        How wrong its form is, whatever its place, size, slant, width and turn.
    rotation
        How far it is turned: the share of 45 degrees.
    shakiness
        How much its line trembles.
    angle
        The turn in degrees, positive to the right.
    slant
        The lean of its downstrokes in degrees beyond the model's, positive to the right.
    mirrored
        Whether it is in mirror writing; the scores are then of its mirror image.
    reversed
        Whether it, or one of its strokes, was written from its end to its start.
    tremor
        The share of 4 to 12 hertz in the pen's movement, ``None`` where times do not tell.
    note
        What else is to be said, in a sentence; mostly nothing.
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
    """Return how well a letter is written, against a model or a shipped letter's name.

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
    """Return the scores of many letters, with all that is said of each."""
    letters = checks.letters(inks)
    found = read(letters, checks.model(model))
    return [_scores(ink, found, i) for i, ink in enumerate(letters)]


def score_all(inks: Sequence[Ink], model: Ink | str) -> Floats:
    """Return distortion, rotation and shakiness of many letters, shape ``(letters, 3)``.

    About 0.2 ms a letter.

    >>> from homeroom.handwriting.generators import generate
    >>> score_all(generate("a", 3, rotation=(-40, 40)), "a").shape
    (3, 3)
    """
    return read(checks.letters(inks), checks.model(model)).table


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
    if found.form[i] > LOST:
        return (
            "This does not look like the model: is it another letter, or another way to write it?"
        )
    mirrored, backwards = found.mirrored[i], found.backwards[i]
    if mirrored and backwards:
        return "This is mirror writing, and traced from its end to its start."
    if mirrored:
        return "This is mirror writing: the scores are of its mirror image."
    if backwards:
        return (
            "This was traced from its end to its start: it looks right, but was written backwards."
        )
    return ""
