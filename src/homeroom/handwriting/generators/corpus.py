"""The corpus: letters with every knob drawn at random, to train on and to compare with."""

from __future__ import annotations

from collections.abc import Iterable

from homeroom._checks import whole
from homeroom.handwriting.generators.base import Knobs, Ranges
from homeroom.handwriting.generators.kinematic import Kinematic
from homeroom.handwriting.ink import Ink
from homeroom.handwriting.letters import LETTERS


def corpus(
    letters: Iterable[str] = LETTERS,
    per_letter: int = 100,
    seed: int = 0,
    *,
    ranges: Ranges = Ranges(),
) -> list[Ink]:
    """Return so many of each letter, written with knobs drawn evenly from ``ranges``.

    The letters come one after the other, and each from the same seed whatever the others are.

    Examples
    --------
    >>> letters = corpus("fo", per_letter=2)
    >>> [ink.letter for ink in letters], letters[0]
    (['f', 'f', 'o', 'o'], Ink('f', 1 stroke, 94 points, 1.55 s))
    """
    count = whole(per_letter, "per_letter", at_least=1)
    return [
        ink
        for letter in letters
        for ink in Kinematic().write(letter, knobs_of(letter, count, seed, ranges), seed)
    ]


def knobs_of(
    letter: str, per_letter: int = 100, seed: int = 0, ranges: Ranges = Ranges()
) -> list[Knobs]:
    """Return how so many of one letter are written in the corpus."""
    return ranges.draw(per_letter, (seed, *map(ord, letter)))
