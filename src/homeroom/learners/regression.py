"""Students who fit all examples so far again after each one: ridge regression.

Labels of classes become numbers: ``margin * y`` for ``y`` -1 or +1, and with several outputs
``margin (onehot - 1 / K)``. Real labels are used as they are. Check: ridge regression from scratch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array
from homeroom._checks import positive
from homeroom.classroom import Classroom, project
from homeroom.learners.learners import AbstractLearner, Step
from homeroom.learners.losses import AbstractLoss, example_width, known_labels, loss_of


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
        loss: AbstractLoss | Callable[[Array, Array], Array] | str = "squared",
        classes: int | None = None,
        margin: float = 1.0,
    ) -> None:
        object.__setattr__(self, "loss", loss_of(loss, classes))
        object.__setattr__(self, "margin", positive(margin, "margin", example="1"))

    independent = True

    @property
    def shrinks_gaps(self) -> bool:
        return False

    def begin(self, room: Classroom) -> Array:
        identity = _arrays.like(np.eye(example_width(room, self.loss)), room.states)
        return room.rates[:, None, None] * identity[None, :, :]

    def step(
        self,
        states: Array,
        rates: Array,
        x: Array,
        y: Array,
        *,
        state_radius: float,
        rng: np.random.Generator,
        memory: Any = None,
    ) -> Step:
        xp = _arrays.namespace(states)
        rows = xp.reshape(x, (-1, x.shape[-1]))
        # With the memory P: gain = Px / (1 + x'Px), and P <- P - gain (Px)'.
        towards = xp.sum(memory * rows[:, None, :], axis=2)
        gain = towards / (1.0 + xp.sum(towards * rows, axis=1))[:, None]
        off = residuals(self.loss, states, x, y, self.margin)
        moved = states - outer(off, gain)
        spread = memory - gain[:, :, None] * towards[:, None, :]
        return Step(project(moved, state_radius), rates, spread)


def residuals(loss: AbstractLoss, states: Array, x: Array, y: Array, margin: float) -> Array:
    """Return score minus label, shape ``(students, outputs)``.

    The label of a class is the number that the module docstring states.
    """
    xp, outputs = _arrays.namespace(states), states.shape[1] // x.shape[-1]
    vectors = xp.reshape(states, (states.shape[0], outputs, -1))
    scores = xp.sum(vectors * xp.reshape(x, (-1, 1, x.shape[-1])), axis=2)
    if known_labels(loss) is None:
        return scores - xp.reshape(y, (-1, outputs))
    labels = xp.reshape(y, (-1, 1))
    if outputs == 1:
        return scores - margin * labels
    numbers = _arrays.like(np.arange(1.0, outputs + 1.0), states)
    onehot = xp.astype(labels == numbers, states.dtype)
    return scores - margin * (onehot - 1.0 / outputs)


def outer(off: Array, rows: Array) -> Array:
    """Return ``off x'`` of each student, shaped like states.

    ``off`` has shape ``(students, outputs)``, and the ``x`` are ``rows``: one for all, or one each.
    """
    xp = _arrays.namespace(off)
    return xp.reshape(off[:, :, None] * rows[:, None, :], (off.shape[0], -1))
