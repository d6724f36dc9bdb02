"""Learners: how students change when they are shown an example."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats
from homeroom._checks import (
    InputError,
    InputTypeError,
    describe_value,
    not_negative,
    positive,
    yes_or_no,
)
from homeroom.classroom import Classroom, Example
from homeroom.learners.losses import AbstractLoss, LossLike, loss_of


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """The class after an example.

    Parameters
    ----------
    states
        States after the example, shaped as before.
    rates
        Rates used for this example, shape ``(students,)``.
    memory
        The learner's memory from now on, if it has one.
    """

    states: Array
    rates: Array
    memory: Any = None


@dataclass(frozen=True)
class Noise:
    """What randomness does to gradient steps of the squared loss, in expectation.

    A sketch, which is a summary of a class by second moments as polynomials of the rate, is exact
    for the expectation: a class of N students deviates from it by about ``1 / sqrt(N)``.

    Parameters
    ----------
    rate_variance
        The variance ``sigma^2`` of a rate that is drawn in every round: the square ``z^2`` of a
        rate becomes ``z^2 + sigma^2``.
    heat
        ``2 / beta`` of Langevin students, whose noise adds ``(2 / beta) eta I`` to ``e e'``, where
        ``e`` is the gap of a student with rate ``eta``.
    attention
        The chance that a student takes the step at all, independent of all other rounds.
    """

    rate_variance: float = 0.0
    heat: float = 0.0
    attention: float = 1.0


SILENCE = Noise()
"""No randomness."""


class AbstractLearner(ABC):
    """How students change when they are shown an example.

    A learner keeps nothing between rounds. What students carry from one round to the next besides
    their state (a velocity, their attention) is the *memory*: ``begin`` creates it, the lesson
    keeps it, and ``step`` receives it and returns the new one in ``Step.memory``.
    """

    loss: AbstractLoss
    """The loss whose gradient moves the students."""

    @property
    def noise(self) -> Noise | None:
        """What randomness adds to a gradient step of the squared loss; ``SILENCE`` if nothing.

        ``None`` if the expected step is another one: such students are simulated one by one, not
        by moments or a sketch.
        """
        return None

    def begin(self, room: Classroom) -> Any:
        """Return the students' memory at the start of a lesson; ``None`` if they have none."""
        return None

    @abstractmethod
    def step(
        self, states: Array, rates: Array, memory: Any, example: Example, rng: np.random.Generator
    ) -> Step:
        """Show an example and return the class afterwards; the lesson keeps states in their ball.

        Parameters
        ----------
        states, rates
            The students, shapes ``(students, dimensions)`` and ``(students,)``. Not modified. With
            several outputs a state is their vectors one after the other.
        memory
            That of the last step, or of ``begin``.
        example
            The example. Its label is a number; in a class with several outputs the label of the
            squared loss is a vector, ``(outputs,)``.
        rng
            Random generator.
        """

    def gradients(self, states: Array, example: Example) -> Array:
        """Return each student's gradient of the loss at an example, shaped like ``states``."""
        xp, x, y = _arrays.namespace(states), *arrays_of(example, states)
        scores = scores_of(states, x)
        slopes = self.loss.slopes(scores if scores.shape[1] > 1 else scores[:, 0], y)
        return outer_products(xp.reshape(slopes, scores.shape), x)

    def _set(self, *, loss: LossLike, classes: int | None, **settings: Any) -> None:
        """Set the fields of a learner, which is frozen."""
        for name, value in {"loss": loss_of(loss, classes), **settings}.items():
            object.__setattr__(self, name, value)


def arrays_of(example: Example, like: Array) -> tuple[Array, Array]:
    """Return question and label of an example as arrays of the same library as ``like``."""
    return _arrays.like(example.x, like), _arrays.like(example.y, like)


def scores_of(states: Array, x: Array) -> Array:
    """Return the scores of all students for a question, shape ``(students, outputs)``."""
    if states.shape[1] == x.shape[0]:
        return (states @ x)[:, None]
    vectors = _arrays.namespace(states).reshape(states, (states.shape[0], -1, x.shape[0]))
    return vectors @ x


