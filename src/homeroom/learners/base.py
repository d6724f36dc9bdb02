"""What it takes to be a student."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array
from homeroom.learners.losses import AbstractLoss


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """What an example did to the class.

    Parameters
    ----------
    states
        The states afterwards, shape ``(students, dimensions)``.
    rates
        The rates the students used this time, shape ``(students,)``.
    """

    states: Array
    rates: Array


class AbstractLearner(ABC):
    """How students change when they are shown an example."""

    loss: AbstractLoss
    """What a wrong answer costs these students."""

    @property
    @abstractmethod
    def shrinks_gaps(self) -> bool:
        """Whether the target's own answer moves a gap by exactly ``-rate <gap, x> x``.

        True for the plain gradient step on the squared loss. Then the moments of the class can be
        kept up to date instead of rebuilt.
        """

    @abstractmethod
    def step(
        self,
        states: Array,
        rates: Array,
        x: Array,
        y: Array,
        *,
        state_radius: float,
        rng: np.random.Generator,
    ) -> Step:
        """Show an example and return the class afterwards.

        Parameters
        ----------
        states, rates
            The students, shapes ``(students, dimensions)`` and ``(students,)``; left untouched.
        x, y
            The example for everybody, shapes ``(dimensions,)`` and ``()``; or one for each student,
            shapes ``(students, dimensions)`` and ``(students,)``.
        state_radius
            States stay within this ball.
        rng
            Where chance comes from.
        """


def gradients(states: Array, x: Array, y: Array, loss: AbstractLoss) -> Array:
    """Return each student's gradient of the loss at an example, shaped like ``states``."""
    xp = _arrays.namespace(states)
    if loss.outputs == 1:
        scores = states @ x if x.ndim == 1 else xp.sum(states * x, axis=1)
        return loss.slopes(scores, y)[:, None] * x
    students, width = states.shape[0], x.shape[-1]
    vectors = xp.reshape(states, (students, loss.outputs, width))
    rows = xp.reshape(x, (-1, 1, width))
    slopes = loss.slopes(xp.sum(vectors * rows, axis=2), y)
    return xp.reshape(slopes[:, :, None] * rows, (students, loss.outputs * width))
