"""What the teacher observes of a class before choosing an example, and its moments.

Student j has the gap ``e_j`` (state minus target) and the learning rate ``eta_j``. One example
``x = sqrt(g) u``, with a unit direction ``u`` and the squared magnitude ``g``, lowers the class's
mean squared distance by ``u' W u`` with ``W = mean(alpha_j e_j e_j')`` and
``alpha_j = 2 g eta_j - g^2 eta_j^2`` (Eq. 5 and 6 of the paper). So ``W = 2 g A - g^2 B`` for
*every* magnitude, with ``A = mean(eta_j e_j e_j')`` and ``B = mean(eta_j^2 e_j e_j')``: a teacher
that knows A and B does not need the students.

With several outputs a student's gap is a matrix ``E_j``, one row per output. An example moves every
row in the same way, so ``e_j e_j'`` becomes ``E_j' E_j``, a sum over the rows.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from homeroom import _arrays
from homeroom._arrays import Array, Floats, Ints
from homeroom._checks import InputError, InputTypeError, describe_value
from homeroom.classroom import Example
from homeroom.learners import AbstractLoss
from homeroom.learners.losses import label_shape
from homeroom.people_order import Coverage

if TYPE_CHECKING:
    from homeroom.moments.sketch import NestedSketch


ROUNDING = 1 + 1e-8
"""The factor by which rounding may make an example too long."""

BESIDE_MOMENTS = frozenset({"noise", "shown", "outlook", "notes", "memory"})
"""The fields of an observation on which the class's own moments do not depend."""


class AbstractMoments(ABC):
    """By how much any example lowers a class's mean squared distance, from its moments A and B."""

    gentle: float
    """The squared magnitude at which the fastest student learns best, ``1 / max eta``.

    Up to twice that, no student moves away.
    """

    @abstractmethod
    def weigh(self, g: float) -> Floats:
        """Return ``W`` for the squared magnitude ``g``.

        An example along the unit vector ``u`` lowers the error by ``u' W u``.
        """

    @abstractmethod
    def helps(self, xs: Floats, squared_lengths: Floats) -> Floats:
        """Return by how much each row of ``xs`` would lower the class's mean squared distance.

        ``squared_lengths`` are those of the rows.
        """

    @abstractmethod
    def at_most(self, g: float) -> float:
        """Return ``2 g tr A``: no example of squared length ``g`` lowers the error by more.

        Noise is not included, so it limits only exact moments.
        """

    @abstractmethod
    def best_g_overall(self) -> float:
        """Return ``sum eta |e|^2 / sum eta^2 |e|^2``, the paper's dynamic squared magnitude."""

    @abstractmethod
    def best_g_along(self, direction: Floats) -> float:
        """Return the squared magnitude that helps most along one unit direction."""


@dataclass(frozen=True, eq=False)
class Moments(AbstractMoments):
    """The two moment matrices of a class.

    Parameters
    ----------
    linear
        ``A = mean(eta_j e_j e_j')``, shape ``(dimensions, dimensions)``.
    quadratic
        ``B = mean(eta_j^2 e_j e_j')``.
    gentle
        ``1 / max eta``.
    noise
        Noise in the observed ``W``, if any.

    Examples
    --------
    >>> class_of_two = moments_of(np.eye(2), np.array([0.5, 0.25]), few=0)
    >>> class_of_two.weigh(g=2.0)
    array([[0.5  , 0.   ],
           [0.   , 0.375]])
    """

    linear: Floats
    quadratic: Floats
    gentle: float
    noise: Floats | None = None

    def weigh(self, g: float) -> Floats:
        matrix: Floats = (2.0 * g) * self.linear - (g * g) * self.quadratic
        return matrix if self.noise is None else matrix + self.noise

    def helps(self, xs: Floats, squared_lengths: Floats) -> Floats:
        # 2 x'Ax - |x|^2 x'Bx: O(examples * dimensions^2), whatever the number of students
        found = 2.0 * _forms(xs, self.linear) - squared_lengths * _forms(xs, self.quadratic)
        return found if self.noise is None else found + _forms(xs, self.noise) / squared_lengths

    def at_most(self, g: float) -> float:
        return 2.0 * g * float(self.linear.trace())

    def best_g_overall(self) -> float:
        return _best_g(float(self.linear.trace()), float(self.quadratic.trace()), self.gentle)

    def best_g_along(self, direction: Floats) -> float:
        linear = float(direction @ self.linear @ direction)
        return _best_g(linear, float(direction @ self.quadratic @ direction), self.gentle)


