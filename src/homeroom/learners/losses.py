"""Losses: how a student moves after an answer.

A student with state ``w`` answers the question ``x`` with the score ``<w, x>``. The loss compares
the score with the label. A gradient learner needs only its derivative with respect to the score,
the *slope*: the state moves by ``-rate * slope * x``. With classes 1..m a student has one state
vector per class (the state is the m vectors concatenated), one score and one slope per class.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from homeroom import _plugins
from homeroom._arrays import Array, Floats, like, namespace
from homeroom._checks import InputError, InputTypeError, describe_value, labels_among, whole
from homeroom.classroom import Classroom, LargeClass


class AbstractLoss(ABC):
    """A loss, given by its derivative with respect to the score."""

    outputs: int = 1
    """State vectors per student: 1, or one per class."""

    is_quadratic = False
    """Whether this is half the squared error, where the right label is the target's score.

    The effect of an example is then known from the class's moments.
    """

    @abstractmethod
    def slopes(self, scores: Array, labels: Array) -> Array:
        """Return the derivative of the loss with respect to each score (a subgradient at kinks).

        Parameters
        ----------
        scores
            Shape ``(...)``; with several outputs ``(..., outputs)``.
        labels
            The right answers, of a shape that broadcasts with ``scores`` without the outputs axis.
            The squared loss takes one label per score in a class with several outputs.
        """

    @abstractmethod
    def labels(self, scores: Floats) -> Floats:
        """Return the right answers, given the target's scores (shaped as for slopes)."""


LossLike: TypeAlias = AbstractLoss | Callable[[Array, Array], Array] | str
"""A loss, its slope as a function, or its registered name."""


@dataclass(frozen=True)
class Squared(AbstractLoss):
    """Half the squared error of a real label, the loss of the paper's theory.

    >>> Squared().slopes(np.array([1.0, 3.0]), np.array(2.0))
    array([-1.,  1.])
    """

    is_quadratic = True

    def slopes(self, scores: Array, labels: Array) -> Array:
        return scores - labels

    def labels(self, scores: Floats) -> Floats:
        return scores


@dataclass(frozen=True)
class Absolute(AbstractLoss):
    """The absolute error of a real label; zero error means no move.

    >>> Absolute().slopes(np.array([1.0, 2.0, 3.5]), np.array(2.0))
    array([-1.,  0.,  1.])
    """

    def slopes(self, scores: Array, labels: Array) -> Array:
        return namespace(scores).sign(scores - labels)

    def labels(self, scores: Floats) -> Floats:
        return scores


@dataclass(frozen=True)
class Logistic(AbstractLoss):
    """The logistic loss: labels -1 and +1, or with ``classes`` the labels 1..m (softmax).

    >>> Logistic().slopes(np.array([0.0]), np.array(1.0))
    array([-0.5])
    >>> Logistic(classes=2).slopes(np.array([[0.0, 0.0]]), np.array(2.0))
    array([[ 0.5, -0.5]])
    """

    classes: int | None = None

    def __post_init__(self) -> None:
        _check_classes(self.classes)

    @property
    def outputs(self) -> int:  # type: ignore[override]  # it depends on the classes
        return self.classes or 1

    def slopes(self, scores: Array, labels: Array) -> Array:
        xp = namespace(scores)
        if self.classes is None:
            return -0.5 * labels * (1.0 - xp.tanh(0.5 * labels * scores))
        exponentials = xp.exp(scores - xp.max(scores, axis=-1, keepdims=True))
        chances = exponentials / xp.sum(exponentials, axis=-1, keepdims=True)
        return chances - _one_hot(scores, labels, self.classes)

    def labels(self, scores: Floats) -> Floats:
        return _class_labels(scores, self.classes)


@dataclass(frozen=True)
class Hinge(AbstractLoss):
    """The hinge loss: labels -1 and +1, or with ``classes`` the labels 1..m (Crammer-Singer).

    >>> Hinge().slopes(np.array([0.5, 2.0]), np.array(1.0))
    array([-1., -0.])
    >>> Hinge(classes=3).slopes(np.array([[0.0, 2.0, 1.0]]), np.array(3.0))
    array([[ 0.,  1., -1.]])
    """

    classes: int | None = None

    def __post_init__(self) -> None:
        _check_classes(self.classes)

    @property
    def outputs(self) -> int:  # type: ignore[override]  # it depends on the classes
        return self.classes or 1

    def slopes(self, scores: Array, labels: Array) -> Array:
        xp = namespace(scores)
        if self.classes is None:
            return -labels * xp.astype(labels * scores < 1.0, scores.dtype)
        right = _one_hot(scores, labels, self.classes)
        rivals = xp.where(right > 0, xp.full_like(scores, -math.inf), scores)
        rival = xp.max(rivals, axis=-1, keepdims=True)
        strongest = xp.astype(rivals == rival, scores.dtype)
        strongest = strongest / xp.sum(strongest, axis=-1, keepdims=True)
        margin = xp.sum(scores * right, axis=-1, keepdims=True) - rival
        return (strongest - right) * xp.astype(margin < 1.0, scores.dtype)

    def labels(self, scores: Floats) -> Floats:
        return _class_labels(scores, self.classes)


