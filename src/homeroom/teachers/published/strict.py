"""STRICT: teach by ruling out wrong hypotheses.

A. Singla, I. Bogunovic, G. Bartók, A. Karbasi, A. Krause: *Near-Optimally Teaching the Crowd to
Classify*, ICML 2014. A student holds one of finitely many hypotheses ``h``, and after the examples
``A`` it is ``h`` with a probability proportional to

    Q(h | A) = Q(h) prod P(y | h, x)  over the examples that h answers wrongly,
    P(y | h, x) = 1 / (1 + exp(-alpha y h(x)))

where ``Q(h)`` is the probability before the first example and ``h(x)`` the score of an example.

The teacher shows the example that lowers ``sum_h Q(h | A) err(h)`` most, where ``err(h)`` is the
share of the pool that ``h`` answers wrongly. Here the hypotheses are the states of the students as
they are observed in the first round. With several classes ``P`` is a softmax. Check: brute-force
greedy on 100 tiny sets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from homeroom import _arrays, _checks
from homeroom._arrays import Floats, Ints
from homeroom.classroom import Example
from homeroom.learners.hypotheses import log_chances
from homeroom.moments import Observation
from homeroom.teachers.published.pool_items import (
    AbstractItemTeacher,
    check_answers,
    list_items,
    measure_scores,
)


@dataclass(frozen=True, eq=False)
class StrictTeacher(AbstractItemTeacher):
    """Shows the item that rules out most of the wrong hypotheses that are left.

    The choice depends on the items shown so far, not on what the students answer.

    Parameters
    ----------
    pool
        The items.
    alpha
        How surely a student rules out a hypothesis that an example contradicts.
    hypotheses
        Shape ``(hypotheses, dimensions)``; the states that are observed first unless given.
    """

    alpha: float = 2.0
    hypotheses: Floats | None = None

    def __post_init__(self) -> None:
        _checks.positive(self.alpha, "alpha", example="2")

    def next(
        self, seen: Observation, memory: Floats | None, rng: np.random.Generator
    ) -> tuple[Example, Floats]:
        """Return the item that lowers the expected error most; the memory is the hypotheses."""
        hypotheses = memory
        if hypotheses is None:
            states = seen.states if self.hypotheses is None else self.hypotheses
            hypotheses = _arrays.to_host(states)
        listed, outputs = list_items(self.pool, seen), seen.loss.outputs
        scores = measure_scores(hypotheses, listed.xs, outputs)
        wrong = check_answers(scores, listed.labels, outputs) == 0.0
        evidence = np.where(wrong, log_chances(scores, listed.labels, self.alpha, outputs), 0.0)
        counts = np.bincount(listed.rows_shown(seen), minlength=len(listed.items))
        row = choose_strictly(evidence, wrong.mean(axis=1), counts)
        return listed.example(seen, row), hypotheses

    def describe_plan(self, memory: Floats | None) -> dict[str, Any] | None:
        return None if memory is None else {"hypotheses": len(memory)}


def choose_strictly(evidence: Floats, errors: Floats, counts: Ints) -> int:
    """Return the item that lowers the expected error of the hypotheses most.

    Parameters
    ----------
    evidence
        ``log P(y | h, x)`` where the hypothesis is wrong and 0 elsewhere, ``(hypotheses, items)``.
    errors
        The share of the items that each hypothesis answers wrongly, ``(hypotheses,)``.
    counts
        How often each item was shown, ``(items,)``.
    """
    left = evidence @ counts
    weights = np.exp(left - left.max()) * errors
    return int((weights @ -np.expm1(evidence)).argmax())