@dataclass(frozen=True, eq=False)
class FewStudents(AbstractMoments):
    """The moments of a class with fewer students than dimensions.

    They are stored as gaps, because a matrix would be larger.

    Parameters
    ----------
    gaps
        One row per student, or per student and output, shape ``(rows, dimensions)``.
    linear, quadratic
        The weights of the two moments for each row, divided by the number of students.
    gentle
        ``1 / max eta``.
    """

    gaps: Floats
    linear: Floats
    quadratic: Floats
    gentle: float

    def weigh(self, g: float) -> Floats:
        weights = (2.0 * g) * self.linear - (g * g) * self.quadratic
        matrix: Floats = (weights[:, None] * self.gaps).T @ self.gaps
        return matrix

    def helps(self, xs: Floats, squared_lengths: Floats) -> Floats:
        # O(examples * students * dimensions)
        answers = xs @ self.gaps.T
        answers *= answers
        found: Floats = 2.0 * (answers @ self.linear) - squared_lengths * (answers @ self.quadratic)
        return found

    def at_most(self, g: float) -> float:
        return 2.0 * g * float(np.vdot(self.gaps, self.linear[:, None] * self.gaps))

    def best_g_overall(self) -> float:
        squared = _arrays.sum_squares(self.gaps)
        return _best_g(float(self.linear @ squared), float(self.quadratic @ squared), self.gentle)

    def best_g_along(self, direction: Floats) -> float:
        squared = (self.gaps @ direction) ** 2
        return _best_g(float(self.linear @ squared), float(self.quadratic @ squared), self.gentle)


