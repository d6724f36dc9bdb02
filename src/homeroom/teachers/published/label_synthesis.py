"""Teaching by label synthesis, greedy version (LAST).

W. Liu, Z. Liu, H. Wang, L. Paull, B. Schölkopf, A. Weller: *Iterative Teaching by Label Synthesis*,
NeurIPS 2021, section 4. Inputs are drawn at random; the teacher chooses only the labels. With the
squared loss a student moves by ``-eta (<w, x> - y) x``, and the class's mean squared distance is
smallest for

    y = (mean(eta^2 <w, x>) |x|^2 - mean(eta <e, x>)) / (mean(eta^2) |x|^2),     e = w - w*

For one student this removes the whole part of ``e`` along ``x``: ``|e|^2`` falls by
``<e, x>^2 / |x|^2``, in expectation by the factor ``1 - lambda_min(E[x x' / |x|^2])`` per round,
which is ``1 - 1 / d`` for directions drawn from a sphere. The test measures this rate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Floats
from homeroom.classroom import Example
from homeroom.learners.losses import list_labels
from homeroom.moments import Observation
from homeroom.teachers.baselines import RandomTeacher
from homeroom.teachers.candidates import mean_distances
from homeroom.teachers.published.pool_items import AbstractPoolTeacher, measure_scores

LABELS = 65
"""How many labels are compared if they are real numbers and the best has no closed form."""


@dataclass(frozen=True)
class LabelSynthesisTeacher(AbstractPoolTeacher):
    """Shows a random example with the label after which the class is closest to the target.

    If labels are classes, it is the best class.

    Parameters
    ----------
    pool
        The pool to draw from; any direction unless given.
    """

    def choose(self, seen: Observation, rng: np.random.Generator) -> Example:
        drawn = RandomTeacher(self.pool).choose(seen, rng)
        return seen.example(drawn.x, item=drawn.item, label=choose_label(seen, drawn.x))


def choose_label(seen: Observation, x: Floats) -> float:
    """Return the label after which the class is closest to the target, O(students * dimensions)."""
    if seen.loss.is_quadratic:
        states, rates = _arrays.to_host(seen.states), _arrays.to_host(seen.rates)
        scores = states @ x
        squares = rates * rates * float(x @ x)
        return float((squares @ scores - rates @ (scores - seen.target @ x)) / squares.sum())
    labels = list_labels(seen.loss)
    if labels is None:
        scores = measure_scores(_arrays.to_host(seen.states), x[None, :], seen.loss.outputs)
        right = float(seen.labels(x))
        reach = max(float(np.abs(scores - right).max()), 1e-9)
        labels = right + reach * np.linspace(-2.0, 2.0, LABELS)
    distances = mean_distances(seen, np.tile(x, (len(labels), 1)), labels)
    return float(labels[distances.argmin()])
