"""Students whose thoughts also wander."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array
from homeroom._checks import positive
from homeroom.classroom import project
from homeroom.learners.base import AbstractLearner, Step, gradients
from homeroom.learners.losses import AbstractLoss, loss_of


@dataclass(frozen=True, init=False)
class LangevinLearner(AbstractLearner):
    """Students who take a gradient step and then drift by chance (appendix A.2).

    ``w <- Proj(w - rate * dloss/dw + sqrt(2 rate / beta) * xi)``, ``xi`` standard normal.

    Parameters
    ----------
    beta
        Inverse temperature: the larger, the less they drift.
    loss, classes
        As for :class:`GradientLearner`.

    Examples
    --------
    >>> learner = LangevinLearner(beta=1e4)
    >>> step = learner.step(
    ...     np.array([[1.0, 1.0]]),
    ...     np.array([0.5]),
    ...     np.array([1.0, 0.0]),
    ...     np.array(0.0),
    ...     state_radius=np.inf,
    ...     rng=np.random.default_rng(0),
    ... )
    >>> step.states.round(3)
    array([[0.501, 0.999]])
    """

    beta: float
    loss: AbstractLoss

    def __init__(
        self,
        beta: float,
        loss: AbstractLoss | Callable[[Array, Array], Array] | str = "squared",
        classes: int | None = None,
    ) -> None:
        object.__setattr__(self, "beta", positive(beta, "beta", example="1e4"))
        object.__setattr__(self, "loss", loss_of(loss, classes))

    @property
    def shrinks_gaps(self) -> bool:
        return False

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
        xp = _arrays.namespace(states)
        moves = rates[:, None] * gradients(states, x, y, self.loss)
        drift = _arrays.beside(rng.standard_normal(states.shape), states)
        scale = xp.sqrt(rates * (2.0 / self.beta))[:, None]
        return Step(project(states - moves + scale * drift, state_radius), rates)
