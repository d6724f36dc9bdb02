"""Was a letter written backwards, in mirror writing, or with its strokes in another order?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations, product

import numpy as np
import numpy.typing as npt

from homeroom._arrays import Floats, Ints
from homeroom.handwriting.scores.frame import Frame
from homeroom.handwriting.scores.tracing import Points, standard, traced

UPRIGHT = np.radians(75.0)
"""How far a letter may be turned before that alone speaks against a way to read it."""

CLEARLY = 0.45
"""A letter is read in an unusual way if that leaves less than this share of the difference."""


SUSPECT = 0.06
"""Letters of one stroke that differ less are read in the usual way without ado; of two, half of
it, as one of them may be short."""


@dataclass(frozen=True)
class Way:
    """One way to read a letter: its strokes in which order, which of them backwards, mirrored."""

    order: tuple[int, ...]
    backwards: tuple[bool, ...]
    mirrored: bool

    @property
    def reversed(self) -> bool:
        """Whether any stroke was written from its end to its start."""
        return any(self.backwards)

    def read(self, strokes: Sequence[Points]) -> list[Points]:
        """Return the strokes in the usual order and direction; a mirror image stays one."""
        return [
            strokes[k][::-1] if back else strokes[k]
            for k, back in zip(self.order, self.backwards, strict=True)
        ]


def ways(strokes: int) -> list[Way]:
    """Return the ways to read a letter of so many strokes: first the usual one, last mirror images.

    Of more than two strokes, only all of them together are read backwards.
    """
    usual = tuple(range(strokes))
    if strokes <= 2:
        written = list(product(permutations(usual), product((False, True), repeat=strokes)))
    else:
        written = [(usual, (False,) * strokes), (usual[::-1], (True,) * strokes)]
    return [Way(*way, mirrored) for mirrored in (False, True) for way in written]


def best_ways(letters: Sequence[Sequence[Points]], frame: Frame) -> tuple[list[Way], Ints, Points]:
    """Return the ways, which of them suits each letter, and the letters' points read that way.

    An unusual way must suit clearly better than the usual one. Of those that do, a backward one
    is preferred to a mirrored one of about the same likeness: it looks right, after all.
    """
    every = ways(len(frame.counts))
    points = traced(letters, frame.counts)
    best = np.zeros(len(letters), dtype=np.int64)
    rest = _difference(points, frame)
    odd = np.flatnonzero(rest > SUSPECT / len(frame.counts))
    if len(odd):
        reads = _reads([letters[i] for i in odd.tolist()], every, frame)
        best[odd] = _clearest(np.stack([_difference(read, frame) for read in reads]), every)
        points[:, odd] = reads[best[odd], :, np.arange(len(odd))].T
    return every, best, points


def _reads(letters: Sequence[Sequence[Points]], every: Sequence[Way], frame: Frame) -> Points:
    """Return the letters' points in every way to read them, ``(ways, points, letters)``."""
    written = [
        traced([way.read(letter) for letter in letters], frame.counts)
        for way in every
        if not way.mirrored
    ]
    return np.stack([*written, *(-points.conj() for points in written)])


def _clearest(rest: Floats, every: Sequence[Way]) -> Ints:
    """Return the best way for each letter, given what each way leaves of the difference."""
    price = np.array([0.0] + [0.02 * (1 + way.mirrored) for way in every[1:]])
    best = (rest + price[:, None]).argmin(axis=0)
    least = np.take_along_axis(rest, best[None], axis=0)[0]
    return np.where(least < CLEARLY * rest[0], best, 0)


def _difference(points: Points, frame: Frame) -> Floats:
    """Return how much of each letter is no turned and scaled model, from 0 to 1."""
    found, _ = standard(points)
    inner = (frame.points.conj()[:, None] * found).mean(axis=0)
    turned = np.maximum(0.0, np.abs(np.angle(inner)) - UPRIGHT)
    alike = np.abs(inner) * np.cos(turned)
    rest: Floats = 1.0 - np.maximum(0.0, alike) ** 2
    return rest


def told(best: Ints, every: Sequence[Way], name: str) -> npt.NDArray[np.bool_]:
    """Return for each letter whether its way is mirrored, or reversed."""
    return np.array([getattr(way, name) for way in every])[best]
