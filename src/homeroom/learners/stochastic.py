"""Students whose rate is different every time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array
from homeroom._checks import not_negative, yes_or_no
from homeroom.classroom import project
from homeroom.learners.base import AbstractLearner, Step, gradients
from homeroom.learners.losses import AbstractLoss, loss_of


@dataclass(frozen=True, init=False)
class StochasticRateLearner(AbstractLearner):
    """Students who draw a new rate for every example, ``rate_j^t ~ N(rate_j, sigma^2)``.

    Section 4.2 of the paper. A normal law also gives negative rates, with which a student moves the
    wrong way; they are used as they come (the record counts them) unless ``clip`` is set.

    Parameters
    ----------
    sigma
        The standard deviation of the rates, the same for everybody.
    loss, classes
        As for :class:`GradientLearner`.
    clip
        Take zero instead of a negative rate.

    Examples
    --------
    >>> learner = StochasticRateLearner(sigma=0.1)
    >>> step = learner.step(
    ...     np.array([[1.0, 1.0]]),
    ...     np.array([0.5]),
    ...     np.array([1.0, 0.0]),
    ...     np.array(0.0),
    ...     state_radius=np.inf,
    ...     rng=np.random.default_rng(0),
    ... )
    >>> step.rates.round(3)
    array([0.513])
    """

    sigma: float
    loss: AbstractLoss
    clip: bool

    def __init__(
        self,
        sigma: float,
        loss: AbstractLoss | Callable[[Array, Array], Array] | str = "squared",
        classes: int | None = None,
        *,
        clip: bool = False,
    ) -> None:
        object.__setattr__(self, "sigma", not_negative(sigma, "sigma", example="0.05"))
        object.__setattr__(self, "loss", loss_of(loss, classes))
        object.__setattr__(self, "clip", yes_or_no(clip, "clip"))

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
        drawn = rates + _arrays.beside(self.sigma * rng.standard_normal(rates.shape), rates)
        if self.clip:
            drawn = _arrays.namespace(drawn).maximum(drawn, 0.0 * drawn)
        moves = drawn[:, None] * gradients(states, x, y, self.loss)
        return Step(project(states - moves, state_radius), drawn)
