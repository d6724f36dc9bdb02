"""Students who hold one of finitely many hypotheses, and change it when an example contradicts it.

A. Singla and others: *Near-Optimally Teaching the Crowd to Classify*, ICML 2014, section 3.
Check: STRICT, the teacher of that article, teaches them faster than random examples do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats
from homeroom._checks import positive
from homeroom.classroom import Classroom, Example
from homeroom.learners.learners import AbstractLearner, Step, scores_of
from homeroom.learners.losses import AbstractLoss, LossLike


class HypothesisMemory(NamedTuple):
    """The hypotheses, and each student's log weights for them.

    Shapes ``(hypotheses, dimensions)`` and ``(students, hypotheses)``.
    """

    hypotheses: Floats
    weights: Floats


@dataclass(frozen=True, init=False)
class HypothesisLearner(AbstractLearner):
    """Students who draw a new hypothesis when an example contradicts theirs.

    The hypotheses are the states of the class at the start, and the target. A student keeps their
    state while it answers rightly. Otherwise the next is drawn with a probability proportional to
    ``prod P(y | h, x)`` over all examples so far that ``h`` answers wrongly, with
    ``P = 1 / (1 + exp(-alpha y <h, x>))`` (with classes, a softmax).

    Parameters
    ----------
    alpha
        How surely a hypothesis is given up that an example contradicts.
    loss, classes
        Which labels there are, as for :class:`GradientLearner`.

    Examples
    --------
    >>> from homeroom import Classroom, teach
    >>> room = Classroom.sample(students=20, dimensions=3)
    >>> teach(room, teacher="random", learner=HypothesisLearner(), max_rounds=200).rounds
    20
    """

    alpha: float
    loss: AbstractLoss

    def __init__(
        self,
        alpha: float = 2.0,
        loss: LossLike = "logistic",
        classes: int | None = None,
    ) -> None:
        self._set(loss=loss, classes=classes, alpha=positive(alpha, "alpha", example="2"))

    def begin(self, room: Classroom) -> HypothesisMemory:
        target = _arrays.to_host(room.target)[None, :]
        hypotheses = np.concatenate([_arrays.to_host(room.states), target])
        return HypothesisMemory(hypotheses, np.zeros((room.students, len(hypotheses))))

    def step(
        self, states: Array, rates: Array, memory: Any, example: Example, rng: np.random.Generator
    ) -> Step:
        held, label = _arrays.to_host(states), np.asarray(example.y)
        scores = self._scores(memory.hypotheses, example)
        wrong = ~self._agree(scores, label)
        lost = np.where(wrong, log_chances(scores, label, self.alpha, self.loss.outputs), 0.0)
        weights = memory.weights + lost  # O(students * hypotheses)
        mistaken = ~self._agree(self._scores(held, example), label)
        chances = np.exp(weights - weights.max(axis=1, keepdims=True))
        limits = np.cumsum(chances, axis=1)
        draws = rng.random(len(held)) * limits[:, -1]
        drawn = (limits < draws[:, None]).sum(axis=1)
        now = np.where(mistaken[:, None], memory.hypotheses[drawn], held)
        return Step(_arrays.like(now, states), rates, HypothesisMemory(memory.hypotheses, weights))

    def _scores(self, states: Floats, example: Example) -> Floats:
        """Return the score of each state, shape ``(states,)``, or ``(states, outputs)``."""
        scores: Floats = scores_of(states, example.x)
        return scores[:, 0] if self.loss.outputs == 1 else scores

    def _agree(self, scores: Floats, label: Floats) -> np.ndarray:
        """Return whether the answer with each score is the label."""
        if self.loss.outputs == 1:
            return np.asarray(scores * label > 0.0)
        return np.asarray(scores.argmax(axis=-1) + 1 == label)


def log_chances(scores: Floats, labels: Floats, alpha: float, outputs: int = 1) -> Floats:
    """Return ``log P(label)`` of answers with these scores, ``alpha`` the sharpness.

    Two answers: ``1 / (1 + exp(-alpha y s))``; several outputs: the softmax of ``alpha s``.

    >>> log_chances(np.array([0.0, 3.0]), np.array([1.0, -1.0]), 1.0).round(2)
    array([-0.69, -3.05])
    """
    if outputs == 1:
        return -np.logaddexp(0.0, -alpha * np.sign(labels) * scores)
    sharp = alpha * scores
    top = sharp.max(axis=-1, keepdims=True)
    total = np.log(np.exp(sharp - top).sum(axis=-1)) + top[..., 0]
    places = np.broadcast_to(labels.astype(np.int64) - 1, scores.shape[:-1])
    chosen: Floats = np.take_along_axis(sharp, places[..., None], axis=-1)[..., 0] - total
    return chosen