def outer_products(weights: Array, x: Array) -> Array:
    """Return ``weight * x`` for each student and output, shaped like states.

    ``weights`` has shape ``(students, outputs)``, and ``x`` is one vector, or one per student.
    """
    if weights.shape[1] == 1:
        return weights * x
    xp, rows = _arrays.namespace(weights), x if x.ndim == 1 else x[:, None, :]
    return xp.reshape(weights[:, :, None] * rows, (weights.shape[0], -1))


def check_step(learner: AbstractLearner, step: Step, states: Array, rates: Array) -> Step:
    """Return a learner's step; raise if it does not have the shape of the class."""
    method = f"{type(learner).__name__}.step"
    if not isinstance(step, Step):
        raise InputTypeError(
            f"{method} must return Step(states, rates, memory), not {describe_value(step)}."
        )
    for part, values, like in (("states", step.states, states), ("rates", step.rates, rates)):
        if getattr(values, "shape", None) != like.shape:
            raise InputError(
                f"{method} must return `{part}` of shape {tuple(like.shape)}, but returned "
                f"{describe_value(values)}."
            )
    return step


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
    >>> from homeroom.classroom import Example
    >>> states, rates = np.array([[1.0, 1.0]]), np.array([0.5])
    >>> example = Example(np.array([1.0, 0.0]), 0.0)
    >>> GradientLearner().step(states, rates, None, example, np.random.default_rng(0)).states
    array([[0.5, 1. ]])
    """

    loss: AbstractLoss

    def __init__(self, loss: LossLike = "squared", classes: int | None = None) -> None:
        self._set(loss=loss, classes=classes)

    @property
    def noise(self) -> Noise | None:
        return SILENCE if self.loss.is_quadratic else None

    def step(
        self, states: Array, rates: Array, memory: Any, example: Example, rng: np.random.Generator
    ) -> Step:
        return Step(states - rates[:, None] * self.gradients(states, example), rates)


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
    >>> from homeroom.classroom import Example
    >>> states, rates = np.array([[1.0, 1.0]]), np.array([0.5])
    >>> example = Example(np.array([1.0, 0.0]), 0.0)
    >>> learner = StochasticRateLearner(sigma=0.1)
    >>> learner.step(states, rates, None, example, np.random.default_rng(0)).rates.round(3)
    array([0.513])
    """

    sigma: float
    loss: AbstractLoss
    clip: bool

    def __init__(
        self,
        sigma: float,
        loss: LossLike = "squared",
        classes: int | None = None,
        *,
        clip: bool = False,
    ) -> None:
        self._set(
            loss=loss,
            classes=classes,
            sigma=not_negative(sigma, "sigma", example="0.05"),
            clip=yes_or_no(clip, "clip"),
        )

    @property
    def noise(self) -> Noise | None:
        # Clipped rates have another mean than the rates of the class.
        known = self.loss.is_quadratic and not self.clip
        return Noise(rate_variance=self.sigma**2) if known else None

    def step(
        self, states: Array, rates: Array, memory: Any, example: Example, rng: np.random.Generator
    ) -> Step:
        drawn = rates + _arrays.like(self.sigma * rng.standard_normal(rates.shape), rates)
        if self.clip:
            drawn = _arrays.namespace(drawn).maximum(drawn, 0.0 * drawn)
        return Step(states - drawn[:, None] * self.gradients(states, example), drawn)


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
    """

    beta: float
    loss: AbstractLoss

    def __init__(self, beta: float, loss: LossLike = "squared", classes: int | None = None) -> None:
        self._set(loss=loss, classes=classes, beta=positive(beta, "beta", example="1e4"))

    @property
    def noise(self) -> Noise | None:
        return Noise(heat=2.0 / self.beta) if self.loss.is_quadratic else None

    def step(
        self, states: Array, rates: Array, memory: Any, example: Example, rng: np.random.Generator
    ) -> Step:
        moves = rates[:, None] * self.gradients(states, example)
        drawn = _arrays.like(rng.standard_normal(states.shape), states)
        scale = _arrays.namespace(rates).sqrt(rates * (2.0 / self.beta))[:, None]
        return Step(states - moves + scale * drawn, rates)


@dataclass(frozen=True, init=False)
class MomentumLearner(AbstractLearner):
    """Students who keep moving: gradient steps with momentum (the heavy ball).

    ``v <- momentum * v - rate * dloss/dw``, ``w <- Proj(w + v)``. The velocity ``v`` is their
    memory; it is zero at the start. With momentum 0 this is :class:`GradientLearner`.

    Parameters
    ----------
    momentum
        The share of the last move that is repeated, from 0 to below 1.
    loss, classes
        As for :class:`GradientLearner`.

    Examples
    --------
    >>> from homeroom import Classroom, MomentumLearner, teach
    >>> room = Classroom.sample(rates=(0.05, 0.1))
    >>> [teach(room, learner=MomentumLearner(m)).rounds for m in (0.0, 0.3)]
    [217, 142]
    """

    momentum: float
    loss: AbstractLoss

    def __init__(
        self, momentum: float = 0.5, loss: LossLike = "squared", classes: int | None = None
    ) -> None:
        self._set(loss=loss, classes=classes, momentum=_share(momentum, "momentum", example="0.5"))

    def begin(self, room: Classroom) -> Array:
        return 0.0 * room.states

    def step(
        self, states: Array, rates: Array, memory: Any, example: Example, rng: np.random.Generator
    ) -> Step:
        velocity = self.momentum * memory - rates[:, None] * self.gradients(states, example)
        return Step(states + velocity, rates, velocity)


@dataclass(frozen=True, init=False)
class AttentionLearner(AbstractLearner):
    """Students who do not always attend: an example that a student misses does not move them.

    A student attends to an example with some chance. Attention may last: the chance after an
    example is ``(1 - lasting) * attention``, plus ``lasting`` if the student attended to it. That
    chance is their memory. In every round the share of students who attend is ``attention``.

    Parameters
    ----------
    attention
        The share of the examples that a student attends to, above 0 and at most 1.
    lasting
        How much attention depends on the example before, from 0 (not at all) to below 1.
    loss, classes
        As for :class:`GradientLearner`.

    Examples
    --------
    >>> from homeroom import AttentionLearner, Classroom, teach
    >>> room = Classroom.sample(students=100, dimensions=3)
    >>> [teach(room, learner=AttentionLearner(share)).rounds for share in (1.0, 0.8, 0.4)]
    [10, 13, 28]
    """

    attention: float
    lasting: float
    loss: AbstractLoss

    def __init__(
        self,
        attention: float = 0.8,
        lasting: float = 0.0,
        loss: LossLike = "squared",
        classes: int | None = None,
    ) -> None:
        if positive(attention, "attention", example="0.8") > 1.0:
            raise InputError(f"`attention` must be at most 1, but is {attention:g}.")
        self._set(
            loss=loss,
            classes=classes,
            attention=attention,
            lasting=_share(lasting, "lasting", example="0.5"),
        )

    @property
    def noise(self) -> Noise | None:
        # Where attention lasts, rounds are not independent of each other.
        known = self.loss.is_quadratic and not self.lasting
        return Noise(attention=self.attention) if known else None

    def begin(self, room: Classroom) -> Floats:
        return np.full(room.students, self.attention)

    def step(
        self, states: Array, rates: Array, memory: Any, example: Example, rng: np.random.Generator
    ) -> Step:
        attends = (rng.random(rates.shape[0]) < memory).astype(np.float64)
        used = rates * _arrays.like(attends, rates)
        later = (1.0 - self.lasting) * self.attention + self.lasting * attends
        return Step(states - used[:, None] * self.gradients(states, example), used, later)


def _share(value: float, name: str, *, example: str) -> float:
    """Return the value; raise if it is not from 0 to below 1."""
    if not_negative(value, name, example=example) >= 1.0:
        raise InputError(f"`{name}` must be below 1, but is {value:g}. Try {name}={example}.")
    return value
