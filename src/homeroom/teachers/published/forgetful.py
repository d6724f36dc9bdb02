"""Teachers that predict what is forgotten: reviews at a threshold, and the greatest expected gain.

Both predict that a student recalls an item ``D`` rounds after its last review with the chance
``(1 + D / S)^-c``, and that each success doubles the strength ``S`` of the memory. ``c`` is the
``exponent``.

*Recall threshold.* Public schedulers (SuperMemo; FSRS, J. Ye and others 2022) review an item when
its predicted recall has fallen to a threshold. Check: with students who forget as is assumed,
recall at each review is at the threshold.

*Greedy.* A. Hunziker, Y. Chen, O. Mac Aodha, M. Gomez Rodriguez, A. Krause, P. Perona, Y. Yue, A.
Singla: *Teaching Multiple Concepts to a Forgetful Learner*, NeurIPS 2019. The value of a lesson is
the recall of all items, summed over the ``H`` rounds up to a horizon. The teacher shows the item
with the greatest expected gain: with the recall ``p`` now and
``V(S, D) = sum_{t=1..H} (1 + (D + t) / S)^-c``,

    gain = p V(2 S, 0) + (1 - p) V(S, 0) - V(S, D)         (V = 0 for an item never shown)

Check: brute force over all items, and over all sequences of a short horizon.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from homeroom import _checks
from homeroom._arrays import Floats, Ints
from homeroom.learners.forgetting import EXPONENT, STRENGTH, retention
from homeroom.teachers.published.reviews import AbstractReviewer, Reviews, check_share


@dataclass(frozen=True, eq=False)
class AbstractForecaster(AbstractReviewer):
    """A teacher that predicts the recall of each item; ``strength`` is that of a new memory."""

    strength: float = STRENGTH
    exponent: float = EXPONENT

    def __post_init__(self) -> None:
        super().__post_init__()
        _checks.positive(self.strength, "strength", example="4")
        _checks.positive(self.exponent, "exponent", example="0.5")

    def strengths(self, reviews: Reviews) -> Floats:
        """Return the strength of each memory: that of a new one, doubled with each success."""
        return np.asarray(self.strength * 2.0**reviews.boxes, dtype=np.float64)

    def recall(self, reviews: Reviews) -> Floats:
        """Return the predicted recall of each item: 0 if it was never shown."""
        left = retention(reviews.ages, self.strengths(reviews), self.exponent)
        return np.where(reviews.new, 0.0, left)

    def describe_plan(self, memory: Reviews | None) -> dict[str, Any] | None:
        return None if memory is None else {"recall": self.recall(memory).round(4).tolist()}


@dataclass(frozen=True)
class RecallTeacher(AbstractForecaster):
    """Shows an item again when its predicted recall has fallen to a threshold.

    Parameters
    ----------
    pool
        The items.
    share
        The share of the class that must be right for a review to count as a success.
    strength, exponent
        The assumed memory, as for :class:`~homeroom.learners.ForgettingLearner`.
    threshold
        The recall at which an item is due.
    """

    threshold: float = 0.8

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share(self.threshold, "threshold")

    def choose_item(self, reviews: Reviews) -> int:
        recall = self.recall(reviews)
        return reviews.most_urgent(1.0 - recall, ~reviews.new & (recall <= self.threshold))


@dataclass(frozen=True)
class ForgetfulGreedyTeacher(AbstractForecaster):
    """Shows the item whose review is expected to add most to the recall up to a horizon.

    Parameters
    ----------
    pool
        The items.
    share
        The share of the class that must be right for a review to count as a success.
    strength, exponent
        The assumed memory, as for :class:`~homeroom.learners.ForgettingLearner`.
    horizon
        The number of rounds over which recall counts.
    """

    horizon: int = 50

    def __post_init__(self) -> None:
        super().__post_init__()
        _checks.whole(self.horizon, "horizon", at_least=1)

    def choose_item(self, reviews: Reviews) -> int:
        return int(self.gains(reviews).argmax())

    def gains(self, reviews: Reviews) -> Floats:
        """Return the expected gain of showing each item now, O(items * horizon)."""
        recall, strengths = self.recall(reviews), self.strengths(reviews)
        without = np.where(reviews.new, 0.0, self._value(strengths, reviews.ages))
        success, failure = (self._value(s, 0 * reviews.ages) for s in (2.0 * strengths, strengths))
        gain: Floats = recall * success + (1.0 - recall) * failure - without
        return gain

    def _value(self, strengths: Floats, ages: Ints) -> Floats:
        """Return the recall of each item, summed over the horizon."""
        rounds = ages[:, None] + np.arange(1, self.horizon + 1)
        value: Floats = retention(rounds, strengths[:, None], self.exponent).sum(axis=1)
        return value
