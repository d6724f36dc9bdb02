"""How the scores of the letters change over a lesson, from the first rounds to the last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from homeroom._arrays import Floats
from homeroom.handwriting.generators import KINDS
from homeroom.handwriting.scores import FEATURES
from homeroom.paper.rows import Rows, column, interval_half_width, ranks, where

FEWEST = 6
"""A shorter lesson shows no trend."""


@dataclass(frozen=True)
class LetterTrend:
    """How one defect changes over lessons of the same kind.

    Parameters
    ----------
    first, last
        Its mean in the first and in the last third of the rounds.
    order
        The rank correlation with the round, averaged over lessons; negative if the defect falls.
    half
        Half the width of the 95 % confidence interval of ``order``; ``None`` for a single lesson.
    share
        Its mean over all rounds, as a fraction of the mean in the pool.
    """

    first: float
    last: float
    order: float
    half: float | None
    share: float

    @property
    def falls(self) -> bool:
        """Whether it falls from third to third, and by rank with 97.5 % confidence."""
        return self.last < self.first and self.order + (self.half or 0.0) < 0

    def __str__(self) -> str:
        width = ", one class, no interval" if self.half is None else f" ± {self.half:.2f}"
        return f"{self.first:.2f} to {self.last:.2f} (ρ {self.order:+.2f}{width})"


def lessons_of(rows: Rows, who: str) -> list[Rows]:
    """Return the lessons of a type or of the whole class, one per class and letter, in order."""
    own = where(rows, who=who)
    keys = dict.fromkeys((row["letter"], row["seed"]) for row in own)
    return [where(own, letter=letter, seed=seed) for letter, seed in keys]


def long_lessons(rows: Rows, who: str) -> list[Rows]:
    """Return the lessons of :func:`lessons_of` that are long enough for a trend."""
    return [lesson for lesson in lessons_of(rows, who) if len(lesson) >= FEWEST]


def trend(lessons: Sequence[Rows], defect: str) -> LetterTrend:
    """Return how a defect changes over some lessons."""
    found = np.array([_trend_of_one(lesson, defect) for lesson in lessons])
    first, last, order, share = found.mean(axis=0).tolist()
    half = interval_half_width(found[:, 2]) if len(found) > 1 else None
    return LetterTrend(first, last, order, half, share)


def _trend_of_one(lesson: Rows, defect: str) -> tuple[float, float, float, float]:
    """Return first third, last third, rank correlation and share of a defect in a lesson."""
    scores = column(lesson, defect)
    third = len(scores) // 3
    usual = column(lesson, f"usual_{defect}").mean()
    return (
        float(scores[:third].mean()),
        float(scores[-third:].mean()),
        _rank_correlation(scores),
        float(scores.mean() / usual),
    )


def _rank_correlation(values: Floats) -> float:
    """Return Spearman's correlation of values with their position, 0 if all are equal."""
    own, places = ranks(values), np.arange(len(values), dtype=float)
    spread = own.std() * places.std()
    if spread == 0:
        return 0.0
    return float(((own - own.mean()) * (places - places.mean())).mean() / spread)


def spared_defect(kind: str) -> str:
    """Return the defect that a type of handwriting does not have.

    >>> spared_defect("shaky+rotated")
    'distortion'
    """
    return next(defect for defect in FEATURES if defect not in KINDS[kind])
