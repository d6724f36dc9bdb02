"""Learners: how students change when they are shown an example."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array
from homeroom._checks import not_negative, positive, yes_or_no
from homeroom.classroom import project
from homeroom.learners.losses import AbstractLoss, Squared, loss_of


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """The class after an example.

    Parameters
    ----------
    states
        States after the example, shape ``(students, dimensions)``.
    rates
        Rates used for this example, shape ``(students,)``.
    """

    states: Array
    rates: Array


class AbstractLearner(ABC):
    """How students change when they are shown an example."""

    loss: AbstractLoss
    """The loss whose gradient moves the students."""

    @property
    @abstractmethod
    def shrinks_gaps(self) -> bool:
        """Whether a label given by the target moves a gap by exactly ``-rate <gap, x> x``.

        True for the plain gradient step on the squared loss. Engines then update the moments of
        the class instead of rebuilding them.
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
            The students, shapes ``(students, dimensions)`` and ``(students,)``. Not modified.
        x, y
            One example for all students, shapes ``(dimensions,)`` and ``()``; or one per student,
            shapes ``(students, dimensions)`` and ``(students,)``.
        state_radius
            States stay within this ball.
        rng
            Random generator.
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


@dataclass(frozen=True, init=False)
class GradientLearner(AbstractLearner):
    """The paper's learner: one projected gradient step per example.

    ``w <- Proj(w - rate * dloss/dw)``, section 2 of the paper.

    Parameters
    ----------
    loss
        ``"squared"``, ``"absolute"``, ``"logistic"``, ``"hinge"``, a loss object, or your own
        function ``slope(scores, labels)``.
    classes
        For ``"logistic"`` and ``"hinge"``: number of classes, with one state vector per class.
        Without it the labels are -1 and +1.

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


@dataclass(frozen=True, init=False)
class StochasticRateLearner(AbstractLearner):
    """Students with random rates: a new one per example, ``rate_j^t ~ N(rate_j, sigma^2)``.

    Section 4.2 of the paper. A normal distribution also gives negative rates, which move a
    student away from the label. They are used as drawn (the record counts them) unless ``clip`` is
    set.

    Parameters
    ----------
    sigma
        Standard deviation of the rates, the same for all students.
    loss, classes
        As for :class:`GradientLearner`.
    clip
        Replace negative rates by zero.

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


@dataclass(frozen=True, init=False)
class LangevinLearner(AbstractLearner):
    """Students who take a gradient step plus Gaussian noise (appendix A.2).

    ``w <- Proj(w - rate * dloss/dw + sqrt(2 rate / beta) * xi)``, ``xi`` standard normal.

    Parameters
    ----------
    beta
        Inverse temperature: the larger, the less noise.
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
        noise = _arrays.beside(rng.standard_normal(states.shape), states)
        scale = xp.sqrt(rates * (2.0 / self.beta))[:, None]
        return Step(project(states - moves + scale * noise, state_radius), rates)
