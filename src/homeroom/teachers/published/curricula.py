"""Simple orders of items: easy first, hard first, and what the class is least certain about.

The *margin* of an item is how far it is from the border between answers: ``|<w, x>| / |x|``, or
with several outputs the difference between the two greatest scores. An item is easy if the
target's margin is large. Easy first and hard first go through the pool in that order, and then
again (curriculum learning: Y. Bengio, J. Louradour, R. Collobert, J. Weston, ICML 2009).
Uncertainty sampling (D. Lewis, W. Gale, SIGIR 1994) shows the item for which the students' own
margin is smallest on average. These are definitions; the tests compare them with sorted margins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from homeroom import _arrays, _checks
from homeroom._arrays import Floats
from homeroom.classroom import Example
from homeroom.moments import Observation
from homeroom.teachers.published.pool_items import AbstractItemTeacher, list_items, measure_scores


@dataclass(frozen=True)
class CurriculumTeacher(AbstractItemTeacher):
    """Shows the items of a pool in the order of their difficulty, again and again.

    Parameters
    ----------
    pool
        The items.
    order
        ``"easy"`` or ``"hard"``: which items come first.
    """

    order: str = "easy"

    def __post_init__(self) -> None:
        _checks.one_of(self.order, "order", ("easy", "hard"))

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example:
        listed = list_items(self.pool, seen)
        ease = measure_margins(seen.target[None, :], listed.xs, seen.loss.outputs)[0]
        order = np.argsort(-ease if self.order == "easy" else ease, kind="stable")
        return listed.example(seen, int(order[len(seen.shown) % len(order)]))


@dataclass(frozen=True)
class UncertaintyTeacher(AbstractItemTeacher):
    """Shows the item that the students are least certain about.

    Parameters
    ----------
    pool
        The items.
    """

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example:
        listed = list_items(self.pool, seen)
        doubt = measure_margins(_arrays.to_host(seen.states), listed.xs, seen.loss.outputs).mean(
            axis=0
        )
        return listed.example(seen, int(doubt.argmin()))


def measure_margins(states: Floats, xs: Floats, outputs: int = 1) -> Floats:
    """Return the margin of each state at each example, shape ``(states, examples)``."""
    scores = measure_scores(states, xs, outputs)
    lengths = np.sqrt((xs * xs).sum(axis=1))
    if outputs == 1:
        distances: Floats = np.abs(scores) / lengths
        return distances
    top = np.sort(scores, axis=2)[:, :, -2:]
    difference: Floats = (top[:, :, 1] - top[:, :, 0]) / lengths
    return difference
