"""The most typical of many letters: a model from a class's, a teacher's or adults' own hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from homeroom.handwriting.ink import Ink
from homeroom.handwriting.letters import model_from
from homeroom.handwriting.scores.checks import letters
from homeroom.handwriting.scores.tracing import POINTS, lines, standard, traced


def typical(inks: Sequence[Ink]) -> Ink:
    """Return the letter that is most like the others, as a model.

    It is one of the letters as it was written, the one whose median likeness to all is greatest:
    a mean would have nobody's form, and a few odd ones do not matter. Place, size and turn do not
    count.

    Examples
    --------
    >>> from homeroom.handwriting.generators import generate
    >>> tries = generate("f", 20, distortion=(0.0, 0.6), rotation=0)
    >>> from homeroom.handwriting.scores import score
    >>> score(typical(tries), "f").distortion < 0.3
    True
    """
    checked = letters(inks)
    counts = np.array([POINTS])
    points, _ = standard(traced([lines(ink, joined=True) for ink in checked], counts))
    alike = np.abs(points.conj().T @ points)
    return model_from(checked[int(np.median(alike, axis=0).argmax())])