def moments_of(
    gaps: Array,
    rates: Array,
    squared_rates: Array | None = None,
    *,
    gentle: float | None = None,
    noise: Floats | None = None,
    few: int | None = None,
    outputs: int = 1,
) -> AbstractMoments:
    """Return the moments of a class, built from its students.

    Parameters
    ----------
    gaps
        ``states - target``, shape ``(students, outputs * dimensions)``.
    rates
        The weights of ``A``, shape ``(students,)``.
    squared_rates
        The weights of ``B``; the squares of the rates unless given.
    gentle
        ``1 / max rate`` unless given.
    noise
        Noise in the observed ``W``.
    few
        Up to this many gap vectors are kept instead of matrices; an eighth of the dimensions
        unless given.
    outputs
        The number of gap vectors per student.

    Notes
    -----
    Matrix products in blocks: O(students * outputs * dimensions^2), no large temporary.
    """
    xp = _arrays.namespace(gaps)
    squares = rates * rates if squared_rates is None else squared_rates
    if gentle is None:
        gentle = 1.0 / float(xp.max(rates))
    students, dimensions = gaps.shape[0], gaps.shape[1] // outputs
    if noise is None and students * outputs <= (max(1, dimensions // 8) if few is None else few):
        share = 1.0 / students
        return FewStudents(
            _arrays.split_rows(_arrays.to_host(gaps), dimensions),
            _arrays.for_each_vector(share * _arrays.to_host(rates), outputs),
            _arrays.for_each_vector(share * _arrays.to_host(squares), outputs),
            gentle,
        )
    linear = np.zeros((dimensions, dimensions))
    quadratic = np.zeros((dimensions, dimensions))
    for rows in _arrays.blocks_of(gaps):
        block = _arrays.split_rows(gaps[rows, :], dimensions)
        first = _arrays.for_each_vector(rates[rows], outputs)[:, None]
        second = _arrays.for_each_vector(squares[rows], outputs)[:, None]
        linear += _arrays.to_host((first * block).T @ block)
        quadratic += _arrays.to_host((second * block).T @ block)
    return Moments(linear / students, quadratic / students, gentle, noise)


def _forms(xs: Floats, matrix: Floats) -> Floats:
    """Return ``x' M x`` for each row ``x``."""
    forms: Floats = np.vecdot(xs @ matrix, xs)
    return forms


def _best_g(linear: float, quadratic: float, otherwise: float) -> float:
    """Return ``linear / quadratic``; ``otherwise`` if that is not positive and finite.

    It is the squared magnitude ``g`` that maximises ``2 g linear - g^2 quadratic``.
    """
    best = linear / quadratic if quadratic > 0 else otherwise
    return best if 0 < best < math.inf else otherwise


@dataclass(frozen=True, eq=False)
class ItemOutlook:
    """What a quizzing observer expects of each item, as functions that are called when needed.

    Parameters
    ----------
    right
        Returns each student's chance of a right answer to some items, shape ``(students, items)``.
    helps
        Returns how much showing each of some items would help the class, shape ``(items,)``.
    coverage
        Returns how similar the items are; ``None`` if they are facts, or are not on a map.
    moments
        Returns the expected effect of any example on the class, if there are such examples.
    """

    right: Callable[[Ints], Floats]
    helps: Callable[[Ints], Floats]
    coverage: Callable[[], Coverage | None] = lambda: None
    moments: Callable[[], AbstractMoments] | None = None


@dataclass(frozen=True, eq=False)
class Observation:
    """What the teacher observes before a round: the truth, or an observer's estimate of it.

    Use it in that round only, and do not change its arrays: the engine may reuse them.

    Parameters
    ----------
    target
        The target, shape ``(outputs * dimensions,)``: the vectors of the outputs one after the
        other, as in ``gaps``.
    example_radius, state_radius
        The radii of the ball of examples and of the ball of states.
    loss
        The students' loss.
    gaps
        The observed gap of each student, shape ``(students, outputs * dimensions)``.
    rates
        The observed rate of each student, shape ``(students,)``.
    squared_rates
        The mean square of each student's rate, if it is not the square of the mean.
    gentle
        The best squared magnitude for the fastest student; ``1 / max rate`` unless given.
    noise
        Noise that is added to ``W``, shape ``(dimensions, dimensions)``.
    kept
        The moments without noise, if the engine has kept them up to date.
    sketch
        The class's sketch, if there is one instead of students.
    shown
        The numbers of the items that the class was shown so far, in order.
    outlook
        What a quizzing observer expects of each item that it can ask.
    notes
        Counts for the record, by name.
    memory
        The observer's memory from now on, if observing changed it.
    outputs
        The number of vectors that a state consists of.
    """

    target: Floats
    example_radius: float
    state_radius: float
    loss: AbstractLoss
    gaps: Array
    rates: Array
    squared_rates: Array | None = None
    gentle: float | None = None
    noise: Floats | None = None
    kept: AbstractMoments | None = field(default=None, repr=False)
    sketch: NestedSketch | None = field(default=None, repr=False)
    shown: Sequence[int] = ()
    outlook: ItemOutlook | None = field(default=None, repr=False)
    notes: Mapping[str, int] = field(default_factory=dict)
    memory: Any = field(default=None, repr=False)
    outputs: int = 1

    @property
    def moments(self) -> AbstractMoments:
        """The effect of any example on the class, as observed.

        Those of the engine, of the sketch or of a quiz, with the observed noise if they are
        matrices; otherwise they are computed from gaps and rates.
        """
        found: AbstractMoments | None = self.__dict__.get("_moments")
        if found is not None:  # a cached property would take a lock in every round
            return found
        found = self.kept
        if found is None and self.sketch is not None:
            found = self.sketch.moments
        elif found is None and self.outlook is not None and self.outlook.moments is not None:
            found = self.outlook.moments()
        if isinstance(found, Moments) and self.noise is not None:
            found = replace(found, noise=self.noise)
        elif found is None or self.noise is not None:
            found = moments_of(
                self.gaps,
                self.rates,
                self.squared_rates,
                gentle=self.gentle,
                noise=self.noise,
                outputs=self.outputs,
            )
        self.__dict__["_moments"] = found
        return found

    @property
    def known_moments(self) -> AbstractMoments | None:
        """The moments, if a teacher has used them."""
        return self.__dict__.get("_moments")

    @property
    def gentle_g(self) -> float:
        """The best squared magnitude for the fastest student, within the ball."""
        gentle = self.gentle
        if gentle is None:
            gentle = 1.0 / float(_arrays.namespace(self.rates).max(self.rates))
        return min(gentle, self.example_radius**2)

    @property
    def width(self) -> int:
        """How many numbers an example has."""
        return len(self.target) // self.outputs

    @property
    def states(self) -> Array:
        """The observed states, shape ``(students, outputs * dimensions)``."""
        return self.gaps + _arrays.like(self.target, self.gaps)

    @property
    def mean_gap(self) -> Floats:
        """The mean of the observed gaps."""
        return _arrays.to_host(_arrays.namespace(self.gaps).mean(self.gaps, axis=0))

    def labels(self, xs: Floats) -> Floats:
        """Return the target's answers to examples of shape ``(..., width)``.

        An answer is a number, or a vector for the squared loss with several outputs.
        """
        return self.loss.labels(_arrays.answers_of(self.target, xs))

    def example(
        self, x: Floats, *, item: int | None = None, label: float | Floats | None = None
    ) -> Example:
        """Return the example, labelled with the target's answer unless another label is given.

        ``item`` is the number of the item in the teacher's pool, from 0.
        """
        if getattr(x, "shape", None) != (self.width,):
            raise InputError(
                f"An example for this class has {self.width} numbers, a NumPy array of shape "
                f"({self.width},), but x is {describe_value(x)}."
            )
        y = self.labels(x) if label is None else label
        return Example(x, float(y) if self.outputs == 1 or np.ndim(y) == 0 else y, item)

    def check_example(self, example: Any, teacher: object) -> None:
        """Raise an error unless a teacher chose an example for this class.

        ``None`` is not checked here: it means that no example helps.
        """
        if isinstance(example, Example) and type(example.x) is np.ndarray:
            x, y = example.x, example.y
            if (
                x.shape == (self.width,)
                and x.dtype.kind == "f"
                and x @ x <= (self.example_radius * ROUNDING) ** 2  # False if one is not finite
                and (
                    (type(y) is float and self.outputs == 1 and math.isfinite(y))
                    or self._is_label(y)
                )
            ):
                return
        shape = label_shape(self.loss, self.outputs)
        label = f"one label per output, shape {shape}," if shape else "a number"
        what = f"{example!r:.200}" if isinstance(example, Example) else describe_value(example)
        raise InputTypeError(
            f"{type(teacher).__name__}.choose must return None or an Example: x a NumPy array of "
            f"{self.width} finite numbers, no longer than example_radius, {self.example_radius:g}, "
            f"and {label} as y. But it returned {what}: seen.example(x) adds the right answer to x."
        )

    def _is_label(self, y: Any) -> bool:
        """Return whether a label has the shape for this class, and is finite."""
        labels = np.asarray(y)
        fits = labels.shape == label_shape(self.loss, self.outputs) and labels.dtype.kind in "bfiu"
        return fits and bool(np.isfinite(labels).all())

    def seen_with(self, **changes: object) -> Observation:
        """Return a copy with some fields replaced.

        Moments and sketch of the engine are kept only if all replaced fields are in
        ``BESIDE_MOMENTS``; new noise does not discard them, it is added to them.
        """
        if not BESIDE_MOMENTS.issuperset(changes):
            changes.setdefault("kept", None)
            changes.setdefault("sketch", None)
        elif "noise" in changes and self.noise is None:
            changes.setdefault("kept", self.moments)  # computed once, and kept by the engine
        return replace(self, **changes)  # type: ignore[arg-type]  # names are checked by replace
