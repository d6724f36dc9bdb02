"""Simulated children with individual habits, and the corpus of random letters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from homeroom._checks import InputError, whole
from homeroom.handwriting.generators.kinematic import Kinematic
from homeroom.handwriting.generators.knobs import KNOBS, LIMITS, Knobs, Ranges
from homeroom.handwriting.ink import Ink
from homeroom.handwriting.letters import LETTERS

SPREAD: Mapping[str, float] = MappingProxyType(
    {
        "distortion": 0.05,
        "rotation": 4.0,
        "shakiness": 0.05,
        "shear": 0.04,
        "aspect": 0.05,
        "size": 0.05,
        "tempo": 0.05,
    }
)
"""The standard deviation of each knob between tries of one child."""

# The ranges of a child's average knobs: without a defect, with it, and for the style.
_GOOD = {"distortion": (0.02, 0.12), "rotation": (-4.0, 4.0), "shakiness": (0.02, 0.12)}
_POOR = {"distortion": (0.45, 0.65), "rotation": (18.0, 34.0), "shakiness": (0.45, 0.65)}
_STYLE = {"shear": (-0.15, 0.15), "aspect": (0.9, 1.1), "size": (0.85, 1.2), "tempo": (0.85, 1.15)}

KINDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "shaky+rotated": ("shakiness", "rotation"),
        "distorted+shaky": ("distortion", "shakiness"),
        "distorted+rotated": ("distortion", "rotation"),
    }
)
"""The paper's three types of children, with the two defects of each (section 6.3)."""


@dataclass(frozen=True)
class Child:
    """A simulated child: its average letter, and how much its letters vary.

    Parameters
    ----------
    name
        The writer of each of its letters.
    habits
        The average knobs of its letters.
    spread
        The variation between tries, relative to ``SPREAD``.

    Examples
    --------
    >>> child = Child.of("shaky+rotated", seed=3)
    >>> child.name, round(child.habits.rotation)
    ('shaky+rotated 3', 22)
    >>> child.write("f", tries=2)[0]
    Ink('f', 1 stroke, 77 points, 1.27 s)
    """

    name: str
    habits: Knobs
    spread: float = 1.0

    @classmethod
    def of(cls, kind: str, seed: int = 0) -> Child:
        """Return a child of one of the three types, drawn at random."""
        if kind not in KINDS:
            raise InputError(f"`kind` must be one of {', '.join(KINDS)}, but is {kind!r}.")
        poor = {name: _POOR[name] for name in KINDS[kind]}
        return cls(f"{kind} {seed}", Ranges(**(_GOOD | poor | _STYLE)).draw(1, seed)[0])

    def knobs(self, tries: int, seed: int = 0) -> list[Knobs]:
        """Return the knobs of some tries, the ground truth of :meth:`write`."""
        tries = whole(tries, "tries", at_least=1)
        rng = np.random.default_rng([whole(seed, "seed", at_least=0), *map(ord, self.name)])
        spread = self.spread * np.array([SPREAD[name] for name in KNOBS])
        draws = rng.normal(self.habits.row, spread, size=(tries, len(KNOBS)))
        low, high = np.array([LIMITS[name] for name in KNOBS]).T
        return [Knobs(*row) for row in np.clip(draws, low, high).tolist()]

    def write(self, letter: str, tries: int = 5, seed: int = 0) -> list[Ink]:
        """Return some tries of a letter, reproducible by seed."""
        inks = Kinematic().write(letter, self.knobs(tries, seed), seed)
        return [replace(ink, writer=self.name) for ink in inks]


def children(of_each: int, seed: int = 0) -> list[Child]:
    """Return ``of_each`` children of each of the three types.

    >>> [child.name for child in children(1)]
    ['shaky+rotated 0', 'distorted+shaky 0', 'distorted+rotated 0']
    """
    count = whole(of_each, "of_each", at_least=1)
    return [Child.of(kind, seed * count + number) for kind in KINDS for number in range(count)]


def corpus(
    letters: Iterable[str] = LETTERS,
    per_letter: int = 100,
    seed: int = 0,
    *,
    ranges: Ranges = Ranges(),
) -> list[Ink]:
    """Return ``per_letter`` samples of each letter, with knobs drawn uniformly from ``ranges``.

    The samples of a letter depend only on the seed, not on the other letters.

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
        for ink in Kinematic().write(letter, corpus_knobs(letter, count, seed, ranges), seed)
    ]


def corpus_knobs(
    letter: str, per_letter: int = 100, seed: int = 0, ranges: Ranges = Ranges()
) -> list[Knobs]:
    """Return the knobs of the samples of one letter in the corpus."""
    return ranges.draw(per_letter, (seed, *map(ord, letter)))
