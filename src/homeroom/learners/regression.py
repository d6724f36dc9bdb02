"""Students who fit all examples so far again after each one: ridge regression.

Labels of classes become numbers: ``margin * y`` for ``y`` -1 or +1, and with several outputs
``margin (onehot - 1 / K)``. Real labels are used as they are. Check: ridge regression from scratch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array
from homeroom._checks import positive
from homeroom.classroom import Classroom, Example
from homeroom.learners.learners import (
    AbstractLearner,
    Step,
    arrays_of,
    outer_products,
    scores_of,
)
from homeroom.learners.losses import AbstractLoss, LossLike, example_width, list_labels


@dataclass(frozen=True, init=False)
class RidgeLearner(AbstractLearner):
    """Students who fit all examples so far again after each one (ridge regression).

    ``w = argmin sum_i (<w, x_i> - y_i)^2 + |w - w_0|^2 / rate``, with ``w_0`` the state at the
    start. The memory of a student is ``(sum_i x_i x_i' + I / rate)^-1``, which each example updates
    (Sherman and Morrison): O(students * dimensions^2) per round.

    Parameters
    ----------
    loss, classes
        Which labels there are, as for :class:`GradientLearner`.
    margin
        The number that the label of a class stands for.

    Examples
    --------
    >>> from homeroom import Classroom, GradientLearner, teach
    >>> room = Classroom.sample(students=20, dimensions=5)
    >>> [teach(room, learner=learner).rounds for learner in (GradientLearner(), RidgeLearner())]
    [20, 63]
    """

    loss: AbstractLoss
    margin: float

    def __init__(
        self,
        loss: LossLike = "squared",
        classes: int | None = None,
        margin: float = 1.0,
    ) -> None:
        self._set(loss=loss, classes=classes, margin=positive(margin, "margin", example="1"))

    def begin(self, room: Classroom) -> Array:
        identity = _arrays.like(np.eye(example_width(room, self.loss)), room.states)
        return room.rates[:, None, None] * identity[None, :, :]

    def step(
        self, states: Array, rates: Array, memory: Any, example: Example, rng: np.random.Generator
    ) -> Step:
        x, y = arrays_of(example, states)
        # With the memory P: gain = Px / (1 + x'Px), and P <- P - gain (Px)'.
        towards = memory @ x
        gain = towards / (1.0 + towards @ x)[:, None]
        off = residuals(self.loss, states, x, y, self.margin)
        spread = memory - gain[:, :, None] * towards[:, None, :]
        return Step(states - outer_products(off, gain), rates, spread)


def residuals(loss: AbstractLoss, states: Array, x: Array, y: Array, margin: float) -> Array:
    """Return score minus label, shape ``(students, outputs)``.

    The label of a class is the number that the module docstring states.
    """
    scores = scores_of(states, x)
    if list_labels(loss) is None:
        return scores - y
    outputs = scores.shape[1]
    if outputs == 1:
        return scores - margin * y
    numbers = _arrays.like(np.arange(1.0, outputs + 1.0), states)
    onehot = _arrays.namespace(states).astype(y == numbers, states.dtype)
    return scores - margin * (onehot - 1.0 / outputs)