@dataclass(frozen=True)
class OwnLoss(AbstractLoss):
    """A user-defined loss, given by its slope.

    Parameters
    ----------
    slope
        ``slope(scores, labels)``, the derivative of the loss with respect to the score.
    answers
        ``"real"`` if the right answer is the target's score itself, ``"sign"`` if it is -1 or +1.

    Examples
    --------
    >>> huber = OwnLoss(lambda scores, labels: np.clip(scores - labels, -1.0, 1.0))
    >>> huber.slopes(np.array([0.5, 9.0]), np.array(0.0))
    array([0.5, 1. ])
    """

    slope: Callable[[Array, Array], Array]
    answers: str = "real"

    def __post_init__(self) -> None:
        if self.answers not in ("real", "sign"):
            raise InputError(f"`answers` must be 'real' or 'sign', but is {self.answers!r}.")

    def slopes(self, scores: Array, labels: Array) -> Array:
        slopes = self.slope(scores, labels)
        if getattr(slopes, "shape", None) != scores.shape:
            raise InputError(
                f"`slope` must return one number for each score, shape {tuple(scores.shape)}, "
                f"but returned {describe_value(slopes)}."
            )
        return slopes

    def labels(self, scores: Floats) -> Floats:
        return scores if self.answers == "real" else _class_labels(scores, None)


def loss_of(loss: Any, classes: int | None = None) -> AbstractLoss:
    """Return the loss behind a name, a function (its slope), or a loss itself.

    >>> loss_of("hinge", classes=3)
    Hinge(classes=3)
    """
    if isinstance(loss, str):
        settings = "" if classes is None else f":classes={classes}"
        made: AbstractLoss = _plugins.make("losses", loss + settings)
        return made
    if classes is not None:
        raise InputError("`classes` needs a loss given by name, as in loss='logistic', classes=3.")
    if isinstance(loss, AbstractLoss):
        return loss
    if callable(loss) and not isinstance(loss, type):
        return OwnLoss(loss)
    raise InputTypeError(
        f"`loss` must be one of {', '.join(_plugins.names('losses'))}, a function "
        f"slope(scores, labels), or a loss object, but is {loss!r}."
    )


def example_width(room: Classroom | LargeClass, loss: AbstractLoss) -> int:
    """Return how many numbers an example has for this class: those of one state vector."""
    return room.dimensions if room.outputs > 1 else room.dimensions // loss.outputs


def label_shape(loss: AbstractLoss, outputs: int) -> tuple[int, ...]:
    """Return the shape of one label in a class with this many outputs: a number, or one per output.

    >>> label_shape(Squared(), outputs=3), label_shape(Hinge(classes=3), outputs=3)
    ((3,), ())
    """
    return (outputs,) if outputs > loss.outputs else ()


def labels_for(loss: AbstractLoss, labels: Floats, classes: Sequence[str] | None = None) -> Floats:
    """Return labels as the loss takes them, such as -1 and +1 for 0 and 1.

    Parameters
    ----------
    loss
        The students' loss.
    labels
        Numbers. For a loss with classes, they may also be counted from 0.
    classes
        The names of the classes 1, 2, ..., if the labels stand for texts.

    Examples
    --------
    >>> labels_for(Logistic(), np.array([0.0, 1.0]))
    array([-1.,  1.])
    >>> labels_for(Hinge(classes=3), np.array([0.0, 2.0]))
    array([1., 3.])
    """
    known = list_labels(loss)
    if known is None:
        if classes is not None:
            raise InputError(
                f"`labels` must be numbers for the loss {type(loss).__name__}, but are texts such "
                f"as {classes[0]!r}. Use a loss with classes: learner=GradientLearner('logistic')."
            )
        return labels
    return labels_among(known, labels, classes)


def list_labels(loss: AbstractLoss) -> Floats | None:
    """Return the labels a loss takes; ``None`` if it takes any number."""
    if loss.outputs > 1:
        return np.arange(1.0, loss.outputs + 1)
    signs = isinstance(loss, Logistic | Hinge) or (
        isinstance(loss, OwnLoss) and loss.answers == "sign"
    )
    return np.array([-1.0, 1.0]) if signs else None


def _check_classes(classes: int | None) -> None:
    if classes is not None:
        whole(classes, "classes", at_least=2)


def _class_labels(scores: Floats, classes: int | None) -> Floats:
    """Return the sign of each score, or the number of the class with the largest score."""
    if classes is None:
        return np.where(np.asarray(scores) < 0, -1.0, 1.0)
    return np.asarray(np.argmax(scores, axis=-1) + 1.0)


def _one_hot(scores: Array, labels: Array, classes: int) -> Array:
    """Return 1 for the class of each label and 0 for the others, shape ``(..., classes)``."""
    xp = namespace(scores)
    numbers = like(np.arange(1, classes + 1), scores)
    return xp.astype(labels[..., None] == numbers, scores.dtype)
