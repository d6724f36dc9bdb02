"""To which side letters lean: the scores do not tell, but children see it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from homeroom.handwriting.ink import Ink
from homeroom.handwriting.scores import score_each

CLEARLY = 5.0
"""Degrees that children lean on average before one can speak of a side."""


def side_of(leans: Sequence[float]) -> int:
    """Return to which side some children lean on the whole: 1 right, -1 left, 0 neither.

    >>> side_of([20.0, 25.0, -3.0]), side_of([-20.0]), side_of([20.0, -20.0])
    (1, -1, 0)
    """
    mean = float(np.mean(leans))
    return 0 if abs(mean) < CLEARLY else int(np.sign(mean))


def leaning(inks: Sequence[Ink], model: Ink, side: int) -> list[Ink]:
    """Return the letters, turned so that each leans to the side as far as it leaned before.

    Its form and its line stay as they are, so its scores do. Side 0 leaves all as they are.
    """
    if side == 0 or not inks:
        return list(inks)
    angles = [one.angle for one in score_each(inks, model)]
    return [
        ink if side * angle >= 0 else _turned(ink, -2 * angle)
        for ink, angle in zip(inks, angles, strict=True)
    ]


def _turned(ink: Ink, degrees: float) -> Ink:
    """Return a letter turned about its middle, to the right."""
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    matrix = np.array([[cos, -sin], [sin, cos]])  # y grows downwards
    middle = ink.points.mean(axis=0)
    return ink.moved(matrix, middle - matrix @ middle)
