"""The paper's student: one projected gradient step an example."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from homeroom._arrays import Array
from homeroom.classroom import project
from homeroom.learners.base import AbstractLearner, Step, gradients
from homeroom.learners.losses import AbstractLoss, Squared, loss_of


@dataclass(frozen=True, init=False)
class GradientLearner(AbstractLearner):
    """Students who take one gradient step for each example, then stay in the ball.

    ``w <- Proj(w - rate * dloss/dw)``, section 2 of the paper.

    Parameters
    ----------
    loss
        ``"squared"``, ``"absolute"``, ``"logistic"``, ``"hinge"``, a loss object, or your own
        function ``slope(scores, labels)``.
    classes
        For ``"logistic"`` and ``"hinge"``: how many classes, with one state vector a class. Without
        it the labels are -1 and +1.

    Examples
    --------
    >>> learner = GradientLearner()
    >>> step = learner.step(
    ...     np.array([[1.0, 1.0]]),
    ...     np.array([0.5]),
    ...     np.array([1.0, 0.0]),
    ...     np.array(0.0),
    ...     state_radius=np.inf,
    ...     rng=np.random.default_rng(0),
    ... )
    >>> step.states
    array([[0.5, 1. ]])
    """

    loss: AbstractLoss

    def __init__(
        self,
        loss: AbstractLoss | Callable[[Array, Array], Array] | str = "squared",
        classes: int | None = None,
    ) -> None:
        object.__setattr__(self, "loss", loss_of(loss, classes))

    @property
    def shrinks_gaps(self) -> bool:
        return isinstance(self.loss, Squared)

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
        moves = rates[:, None] * gradients(states, x, y, self.loss)
        return Step(project(states - moves, state_radius), rates)
