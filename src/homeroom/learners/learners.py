"""Learners: how students change when they are shown an example."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats
from homeroom._checks import (
    InputError,
    InputTypeError,
    described,
    not_negative,
    positive,
    yes_or_no,
)
from homeroom.classroom import Classroom, project
from homeroom.learners.losses import AbstractLoss, loss_of


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
    keeps it, ``step`` receives it as ``memory=`` and returns the new one in ``Step.memory``. A
    learner whose ``begin`` returns ``None`` has no memory, and its ``step`` is called without it.
    """

    loss: AbstractLoss
    """The loss whose gradient moves the students."""

    @property
    @abstractmethod
    def shrinks_gaps(self) -> bool:
        """Whether the target's label moves a gap (state minus target) by ``-rate <gap, x> x``.

        True for the plain gradient step on the squared loss. Engines then update the moments of
        the class instead of rebuilding them.
        """

    @property
    def step_noise(self) -> Noise | None:
        """What randomness adds, if the expected step is a gradient step of the squared loss.

        ``None`` if it is another step: a sketch cannot follow such students.
        """
        return SILENCE if self.shrinks_gaps else None

    @property
    def is_random(self) -> bool:
        """Whether steps are drawn at random: with another seed, a lesson may end elsewhere."""
        return self.step_noise not in (None, SILENCE)

    @property
    def independent(self) -> bool:
        """Whether students learn in a class as they would alone, each from an example of their own.

        ``step`` is then also called with one example per student, and individuals are taught all
        at once. Otherwise they are taught one by one.
        """
        return self.shrinks_gaps

    @property
    def forgets(self) -> bool:
        """Whether students lose what they are not shown again."""
        return False

    def begin(self, room: Classroom) -> Any:
        """Return the students' memory at the start of a lesson; ``None`` if they have none."""
        return None

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
            The students, shapes ``(students, dimensions)`` and ``(students,)``. Not modified. With
            several outputs a state is their vectors one after the other.
        x, y
            One example for all students, shapes ``(dimensions,)`` and ``()``; or, if students are
            ``independent``, one per student, shapes ``(students, dimensions)`` and ``(students,)``.
            In a class with several outputs the label of the squared loss is a vector,
            ``(outputs,)`` or ``(students, outputs)``.
        state_radius
            States stay within this ball.
        rng
            Random generator.
        memory
            Only for learners with a memory: that of the last step, or of ``begin``.
        """


def take_step(
    learner: AbstractLearner,
    states: Array,
    rates: Array,
    x: Array,
    y: Array,
    *,
    state_radius: float,
    rng: np.random.Generator,
    memory: Any,
) -> Step:
    """Return the step of a learner with or without a memory.

    Raise if it returns something else than a step, or arrays of other shapes.
    """
    known = {} if memory is None else {"memory": memory}
    method = f"{type(learner).__name__}.step"
    try:
        step = learner.step(states, rates, x, y, state_radius=state_radius, rng=rng, **known)
    except TypeError as error:
        if known and not _takes_memory(learner):
            raise InputTypeError(
                f"{type(learner).__name__}.begin returns a memory, but step does not take it: add "
                f"the argument `memory` to {method}, or return None from begin."
            ) from error
        raise
    if not isinstance(step, Step):
        raise InputTypeError(
            f"{method} must return Step(states, rates), but returned {described(step)}."
        )
    for part, values, like in (("states", step.states, states), ("rates", step.rates, rates)):
        if getattr(values, "shape", None) != like.shape:
            raise InputError(
                f"{method} must return `{part}` of shape {tuple(like.shape)}, but returned "
                f"{described(values)}."
            )
    if memory is not None and step.memory is None:
        raise InputError(
            f"{type(learner).__name__}.begin returns a memory, but step returns None: return the "
            "memory after the step, Step(states, rates, memory)."
        )
    return step


def _takes_memory(learner: AbstractLearner) -> bool:
    """Return whether the learner's ``step`` accepts the argument ``memory``."""
    kinds = {name: each.kind for name, each in signature(learner.step).parameters.items()}
    return "memory" in kinds or Parameter.VAR_KEYWORD in kinds.values()


def checked_loss(learner: AbstractLearner) -> AbstractLoss:
    """Return the loss of a learner; raise if it has none."""
    loss = getattr(learner, "loss", None)
    if not isinstance(loss, AbstractLoss):
        found = "has none" if loss is None else f"it is {described(loss)}"
        raise InputTypeError(
            f"{type(learner).__name__} must have an attribute `loss`, such as Squared(), but "
            f"{found}."
        )
    return loss


