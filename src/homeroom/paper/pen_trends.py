"""Do the letters of a lesson get better? How their scores go from the first rounds to the last."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from homeroom._arrays import Floats
from homeroom.handwriting.generators import KINDS
from homeroom.handwriting.scores import FEATURES
from homeroom.paper.drawing import column, where
from homeroom.paper.figure import Rows

FEWEST = 6
"""Of a shorter lesson nobody can say how it goes."""


@dataclass(frozen=True)
class Trend:
    """How one defect goes over lessons of the same kind.

    Parameters
    ----------
    first, last
        Its mean in the first and in the last third of the rounds.
    order
        The rank correlation with the round, mean over lessons; below zero it falls.
    half
        Half the width of its 95 % confidence interval; ``None`` for a single lesson.
    share
        Its mean over all rounds, as a part of what is usual in the pool.
    """

    first: float
    last: float
    order: float
    half: float | None
    share: float

    @property
    def falls(self) -> bool:
        """Whether it falls: from third to third, and by rank, with 97.5 % confidence if it can."""
        return self.last < self.first and self.order + (self.half or 0.0) < 0

    def __str__(self) -> str:
        width = ", one class, no interval" if self.half is None else f" ± {self.half:.2f}"
        return f"{self.first:.2f} to {self.last:.2f} (ρ {self.order:+.2f}{width})"


def lessons_of(rows: Rows, who: str) -> list[Rows]:
    """Return the lessons for somebody, one for each class and letter, in their order."""
    own = where(rows, who=who)
    keys = dict.fromkeys((row["letter"], row["seed"]) for row in own)
    return [where(own, letter=letter, seed=seed) for letter, seed in keys]


def trend(lessons: Sequence[Rows], defect: str) -> Trend:
    """Return how a defect goes over some lessons, each of six rounds at least."""
    found = np.array([_of_one(lesson, defect) for lesson in lessons])
    first, last, order, share = found.mean(axis=0).tolist()
    half = None
    if len(found) > 1:
        quantile = float(stdtrit(len(found) - 1, 0.975))
        half = quantile * float(found[:, 2].std(ddof=1)) / math.sqrt(len(found))
    return Trend(first, last, order, half, share)


def _of_one(lesson: Rows, defect: str) -> tuple[float, float, float, float]:
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
    """Return Spearman's correlation of values with their place, 0 where all are equal."""
    ranks = _ranks(values)
    places = np.arange(len(values), dtype=float)
    spread = ranks.std() * places.std()
    if spread == 0:
        return 0.0
    return float(((ranks - ranks.mean()) * (places - places.mean())).mean() / spread)


def _ranks(values: Floats) -> Floats:
    """Return the rank of each value, the mean rank for those that are equal."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    means = ends - (counts + 1) / 2
    ranks: Floats = means[which]
    return ranks


def least_of(kind: str) -> str:
    """Return the defect that a type of handwriting does not have.

    >>> least_of("shaky+rotated")
    'distortion'
    """
    return next(defect for defect in FEATURES if defect not in KINDS[kind])