def gradients(states: Array, x: Array, y: Array, loss: AbstractLoss) -> Array:
    """Return each student's gradient of the loss at an example, shaped like ``states``.

    Parameters
    ----------
    states
        Shape ``(students, dimensions)``; with several outputs their vectors one after the other.
    x, y
        An example for all students, or one per student, as for :meth:`AbstractLearner.step`.
    loss
        The loss.

    Examples
    --------
    >>> from homeroom.learners import Squared
    >>> gradients(np.eye(2), np.array([1.0, 2.0]), np.array(0.5), Squared())
    array([[0.5, 1. ],
           [1.5, 3. ]])
    """
    xp = _arrays.namespace(states)
    (students, numbers), width = states.shape, x.shape[-1]
    if numbers == width:
        scores = states @ x if x.ndim == 1 else xp.sum(states * x, axis=1)
        return loss.slopes(scores, y)[:, None] * x
    vectors = xp.reshape(states, (students, numbers // width, width))
    rows = xp.reshape(x, (-1, 1, width))
    slopes = loss.slopes(xp.sum(vectors * rows, axis=2), y)
    return xp.reshape(slopes[:, :, None] * rows, (students, numbers))


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

    independent = True

    @property
    def shrinks_gaps(self) -> bool:
        return self.loss.is_quadratic

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

    independent = True

    @property
    def shrinks_gaps(self) -> bool:
        return False

    @property
    def step_noise(self) -> Noise | None:
        # Clipped rates have another mean than the rates of the class.
        known = self.loss.is_quadratic and not self.clip
        return Noise(rate_variance=self.sigma**2) if known else None

    @property
    def is_random(self) -> bool:
        return True

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
        drawn = rates + _arrays.like(self.sigma * rng.standard_normal(rates.shape), rates)
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

    independent = True

    @property
    def shrinks_gaps(self) -> bool:
        return False

    @property
    def step_noise(self) -> Noise | None:
        return Noise(heat=2.0 / self.beta) if self.loss.is_quadratic else None

    @property
    def is_random(self) -> bool:
        return True

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
        noise = _arrays.like(rng.standard_normal(states.shape), states)
        scale = xp.sqrt(rates * (2.0 / self.beta))[:, None]
        return Step(project(states - moves + scale * noise, state_radius), rates)


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
        self,
        momentum: float = 0.5,
        loss: AbstractLoss | Callable[[Array, Array], Array] | str = "squared",
        classes: int | None = None,
    ) -> None:
        object.__setattr__(self, "momentum", _share(momentum, "momentum", example="0.5"))
        object.__setattr__(self, "loss", loss_of(loss, classes))

    independent = True

    @property
    def shrinks_gaps(self) -> bool:
        return False

    def begin(self, room: Classroom) -> Array:
        return 0.0 * room.states

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
        moves = -rates[:, None] * gradients(states, x, y, self.loss)
        velocity = moves if memory is None else self.momentum * memory + moves
        return Step(project(states + velocity, state_radius), rates, velocity)


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
        loss: AbstractLoss | Callable[[Array, Array], Array] | str = "squared",
        classes: int | None = None,
    ) -> None:
        if positive(attention, "attention", example="0.8") > 1.0:
            raise InputError(f"`attention` must be at most 1, but is {attention:g}.")
        object.__setattr__(self, "attention", attention)
        object.__setattr__(self, "lasting", _share(lasting, "lasting", example="0.5"))
        object.__setattr__(self, "loss", loss_of(loss, classes))

    independent = True

    @property
    def shrinks_gaps(self) -> bool:
        return False

    @property
    def step_noise(self) -> Noise | None:
        # Where attention lasts, rounds are not independent of each other.
        known = self.loss.is_quadratic and not self.lasting
        return Noise(attention=self.attention) if known else None

    @property
    def is_random(self) -> bool:
        return True

    def begin(self, room: Classroom) -> Floats | None:
        return np.full(room.students, self.attention) if self.lasting else None

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
        chances = self.attention if memory is None else memory
        attends = (rng.random(rates.shape[0]) < chances).astype(np.float64)
        used = rates * _arrays.like(attends, rates)
        moves = used[:, None] * gradients(states, x, y, self.loss)
        later = None
        if memory is not None:
            later = (1.0 - self.lasting) * self.attention + self.lasting * attends
        return Step(project(states - moves, state_radius), used, later)


def _share(value: float, name: str, *, example: str) -> float:
    """Return the value; raise if it is not from 0 to below 1."""
    if not_negative(value, name, example=example) >= 1.0:
        raise InputError(f"`{name}` must be below 1, but is {value:g}. Try {name}={example}.")
    return value
